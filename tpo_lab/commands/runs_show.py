"""What `tpo-lab runs list`, `show` and `export` print and write."""

import argparse
import json
import textwrap
import time
from pathlib import Path
from typing import Any

from tpo_lab.commands.results import duration, label_of, results_table
from tpo_lab.commands.runs_find import find, what
from tpo_lab.commands.table import aligned
from tpo_lab.errors import InputError
from tpo_lab.runs import log
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.database import StoreError
from tpo_lab.runs.export import configuration_json, curves_csv, parquet, summary, write_text
from tpo_lab.runs.reader import Reader
from tpo_lab.runs.rows import RunRow
from tpo_lab.runs.snapshot import Snapshot

LINES = 5  # of the log, of a run that has failed
WIDTH = 100  # of a paragraph


def list_runs(catalogue: Catalogue, args: argparse.Namespace) -> None:
    """Print the runs."""
    if args.limit < -1 or args.limit == 0:
        raise InputError("limit", f"--limit must be at least 1, not {args.limit}.")
    rows = catalogue.list(args.deleted, args.limit)
    if args.json:
        print(json.dumps([_facts(row) for row in rows]))
        return
    if not rows:
        print("No run was removed." if args.deleted else "No runs yet; `tpo-lab run PRESET` starts one.")
        return
    table = [("id", "started", "status", "run", "methods", "seeds x steps", "time")]
    table += [
        (row.id, _when(row.created), _status(row), what(row) + " *" * row.pinned, _methods(row), _size(row), _time(row))
        for row in rows
    ]
    print("\n".join(aligned(table)))


def show_run(catalogue: Catalogue, args: argparse.Namespace) -> None:
    """Print one run."""
    row = find(catalogue, args.id, deleted=True)
    reader = Reader(catalogue, row.id)
    snapshot = reader.read()
    reader.close()
    if args.json:
        facts = _facts(snapshot.row)
        more = {"versions": dict(row.versions), "host": dict(row.host), "broken": snapshot.broken}
        print(json.dumps({**facts, **more, **summary(snapshot)}))
        return
    print("\n".join(_lines(catalogue.folder, snapshot)))


def export_run(catalogue: Catalogue, args: argparse.Namespace) -> None:
    """Write one run to a file of the kind that its name says.

    Raises:
        InputError: if there is no such kind, the run cannot be read, or the file cannot be written.
    """
    row = find(catalogue, args.id, deleted=True)
    kind = args.file.suffix.lower()
    if kind not in (".parquet", ".csv", ".json"):
        raise InputError("file", f"The name of the file must end in .parquet, .csv or .json, not {args.file.name!r}.")
    if not args.file.parent.is_dir():
        raise InputError("file", f"The folder {args.file.parent} does not exist.")
    only = [name.strip() for name in args.only.split(",") if name.strip()]
    if only and kind != ".parquet":
        raise InputError("only", "--only chooses the diagnostics of a .parquet.")
    if kind == ".json":
        write_text(args.file, configuration_json(row) + "\n")
        return
    reader = Reader(catalogue, row.id)
    try:
        if kind == ".parquet":
            parquet(reader, args.file, only)
            return
        snapshot = reader.read()
        if snapshot.broken:
            raise StoreError("store", snapshot.broken)
        if not snapshot.lanes:
            raise InputError("run", "This run has no step to export yet.")
        write_text(args.file, curves_csv(snapshot))
    finally:
        reader.close()


def _lines(folder: Path, snapshot: Snapshot) -> list[str]:
    row = snapshot.row
    config = ", ".join(f"{name} {_value(value)}" for name, value in json.loads(row.config_json).items())
    versions = ", ".join(f"{name} {version}" for name, version in row.versions.items())
    machine = f"{row.host['cores']} cores, {row.host['memory'] / 2**30:.0f} GiB, {row.host['platform']}"
    facts = [
        ("run", f"{row.id}{' *' * row.pinned}  {what(row)}{' (removed)' * row.deleted}"),
        ("status", f"{_status(row)}{row.reason and f': {row.reason}'}"),
        ("note", row.note),
        ("started", f"{_when(row.created)}; computed for {_time(row)}"),
        ("settings", config),
        ("versions", f"{versions}, Python {row.host['python']}"),
        ("machine", machine),
        ("curves", snapshot.broken),
    ]
    lines = []
    for name, text in facts:
        if text:
            lines += textwrap.wrap(text, WIDTH, initial_indent=f"{name:<10}", subsequent_indent=" " * 10)
    lines += ["", results_table(snapshot)]
    if row.status == "failed":
        lines += ["", *log.last_lines(folder, row.id, LINES)]
    return lines


def _facts(row: RunRow) -> dict[str, Any]:
    """A run as JSON; times are seconds since 1970."""
    names = "id kind preset name note pinned deleted status reason created began ended seconds"
    facts = {name: getattr(row, name) for name in names.split()}
    lanes = [{**lane._asdict(), "diverged": dict(lane.diverged)} for lane in row.lanes]
    return {**facts, "config": json.loads(row.config_json), "lanes": lanes}


def _status(row: RunRow) -> str:
    total = sum(lane.total for lane in row.lanes)
    share = sum(lane.steps for lane in row.lanes) / total if total else 0.0
    return row.status if row.status == "done" else f"{row.status} {int(100 * share)} %"


def _methods(row: RunRow) -> str:
    names = [label_of(lane.method) for lane in row.lanes]
    return ", ".join(names) if len(names) < 4 else f"{', '.join(names[:2])} and {len(names) - 2} more"


def _size(row: RunRow) -> str:
    seeds = json.loads(row.config_json).get("seeds", "?")
    return f"{seeds} x {max((lane.total for lane in row.lanes), default=0):,}"


def _time(row: RunRow) -> str:
    return duration(row.seconds)


def _when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _value(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
