"""Tables of groups for tests, from plain lists."""

import json
from collections.abc import Sequence
from pathlib import Path

from tpo_lab.rollouts_io.read import files_of, read
from tpo_lab.rollouts_io.streams import File
from tpo_lab.rollouts_io.table import Rollouts

SAMPLES = Path(__file__).parents[2] / "assets" / "samples"

Group = Sequence[float | None]


def of(*groups: Group, log_probs: Sequence[Group] | None = None, steps: Sequence[int] | None = None) -> Rollouts:
    """The table of these scores."""
    rows = [
        {
            "step": steps[g] if steps else None,
            "group": g,
            "score": score,
            "log_prob": log_probs[g][i] if log_probs else None,
        }
        for g, scores in enumerate(groups)
        for i, score in enumerate(scores)
    ]
    return read([lines(rows)], format_name="table")


def lines(rows: Sequence[object], name: str = "rows.jsonl") -> File:
    """The rows as a file of JSON lines."""
    return text("\n".join(json.dumps(row) for row in rows), name)


def text(content: str | bytes, name: str = "file") -> File:
    """A file that holds this."""
    return File(name, data=content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))


def sample(name: str) -> Rollouts:
    """One of the lab's samples."""
    return read(files_of(SAMPLES / name))
