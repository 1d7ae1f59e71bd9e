"""The lanes of a run as one Parquet file, and as a summary per method. Imports no JAX."""

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

import tpo_lab
from tpo_lab.errors import InputError
from tpo_lab.experiments.config import Config
from tpo_lab.experiments.summaries import first_below, summarise

if TYPE_CHECKING:
    from tpo_lab.training.lanes import AnyConfig, Lane

ONE_PERCENT = 0.01


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


def write(path: Path, config: Config, lanes: Sequence[SeedRecord], versions: Mapping[str, str]) -> None:
    """One row per (method, seed, episode), a column per diagnostic; configuration and versions in the metadata.

    Raises:
        InputError: if the file cannot be written; what was there before is then as it was.
    """
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    columns: dict[str, Any] = {
        "method": np.repeat([lane.method for lane in lanes], [lane.episodes for lane in lanes]),
        "seed": np.repeat([lane.seed for lane in lanes], [lane.episodes for lane in lanes]).astype(np.int32),
        "step": np.concatenate([np.arange(lane.episodes, dtype=np.int32) for lane in lanes]),
    }
    for name in lanes[0].record:
        columns[name] = np.concatenate([lane.record[name] for lane in lanes])
    metadata = {
        "tpo_lab.config": config.to_json(),
        "tpo_lab.versions": json.dumps({"tpo-lab": tpo_lab.__version__, **versions}),
    }
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        pq.write_table(pa.table(columns).replace_schema_metadata(metadata), unfinished)
        unfinished.replace(path)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink()
        raise InputError("out", f"Cannot write {path}: {error.strerror or error}.") from error


def summary(config: "AnyConfig", lanes: Sequence["Lane"]) -> dict[str, Any]:
    """Per method: the final error over seeds, each seed's, steps to 1 % of the mean curve, and what it took.

    The mean curve is that of the seeds that ended; steps count episodes from 0, and null is never.
    """
    methods: dict[str, Any] = {}
    for method in config.methods:
        mine = [lane for lane in lanes if lane.method == method]
        ended = [lane for lane in mine if lane.episodes == config.episodes]
        entry: dict[str, Any] = {
            "seeds_ended": len(ended),
            "seconds": round(sum(lane.seconds for lane in mine), 3),
            "compile_seconds": round(sum(lane.compile_seconds for lane in mine), 3),
            "diverged": {str(lane.seed): at for lane in mine if (at := lane.diverged_at) is not None},
        }
        if ended:
            statistics = summarise(np.stack([lane.record["error"] for lane in ended], axis=1))
            error = float(statistics.standard_error[-1])
            entry |= {
                "final_error_mean": float(statistics.mean[-1]),
                "final_error_standard_error": None if np.isnan(error) else error,
                "final_errors": [float(lane.record["error"][-1]) for lane in ended],
                "steps_to_1_percent": first_below(statistics.mean, ONE_PERCENT),
            }
        methods[method] = entry
    return {"config": json.loads(config.to_json()), "methods": methods}
