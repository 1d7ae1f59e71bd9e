"""`tpo-lab target`: one group, its target and every stack's advantages, in the terminal or as JSON."""

import argparse
import json
import textwrap
from dataclasses import asdict, replace
from typing import Any

from tpo_lab.commands.table import aligned
from tpo_lab.errors import InputError
from tpo_lab.group.parse import parse_number, parse_numbers
from tpo_lab.group.report import Report, advantages, report
from tpo_lab.group.rules import RULES
from tpo_lab.group.scenario import PolicyKind, Scenario
from tpo_lab.group.verdict import verdicts
from tpo_lab.group.wording import figure

_WIDTH = 88


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the parser of this command."""
    parser = commands.add_parser(
        "target",
        help="the target of one group",
        description="Standardise the scores of one group, tilt the old policy by them, and say what the update does.",
        epilog="Lists use commas. Example: tpo-lab target --scores 1,0,null,0 --probs .1,.2,.3,.4 --eta .5",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--scores", required=True, metavar="LIST", help="one number per candidate; null for a candidate without a score"
    )
    policy = parser.add_mutually_exclusive_group()
    policy.add_argument("--probs", metavar="LIST", help="old probabilities, or weights (default: all equal)")
    policy.add_argument(
        "--log-probs", metavar="LIST", help="old log-probs up to a constant: of a sequence, the sum over its tokens"
    )
    parser.add_argument(
        "--lengths",
        metavar="LIST",
        help="tokens per candidate: --log-probs are then means per token, and are multiplied by these",
    )
    temperature = parser.add_mutually_exclusive_group()
    temperature.add_argument("--eta", metavar="NUMBER", help="temperature, above 0 (default: 1)")
    temperature.add_argument("--kl", metavar="NATS", help="a budget for KL(q || p_old): eta is solved from it")
    parser.add_argument("--rule", metavar="NAME", help="standardisation rule (default: tpo_paper); see `tpo-lab rules`")
    parser.add_argument("--strength", metavar="NUMBER", help="the constant of a robust rule")
    parser.add_argument(
        "--json", action="store_true", help="every number, and the advantages under every rule, as JSON"
    )
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> None:
    result = report(_scenario(args))
    print(json.dumps(_as_json(result), allow_nan=False) if args.json else _as_table(result))


def _scenario(args: argparse.Namespace) -> Scenario:
    if args.lengths is not None and args.log_probs is None:
        raise InputError("--lengths", "--lengths needs --log-probs: means per token, which the lengths multiply.")
    kind: PolicyKind = "probs"
    policy = None
    if args.probs is not None:
        policy = parse_numbers(args.probs, "--probs")
    elif args.log_probs is not None:
        policy = parse_numbers(args.log_probs, "--log-probs")
        kind = "log_probs" if args.lengths is None else "mean_log_probs"
    optional = {
        name: parse_number(text, f"--{name}")
        for name in ("eta", "strength")
        if (text := getattr(args, name)) is not None
    }
    scenario = Scenario(
        scores=parse_numbers(args.scores, "--scores", missing=True),
        policy=policy,
        kind=kind,
        lengths=None if args.lengths is None else parse_numbers(args.lengths, "--lengths"),
        rule="tpo_paper" if args.rule is None else args.rule,
        **optional,
    )
    if args.kl is None:
        return scenario
    from tpo_lab.group.budget import eta_for_kl

    start = report(scenario)
    return replace(scenario, eta=eta_for_kl(start.log_p_old, start.u, parse_number(args.kl, "--kl"), start.counted))


def _as_json(r: Report) -> dict[str, Any]:
    found = verdicts(r)
    scenario = r.scenario
    numbers = asdict(replace(r, scenario=None))  # type: ignore[arg-type]  # the scenario is written out below
    del numbers["scenario"], numbers["log_p_old"], numbers["log_q"]  # may hold -inf, which JSON has no word for
    numbers = {name: value.tolist() if hasattr(value, "tolist") else value for name, value in numbers.items()}
    return {
        "scores": scenario.scores,
        "eta": scenario.eta,
        "rule": scenario.rule,
        "strength": scenario.strength,
        **numbers,
        "verdict": f"{found[0].title}. {found[0].text}",
        "verdicts": [asdict(verdict) for verdict in found],
        "advantages": {
            name: None if values is None else values.tolist() for name, values in advantages(scenario).items()
        },
    }


def _as_table(r: Report) -> str:
    rows = [("candidate", "score", "p_old", "u", "q", "q - p_old")]
    for i, score in enumerate(r.scenario.scores):
        if score is None:
            rows.append((str(i + 1), "null", "-", "-", "-", "-"))
        else:
            change = float(r.q_minus_p[i])
            signed = f"{'+' if change > 0 else ''}{figure(change)}"
            rows.append((str(i + 1), figure(score), figure(r.p_old[i]), figure(r.u[i]), figure(r.q[i]), signed))
    facts = (
        ("rule", f"{RULES[r.scenario.rule].label} ({r.scenario.rule}), eta = {figure(r.scenario.eta)}"),
        ("sigma", f"{figure(r.sigma_population)} population, {figure(r.sigma_sample)} sample"),
        ("KL(q || p_old)", f"{figure(r.kl_q_p)} nats"),
        ("entropy", f"{figure(r.entropy_p_old)} -> {figure(r.entropy_q)} nats"),
        ("effective candidates", f"{figure(r.effective_p_old)} -> {figure(r.effective_q)}"),
        (f"odds of candidate {r.best + 1}", f"x {figure(r.odds_factor)}"),
    )
    said = [textwrap.fill(f"{verdict.title}. {verdict.text}", _WIDTH) for verdict in verdicts(r)]
    label_width = max(len(label) for label, _ in facts)
    return "\n".join(
        [
            *aligned(rows, str.rjust),
            "",
            *(f"{label:<{label_width}}  {text}" for label, text in facts),
            "",
            "\n\n".join(said),
        ]
    )
