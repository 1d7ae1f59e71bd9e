"""Groups of one size beside each other as dense blocks, so that any number of them is computed at once.

Axes: n groups of a block, K candidates of each. A value a row is kept flat in the order of the blocks; in memory the
groups of a block are neighbours, not the candidates of a group, which makes sums over K run over whole vectors.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
CELLS = 1 << 17  # of a block: what fits into a processor's cache


@dataclass(frozen=True)
class Block:
    """Groups of one size.

    Attributes:
        groups: their numbers, shape (n,).
        at: where their rows begin in a flat array.
        k: candidates of each.
    """

    groups: Ints
    at: int
    k: int

    def of(self, flat: Any) -> Any:
        """The part of a flat array that belongs to them: a view, shape (n, K)."""
        n = len(self.groups)
        return flat[self.at : self.at + n * self.k].reshape(self.k, n).T


class Layout:
    """The blocks of a table.

    Args:
        sorts: 0 to 2 for each group: groups of different sorts stand in different blocks, where there are many of their
            size; shape (G,).

    Attributes:
        row: the row of the table at each place of a flat array, shape (R,).
    """

    def __init__(self, starts: Ints, sorts: Ints) -> None:
        sizes = np.diff(starts)
        many = np.bincount(sizes) * np.arange(sizes.max() + 1) > CELLS
        sort = 3 * sizes + np.where(many[sizes], sorts, 0)
        order = np.argsort(sort, kind="stable")
        self.blocks: list[Block] = []
        self._first, self._stride, self._size = np.zeros_like(sizes), np.zeros_like(sizes), sizes
        rows, at = [], 0
        for same in np.split(order, np.flatnonzero(np.diff(sort[order])) + 1):
            k = int(sizes[same[0]])
            most = max(1, CELLS // k)
            for begin in range(0, len(same), most):
                some = same[begin : begin + most]
                self.blocks.append(Block(some, at, k))
                self._first[some], self._stride[some] = at + np.arange(len(some)), len(some)
                rows.append((starts[some] + np.arange(k)[:, None]).ravel())
                at += len(some) * k
        self.row: Ints = np.concatenate(rows)

    def flat(self, values: Any) -> Any:
        """A value a row in the order of the blocks."""
        return values[self.row]

    def rows(self, flat: Any) -> Any:
        """The flat values in the order of the table."""
        values = np.empty_like(flat)
        values[self.row] = flat
        return values

    def places(self, group: int) -> Ints:
        """Where the candidates of a group are in a flat array, shape (K,)."""
        places: Ints = self._first[group] + self._stride[group] * np.arange(self._size[group])
        return places

    def some(self, flat: Any, groups: Ints, other: float) -> Any:
        """The flat values of a few groups beside each other, shape (n, K); `other` fills up the smaller ones."""
        candidate = np.arange(self._size[groups].max(initial=0))
        there = candidate < self._size[groups][:, None]
        places = self._first[groups][:, None] + self._stride[groups][:, None] * candidate
        return np.where(there, flat[np.where(there, places, 0)], other)

    def each(self, do: Callable[[Block], None]) -> None:
        """Do something with every block."""
        for block in self.blocks:  # threads were no faster, and took the core on which the browser draws
            do(block)
