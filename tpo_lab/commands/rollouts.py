"""`tpo-lab rollouts`: the health of a file or folder of scored rollouts, in the terminal or as JSON."""

import argparse
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tpo_lab.commands.table import aligned
from tpo_lab.errors import InputError, shown
from tpo_lab.group.parse import parse_number
from tpo_lab.group.wording import figure, many, percent

if TYPE_CHECKING:
    from tpo_lab.rollouts_io.health import Health
    from tpo_lab.rollouts_io.logged import Logged
    from tpo_lab.rollouts_io.table import Rollouts

_CONDITION = re.compile(r"\s*(\w+)\s*(<=|>=|<|>)\s*(\S+)\s*", re.ASCII)


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the parser of this command."""
    parser = commands.add_parser(
        "rollouts",
        aliases=["groups"],
        help="the health of a file of scored rollouts",
        description="Read rollouts of any training stack, and tell dead and low-variance groups from the rest.",
        epilog="Example: tpo-lab rollouts dump.csv --columns group=prompt_id,score=acc --fail-if 'zero_variance>0.6'",
        allow_abbrev=False,
    )
    parser.add_argument("path", type=Path, metavar="FILE_OR_FOLDER", help="a file, or a folder with one a step")
    parser.add_argument(
        "--format", metavar="NAME", help="how to read it (default: by what it holds); table: any columns"
    )
    parser.add_argument(
        "--columns",
        metavar="LIST",
        help="what stands where: group=COL, score=COL, also step, log_prob, length, text, prompt, advantage, "
        "candidate, size, weights; + between several",
    )
    parser.add_argument("--group", action="append", metavar="COL", help="a column that tells groups apart; repeatable")
    parser.add_argument("--score", action="append", metavar="COL", help="a score; several are added up; repeatable")
    parser.add_argument(
        "--threshold", metavar="NUMBER", help="a group with a smaller sigma is low-variance (default: 0.1)"
    )
    parser.add_argument("--rule", metavar="NAME", default="tpo_paper", help="standardisation rule (default: tpo_paper)")
    parser.add_argument("--eta", metavar="NUMBER", default="1", help="temperature, above 0 (default: 1)")
    parser.add_argument("--strength", metavar="NUMBER", help="of a robust rule (default: the rule's own)")
    parser.add_argument("--policy", metavar="NAME", default="file", help="p_old: file (default) or uniform")
    parser.add_argument("--log-prob", metavar="NAME", default="sum", help="of an answer: sum (default) or mean")
    parser.add_argument(
        "--missing", metavar="NAME", default="drop", help="a missing score: drop (default), zero, or stack: as the rule"
    )
    parser.add_argument(
        "--fail-if", action="append", default=[], metavar="CONDITION", help="exit with 1 if it holds: zero_variance>0.6"
    )
    parser.add_argument("--json", action="store_true", help="every figure, also over the steps, as JSON")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    conditions = [_condition(text) for text in args.fail_if]
    # PyArrow is loaded here and no earlier: the other commands need none of it.
    from tpo_lab.rollouts_io.columns import parse
    from tpo_lab.rollouts_io.export import as_json, as_mapping
    from tpo_lab.rollouts_io.health import health
    from tpo_lab.rollouts_io.logged import logged
    from tpo_lab.rollouts_io.read import files_of, read
    from tpo_lab.rollouts_io.settings import DEFAULT_THRESHOLD, Setting

    threshold = DEFAULT_THRESHOLD if args.threshold is None else parse_number(args.threshold, "--threshold")
    setting = Setting(
        rule=args.rule,
        eta=parse_number(args.eta, "--eta"),
        strength=None if args.strength is None else parse_number(args.strength, "--strength"),
        policy=args.policy,
        log_prob=args.log_prob,
        missing=args.missing,
    )
    picks = {} if args.columns is None else parse(args.columns)
    picks |= {what: "+".join(names) for what in ("group", "score") if (names := getattr(args, what))}
    table = read(files_of(args.path), picks=picks, format_name=args.format)
    found, compared = health(table, setting, threshold), logged(table)
    mapping = as_mapping(table, found, compared)
    failed = [text for text, holds in ((c[0], _holds(c, mapping)) for c in conditions) if holds]
    if args.json:
        print(as_json(mapping | {"failed": failed}), end="")
    else:
        print(_as_text(table, found, compared))
        for text in failed:
            print(f"Fails: {text}.")
    return 1 if failed else 0


Condition = tuple[str, str, str, float]


def _condition(text: str) -> Condition:
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise InputError("fail-if", f"--fail-if needs NAME>NUMBER or NAME<NUMBER, not {shown(text)}.")
    name, sign, number = match.groups()
    return text.strip(), name, sign, parse_number(number, "--fail-if")


def _holds(condition: Condition, mapping: dict[str, Any]) -> bool:
    _, name, sign, limit = condition
    known = _figures(mapping)
    if name not in known:
        raise InputError("fail-if", f"Unknown figure {shown(name)}; known: {', '.join(known)}.")
    value = known[name]
    if value is None:
        return False  # a figure that this file has none of
    return {">": value > limit, "<": value < limit, ">=": value >= limit, "<=": value <= limit}[sign]


def _figures(mapping: dict[str, Any]) -> dict[str, float | None]:
    """The numbers of a health by name; None where the file has none of the kind."""
    from tpo_lab.rollouts_io.steps import PERCENTILES

    compared = mapping["advantages"] or {}
    found = {key: value for key, value in mapping.items() if value is None or isinstance(value, int | float)}
    found.pop("advantages", None)
    found |= {f"k_{key}": value for key, value in mapping["k"].items()}
    found |= {f"sigma_p{p}": mapping["sigma"].get(f"p{p}") for p in PERCENTILES}
    return found | {"groups_that_disagree": compared.get("groups_that_disagree")}


def _as_text(table: "Rollouts", found: "Health", compared: "Logged | None") -> str:
    from tpo_lab.rollouts_io.health import KINDS, LABELS

    s, k = found.summary, found.summary["k"]
    sizes = f"K = {k['min']}" if k["min"] == k["max"] else f"K from {k['min']} to {k['max']}, median {k['median']:g}"
    of_steps = f", {many(s['steps'], 'step')}" if s["steps"] else ""
    counts = f"{many(s['candidates'], 'candidate')} in {many(s['groups'], 'group')}"
    lines = [f"{table.format.label}: {counts}{of_steps}, {sizes}"]
    if table.faults.by_reason:
        lines += ["left out:", *(f"  {sentence}" for sentence in table.faults.sentences())]
    rows = [
        (LABELS[kind], percent(found.shares[kind]), f"{int((found.kinds == i).sum()):,}")
        for i, kind in enumerate(KINDS)
    ]
    rows = [row for row in rows if row[2] != "0" or row[0] in ("all fail", "all pass", "informative")]
    logged_zero = f"zero variance {percent(s['zero_variance'])}"
    if abs(s["frac_reward_zero_std"] - s["zero_variance"]) > 1e-12:
        logged_zero += f"; a stack with float32 logs frac_reward_zero_std = {percent(s['frac_reward_zero_std'])}"
    lines += ["", *aligned(rows), "", logged_zero]
    sigma = ", ".join(f"{name} {figure(value)}" for name, value in s["sigma"].items())
    hint = f"; suggested: {figure(found.suggested)}" if found.suggested is not None else ""
    lines += [f"sigma        {sigma or '-'}", f"threshold    {figure(found.threshold)}{hint}"]
    lines += [f"{name:<12} {text}" for name, text in _means(s)]
    if compared is not None:
        lines += ["", _compared(compared)]
    return "\n".join([*lines, "", *table.notes])


def _means(s: Mapping[str, Any]) -> list[tuple[str, str]]:
    def number(name: str) -> str:
        return "-" if s[name] is None else figure(s[name])

    def share(name: str) -> str:
        return "-" if s[name] is None else percent(s[name])

    return [
        ("reward", f"{number('reward_mean')}; over informative groups {number('reward_mean_informative')}"),
        ("effective K", f"{number('effective_p_old')} under p_old, {number('effective_q')} under q"),
        ("entropy", f"{number('entropy_p_old')} nats of p_old, {number('entropy_q')} of q"),
        ("|q - p_old|", f"{number('mean_abs_q_minus_p')} a candidate; KL(q || p_old) {number('kl_q_p')} nats"),
        ("argmax moved", f"{share('argmax_moved')} of the groups; too peaked for the tilt: {share('peaked')}"),
    ]


def _compared(compared: "Logged") -> str:
    wrong = int(compared.groups.sum())
    if not wrong:
        return f"The advantages in the file are those of {compared.rule}."
    return (
        f"The advantages in the file are not those of {compared.rule} in {wrong:,} of "
        f"{many(compared.compared, 'group')}; no other rule of the stack comes nearer."
    )
