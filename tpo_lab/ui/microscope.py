"""What the page Low variance shows: the one declared list of its state, read from the texts of its fields."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import get_args

import numpy as np

from tpo_lab.charts.spread import Shown
from tpo_lab.errors import InputError, shown
from tpo_lab.group.curves import Curves, curves, rescaled
from tpo_lab.group.duplicates import equal_names
from tpo_lab.group.findings import NARROWEST, WIDEST
from tpo_lab.group.limits import MAX_CANDIDATES
from tpo_lab.group.literal import PRECISIONS, Precision
from tpo_lab.group.noise import Estimate, Noise, estimate
from tpo_lab.group.parse import parse_number, parse_numbers, write_number, write_numbers
from tpo_lab.group.rewards import MAX_REWARDS, Combined, combine
from tpo_lab.group.rewards import check as check_rewards
from tpo_lab.group.rules import RULES, Rule
from tpo_lab.group.scenario import Floats, Scenario
from tpo_lab.group.traps import TRAPS, Trap

LOOKS = {
    "rules": "Rules against the spread",
    "trust": "How far to trust it",
    "rewards": "Several rewards",
    "copies": "Copies of an answer",
}
MISSING = {"out": "left out", "zero": "counted as 0"}
CHOSEN = "tpo_paper,tpo_reference,trl_group,verl_grpo,openrlhf_group_norm,nemo_rl,robust_floor"
MAX_NAME = 40  # characters of an answer's name: more have no room on an axis

GROUP = ("scores", "policy", "kind", "lengths", "eta", "rule", "strength")  # as in a link of the page Target
_MAY_BE_EMPTY = ("policy", "lengths", "strength")
DEFAULTS = {
    "look": "rules",
    "scores": "0.001,0,0",
    "policy": "",
    "kind": "probs",
    "lengths": "",
    "eta": "1",
    "spread": "",
    "rule": "tpo_paper",
    "strength": "",
    "precision": "float64",
    "show": "q",
    "missing": "out",
    "rules": CHOSEN,
    "noise": "0.0005",
    "noise_kind": "normal",
    "repeats": "",
    "rewards": "1,0,0,0\n0,1,1,0",
    "weights": "1,1",
    "answers": "",
}


@dataclass(frozen=True)
class View:
    """The page's state as values; the texts of `DEFAULTS` are its only source.

    Attributes:
        typed: the group as its fields hold it.
        scenario: the group that is shown: at the chosen spread, missing scores counted as 0 if so chosen.
        unstretched: the same at the spread of the typed scores.
        trap: the trap whose group this is, if it is one's.
        rules: all rules, by name, and the trap's own where it is none of them.
        chosen: names of those in colour.
    """

    look: str
    typed: Scenario
    scenario: Scenario
    unstretched: Scenario
    as_zero: bool
    precision: Precision
    show: Shown
    trap: Trap | None
    rules: Mapping[str, Rule]
    chosen: tuple[str, ...]
    noise: Noise
    measured: Estimate | None
    rewards: Floats
    weights: Floats
    answers: tuple[str, ...]

    def curves(self) -> Curves:
        """Every rule on the typed group, at every spread."""
        return _curves(self.unstretched, self.precision, self.trap)

    def combined(self) -> list[Combined]:
        """The rewards in every order, from a uniform old policy."""
        s, log_p_old = self.scenario, np.zeros(self.rewards.shape[1])
        return combine(self.rewards, self.weights, log_p_old, eta=s.eta, rule=s.rule, strength=s.strength)

    def followed(self) -> str:
        """Whose u and q the curves are."""
        return f"Candidate {self.trap.candidate + 1}" if self.trap else "The winner"


def read(texts: Mapping[str, str]) -> View:
    """The view of the fields' texts.

    Raises:
        InputError: for the first that is wrong; it names the field.
    """
    _known("look", texts["look"], LOOKS)
    typed = group_of(texts)
    as_zero = _known("missing", texts["missing"], MISSING) == "zero"
    precision: Precision = _known("precision", texts["precision"], PRECISIONS)  # type: ignore[assignment]
    show: Shown = _known("show", texts["show"], get_args(Shown))  # type: ignore[assignment]
    trap = next(
        (t for t in TRAPS.values() if (t.scenario, t.as_zero, t.precision) == (typed, as_zero, precision)), None
    )
    trap = None if texts["spread"] else trap
    names = list(dict.fromkeys(RULES[name].name for name in texts["rules"].split(",") if name))
    if trap is not None and trap.rule.name not in names:
        names.append(trap.rule.name)
    unstretched = _as_zero(typed) if as_zero else typed
    scenario = rescaled(unstretched, _spread(texts["spread"])) if texts["spread"] else unstretched
    rewards, weights = _rewards(texts["rewards"]), np.array(parse_numbers(texts["weights"], "weights"))
    check_rewards(rewards, weights)
    return View(
        look=texts["look"],
        typed=typed,
        scenario=scenario,
        unstretched=unstretched,
        as_zero=as_zero,
        precision=precision,
        show=show,
        trap=trap,
        rules=rules_with(trap),
        chosen=tuple(names),
        noise=Noise(parse_number(texts["noise"], "noise"), texts["noise_kind"]),  # type: ignore[arg-type]
        measured=_measured(texts["repeats"]),
        rewards=rewards,
        weights=weights,
        answers=_answers(texts["answers"], scenario) if texts["look"] == "copies" else (),
    )


def group_of(texts: Mapping[str, str]) -> Scenario:
    """The group that the fields of `GROUP` hold."""
    return Scenario.from_query({n: texts[n] for n in GROUP if texts[n].strip() or n not in _MAY_BE_EMPTY})


def rules_with(trap: Trap | None) -> Mapping[str, Rule]:
    """All rules, by name, and the trap's own where it is none of them."""
    return dict(RULES) if trap is None else {**RULES, trap.rule.name: trap.rule}


def of_trap(trap: Trap) -> dict[str, str]:
    """The texts that show a trap."""
    return {
        "scores": write_numbers(trap.scenario.scores),
        "precision": trap.precision,
        "missing": "zero" if trap.as_zero else "out",
        "show": "u",
    }


def outdated(texts: Mapping[str, str], view: View) -> dict[str, str]:
    """What no longer fits the group and is on no field that is shown: the names of the answers of another one."""
    named = texts["answers"].count(",") + 1
    return {"answers": ""} if view.look != "copies" and named != view.scenario.k else {}


def _as_zero(scenario: Scenario) -> Scenario:
    return replace(scenario, scores=tuple(0.0 if s is None else s for s in scenario.scores))


def _spread(text: str) -> float:
    value = parse_number(text, "spread")
    if not NARROWEST <= value <= WIDEST:
        raise InputError("spread", f"The spread must be {NARROWEST:g} to {WIDEST:g}, not {write_number(value)}.")
    return value


def _known(field: str, text: str, known: object) -> str:
    names = list(known)  # type: ignore[call-overload]
    if text not in names:
        raise InputError(field, f"Unknown {field} {shown(text)}; known: {', '.join(names)}.")
    return text


def _lines(text: str, field: str, limit: int) -> list[tuple[float, ...]]:
    """The numbers of each line that is not empty."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > limit:
        raise InputError(field, f"There are {len(lines)} lines of {field}; at most {limit} are read.")
    return [parse_numbers(line, field) for line in lines]


def _measured(text: str) -> Estimate | None:
    rows = _lines(text, "repeats", MAX_CANDIDATES)
    return estimate(rows) if rows else None


def _rewards(text: str) -> Floats:
    rows = _lines(text, "rewards", MAX_REWARDS)
    if not rows:
        raise InputError("rewards", "Write one line a reward, with one number a candidate.")
    if len({len(row) for row in rows}) > 1:
        counts = ", ".join(str(len(row)) for row in rows)
        raise InputError("rewards", f"The lines have {counts} numbers; each reward needs one for every candidate.")
    return np.array(rows)


def _answers(text: str, scenario: Scenario) -> tuple[str, ...]:
    if not text.strip():
        return equal_names(scenario)
    names = tuple(name.strip() for name in text.split(","))
    if len(names) != scenario.k:
        raise InputError("answers", f"There are {len(names)} answers for {scenario.k} scores; name one a candidate.")
    if longest := next((name for name in names if len(name) > MAX_NAME), ""):
        raise InputError("answers", f"A name has {len(longest)} characters; the limit is {MAX_NAME}.")
    return names


@lru_cache(maxsize=64)
def _curves(scenario: Scenario, precision: Precision, trap: Trap | None) -> Curves:
    if trap is None:
        return curves(scenario, precision)
    return curves(scenario, precision, rules_with(trap), follow=trap.candidate)
