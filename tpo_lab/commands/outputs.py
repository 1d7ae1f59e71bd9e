"""What `tpo-lab run` and `tpo-lab runs resume` print and write at the end, as options. Imports nothing heavy."""

import argparse
import os
from pathlib import Path

from tpo_lab.errors import InputError, shown

ENDS = "Exit code: 0 done; 1 a method has failed, or the run was stopped from elsewhere; 2 wrong input; 130 Ctrl-C."


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """The options that say what is printed and written at the end."""
    parser.add_argument("--out", type=Path, metavar="FILE.parquet", help="write every diagnostic of every step")
    parser.add_argument("--json", action="store_true", help="a summary per method, as JSON")


def check_outputs(args: argparse.Namespace) -> None:
    """Refuse what could not be written at the end.

    Raises:
        InputError: if the folder does not exist, or the file is a folder or would not be taken for Parquet.
    """
    if args.out is None:
        return
    if args.out.suffix != ".parquet":
        raise InputError("out", f"--out must end in .parquet, not {shown(args.out.name)}; `runs export` writes others.")
    if not os.path.isdir(args.out.parent):  # of a name that is too long the method of Path raises
        raise InputError("out", f"The folder {args.out.parent} does not exist.")
    if os.path.isdir(args.out):
        raise InputError("out", f"{args.out} is a folder; --out needs the name of a file.")
