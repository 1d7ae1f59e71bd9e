"""The lanes of a run as one Parquet file. Imports no JAX."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

import tpo_lab
from tpo_lab.errors import InputError
from tpo_lab.experiments.config import Config

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]


AXES = ("method", "seed", "step")  # the columns that say which row it is


class SeedRecord(Protocol):
    """What one seed of one method left behind: each diagnostic, (episodes done,) float32."""

    @property
    def method(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def record(self) -> Mapping[str, npt.NDArray[np.float32]]: ...
    @property
    def episodes(self) -> int: ...


def write(
    path: Path,
    config: Config,
    lanes: Sequence[SeedRecord],
    versions: Mapping[str, str],
    facts: Mapping[str, Any] | None = None,
) -> None:
    """One row per (method, seed, episode), a column per diagnostic; configuration and versions in the metadata.

    Args:
        facts: what else is to be in the metadata, as one JSON object.

    Raises:
        InputError: if the file cannot be written; what was there before is then as it was.
    """
    metadata = {
        "tpo_lab.config": config.to_json(),
        "tpo_lab.versions": json.dumps({"tpo-lab": tpo_lab.__version__, **versions}),
        **({"tpo_lab.run": json.dumps(facts)} if facts else {}),
    }
    write_table(path, table(lanes).replace_schema_metadata(metadata))


def table(lanes: Sequence[SeedRecord]) -> "pa.Table":
    """The rows of `write`, at least one lane."""
    import pyarrow as pa

    columns: dict[str, Any] = {
        "method": np.repeat([lane.method for lane in lanes], [lane.episodes for lane in lanes]),
        "seed": np.repeat([lane.seed for lane in lanes], [lane.episodes for lane in lanes]).astype(np.int32),
        "step": np.concatenate([np.arange(lane.episodes, dtype=np.int32) for lane in lanes]),
    }
    for name in lanes[0].record:
        columns[name] = np.concatenate([lane.record[name] for lane in lanes])
    return pa.table(columns)


def write_table(path: Path, rows: "pa.Table") -> None:
    """Write a table as Parquet.

    Raises:
        InputError: if the file cannot be written; what was there before is then as it was.
    """
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    with replacing(path) as unfinished:
        pq.write_table(rows, unfinished)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path to write to, in the place of a file only when all is written.

    Raises:
        InputError: if it cannot be written; what was there before is then as it was.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield unfinished
        unfinished.replace(path)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink()
        raise InputError("out", f"Cannot write {path}: {error.strerror or error}.") from error
