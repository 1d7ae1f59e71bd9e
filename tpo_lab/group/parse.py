"""Lists of numbers as people type, paste and link them: the one reader of commands, URLs and pages."""

import math
import re
from typing import Literal, overload

from tpo_lab.errors import InputError
from tpo_lab.group.limits import MAX_CANDIDATES

MAX_TEXT = 10_000  # characters: 64 numbers of any precision take less than a fifth of this

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_MISSING_IN_OTHER_WORDS = {"nan", "none", "na", "n/a", "-", "?", "missing"}


@overload
def parse_numbers(text: str, field: str, *, missing: Literal[False] = False) -> tuple[float, ...]: ...


@overload
def parse_numbers(text: str, field: str, *, missing: bool) -> tuple[float | None, ...]: ...


def parse_numbers(text: str, field: str, *, missing: bool = False) -> tuple[float | None, ...]:
    """The numbers of a text, separated by commas, semicolons, spaces, tabs or new lines; one pair of brackets is fine.

    Args:
        text: for example `1, 0, null`.
        field: which control, flag or parameter the text came from; it opens every message.
        missing: whether `null` may stand for a value that is missing; it becomes None.

    Raises:
        InputError: one sentence with the position of the first entry that is wrong.
    """
    name = _opening(field)
    if len(text) > MAX_TEXT:
        raise InputError(field, f"{name}: the text has {len(text)} characters; the limit is {MAX_TEXT}.")
    entries = _entries(text, field, name)
    if len(entries) > MAX_CANDIDATES:
        raise InputError(field, f"{name}: there are {len(entries)} values; a group has at most {MAX_CANDIDATES}.")
    return tuple(_value(entry, f"{name}: value {i + 1}", field, missing) for i, entry in enumerate(entries))


def parse_number(text: str, field: str) -> float:
    """The one number of a text.

    Raises:
        InputError: if it is anything else.
    """
    name = _opening(field)
    value = _value(text[:MAX_TEXT].replace("\N{MINUS SIGN}", "-").strip(), name, field, missing=False)
    assert value is not None
    return value


def write_number(value: float | None) -> str:
    """The shortest text that `parse_numbers` reads back as the same float; `null` for None."""
    if value is None:
        return "null"
    return repr(float(value)).removesuffix(".0").replace("e+", "e")


def write_numbers(values: tuple[float | None, ...]) -> str:
    """The values separated by commas, lossless."""
    return ",".join(write_number(value) for value in values)


def _opening(field: str) -> str:
    """How a sentence about the field begins."""
    return field[:1].upper() + field[1:].replace("_", " ")


def _entries(text: str, field: str, name: str) -> list[str]:
    text = text.replace("\N{MINUS SIGN}", "-").strip()
    for opening, closing in ("[]", "()"):
        if text.startswith(opening) and text.endswith(closing):
            text = text[1:-1].strip()
            break
    if not text:
        raise InputError(field, f"{name}: there are no values; write numbers such as 1, 0, 0.5.")
    if "," in text and ";" in text:
        raise InputError(
            field, f"{name}: commas and semicolons are mixed; separate values with one, and write 0.5 with a point."
        )
    return re.split(r"\s*[,;]\s*|\s+", text)


def _value(entry: str, where: str, field: str, missing: bool) -> float | None:
    shown = entry if len(entry) <= 20 else f"{entry[:20]}..."
    word = entry.lower()
    if word == "null" and missing:
        return None
    if not _NUMBER.fullmatch(entry):
        if not entry:
            hint = "is empty; write null for a missing score" if missing else "is empty"
        elif missing and word in _MISSING_IN_OTHER_WORDS:
            hint = f"is {shown!r}; write null for a missing score"
        elif missing:
            hint = f"is {shown!r}; use a number, or null for a missing score"
        else:
            hint = f"is {shown!r}; use a finite number such as 0.5"
        raise InputError(field, f"{where} {hint}.")
    value = float(entry)
    if not math.isfinite(value):
        raise InputError(field, f"{where} is {shown}, which is beyond the largest number.")
    return value
