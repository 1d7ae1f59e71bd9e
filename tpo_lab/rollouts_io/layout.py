"""Groups of one size beside each other as dense blocks, so that any number of them is computed at once.

Axes: n groups of a block, K candidates of each. A value a row is kept flat in the order of the blocks; in memory the
groups of a block are neighbours, not the candidates of a group, which makes sums over K run over whole vectors.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
CELLS = 1 << 17  # of a block: what fits into a processor's cache
MANY = 100_000  # rows, from which on every core is used


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
        apart: groups that stand in blocks without the others, where there are many of their size; shape (G,).

    Attributes:
        row: the row of the table at each place of a flat array, shape (R,).
    """

    def __init__(self, starts: Ints, apart: Bools) -> None:
        sizes = np.diff(starts)
        many = np.bincount(sizes) * np.arange(sizes.max() + 1) > CELLS
        sort = 2 * sizes + (apart & many[sizes])
        order = np.argsort(sort, kind="stable")
        self.blocks: list[Block] = []
        self._first, self._stride = np.zeros(len(sizes), dtype=np.int64), np.zeros(len(sizes), dtype=np.int64)
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
        k = next(block.k for block in self.blocks if block.at + len(block.groups) * block.k > self._first[group])
        places: Ints = self._first[group] + self._stride[group] * np.arange(k)
        return places

    def each(self, do: Callable[[Block], None]) -> None:
        """Do something with every block; of a large table on every core, in any order."""
        if len(self.row) < MANY:
            for block in self.blocks:
                do(block)
            return
        with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:  # NumPy lets go of the lock while it computes
            for _ in pool.map(do, self.blocks):
                pass
