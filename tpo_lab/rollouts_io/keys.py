"""Group ids of any kind as whole numbers: the same cell, the same number, in the order of first appearance."""

import hashlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa  # type: ignore[import-untyped]

from tpo_lab.rollouts_io.values import Column, clean, flat_text

Codes = npt.NDArray[np.int64]
_WHOLE = 80  # characters of an id kept as such; a prompt is known by its digest
MISSING = -1


class Keys:
    """The ids of one column. Code -1 stands for a cell that is null or NaN.

    Args:
        trim: what an id is cut to before it is compared.
        labelled: whether the words of each id are kept.
    """

    def __init__(self, trim: Callable[[str], str] | None = None, *, labelled: bool = True) -> None:
        self._codes: dict[Any, int] = {}
        self._trim, self._labelled = trim, labelled
        self.labels: list[str] = []

    def encode(self, column: Column) -> Codes:
        """The code of each row."""
        if isinstance(column, pa.Array) and not pa.types.is_nested(column.type):
            if not pa.types.is_dictionary(column.type):
                column = column.dictionary_encode()
            words = column.dictionary
            indices = column.indices.cast(pa.int64()).fill_null(len(words)).to_numpy(zero_copy_only=False)
            used, at = np.unique(indices, return_inverse=True)  # a dictionary may be the whole file's
            known = used[used < len(words)]
            of_used = [*map(self._code, words.take(pa.array(known)).to_pylist()), MISSING]
            codes: Codes = np.array(of_used, dtype=np.int64)[at]
            return codes
        cells = column.to_pylist() if isinstance(column, pa.Array) else column
        return np.fromiter(map(self._code, cells), dtype=np.int64, count=len(cells))

    def _code(self, cell: Any) -> int:
        if cell is None or (isinstance(cell, float) and math.isnan(cell)):
            return MISSING
        key: Any = cell
        if not isinstance(cell, int | float):
            text = cell if isinstance(cell, str) else flat_text(cell)
            text = text if self._trim is None else self._trim(text)
            if not text:
                return MISSING
            key = text if len(text) <= _WHOLE else _digest(text)
            cell = text
        code = self._codes.setdefault(key, len(self._codes))
        if self._labelled and code == len(self.labels):
            self.labels.append(_label(cell))
        return code


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def _label(cell: Any) -> str:
    text = f"{cell:.15g}" if isinstance(cell, float) else clean(flat_text(cell)[: _WHOLE + 1])
    text = " ".join(text.split())
    return text if len(text) <= _WHOLE else f"{text[: _WHOLE - 1]}…"
