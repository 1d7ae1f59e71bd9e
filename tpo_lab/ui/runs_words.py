"""How a run is, in a few words: its status, what it waits for, how long it will take."""

from tpo_lab.runs.rows import RunRow
from tpo_lab.runs.service import RunService

WANTED = {"stop": "Stopping", "pause": "Pausing"}
ORDINALS = ("next", "second", "third")


def is_going(row: RunRow) -> bool:
    """Whether something may change without anybody asking for it."""
    return not row.finished and (row.status != "paused" or row.wanted != "pause")


def is_held(row: RunRow) -> bool:
    """Whether a run is not done and nobody computes it."""
    return row.status in ("paused", "stopped", "failed", "interrupted") or (not row.finished and row.wanted == "pause")


def orphans(row: RunRow) -> dict[str, str]:
    """By method, how its last worker ended, where that was not the end of the method: another one goes on with it."""
    return {lane.method: lane.reason for lane in row.lanes if lane.reason and lane.status in ("queued", "running")}


def state(row: RunRow) -> str:
    """One word or two."""
    if not row.finished and row.status != "paused" and row.wanted in WANTED:
        return WANTED[row.wanted]
    if row.status == "queued" or (row.status == "paused" and row.wanted == "run"):
        return "Waiting"
    return "Compiling" if row.status == "running" and not any(lane.steps for lane in row.lanes) else _said(row)


def _said(row: RunRow) -> str:
    return "Recorded" if row.recorded else row.status.capitalize()


def outlook(runs: RunService, row: RunRow) -> str:
    """Where a run is in line, and about how long until it is done; empty if it has ended or nothing is known."""
    if row.finished or row.status == "paused" or row.wanted != "run":
        return ""
    parts = []
    place = runs.position(row.id)
    if place is not None:
        parts.append(f"{ORDINALS[place] if place < len(ORDINALS) else f'number {place + 1}'} in line")
    left = runs.seconds_left(row.id)
    if left is None and row.status == "running":  # another process computes it
        left = max((_lane_left(row, i) for i in range(len(row.lanes))), default=None)
    if left:
        parts.append(f"about {duration(left)} left")
    return ", ".join(parts)


def _lane_left(row: RunRow, i: int) -> float:
    lane = row.lanes[i]
    return (lane.total - lane.steps) / lane.rate if lane.rate else 0.0


def duration(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"
