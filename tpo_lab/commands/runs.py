"""`tpo-lab runs ...`: the runs of this machine, whoever started them. This is how it is spoken to."""

import argparse
from pathlib import Path
from typing import Any

from tpo_lab.commands.outputs import ENDS, add_outputs

SHOWN = 20  # runs, unless more are asked for
EXPORTS = ".parquet: every seed at every step; .csv: statistics over seeds; .json: the configuration"


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the parser of this command and of its actions."""
    parser = commands.add_parser(
        "runs",
        help="the runs of this machine: list, show, export, stop, resume, remove",
        description="The runs of this machine, those of the lab too. The first letters of an id are enough.",
        allow_abbrev=False,
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = _action(actions, "list", "the latest runs, the newest first")
    listing.add_argument("--json", action="store_true", help="everything, as JSON")
    how_many = listing.add_mutually_exclusive_group()
    how_many.add_argument("--limit", type=int, default=SHOWN, metavar="N", help=f"how many ({SHOWN})")
    how_many.add_argument("--all", action="store_const", dest="limit", const=-1, help="all of them")
    listing.add_argument("--deleted", action="store_true", help="those that `undo` can bring back")
    show = _action(actions, "show", "what a run is, how far it is and what came of it", "id")
    show.add_argument("--json", action="store_true", help="with a summary per method, as JSON")
    export = _action(actions, "export", "write a run to a file", "id")
    export.add_argument("file", type=Path, help=EXPORTS)
    export.add_argument("--only", default="", metavar="A,B", help="these diagnostics alone; of a .parquet")
    _action(actions, "stop", "end runs and keep what they have", "ids")
    _action(actions, "pause", "have runs give way until they are resumed", "ids")
    resume = _action(actions, "resume", "go on with a run from where it is, in this terminal", "id")
    add_outputs(resume)
    resume.epilog = ENDS
    remove = _action(actions, "rm", "take runs off the list; they end", "ids")
    remove.add_argument("--purge", action="store_true", help="remove their files too; that cannot be undone")
    _action(actions, "undo", "bring removed runs back, for a day", "ids")
    for name, help_text in (("name", "name a run"), ("note", "keep a note with a run")):
        _action(actions, name, help_text, "id").add_argument("text", help="in quotes; an empty one takes it away")
    pin = _action(actions, "pin", "mark runs", "ids")
    pin.add_argument("--off", action="store_true", help="take the mark away")


def _action(
    actions: "argparse._SubParsersAction[Any]", name: str, help_text: str, of: str = ""
) -> argparse.ArgumentParser:
    description = f"{help_text[0].upper()}{help_text[1:]}."
    parser: argparse.ArgumentParser = actions.add_parser(
        name, help=help_text, description=description, allow_abbrev=False
    )
    if of:
        parser.add_argument(of, metavar="ID", nargs="+" if of == "ids" else None, help="its first letters are enough")
    parser.set_defaults(run=_run)
    return parser


def _run(args: argparse.Namespace) -> int | None:
    from tpo_lab.commands.runs_actions import act  # the other commands need not wait for it

    return act(args)
