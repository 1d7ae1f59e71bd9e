"""Batches of rows gathered into the normal form: numbers made, rows without a group or a readable score counted."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from tpo_lab.errors import InputError
from tpo_lab.rollouts_io.batches import Batch
from tpo_lab.rollouts_io.columns import Columns, listed
from tpo_lab.rollouts_io.faults import FIRST_PLACES, Faults
from tpo_lab.rollouts_io.formats import Format
from tpo_lab.rollouts_io.grouping import grouped
from tpo_lab.rollouts_io.keys import MISSING, Keys
from tpo_lab.rollouts_io.limits import MAX_ROWS, MAX_TEXTS
from tpo_lab.rollouts_io.table import Ints, Rollouts
from tpo_lab.rollouts_io.values import Bools, Floats, counts, numbers, texts


@dataclass
class Gathered:
    """Rows so far, in the order of the files.

    Attributes:
        skipped: files that were left out.
        full: whether the limit of rows is reached.
    """

    format: Format
    columns: Columns
    names: tuple[str, ...]
    faults: Faults = field(default_factory=Faults)
    skipped: int = 0
    full: bool = False
    _floats: dict[str, list[Floats]] = field(default_factory=dict)
    _codes: dict[str, list[Ints]] = field(default_factory=dict)
    _texts: dict[str, list[pa.Array]] = field(default_factory=lambda: {"text": [], "prompt": []})
    _keys: dict[str, Keys] = field(default_factory=dict)
    _rows: int = 0
    _file: int = -1
    _file_step: float | None = None
    _text_bytes: int = 0
    _odd: dict[str, int] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)  # columns of the files

    def start(self, step: float | None, names: Iterable[str]) -> None:
        """The next file begins; `step` is what its name tells, `names` are its columns."""
        self._file, self._file_step = self._file + 1, step
        self._seen.update(names)

    def add(self, batch: Batch) -> None:
        """Take the rows of a batch that can be read."""
        c, n = self.columns, len(batch)
        good = np.ones(n, dtype=bool)
        codes = {}
        for name in c.group:
            codes[f"group.{name}"] = self._encoded(batch, name, trim=True)
            self._leave_out(batch, good, codes[f"group.{name}"] == MISSING, f"no {name}, which tells the groups apart")
        if c.candidate:
            codes["candidate"] = self._encoded(batch, c.candidate, trim=False)
        parts = {name: self._score(batch, name, good) for name in c.score}
        floats = {f"score.{name}": values for name, values in parts.items()}
        floats["step"] = self._step(batch, n)
        if c.log_prob:
            floats["log_prob"], floats["length"] = self._log_probs(batch, n)
        elif c.length:
            floats["length"] = self._lengths(batch, n)
        if c.advantage:
            floats["advantage"] = self._optional(batch, c.advantage, n, "advantage")
        kept = np.flatnonzero(good)
        if self._rows + len(kept) >= MAX_ROWS:
            kept, self.full = kept[: MAX_ROWS - self._rows], True
        codes["file"] = np.full(n, self._file, dtype=np.int64)
        for name, values in floats.items():
            self._floats.setdefault(name, []).append(values[kept])
        for name, numbers_ in codes.items():
            self._codes.setdefault(name, []).append(numbers_[kept])
        self._rows += len(kept)
        self._keep_text("text", c.text, batch, kept)
        self._keep_text("prompt", c.prompt, batch, kept)

    def table(self) -> Rollouts:
        """The normal form of what was gathered.

        Raises:
            InputError: if no row could be read.
        """
        if not self._rows:
            why = "; ".join(self.faults.sentences()[:3])
            raise InputError("file", f"No row can be read{': ' + why if why else ''}.")
        if self.format.expand is None:
            self.columns = self.columns.only([*self._seen])
        floats = {name: np.concatenate(values) for name, values in self._floats.items()}
        codes = {name: np.concatenate(values) for name, values in self._codes.items()}
        self._floats.clear()
        self._codes.clear()
        labels = {name: self._keys[name].labels for name in self._keys if name.startswith("group.")}
        text, prompt = (
            pa.chunked_array(parts, pa.large_string()) if name and parts and self._text_bytes <= MAX_TEXTS else None
            for name, parts in ((self.columns.text, self._texts["text"]), (self.columns.prompt, self._texts["prompt"]))
        )
        return grouped(self, floats, codes, labels, text, prompt)

    def notes(self) -> list[str]:
        """Sentences on how the rows were understood."""
        said = [self.format.note] if self.format.note else []
        said += [f"{what}: {n:,} cells hold no number and count as missing." for what, n in self._odd.items() if n]
        if self.full:
            said.append(f"Reading stopped after {MAX_ROWS:,} rows, the limit.")
        if not self.format.needs and (unread := sorted(self._seen - {*self.names})):
            said.append(f"Columns that the first file lacks are not read: {listed(unread)}.")
        if self.skipped:
            said.append(f"{self.skipped:,} files were left out.")
        if self._text_bytes > MAX_TEXTS:
            said.append(f"The texts take more than {MAX_TEXTS >> 20} MiB and are not kept; the numbers are complete.")
        return said

    def _encoded(self, batch: Batch, name: str, *, trim: bool) -> Ints:
        key = f"group.{name}" if trim else f"candidate.{name}"
        keys = self._keys.setdefault(key, Keys(self.format.trim if trim else None, labelled=trim))
        column = batch.column(name)
        return np.full(len(batch), MISSING, dtype=np.int64) if column is None else keys.encode(column)

    def _leave_out(self, batch: Batch, good: Bools, bad: Bools, reason: str) -> None:
        """Rows that were good so far and are bad now."""
        now = np.flatnonzero(good & bad)
        if len(now):
            self.faults.add(reason, (batch.place(int(row)) for row in now[:FIRST_PLACES]), len(now))
            good[now] = False

    def _score(self, batch: Batch, name: str, good: Bools) -> Floats:
        column = batch.column(name)
        if column is None:
            return np.full(len(batch), np.nan)
        values, bad = numbers(column)
        self._leave_out(batch, good, bad, f"{name} is no finite number")
        return values

    def _optional(self, batch: Batch, name: str, n: int, what: str) -> Floats:
        column = batch.column(name)
        if column is None:
            return np.full(n, np.nan)
        values, bad = numbers(column)
        self._odd[what] = self._odd.get(what, 0) + int(bad.sum())
        return values

    def _step(self, batch: Batch, n: int) -> Floats:
        values = (
            np.full(n, np.nan) if self.columns.step is None else self._optional(batch, self.columns.step, n, "step")
        )
        if self._file_step is not None and self.format.step_of_name:
            return np.full(n, self._file_step)
        return values if self._file_step is None else np.where(np.isnan(values), self._file_step, values)

    def _lengths(self, batch: Batch, n: int) -> Floats:
        """Tokens of each row: a number, or how long the list of them is."""
        column = batch.column(self.columns.length or "")
        if column is None:
            return np.full(n, np.nan)
        listed = counts(column)
        if not np.isnan(listed).all():
            return listed
        return self._optional(batch, self.columns.length or "", n, "length")

    def _log_probs(self, batch: Batch, n: int) -> tuple[Floats, Floats]:
        """Log-prob of the whole answer and number of tokens of each row."""
        name = self.columns.log_prob or ""
        values = self._optional(batch, name, n, "log_prob")
        column = batch.column(name)
        tokens = np.full(n, np.nan) if column is None else counts(column)
        length = self._lengths(batch, n) if self.columns.length else tokens
        if self.columns.log_prob_kind == "mean":
            values = np.where(np.isnan(tokens), values * length, values)
        return values, np.where(np.isnan(length), tokens, length)

    def _keep_text(self, what: str, name: str | None, batch: Batch, kept: Ints) -> None:
        if name is None or self._text_bytes > MAX_TEXTS:
            return
        column = batch.column(name)
        if column is None:
            words = pa.nulls(len(kept), pa.large_string())
        else:
            words = texts(column)
            words = words if len(kept) == len(words) else words.take(pa.array(kept))
        self._texts[what].append(words)
        self._text_bytes += int(pc.sum(pc.binary_length(words)).as_py() or 0)
        if self._text_bytes > MAX_TEXTS:
            self._texts = {"text": [], "prompt": []}
