"""A group as the browser takes it: JSON values only, so what has no number there becomes null."""

import hashlib
import json
import math
from dataclasses import asdict, replace
from typing import Any

from tpo_lab.group.report import Report
from tpo_lab.group.rules import RULES


def rule_data(name: str, strength: float | None) -> dict[str, Any]:
    """The fields of a rule, the strength put in the place of its tunable constant."""
    rule = RULES[name]
    if strength is not None and rule.tunable is not None:
        rule = replace(rule, **{rule.tunable: strength})  # type: ignore[arg-type]
    return asdict(rule)


def group_data(report: Report) -> dict[str, Any]:
    """What `describe` of group_math.js starts from; null is a missing score, or the log of a probability of 0."""
    scenario = report.scenario
    return {
        "scores": list(scenario.scores),
        "logP": [x if math.isfinite(x) else None for x in scenario.log_p_old().tolist()],
        "eta": scenario.eta,
        "rule": rule_data(scenario.rule, scenario.strength),
    }


def revision(*drawn: Any) -> str:
    """A short hash of JSON values: what `data-tpo-revision` says once they are on screen."""
    return hashlib.blake2s(json.dumps(drawn).encode(), digest_size=6).hexdigest()
