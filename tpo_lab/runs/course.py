"""Statistics over seeds of one diagnostic of a run, lane by lane, as far as they have been asked for."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from tpo_lab.experiments.summaries import Summary, summarise
from tpo_lab.runs.curves import Chunk, RunFile, Values

BLOCK = 32768  # values that are summed up at once: they stay in the processor's cache


class Course:
    """One diagnostic, followed from chunk to chunk.

    Args:
        place: of the diagnostic along axis D.

    Attributes:
        since: id of the last chunk that has come in.
    """

    def __init__(self, place: int) -> None:
        self.since = 0
        self._place = place
        self._lines: dict[str, _Line] = {}

    def steps(self, lane: str) -> int:
        """How many steps of a lane are in."""
        return self._lines[lane].steps if lane in self._lines else 0

    def summary(self, lane: str) -> Summary:
        """Statistics at each of these steps; read-only arrays, which never change."""
        return self._lines[lane].summary()

    def last(self, lane: str) -> Values:
        """Each seed's value at the last of them, (S,)."""
        return self._lines[lane].last

    def put(self, file: RunFile, lane: str, chunks: Sequence[Chunk], total: int) -> None:
        """Take in what is new among some chunks of a lane, in the order of writing.

        Args:
            total: how many steps the lane is to have.

        Raises:
            StoreError: if steps are missing between them.
        """
        for piece in pieces([chunk for chunk in chunks if chunk.id > self.since]):
            file.check_follows(piece[0], self.steps(lane))
            values = np.concatenate([chunk.values[:, self._place] for chunk in piece])
            self._lines.setdefault(lane, _Line(total)).put(piece[0].first, values)


class _Line:
    """One lane, in an array (5, capacity) that is only ever filled further: older views stay true."""

    def __init__(self, total: int) -> None:
        self.steps = 0
        self.last: Values = np.empty(0, np.float32)
        self._columns: npt.NDArray[np.float64] = np.empty((len(Summary._fields), total))

    def summary(self) -> Summary:
        seen = self._columns[:, : self.steps]
        seen.flags.writeable = False
        return Summary(*seen)

    def put(self, first: int, values: Values) -> None:
        """Append steps (T, S), or replace all from `first` on."""
        steps, seeds = values.shape
        end = first + steps
        if first < self.steps or end > self._columns.shape[1]:
            room = np.empty((len(self._columns), max(self._columns.shape[1], end)))
            room[:, :first] = self._columns[:, :first]
            self._columns = room
        length = max(1, BLOCK // seeds)
        for at in range(0, steps, length):
            block = values[at : at + length]
            self._columns[:, first + at : first + at + len(block)] = summarise(block)
        self.steps, self.last = end, values[-1].copy()


def pieces(chunks: Sequence[Chunk]) -> Iterator[Sequence[Chunk]]:
    """Chunks of one lane in the order of writing, cut where a later one does not follow on the one before."""
    start = 0
    for at in range(1, len(chunks) + 1):
        if at == len(chunks) or chunks[at].first != chunks[at - 1].first + len(chunks[at - 1].values):
            yield chunks[start:at]
            start = at
