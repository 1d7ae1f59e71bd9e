"""`tpo-lab rules`: the standardisation rules, each with what it divides by and where it is defined."""

import argparse
import json
from dataclasses import asdict
from typing import Any

from tpo_lab.commands.table import aligned
from tpo_lab.group.rules import RULES, Rule


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the parser of this command."""
    parser = commands.add_parser(
        "rules",
        help="the standardisation rules",
        description="List the standardisation rules: name, centre, scale, guard and source.",
        allow_abbrev=False,
    )
    parser.add_argument("--json", action="store_true", help="every field of every rule, as JSON")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> None:
    if args.json:
        print(json.dumps([asdict(rule) for rule in RULES.values()]))
        return
    rows = [("name", "centre", "scale", "guard", "source")]
    rows += [
        (r.name, r.centre.replace("_", " "), r.scale.replace("_", " "), guard(r), r.source) for r in RULES.values()
    ]
    print("\n".join(aligned(rows)))


def guard(rule: Rule) -> str:
    """What protects the rule's division, or limits its result, in a few characters."""
    if rule.squash != "none":
        return f"{rule.squash} {rule.bound:g}"
    amount = f"{rule.amount:g}"
    match rule.guard:
        case "add":
            return f"+ {amount}" if rule.amount else "-"
        case "add_if_positive":
            return f"+ {amount} if > 0"
        case "cutoff":
            return f"only if > {amount}"
        case "floor":
            return f"at least {amount}"
        case "relative_floor":
            return f"at least {amount} max|s|"
        case "root":
            return f"root with {amount}"
        case "positive_mean":
            return "only if > 0"
