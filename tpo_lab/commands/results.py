"""What came of a run, as a table for a terminal."""

from typing import Any

import numpy as np

from tpo_lab.commands.table import aligned
from tpo_lab.experiments.summaries import digits
from tpo_lab.methods.registry import METHODS
from tpo_lab.runs.export import summary
from tpo_lab.runs.snapshot import LaneSnapshot, Snapshot


def results_table(snapshot: Snapshot) -> str:
    """One line a method: error, seeds, steps, and what it took."""
    rows = [("method", "error", "seeds", "steps", "steps to 1 %", "seconds", "to compile")]
    for name, entry in summary(snapshot)["methods"].items():
        lane = snapshot.lanes.get(name)
        first = "-"
        if entry["seeds_ended"]:
            first = "never" if entry["steps_to_1_percent"] is None else str(entry["steps_to_1_percent"])
        seconds, to_compile = f"{entry['seconds']:.1f}", f"{entry['compile_seconds']:.1f}"
        seeds = str(len(lane.last["error"])) if lane else "-"
        rows.append((_label(name, entry), error_of(lane), seeds, f"{entry['steps']:,}", first, seconds, to_compile))
    return "\n".join([*aligned(rows), "Error: the latest there is, mean over seeds +- standard error."])


def error_of(lane: LaneSnapshot | None, spread: bool = True) -> str:
    """The latest mean error of a method that was measured, and its standard error."""
    measured = np.flatnonzero(~np.isnan(lane.curves["error"].mean)) if lane else np.empty(0, int)
    if lane is None or not measured.size:
        return "-"
    error = lane.curves["error"]
    mean, uncertain = error.mean[measured[-1]], error.standard_error[measured[-1]]
    known = spread and not np.isnan(uncertain)
    return f"{digits(100 * mean, 2)} %" + (f" +- {digits(100 * uncertain, 1)}" if known else "")


def label_of(method: str) -> str:
    """How a method is called; its name if this lab does not know it."""
    return METHODS[method].label if method in METHODS else method


def duration(seconds: float) -> str:
    """Minutes and seconds, or hours and minutes."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60} h {minutes % 60:02d} min" if minutes >= 60 else f"{minutes}:{rest:02d}"


def _label(name: str, entry: dict[str, Any]) -> str:
    return label_of(name) + (f" (diverged: {len(entry['diverged'])})" if entry["diverged"] else "")
