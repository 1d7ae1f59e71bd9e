"""`tpo-lab list` and `tpo-lab methods`: what can be run, and by which methods."""

import argparse
import json
from dataclasses import asdict
from typing import Any

from tpo_lab.commands.table import aligned
from tpo_lab.experiments.presets import PRESETS
from tpo_lab.methods.registry import METHODS


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the parsers of both commands."""
    for name, help_text, run in (
        ("list", "the presets that `run` knows", _presets),
        ("methods", "the methods, each with its loss", _methods),
    ):
        parser = commands.add_parser(name, help=help_text, description=f"Show {help_text}.", allow_abbrev=False)
        parser.add_argument("--json", action="store_true", help="everything, as JSON")
        parser.set_defaults(run=run)


def _presets(args: argparse.Namespace) -> None:
    if args.json:
        print(json.dumps([asdict(preset) for preset in PRESETS.values()]))
        return
    rows = [("name", "why", "methods", "seeds x episodes")]
    rows += [
        (p.name, p.why, ",".join(p.config.methods), f"{p.config.seeds} x {p.config.episodes:,}")
        for p in PRESETS.values()
    ]
    print("\n".join(aligned(rows)))


def _methods(args: argparse.Namespace) -> None:
    if args.json:
        print(json.dumps([asdict(method) for method in METHODS.values()]))
        return
    compared = {"none": "single samples", "candidates": "candidates", "tokens": "next tokens"}
    rows = [("name", "label", "compares", "epochs", "settings", "source")]
    rows += [
        (
            m.name,
            m.label,
            compared[m.group],
            str(m.epochs),
            ",".join([*(k.name for k in m.knobs), *m.choices]) or "-",
            m.source,
        )
        for m in METHODS.values()
    ]
    print("\n".join(aligned(rows)))
