"""What `tpo-lab runs` does to runs: stop, pause, resume, remove, name."""

import argparse
import time
from collections.abc import Callable, Mapping

from tpo_lab.commands.follow import follow, say, serving
from tpo_lab.commands.outputs import check_outputs
from tpo_lab.commands.runs_find import find
from tpo_lab.commands.runs_show import export_run, list_runs, show_run
from tpo_lab.errors import InputError
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.home import data_folder
from tpo_lab.runs.rows import RunRow, Status, Wanted

PATIENCE = 3.0  # seconds for the process that computes a run to do what it is asked


def act(args: argparse.Namespace) -> int | None:
    """Do what a command line says; returns the exit code.

    Raises:
        InputError: if that cannot be done.
    """
    catalogue = Catalogue(data_folder())
    try:
        return ACTIONS[args.action](catalogue, args)
    finally:
        catalogue.close()


def _stop(catalogue: Catalogue, args: argparse.Namespace) -> int:
    return _ask(catalogue, args.ids, "stop", ("stopped", "done", "failed"))


def _pause(catalogue: Catalogue, args: argparse.Namespace) -> int:
    return _ask(catalogue, args.ids, "pause", ("paused", "stopped", "done", "failed"))


def _ask(catalogue: Catalogue, ids: list[str], wanted: Wanted, until: tuple[Status, ...]) -> int:
    """Ask the owners of some runs for something and wait for it; 1 if one of them did not do it."""
    rows = [find(catalogue, each) for each in ids]
    for row in rows:
        catalogue.want(row.id, wanted)
    code = 0
    for row in [_waited(catalogue, row.id, until) for row in rows]:
        if row.status in until or row.finished:
            print(f"{row.id} is {row.status}, at step {row.steps:,} of {max(lane.total for lane in row.lanes):,}.")
        else:
            print(f"{row.id} has been asked to {wanted}; it is still {row.status}.")
            code = 1
    return code


def _waited(catalogue: Catalogue, run_id: str, until: tuple[Status, ...]) -> RunRow:
    """The run once it is one of these, or after a while."""
    last = time.monotonic() + PATIENCE
    while True:
        row = catalogue.get(run_id)
        if row.finished or row.status in until or time.monotonic() > last:
            return row
        time.sleep(0.05)


def _resume(catalogue: Catalogue, args: argparse.Namespace) -> int:
    row = find(catalogue, args.id)
    if row.status == "done":
        raise InputError("id", f"{row.id} is done; `tpo-lab runs show {row.id}` shows it.")
    check_outputs(args)
    if not row.finished and catalogue.want(row.id, "run"):
        say(f"{row.id} is another process's, which goes on with it; `tpo-lab runs show {row.id}` shows it.")
        return 0
    with serving() as service:
        service.resume(row.id)
        say(f"Run {row.id} goes on at step {row.steps:,}.")
        return follow(service, row.id, args)


def _remove(catalogue: Catalogue, args: argparse.Namespace) -> int:
    rows = [find(catalogue, each, deleted=args.purge) for each in args.ids]
    for row in rows:
        catalogue.want(row.id, "stop")
        catalogue.delete(row.id)
    if not args.purge:
        for row in rows:
            print(f"{row.id} is removed; `tpo-lab runs undo {row.id}` brings it back, for a day.")
        return 0
    code = 0
    for row in rows:
        _waited(catalogue, row.id, ())
        gone = row.id in catalogue.purge(only=row.id)
        print(f"{row.id} is gone." if gone else f"{row.id} is still at work; try again.")
        code = code if gone else 1
    return code


def _undo(catalogue: Catalogue, args: argparse.Namespace) -> None:
    for row in [find(catalogue, each, deleted=True) for each in args.ids]:
        catalogue.undelete(row.id)
        print(f"{row.id} is back." if row.deleted else f"{row.id} was not removed.")


def _name(catalogue: Catalogue, args: argparse.Namespace) -> None:
    catalogue.rename(find(catalogue, args.id).id, args.text)


def _note(catalogue: Catalogue, args: argparse.Namespace) -> None:
    catalogue.note(find(catalogue, args.id).id, args.text)


def _pin(catalogue: Catalogue, args: argparse.Namespace) -> None:
    for row in [find(catalogue, each) for each in args.ids]:
        catalogue.pin(row.id, not args.off)


ACTIONS: Mapping[str, Callable[[Catalogue, argparse.Namespace], int | None]] = {
    "list": list_runs,
    "show": show_run,
    "export": export_run,
    "stop": _stop,
    "pause": _pause,
    "resume": _resume,
    "rm": _remove,
    "undo": _undo,
    "name": _name,
    "note": _note,
    "pin": _pin,
}
