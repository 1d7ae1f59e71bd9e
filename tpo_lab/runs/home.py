"""The lab's data folder: where it is, and that nobody else can read it."""

import errno
import os
from contextlib import suppress
from pathlib import Path

import platformdirs

from tpo_lab.errors import InputError

VARIABLE = "TPO_LAB_HOME"
MARK = ".tpo-lab"  # a file that tells a data folder from any other folder
RUNS, OWNERS = "runs", "owners"  # folders in it


def data_folder() -> Path:
    """The folder that `TPO_LAB_HOME` names, else the platform's own place for data; made (0700) if it is missing.

    One that cannot be written is returned too: what is in it can be read, and whoever writes is told.

    Raises:
        InputError: if it cannot be made or read, or holds other things.
    """
    named = os.environ.get(VARIABLE)
    folder = Path(named).expanduser().absolute() if named else Path(platformdirs.user_data_dir("tpo-lab", False))
    advice = f"set {VARIABLE} to a folder that you can write."
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (folder / MARK).exists():
            if any(path.name != MARK for path in folder.iterdir()):
                raise InputError(
                    "home", f"{folder} holds other things than runs of TPO Lab; set {VARIABLE} to a folder of its own."
                )
            private(folder / MARK)
        os.listdir(folder)
    except FileExistsError:
        raise InputError("home", f"The data folder {folder} is a file; {advice}") from None
    except OSError as error:
        raise InputError("home", f"The data folder {folder} cannot be used ({error.strerror}); {advice}") from None
    _close_to_others(folder)
    return folder


def private(path: Path) -> Path:
    """Make the file, empty and for its owner alone, if it is missing; what SQLite puts beside it gets the same mode."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with suppress(FileExistsError):  # and then it is not even opened: closing it would drop SQLite's locks on it
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
    return path


def _close_to_others(folder: Path) -> None:
    if os.name != "nt" and folder.stat().st_mode & 0o077:
        try:
            folder.chmod(0o700)
        except OSError as error:
            if error.errno == errno.EROFS:
                return
            raise InputError(
                "home", f"The data folder {folder} is open to others and not yours to close; set {VARIABLE} to another."
            ) from None
