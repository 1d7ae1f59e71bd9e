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
        self._lanes: dict[str, Values] = {}

    def read(self, file: RunFile) -> dict[str, Values]:
        """Its values by lane, (T, S); they never change.

        Raises:
            StoreError: if what is new in the file cannot be read.
        """
        chunks = file.read(self._since)
        for lane in dict.fromkeys(chunk.lane for chunk in chunks):
            for piece in pieces([chunk for chunk in chunks if chunk.lane == lane]):
                there = self._lanes.get(lane, np.empty((0, file.seeds), np.float32))
                file.check_follows(piece[0], len(there))
                new = (chunk.values[:, self._place] for chunk in piece)
                self._lanes[lane] = np.concatenate([there[: piece[0].first], *new])
        self._since = chunks[-1].id if chunks else self._since
        return {**self._lanes}
