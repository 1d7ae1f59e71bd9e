"""MNIST from a folder: what is read, and one sentence for every fault."""

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest

from tests.tasks.mnist_folder import arrays, idx, write
from tpo_lab.errors import InputError
from tpo_lab.tasks.digits import load
from tpo_lab.tasks.digits_idx import FILES, read_folder


@pytest.mark.parametrize("compress", [False, True])
def test_the_four_files_are_read_plain_or_compressed(tmp_path: Path, compress: bool) -> None:
    for found, expected in zip(read_folder(str(write(tmp_path, compress=compress))), arrays(), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_pixels_are_scaled_to_one_and_flattened(tmp_path: Path) -> None:
    images, labels, test_images, _ = arrays()
    data = load(str(write(tmp_path)))
    np.testing.assert_allclose(data.train_pixels, images.reshape(20, 12) / 255, rtol=1e-6)
    np.testing.assert_array_equal(data.train_labels, labels)
    assert data.test_pixels.shape == (len(test_images), 12)


IMAGES, LABELS = (arrays()[i] for i in (0, 1))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        (FILES[0], None, "has no file train-images-idx3-ubyte"),
        (FILES[3], None, "has no file t10k-labels-idx1-ubyte"),
        (FILES[0], b"", "must begin 00 00 08 03, not nothing"),
        (FILES[0], idx(LABELS), "must begin 00 00 08 03, not 00 00 08 01"),
        (FILES[1], b"PK\3\4 an archive", "must begin 00 00 08 01, not 50 4b 03 04"),
        (FILES[0], idx(IMAGES)[:9], "ends within its header"),
        (FILES[0], idx(IMAGES)[:-1], "train-images-idx3-ubyte is cut short: its header promises 240 bytes"),
        (FILES[0], idx(IMAGES) + b"\0", "goes on after its end"),
        (FILES[1], idx(LABELS[:-1]), "has 20 images but train-labels-idx1-ubyte 19 labels"),
        (FILES[1], idx(LABELS + np.uint8(9)), "labels are 0 to 9"),
        (FILES[0], idx(IMAGES[:, :, :2]), "Training images have 4x2 pixels but test images 4x3"),
        (FILES[1], idx(LABELS[:0]), "promises 0 bytes; allowed are 1 to"),
        (FILES[0], b"\0\0\x08\3" + struct.pack(">3I", 2**32 - 1, 28, 28), "promises 4,294,967,295x28x28 bytes"),
        (FILES[0], b"\0\0\x08\3" + struct.pack(">3I", 10**6, 64, 64), "512 MiB in all"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, name: str, content: bytes | None, words: str) -> None:
    write(tmp_path)
    (tmp_path / name).unlink()
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=words) as caught:
        load(str(tmp_path))
    assert caught.value.field == "folder"


def test_compressed_files_that_are_cut_or_are_none_are_refused(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / FILES[0]).unlink()
    compressed = tmp_path / f"{FILES[0]}.gz"
    broken = bytearray(gzip.compress(idx(IMAGES)))
    broken[-6] ^= 1  # of the checksum
    for content in (gzip.compress(idx(IMAGES))[:-20], idx(IMAGES), bytes(broken)):
        compressed.write_bytes(content)
        with pytest.raises(InputError, match=r"ubyte\.gz (cannot be read|is cut short)"):
            read_folder(str(tmp_path))


def test_a_small_file_that_unpacks_to_a_huge_one_is_not_unpacked(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / FILES[0]).unlink()
    (tmp_path / f"{FILES[0]}.gz").write_bytes(gzip.compress(idx(IMAGES) + bytes(2**24)))
    with pytest.raises(InputError, match="goes on after its end"):
        read_folder(str(tmp_path))


def test_a_missing_folder_is_said() -> None:
    with pytest.raises(InputError, match="The folder /nowhere/at/all does not exist"):
        load("/nowhere/at/all")
