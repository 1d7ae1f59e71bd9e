"""A store for tests: a folder of its own, a small run, and what its curves must be."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from tpo_lab.experiments.config import BanditConfig
from tpo_lab.runs import home
from tpo_lab.runs.curves import Values

DIAGNOSTICS = ("error", "misalignment")
CONFIG = BanditConfig(seeds=3, steps=40, methods=("tpo", "pg"))
NOBODY = 65534


def new_home(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of a test."""
    monkeypatch.setenv(home.VARIABLE, str(path))
    return home.data_folder()


def values_of(first: int, steps: int, diagnostics: int = 2, seeds: int = 3) -> Values:
    """(T, D, S): what every step of every lane must hold, whoever writes it and in whatever pieces."""
    t, d, s = np.meshgrid(np.arange(first, first + steps), np.arange(diagnostics), np.arange(seeds), indexing="ij")
    return np.asarray(1 / (1 + t) + 10 * d + 100 * s, np.float32)


@contextmanager
def without_writing(folder: Path) -> Iterator[None]:
    """Within, nothing in the folder can be written by this process; also if it is root, whom no mode stops."""
    entries = [folder, *folder.rglob("*")]
    modes = {path: path.stat().st_mode for path in entries}
    root = os.geteuid() == 0
    for path in entries:
        path.chmod(0o755 if root and path.is_dir() else 0o644 if root else 0o500 if path.is_dir() else 0o400)
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        for path, mode in modes.items():
            if path.exists():
                path.chmod(mode)
