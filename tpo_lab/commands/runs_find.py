"""Runs by the first letters of their ids."""

from difflib import get_close_matches

from tpo_lab.errors import InputError, shown
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.rows import RunRow

NAMED = 5  # runs that an answer names


def find(catalogue: Catalogue, start: str, deleted: bool = False) -> RunRow:
    """The one run whose id begins so.

    Args:
        deleted: whether it may be one that was removed.

    Raises:
        InputError: if there is none, or more than one; the message names those that may be meant.
    """
    rows = catalogue.list() + (catalogue.list(deleted=True) if deleted else ())
    found = [row for row in rows if row.id == start] or [row for row in rows if start and row.id.startswith(start)]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError("id", f"Several runs begin with {shown(start)}: {_named(found)}.")
    by_id = {row.id: row for row in rows}
    near = [by_id[each] for each in get_close_matches(start.lower(), by_id, n=NAMED, cutoff=0.5)]
    if near:
        hint = f"close to it: {_named(near)}"
    elif rows:
        hint = f"the latest: {_named(list(rows))}"
    else:
        hint = "there are no runs yet"
    raise InputError("id", f"No run begins with {shown(start)}; {hint}.")


def what(row: RunRow) -> str:
    """A run in a few words: its name, or what it was started from."""
    return row.name or row.preset or row.kind


def _named(rows: list[RunRow]) -> str:
    more = f" and {len(rows) - NAMED} more" if len(rows) > NAMED else ""
    return ", ".join(f"{row.id} ({what(row)})" for row in rows[:NAMED]) + more
