"""A tiny MNIST: the four files, made by the test that reads them."""

import gzip
import struct
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tpo_lab.tasks.digits_idx import FILES


def idx(data: npt.NDArray[np.uint8]) -> bytes:
    """The bytes of an IDX file."""
    return bytes((0, 0, 8, data.ndim)) + struct.pack(f">{data.ndim}I", *data.shape) + data.tobytes()


def arrays(train: int = 20, test: int = 10) -> tuple[npt.NDArray[np.uint8], ...]:
    """Images of 4x3 pixels, and labels, of a training and a test set."""
    numbers = np.random.default_rng(0)
    parts = []
    for n in (train, test):
        parts += [numbers.integers(0, 256, (n, 4, 3), np.uint8), numbers.integers(0, 10, n, np.uint8)]
    return tuple(parts)


def write(folder: Path, *, compress: bool = False) -> Path:
    """The four files of `arrays` in that folder."""
    for name, data in zip(FILES, arrays(), strict=True):
        if compress:
            (folder / f"{name}.gz").write_bytes(gzip.compress(idx(data)))
        else:
            (folder / name).write_bytes(idx(data))
    return folder
