"""What `tpo-lab run` and `tpo-lab runs resume` print and write at the end, as options. Imports nothing heavy."""

import argparse
from pathlib import Path

from tpo_lab.errors import InputError

ENDS = "Exit code: 0 done; 1 a method has failed, or the run was stopped from elsewhere; 2 wrong input; 130 Ctrl-C."


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """The options that say what is printed and written at the end."""
    parser.add_argument("--out", type=Path, metavar="FILE", help="write every diagnostic of every step as Parquet")
    parser.add_argument("--json", action="store_true", help="a summary per method, as JSON")


def check_outputs(args: argparse.Namespace) -> None:
    """Refuse what could not be written at the end.

    Raises:
        InputError: if the folder does not exist.
    """
    if args.out is not None and not args.out.parent.is_dir():
        raise InputError("out", f"The folder {args.out.parent} does not exist.")
