"""Numbers and texts out of whatever a cell holds: typed columns at once, mixed ones value by value.

Three answers for a number: it is there, it is missing (null, NaN, empty), or the cell holds something else.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from tpo_lab.group.limits import LARGEST
from tpo_lab.rollouts_io.limits import MAX_TEXT

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Column = Any  # a sequence of cells, or an Arrow array

_MISSING = frozenset({"", "nan", "null", "none", "na", "n/a", "-", "<na>"})
_DEEPEST = 6  # lists within lists: [[[0.5]]] is 0.5
NOT_A_NUMBER = math.inf  # an infinite score is refused with the rest that is no finite number


def numbers(column: Column) -> tuple[Floats, Bools]:
    """One float a row, NaN where it is missing, and where a cell holds no finite number up to `LARGEST`.

    A list is the sum of its numbers; true is 1; text that is a number is that number.
    """
    values = _typed(column) if isinstance(column, pa.Array) else None
    if values is None:
        cells = column.to_pylist() if isinstance(column, pa.Array) else column
        values = np.array([_number(cell) for cell in cells], dtype=np.float64)
    bad: Bools = np.abs(values) > LARGEST  # NaN is not above it
    return np.where(bad, np.nan, values), bad


def counts(column: Column) -> Floats:
    """How many entries each list has, null ones left out; NaN where the cell is no list."""
    if isinstance(column, pa.Array) and _is_list(column.type):
        return _segments(column, np.ones(len(column.flatten())))
    if isinstance(column, pa.Array) and not pa.types.is_nested(column.type):
        return _none(column)
    cells = column.to_pylist() if isinstance(column, pa.Array) else column
    return np.array([_count(cell) for cell in cells], dtype=np.float64)


def _count(cell: Any) -> float:
    while isinstance(cell, list) and len(cell) == 1 and isinstance(cell[0], list):
        cell = cell[0]
    return float(len(cell) - cell.count(None)) if isinstance(cell, list) else math.nan


def _typed(column: pa.Array) -> Floats | None:
    """The numbers of an Arrow column of one plain type; None where cells are to be read one by one."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        of_values, indices = numbers_of_dictionary(column)
        return np.where(indices < 0, np.nan, of_values[np.maximum(indices, 0)]) if len(of_values) else _none(column)
    if pa.types.is_null(kind):
        return _none(column)
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    elif _is_list(kind):
        inner = kind.value_type
        plain = pa.types.is_floating(inner) or pa.types.is_integer(inner) or pa.types.is_boolean(inner)
        return _segments(column, _floats(column.flatten().cast(pa.float64(), safe=False))) if plain else None
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        try:  # `strings` like "1" and " 0.5"; words and "1e400" take the other way
            values = pc.cast(column, pa.float64())
        except pa.ArrowInvalid:
            return None
        return _floats(values)
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        return None
    return _floats(column.cast(pa.float64(), safe=False))


def numbers_of_dictionary(column: pa.Array) -> tuple[Floats, npt.NDArray[np.int64]]:
    """The numbers of the dictionary, infinite where an entry is none, and the index of each row; -1: null."""
    values, bad = numbers(column.dictionary)
    indices = pc.fill_null(column.indices.cast(pa.int64()), -1).to_numpy(zero_copy_only=False)
    return np.where(bad, NOT_A_NUMBER, values), indices


def _none(column: pa.Array) -> Floats:
    return np.full(len(column), np.nan)


def _floats(column: pa.Array) -> Floats:
    values: Floats = column.to_numpy(zero_copy_only=False)
    return values


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _segments(column: pa.Array, values: Floats) -> Floats:
    """The sum over each list of the values of its entries; null entries count nothing, null and empty lists are NaN."""
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    values = np.where(column.flatten().is_null().to_numpy(zero_copy_only=False), 0.0, values)
    result = np.full(len(column), np.nan)
    full = lengths > 0
    if full.any():
        with np.errstate(over="ignore", invalid="ignore"):
            result[full] = np.add.reduceat(values, (np.cumsum(lengths) - lengths)[full])
    return result


def _number(cell: Any, depth: int = 0) -> float:
    """The cell as a float: NaN where it is missing, infinite where it is no number."""
    if cell is None:
        return math.nan
    if isinstance(cell, int | float):  # bool too
        try:
            return float(cell)
        except OverflowError:
            return NOT_A_NUMBER
    if isinstance(cell, str):
        return _number_of_text(cell)
    if isinstance(cell, list | tuple) and depth < _DEEPEST:
        try:
            total = float(sum(cell)) if cell else math.nan
            if math.isfinite(total):
                return total  # thousands of log-probs, and nothing else among them
        except (TypeError, OverflowError):
            pass
        parts = [_number(part, depth + 1) for part in cell if part is not None]
        return _sum(parts) if parts else math.nan
    try:
        return float(cell) if hasattr(cell, "__float__") else NOT_A_NUMBER  # Decimal
    except (ValueError, OverflowError, TypeError):
        return NOT_A_NUMBER


def _sum(parts: list[float]) -> float:
    total = sum(parts)
    return NOT_A_NUMBER if any(math.isinf(part) for part in parts) else total


def _number_of_text(text: str) -> float:
    text = text[:64].strip()
    if text.lower() in _MISSING:
        return math.nan
    if text.lower() in ("true", "false"):
        return float(text.lower() == "true")
    try:
        return NOT_A_NUMBER if "_" in text else float(text)
    except ValueError:
        return NOT_A_NUMBER


def texts(column: Column) -> pa.Array:
    """One text a row, cut to `MAX_TEXT` characters; the messages of a chat are joined."""
    if isinstance(column, pa.Array):
        column = _plain_strings(column)
    if isinstance(column, pa.Array):
        longest = pc.max(pc.binary_length(column)).as_py() or 0
        if longest <= MAX_TEXT:
            return column.cast(pa.large_string())
        column = column.to_pylist()
    return pa.array([None if cell is None else clean(cut(flat_text(cell))) for cell in column], pa.large_string())


def _plain_strings(column: pa.Array) -> Column:
    """The same column: as strings where it is of strings, with a long dictionary cut first; else as Python values."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        words = texts(column.dictionary)
        return words.take(column.indices)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return column
    return list(column.to_pylist())


def flat_text(cell: Any, depth: int = 0) -> str:
    """The text of a cell: of messages, their contents one below the other."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, dict):
        for name in ("content", "text", "value"):
            if name in cell:
                return flat_text(cell[name], depth + 1) if depth < _DEEPEST else ""
        return _written(cell)
    if isinstance(cell, list | tuple):
        if cell and all(isinstance(part, str | dict | list) for part in cell) and depth < _DEEPEST:
            return "\n".join(flat_text(part, depth + 1) for part in cell)
        return _written(cell[:200])
    return "" if cell is None else _written(cell)


def _written(cell: Any) -> str:
    try:
        return str(cell)[:MAX_TEXT]
    except (RecursionError, ValueError):  # brackets too deep; an integer of thousands of digits
        return ""


def cut(text: str) -> str:
    """The text, or its two ends with what is left out counted."""
    if len(text) <= MAX_TEXT:
        return text
    half = MAX_TEXT // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half:,} characters left out ...]\n{text[-half:]}"


def clean(text: str) -> str:
    """The text without half characters, which no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
