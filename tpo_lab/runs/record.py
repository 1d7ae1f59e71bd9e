"""One run as the service keeps it, and the immutable view of it that everybody else gets."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt

from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.summaries import Summary, joined, summarise

Status = Literal["queued", "running", "done", "stopped", "failed"]
Values = Mapping[str, npt.NDArray[np.float32]]


@dataclass(frozen=True)
class Lane:
    """What one method of a run has so far.

    Attributes:
        steps: how many steps are in.
        curves: statistics over seeds of each diagnostic at each of these steps.
        last: each seed's values at the last of them, shape (S,).
    """

    steps: int
    curves: Mapping[str, Summary]
    last: Values


@dataclass(frozen=True)
class Snapshot:
    """A run at one moment; it never changes.

    Attributes:
        lanes: by method; a method without a step yet has no lane.
        reason: why the run failed, in one sentence; empty otherwise.
        seconds: how long the run has been computing, or took.
    """

    id: str
    config: BanditConfig
    status: Status
    reason: str
    lanes: Mapping[str, Lane]
    seconds: float

    @property
    def finished(self) -> bool:
        """Whether nothing will be added any more."""
        return self.status in ("done", "stopped", "failed")

    @property
    def steps(self) -> int:
        """Steps that every method has taken."""
        return min((self.lanes[m].steps if m in self.lanes else 0) for m in self.config.methods)


@dataclass
class Record:
    """A run under way. Not thread-safe: the service holds its lock around every call."""

    id: str
    config: BanditConfig
    status: Status = "queued"
    reason: str = ""
    began: float | None = None
    ended: float | None = None
    _lanes: dict[str, Lane] = field(default_factory=dict)

    def begin(self) -> None:
        """The worker has begun to compute."""
        if self.status == "queued":
            self.status, self.began = "running", time.monotonic()

    def end(self, status: Status, reason: str = "") -> None:
        """Close the run; the first end counts."""
        if not self.snapshot().finished:
            self.status, self.reason, self.ended = status, reason, time.monotonic()

    def add(self, lane: str, values: Values) -> None:
        """Append a chunk, each diagnostic (T, S); what arrives after the end is dropped."""
        if self.status != "running":
            return
        before = self._lanes.get(lane)
        curves, steps = {}, 0
        for name, chunk in values.items():
            steps = len(chunk)
            curves[name] = joined([*([before.curves[name]] if before else []), summarise(chunk)])
        last = {name: chunk[-1] for name, chunk in values.items()}
        self._lanes[lane] = Lane((before.steps if before else 0) + steps, MappingProxyType(curves), last)

    def snapshot(self) -> Snapshot:
        """The run as it is now."""
        seconds = 0.0 if self.began is None else (self.ended or time.monotonic()) - self.began
        return Snapshot(self.id, self.config, self.status, self.reason, MappingProxyType(dict(self._lanes)), seconds)
