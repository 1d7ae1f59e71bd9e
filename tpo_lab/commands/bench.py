"""`tpo-lab bench page`, `busy` and others: how fast the lab answers, trains and keeps runs on this machine."""

import argparse
import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from tpo_lab.errors import InputError

_MOST_PRESSES, _MOST_MINUTES = 1000, 120


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the parser of this command."""
    parser = commands.add_parser(
        "bench",
        help="how fast the lab answers here",
        description="Measure the lab on this machine.",
        allow_abbrev=False,
    )
    kinds = parser.add_subparsers(metavar="WHAT", required=True)
    page = kinds.add_parser(
        "page",
        help="the Target page in a headless Chromium",
        description="Time presses of an arrow key on eta until all charts have changed, and openings of the page.",
        allow_abbrev=False,
    )
    page.add_argument("--json", action="store_true", help="every time in milliseconds, as JSON")
    page.set_defaults(run=_run_page)
    busy = kinds.add_parser(
        "busy",
        help="the same while two methods train, and what following a run costs",
        description="Time presses on the Target page with and without two methods training, and the server's work.",
        allow_abbrev=False,
    )
    busy.add_argument("--json", action="store_true", help="every figure, as JSON")
    busy.set_defaults(run=_run_busy)
    for browses in (page, busy):
        browses.add_argument("--presses", type=int, default=20, metavar="N", help="how many to time (default: 20)")
    steps = kinds.add_parser(
        "steps",
        help="the pages One update and Low variance in a headless Chromium",
        description="Time every kind of key press on both pages until all charts have changed.",
        allow_abbrev=False,
    )
    steps.add_argument("--presses", type=int, default=10, metavar="N", help="of each kind (default: 10)")
    steps.add_argument("--only", default="", metavar="TEXT", help="kinds whose name holds this text")
    steps.add_argument("--json", action="store_true", help="every time in milliseconds, as JSON")
    steps.set_defaults(run=_run_steps)
    engine = kinds.add_parser(
        "engine",
        help="training on token reversal",
        description="Time the engine against the obvious version and against this machine's matrix products.",
        allow_abbrev=False,
    )
    engine.add_argument("--json", action="store_true", help="every figure, as JSON")
    engine.set_defaults(run=_run_engine)
    store = kinds.add_parser(
        "store",
        help="reading and writing runs",
        description="Time the opening of a large run, the list of many, and what looking at a live one costs.",
        allow_abbrev=False,
    )
    store.add_argument("--json", action="store_true", help="every figure, as JSON")
    store.set_defaults(run=_run_store)

    stream = kinds.add_parser(
        "stream",
        help="watching a run in three tabs",
        description="Measure main threads, charts that are drawn anew, and the memory of the web process.",
        allow_abbrev=False,
    )
    stream.add_argument("--minutes", type=float, default=1.0, metavar="N", help="how long (default: 1)")
    stream.add_argument("--json", action="store_true", help="every figure, as JSON")
    stream.set_defaults(run=_run_stream)


def _run_page(args: argparse.Namespace) -> None:
    with _browsing(args):
        from tpo_lab.bench.page import measure
    times = measure(args.presses)
    print(json.dumps(times.as_json()) if args.json else times.as_text())


def _run_busy(args: argparse.Namespace) -> None:
    with _browsing(args):
        from tpo_lab.bench.busy import measure
    times = measure(args.presses)
    print(json.dumps(asdict(times)) if args.json else times.as_text())


@contextmanager
def _browsing(args: argparse.Namespace) -> Iterator[None]:
    """What is said where what drives a browser cannot be imported, or the number of presses is wrong."""
    if not 1 <= args.presses <= _MOST_PRESSES:
        raise InputError("presses", f"--presses must be from 1 to {_MOST_PRESSES}; {args.presses} was given.")
    with _driving():
        yield


@contextmanager
def _driving() -> Iterator[None]:
    """What is said where what drives a browser cannot be imported; a signal to end is a Ctrl-C: the labs end too."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except ModuleNotFoundError as error:
        raise InputError(
            "playwright", f"{error.name} is not installed: `python3 tpo_lab/bootstrap.py test` installs it."
        ) from error


def _run_stream(args: argparse.Namespace) -> None:
    if not 0 < args.minutes <= _MOST_MINUTES:
        raise InputError("minutes", f"--minutes must be above 0 and at most {_MOST_MINUTES}, not {args.minutes:g}.")
    with _driving():
        from tpo_lab.bench.stream import measure
    figures = measure(args.minutes)
    print(json.dumps(figures.as_json()) if args.json else figures.as_text())


def _run_steps(args: argparse.Namespace) -> None:
    with _browsing(args):
        from tpo_lab.bench.steps import measure
    times = measure(args.presses, args.only)
    print(json.dumps(times.as_json()) if args.json else times.as_text())


def _run_engine(args: argparse.Namespace) -> None:
    from tpo_lab.bench.engine import as_text, measure

    result = measure()
    print(json.dumps(result) if args.json else as_text(result))


def _run_store(args: argparse.Namespace) -> None:
    from tpo_lab.bench.store import measure

    times = measure()
    print(json.dumps(asdict(times)) if args.json else times.as_text())
