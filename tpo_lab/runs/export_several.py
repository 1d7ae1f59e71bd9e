"""Several runs as one file: their curves, every seed, or what came of each method. Imports pyarrow only for Parquet."""

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path

from tpo_lab.experiments import lanes_file
from tpo_lab.experiments.summaries import Summary
from tpo_lab.runs.export import seeds_of, summary
from tpo_lab.runs.snapshot import Snapshot, Source

ENDED = ("final_error_mean", "final_error_standard_error", "steps_to_1_percent")


def curves_csv(runs: Mapping[str, Snapshot]) -> str:
    """One row per run, method, diagnostic and step; the runs by the names that they have beside each other."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["run", "name", "method", "diagnostic", "step", *Summary._fields])
    for name, run in runs.items():
        for method, lane in run.lanes.items():
            for diagnostic, curve in lane.curves.items():
                for step, values in enumerate(zip(*(column.tolist() for column in curve), strict=True)):
                    cells = ("" if x != x else f"{x:.9g}" for x in values)
                    rows.writerow([run.id, name, method, diagnostic, step, *cells])
    return out.getvalue()


def results_csv(runs: Mapping[str, Snapshot]) -> str:
    """One row per run and method: error at its end, mean and standard error over n seeds, steps to 1 %, seconds."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["run", "name", "method", "steps", "n", *ENDED, "seconds"])
    for name, run in runs.items():
        for method, entry in summary(run)["methods"].items():
            found = ("" if entry.get(field) is None else f"{entry[field]:.9g}" for field in ENDED)
            rows.writerow([run.id, name, method, entry["steps"], entry["seeds_ended"], *found, entry["seconds"]])
    return out.getvalue()


def parquet(readers: Mapping[str, Source], path: Path) -> None:
    """Every seed: one row per (run, method, seed, step); a diagnostic that a run does not have is null.

    The configurations and the versions that computed them are in the metadata, by id of the run.

    Raises:
        InputError: if a run cannot be read, has no step yet, or the file cannot be written.
    """
    import pyarrow as pa  # type: ignore[import-untyped]

    tables, configs, versions = [], {}, {}
    for name, reader in readers.items():
        run = reader.read(())
        rows = lanes_file.table(seeds_of(reader, run))
        rows = rows.add_column(0, "name", pa.array([name] * len(rows), pa.string()))
        tables.append(rows.add_column(0, "run", pa.array([run.id] * len(rows), pa.string())))
        configs[run.id], versions[run.id] = json.loads(run.row.config_json), dict(run.row.versions)
    whole = pa.concat_tables(tables, promote_options="default")
    metadata = {"tpo_lab.configs": json.dumps(configs), "tpo_lab.versions": json.dumps(versions)}
    lanes_file.write_table(path, whole.replace_schema_metadata(metadata))
