"""Every seed of one diagnostic of a run, read on from the last look: what summaries over seeds cannot tell."""

import numpy as np

from tpo_lab.runs.course import pieces
from tpo_lab.runs.curves import RunFile, Values


class Seeds:
    """One diagnostic, each seed for itself.

    Args:
        place: of the diagnostic along axis D.
    """

    def __init__(self, place: int) -> None:
        self._place, self._since = place, 0
        self._lanes: dict[str, _Lane] = {}

    def read(self, file: RunFile) -> dict[str, Values]:
        """Its values by lane, (T, S); read-only arrays, which never change.

        Raises:
            StoreError: if what is new in the file cannot be read.
        """
        chunks = file.read(self._since)
        for name in dict.fromkeys(chunk.lane for chunk in chunks):
            lane = self._lanes.setdefault(name, _Lane(file.seeds))
            for piece in pieces([chunk for chunk in chunks if chunk.lane == name]):
                file.check_follows(piece[0], lane.steps)
                lane.put(piece[0].first, np.concatenate([chunk.values[:, self._place] for chunk in piece]))
        self._since = chunks[-1].id if chunks else self._since
        return {name: lane.values() for name, lane in self._lanes.items()}


class _Lane:
    """One lane, in an array (capacity, S) that is only ever filled further: older views stay true.

    Copied at every look, the values of a long run would leave holes in the memory of the process.
    """

    def __init__(self, seeds: int) -> None:
        self.steps = 0
        self._rows: Values = np.empty((0, seeds), np.float32)

    def values(self) -> Values:
        seen = self._rows[: self.steps]
        seen.flags.writeable = False
        return seen

    def put(self, first: int, values: Values) -> None:
        """Append steps (T, S), or replace all from `first` on."""
        end, room = first + len(values), len(self._rows)
        if first < self.steps or end > room:
            rows = np.empty((max(end, room if end <= room else 2 * room), self._rows.shape[1]), np.float32)
            rows[:first] = self._rows[:first]
            self._rows = rows
        self._rows[first:end], self.steps = values, end
