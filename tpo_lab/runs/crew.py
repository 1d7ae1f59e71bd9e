"""The workers of a service: started, given lanes, relieved of them, and replaced when they die.

Not thread-safe by itself: the service holds its lock around every call.
"""

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

from tpo_lab.runs.jobs import LaneJob, RunJob
from tpo_lab.runs.process import Worker
from tpo_lab.runs.protocol import Message

PATIENCE = 0.6  # seconds that a worker has to leave a lane that was stopped; a compilation cannot be asked
DEATHS = 3  # of workers on one lane, before it has failed
FAILURES = 3  # starts in a row of workers that end before they are ready
WORTH_MOVING = 3.0  # seconds that a lane has left, below which it stays where it is

Event = Literal["dealt", "on", "at", "done", "failed", "left"]


@dataclass(eq=False)
class Member:
    """One worker and what it has.

    Attributes:
        computing: the lane that it works on just now: what its death is put down to.
        told, fetched: numbers of what was compiled ahead that it is to load, and has loaded.
        forced: the lanes that it must leave by `deadline`, in the time of the monotonic clock, or be ended.
    """

    worker: Worker
    lanes: list[LaneJob] = field(default_factory=list)
    computing: LaneJob | None = None
    ready: bool = False
    told: set[int] = field(default_factory=set)
    fetched: set[int] = field(default_factory=set)
    forced: set[LaneJob] = field(default_factory=set)
    deadline: float = 0.0


class Crew:
    """Up to `size` workers.

    Args:
        size: how many at most.
        make_worker: starts a worker; what it says and how it ends is to come to `hear` and `bury`.
        report: called with a lane and what has happened to it.
    """

    def __init__(self, size: int, make_worker: Callable[[], Worker], report: Callable[[LaneJob, Event], None]) -> None:
        self.size = size
        self.members: list[Member] = []
        self.trouble = ""  # why no worker can be started
        self._make_worker, self._report = make_worker, report
        self._failures = 0
        self._closed = False

    @property
    def busy(self) -> bool:
        """Whether any worker has a lane."""
        return any(member.lanes for member in self.members)

    def start(self, count: int) -> None:
        """Have at least so many workers, unless they cannot be started."""
        if self._closed or self.trouble:
            return
        while len(self.members) < min(count, self.size):
            self.members.append(Member(self._make_worker()))

    def deal(self, queue: Iterable[RunJob]) -> None:
        """Give the lanes that wait to the workers that have none, the first run first, all its lanes at once."""
        for run in queue:
            lanes = run.waiting()
            if not lanes:
                continue
            idle = self._idle(len(lanes))
            if not idle:
                return
            for i, lane in enumerate(lanes):
                self._give(lane, idle[i % len(idle)])
        self._share()

    def fetch(self, numbers: Iterable[int]) -> None:
        """Have all workers load what was compiled ahead."""
        for member in self.members:
            for number in sorted(set(numbers) - member.told) if member.ready else ():
                member.told.add(number)
                member.worker.send({"do": "fetch", "number": number})

    def expel(self, lane: LaneJob, force: bool) -> None:
        """Have a lane left by its worker, by force if need be."""
        member = lane.member
        if not member:
            return
        if lane.state == "dealt":
            lane.state = "leaving"
            member.worker.send({"do": "leave", "id": lane.run.id, "lane": lane.method})
        if force:
            member.deadline = member.deadline if member.forced else time.monotonic() + PATIENCE
            member.forced.add(lane)

    def tick(self) -> None:
        """End the workers that have been asked in vain."""
        for member in self.members[:]:
            if member.forced and time.monotonic() >= member.deadline:
                self.members.remove(member)
                member.worker.kill()
                self._orphan(member)

    def hear(self, worker: Worker, message: Message) -> None:
        """A message of a worker; what one says that has been replaced counts no more."""
        member = next((member for member in self.members if member.worker is worker), None)
        if member is None:
            return
        what = message["is"]
        if what == "ready":
            member.ready, self._failures = True, 0
            return
        if what == "fetched":
            member.fetched.add(message["number"])
            return
        lane = next((m for m in member.lanes if (m.run.id, m.method) == (message["id"], message["lane"])), None)
        if lane is None:
            return
        if what == "on":
            member.computing = lane
        elif what == "at":
            lane.steps, lane.seconds, lane.rate = message["steps"], message["seconds"], message["rate"]
            lane.compile_seconds, lane.diverged = message["compile_seconds"], dict(message["diverged"])
        else:
            self._take_back(member, lane)
            lane.state = "waiting" if what == "left" else what
            lane.reason = message.get("reason", "")
        self._report(lane, what)

    def bury(self, worker: Worker, reason: str) -> None:
        """A worker has ended: its lanes wait for another one, or fail if that has happened too often."""
        member = next((member for member in self.members if member.worker is worker), None)
        if member is None:
            return
        self.members.remove(member)
        if not member.ready:
            self._failures += 1
            self.trouble = reason if self._failures >= FAILURES else ""
        elif member.computing:
            member.computing.deaths += 1
            member.computing.reason = reason
        self._orphan(member)

    def forgive(self) -> None:
        """Try again to start workers, although that was in vain."""
        self.trouble, self._failures = "", 0

    def close(self) -> list[Worker]:
        """Take no more lanes, and ask all workers to end; returns them."""
        self._closed, workers = True, [member.worker for member in self.members]
        self.members = []
        for worker in workers:
            worker.dismiss()
        return workers

    def _idle(self, wanted: int) -> list[Member]:
        """Workers without lanes, new ones among them where there are too few."""
        idle = [member for member in self.members if not member.lanes]
        if len(idle) < wanted:
            self.start(len(self.members) + wanted - len(idle))
            idle = [member for member in self.members if not member.lanes]
        return idle

    def _give(self, lane: LaneJob, member: Member) -> None:
        lane.state, lane.member, lane.attempts = "dealt", member, lane.attempts + 1
        member.lanes.append(lane)
        config = lane.run.config.to_json()
        message = {"do": "take", "id": lane.run.id, "lane": lane.method, "kind": lane.run.kind, "config": config}
        member.worker.send(message)
        self._report(lane, "dealt")

    def _share(self) -> None:
        """Where a worker has nothing to do and another one several lanes, have one of them left, to be dealt anew."""
        if any(lane.state == "leaving" for member in self.members for lane in member.lanes):
            return
        if all(member.lanes for member in self.members) and (len(self.members) == self.size or self.trouble):
            return
        full = max(self.members, key=lambda member: len(member.lanes), default=None)
        if full and len(full.lanes) > 1:
            lane = max(full.lanes, key=lambda lane: lane.seconds_left() or 0.0)
            if (lane.seconds_left() or 0.0) > WORTH_MOVING:
                self.expel(lane, force=False)

    def _take_back(self, member: Member, lane: LaneJob) -> None:
        member.lanes.remove(lane)
        lane.member = None
        if member.computing is lane:
            member.computing = None
        member.forced.discard(lane)

    def _orphan(self, member: Member) -> None:
        for lane in member.lanes[:]:
            self._take_back(member, lane)
            failed = lane.deaths >= DEATHS
            lane.state = "failed" if failed else "waiting"
            self._report(lane, "failed" if failed else "left")


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
