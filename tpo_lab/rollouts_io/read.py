"""Read a file, an upload or a folder of steps into the normal form."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from tpo_lab.errors import InputError, shown
from tpo_lab.rollouts_io.batches import Source
from tpo_lab.rollouts_io.columns import NO_SCORES, Columns, guess, with_picks
from tpo_lab.rollouts_io.faults import Faults
from tpo_lab.rollouts_io.formats import FORMATS, TABLE, Format, of_table, recognise
from tpo_lab.rollouts_io.gather import Gathered
from tpo_lab.rollouts_io.limits import MAX_FILES
from tpo_lab.rollouts_io.sources import source
from tpo_lab.rollouts_io.streams import File
from tpo_lab.rollouts_io.table import Rollouts

_STEP = re.compile(r"(?:step|completions)[_-]?(\d{1,12})|(?:^|[/\\])(\d{1,12})\.", re.IGNORECASE | re.ASCII)


def files_of(place: Path) -> list[File]:
    """The file, or all files of a folder in the natural order of their names; hidden ones are passed over.

    Raises:
        InputError: if there is nothing, or too many.
    """
    try:
        if not place.is_dir():
            if not place.is_file():
                raise InputError("path", f"There is no file or folder {shown(str(place))}.")
            return [File(place.name, place)]
        found = list(_walk(place))
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("path", f"{shown(str(place))} cannot be opened: {error}.") from None
    if not found:
        raise InputError("path", f"The folder {shown(str(place))} holds no files.")
    return sorted(found, key=lambda file: _natural(file.name))


def _walk(folder: Path) -> Iterator[File]:
    n = 0
    for at, folders, names in os.walk(folder, onerror=None, followlinks=False):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(at, name)
            if name.startswith(".") or not path.is_file():
                continue
            n += 1
            if n > MAX_FILES:
                raise InputError("path", f"The folder holds more than {MAX_FILES:,} files: open a part of it.")
            yield File(path.relative_to(folder).as_posix(), path)


def _natural(name: str) -> list[tuple[int, int | str]]:
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in re.split(r"(\d{1,18})", name) if part]


def step_of(name: str) -> float | None:
    """The training step that a file's name or folder tells: 17.jsonl, step_17/..., completions_00017.parquet."""
    found = [a or b for a, b in _STEP.findall(name)]
    return float(found[-1]) if found else None


def look(files: list[File], format_name: str | None = None) -> tuple[Source, Format, Columns]:
    """The first readable file: what it holds, its format, and the columns that will be read unless others are picked.

    Of the columns that a format may have, this file may lack some.

    Raises:
        InputError: if none of the files can be read, or the format is unknown or does not fit.
    """
    refused: InputError | None = None
    for file in files:
        try:
            found = source(file)
        except InputError as error:
            refused = refused or error
            continue
        return found, *_format(found, format_name)
    raise refused or InputError("file", "There is no file.")


def _format(found: Source, name: str | None) -> tuple[Format, Columns]:
    entry = recognise(frozenset(found.names)) if name is None else None
    if name is not None and name != TABLE:
        entry = FORMATS[name]
        if missing := entry.needs - set(found.names):
            raise InputError("format", f"This is no {entry.label} file: it has no {', '.join(sorted(missing))}.")
    if entry is None:
        entry = of_table(found.names)
        return entry, guess(found.names, found.numeric)
    columns = entry.columns
    if entry.numeric:
        others = {*columns.named(), *NO_SCORES}
        columns = replace(columns, score=tuple(name for name in found.numeric if name.lower() not in others))
    return entry, columns


def read(
    files: list[File], *, picks: Mapping[str, str] | None = None, columns: Columns | None = None,
    format_name: str | None = None,
) -> Rollouts:  # fmt: skip
    """All files as one table. Rows and files that cannot be read are counted in its `faults`.

    Args:
        picks: columns by hand, in the words of `columns.with_picks`; the file is then a plain table.
        columns: the same, complete.

    Raises:
        InputError: if nothing can be read, or a needed column is not known.
    """
    if picks or columns:
        format_name = format_name or _pickable(files)
    first, entry, chosen = look(files, format_name)
    if columns is not None:
        chosen = columns
    if picks:
        chosen = with_picks(chosen if entry.expand else chosen.only(first.names), picks)
    if entry.expand is None:  # an optional column of a format may be in later files alone
        (chosen if picks or columns else chosen.only(first.names)).check(first.names)
    gathered = Gathered(entry, chosen, first.names)
    for file in _each_once(files, entry, gathered.faults):
        _read_one(file, entry, gathered)
        if gathered.full:
            break
    return gathered.table()


def _each_once(files: list[File], entry: Format, faults: Faults) -> list[File]:
    """The files without those that hold the rows of others again."""
    if entry.repeats is None:
        return files
    again, beside = entry.repeats
    whole = {file.name for file in files}
    left = [file for file in files if file.name.replace(f"{again}/", f"{beside}/") in whole - {file.name}]
    if left:
        faults.add(
            f"the folders {again!r} hold rows of the folders {beside!r} again: they are passed over",
            (file.name for file in left),
            0,
        )
    return [file for file in files if file not in left]


def _pickable(files: list[File]) -> str | None:
    """A format whose rows are the file's own keeps its name when columns are picked; one that unfolds them does not."""
    _, entry, _ = look(files)
    return None if entry.expand is None else TABLE


def _read_one(file: File, entry: Format, gathered: Gathered) -> None:
    faults: Faults = gathered.faults
    try:
        found = source(file)
    except InputError as error:
        faults.add(f"a file cannot be read: {str(error).rstrip('.')}", [file.name], 0)
        gathered.skipped += 1
        return
    if entry.needs and not entry.needs <= set(found.names):
        faults.add(f"a file is no {entry.label} file like the first", [file.name], 0)
        gathered.skipped += 1
        return
    wanted = [name for name in gathered.columns.named() if entry.expand is not None or name in found.names]
    gathered.start(step_of(file.name), found.names)
    for batch in found.batches(wanted, entry.expand, faults):
        gathered.add(batch)
        if gathered.full:
            return
