"""A run as the catalogue lists it: immutable values that any process and any page may hold. Imports no JAX."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from tpo_lab.experiments.kinds import AnyConfig, config_from

Status = Literal["queued", "running", "paused", "stopped", "done", "failed", "interrupted"]
Wanted = Literal["run", "pause", "stop"]
FINISHED: tuple[Status, ...] = ("stopped", "done", "failed", "interrupted")  # nothing is added unless somebody resumes


# What `run` and `lanes` below expect of a query.
RUN_COLUMNS = (
    "number, id, kind, preset, status, wanted, owner, name, note, pinned, deleted IS NOT NULL, created, began, ended, "
    "seconds, reason, config, versions, host"
)
LANE_COLUMNS = "method, status, steps, total, seconds, compile_seconds, rate, diverged, reason, attempts"
STATUS, OWNER, PINNED, DELETED, DIVERGED = 4, 6, 9, 10, 8  # places in these rows; a lane's follow the number of its run
RECORDED = "recorded-"  # how the ids of runs begin that ship with the lab; no other id has a hyphen
NONE: Mapping[int, int] = MappingProxyType({})


class LaneRow(NamedTuple):
    """One method of a run, all its seeds.

    Attributes:
        steps, total: taken, and to take.
        seconds: of computing, without compilation.
        compile_seconds: until the first step.
        rate: steps per second lately.
        diverged: by seed, the first step at which it was no longer finite.
        reason: why it failed, or how its last worker ended before its time, in one sentence.
        attempts: how often a worker has taken it up.
    """

    method: str
    status: Status
    steps: int
    total: int
    seconds: float
    compile_seconds: float
    rate: float
    diverged: Mapping[int, int]
    reason: str
    attempts: int


@dataclass(frozen=True)
class RunRow:
    """One run without its curves.

    Attributes:
        kind: of its configuration, see `tpo_lab.experiments.kinds`.
        status: "interrupted" if the process that computed it is gone.
        wanted: what somebody has asked for; its owner sees to it.
        owner: the process that computes it, see `tpo_lab.runs.owner`.
        deleted: whether it is waiting to be purged.
        created, began, ended: seconds since 1970 by the clock of the wall, to show and for nothing else.
        seconds: of computing, by a clock that nobody sets.
        reason: why it failed or ended, in one sentence.
        lanes: in the order of the configuration's methods.
    """

    id: str
    kind: str
    preset: str
    status: Status
    wanted: Wanted
    owner: str
    name: str
    note: str
    pinned: bool
    deleted: bool
    created: float
    began: float | None
    ended: float | None
    seconds: float
    reason: str
    config_json: str
    versions_json: str
    host_json: str
    lanes: tuple[LaneRow, ...]

    @cached_property
    def config(self) -> AnyConfig:
        """The configuration.

        Raises:
            InputError: if this lab does not know one of its settings.
        """
        return config_from(self.kind, self.config_json)

    @cached_property
    def versions(self) -> Mapping[str, str]:
        """Of the lab and of the packages that decide what is computed."""
        return dict(json.loads(self.versions_json))

    @cached_property
    def host(self) -> Mapping[str, Any]:
        """Cores, memory in bytes, platform and Python, never a name."""
        return dict(json.loads(self.host_json))

    @property
    def finished(self) -> bool:
        """Whether nothing is added any more, unless somebody resumes it."""
        return self.status in FINISHED

    @property
    def recorded(self) -> bool:
        """Whether it ships with the lab and was computed elsewhere."""
        return self.id.startswith(RECORDED)

    @property
    def steps(self) -> int:
        """Steps that every method has taken."""
        return min((lane.steps for lane in self.lanes), default=0)


def run(row: tuple[Any, ...], lanes: Iterable[LaneRow], alive: Mapping[str, bool]) -> RunRow:
    """The run of a row with `RUN_COLUMNS`; `alive`: which of the owners of runs under way still live."""
    values = list(row)
    if not alive.get(row[OWNER], True) and row[STATUS] in ("queued", "running"):
        values[STATUS] = "interrupted"
    values[PINNED], values[DELETED] = bool(row[PINNED]), bool(row[DELETED])
    return RunRow(*(*values[1:], tuple(lanes)))


def lanes(found: Iterable[tuple[Any, ...]]) -> dict[int, list[LaneRow]]:
    """By number of the run, the lanes of rows with that number and `LANE_COLUMNS`."""
    by_run: dict[int, list[LaneRow]] = {}
    for row in found:
        diverged = NONE if row[DIVERGED] == "{}" else _steps(row[DIVERGED])
        lane = LaneRow._make((*row[1:DIVERGED], diverged, *row[DIVERGED + 1 :]))
        by_run.setdefault(row[0], []).append(lane)
    return by_run


def _steps(text: str) -> Mapping[int, int]:
    return MappingProxyType({int(seed): step for seed, step in json.loads(text).items()})
