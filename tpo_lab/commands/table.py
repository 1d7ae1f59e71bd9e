"""Rows of words in columns, for a terminal."""

from collections.abc import Callable, Sequence


def aligned(rows: Sequence[Sequence[str]], justify: Callable[[str, int], str] = str.ljust) -> list[str]:
    """One line a row, every column as wide as its widest cell; `str.rjust` sets numbers right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(justify, row, widths)).rstrip() for row in rows]
