"""`tpo-lab bench page`: how fast the lab answers on this machine."""

import argparse
import json
from typing import Any

from tpo_lab.errors import InputError

_MOST_PRESSES = 1000


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
    page.add_argument("--presses", type=int, default=20, metavar="N", help="how many presses to time (default: 20)")
    page.add_argument("--json", action="store_true", help="every time in milliseconds, as JSON")
    page.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> None:
    if not 1 <= args.presses <= _MOST_PRESSES:
        raise InputError("presses", f"--presses must be from 1 to {_MOST_PRESSES}; {args.presses} was given.")
    try:
        from tpo_lab.bench.page import measure
    except ModuleNotFoundError as error:
        raise InputError(
            "playwright", f"{error.name} is not installed: `python3 tpo_lab/bootstrap.py test` installs it."
        ) from error
    times = measure(args.presses)
    print(json.dumps(times.as_json()) if args.json else times.as_text())
