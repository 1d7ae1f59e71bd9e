"""MNIST from a folder: the four IDX files under their usual names, plain or .gz, each checked before it is believed.

An IDX file is a magic number (0, 0, 8 for bytes, number of axes), the length of each axis as a big-endian 32-bit
number, and the bytes. Source: the description of the format that comes with MNIST (LeCun, Cortes, Burges).
"""

import gzip
import math
import struct
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tpo_lab.errors import InputError

Bytes = npt.NDArray[np.uint8]

FILES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")
MOST_IMAGES, MOST_SIDE, CLASSES = 1_000_000, 64, 10
MOST_BYTES = 512 * 2**20


def read_folder(folder: str) -> tuple[Bytes, Bytes, Bytes, Bytes]:
    """Training images (N, rows, columns) and labels (N,), then those of the test set, as bytes.

    Raises:
        InputError: one sentence, if a file is missing, is no IDX file of its kind, is cut short, or does not fit the
            others.
    """
    path = Path(folder)
    if not path.is_dir():
        raise _fault(f"The folder {folder} does not exist.")
    parts = []
    for images_name, labels_name in (FILES[:2], FILES[2:]):
        images, labels = _read(path, images_name, 3), _read(path, labels_name, 1)
        if len(images) != len(labels):
            raise _fault(f"{images_name} has {len(images):,} images but {labels_name} {len(labels):,} labels.")
        if labels.max() >= CLASSES:
            raise _fault(f"{labels_name} has a label {labels.max()}; labels are 0 to {CLASSES - 1}.")
        parts += [images, labels]
    if parts[0].shape[1:] != parts[2].shape[1:]:
        train, test = ("x".join(map(str, parts[i].shape[1:])) for i in (0, 2))
        raise _fault(f"Training images have {train} pixels but test images {test}.")
    return parts[0], parts[1], parts[2], parts[3]


def _read(folder: Path, name: str, axes: int) -> Bytes:
    """One IDX file of unsigned bytes with that many axes."""
    header_size = 4 + 4 * axes
    path = _find(folder, name)
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            header = file.read(header_size)
            shape = _shape(path.name, header, axes)
            wanted = math.prod(shape)
            data = file.read(wanted + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise _fault(f"{path.name} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    if len(data) != wanted:
        what = "is cut short" if len(data) < wanted else "goes on after its end"
        raise _fault(f"{path.name} {what}: its header promises {wanted:,} bytes of data.")
    return np.frombuffer(data, np.uint8).reshape(shape)


def _find(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    raise _fault(f"{folder} has no file {name} (or {name}.gz); MNIST is the four files {', '.join(FILES)}.")


def _shape(name: str, header: bytes, axes: int) -> tuple[int, ...]:
    """The shape that a header promises, within limits, before any data is read."""
    if header[:4] != bytes((0, 0, 8, axes)):
        found = header[:4].hex(" ") or "nothing"
        raise _fault(f"{name} is no IDX file of bytes with {axes} axes: it must begin 00 00 08 0{axes}, not {found}.")
    if len(header) < 4 + 4 * axes:
        raise _fault(f"{name} is cut short: it ends within its header.")
    shape = struct.unpack(f">{axes}I", header[4:])
    limits = (MOST_IMAGES, MOST_SIDE, MOST_SIDE)
    if any(not 1 <= size <= most for size, most in zip(shape, limits, strict=False)) or math.prod(shape) > MOST_BYTES:
        size = "x".join(f"{n:,}" for n in shape)
        raise _fault(
            f"{name} promises {size} bytes; allowed are 1 to {MOST_IMAGES:,} images of up to {MOST_SIDE}x{MOST_SIDE} "
            f"pixels, {MOST_BYTES // 2**20} MiB in all."
        )
    return shape


def _fault(sentence: str) -> InputError:
    return InputError("folder", sentence)
