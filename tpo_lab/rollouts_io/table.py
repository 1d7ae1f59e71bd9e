"""The normal form: one row a candidate, the rows of a group beside each other, groups in the order of the steps."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa  # type: ignore[import-untyped]

from tpo_lab.rollouts_io.columns import Columns
from tpo_lab.rollouts_io.faults import Faults
from tpo_lab.rollouts_io.formats import Format
from tpo_lab.rollouts_io.values import Floats

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Rollouts:
    """Scored candidates in groups. Group g has the rows starts[g] to starts[g + 1].

    Attributes:
        format: what the file was read as.
        columns: which of its columns were read.
        starts: first row of each group, and the number of rows, shape (G + 1,).
        group_step: training step, NaN where none is known, shape (G,).
        labels: what a group is called, by its key.
        group_key: index into `labels`, shape (G,).
        score: weighted sum of the scores; NaN: not scored, shape (R,).
        parts: each score by itself, where there are several.
        log_prob: log-prob of the whole answer, NaN where it is not known; None: the file has none, shape (R,).
        length: tokens; None likewise.
        advantage: what the stack made of it; None likewise.
        row: the row in the order of the file, of `text` and `prompt`, shape (R,).
        faults: what was left out.
        notes: sentences on how the file was understood.
    """

    format: Format
    columns: Columns
    names: tuple[str, ...]
    starts: Ints
    group_step: Floats
    labels: tuple[str, ...]
    group_key: Ints
    score: Floats
    parts: dict[str, Floats]
    log_prob: Floats | None
    length: Floats | None
    advantage: Floats | None
    row: Ints
    text: pa.ChunkedArray | None
    prompt: pa.ChunkedArray | None
    faults: Faults = field(default_factory=Faults)
    notes: tuple[str, ...] = ()

    @property
    def groups(self) -> int:
        """How many groups."""
        return len(self.starts) - 1

    @property
    def rows(self) -> int:
        """How many candidates."""
        return len(self.score)

    def sizes(self) -> Ints:
        """Candidates of each group, shape (G,)."""
        return np.diff(self.starts)

    def label(self, group: int) -> str:
        """What the group is called in the file."""
        return self.labels[int(self.group_key[group])]

    def texts(self, group: int) -> list[str | None]:
        """What the candidates of a group wrote."""
        rows = self.row[self.starts[group] : self.starts[group + 1]].tolist()
        # One by one: `take` puts all chunks of the column together before it takes anything.
        return [None if self.text is None else self.text[row].as_py() for row in rows]

    def prompt_of(self, group: int) -> str | None:
        """What the group was asked, by its first row."""
        if self.prompt is None:
            return None
        answer: str | None = self.prompt[int(self.row[self.starts[group]])].as_py()
        return answer
