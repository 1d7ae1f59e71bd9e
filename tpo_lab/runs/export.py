"""A run as files: its curves as CSV, its configuration as JSON (`BanditConfig.to_json`)."""

import csv
import io

from tpo_lab.experiments.summaries import Summary
from tpo_lab.runs.record import Snapshot


def curves_csv(snapshot: Snapshot) -> str:
    """One row per method, diagnostic and step; an undefined number is an empty cell."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["method", "diagnostic", "step", *Summary._fields])
    for method, lane in snapshot.lanes.items():
        for diagnostic, curve in lane.curves.items():
            for step, values in enumerate(zip(*(column.tolist() for column in curve), strict=True)):
                rows.writerow([method, diagnostic, step, *("" if x != x else f"{x:.9g}" for x in values)])
    return out.getvalue()
