"""What the page One update shows: the one declared list of its state, read from the texts of its fields."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

from tpo_lab.errors import InputError, shown
from tpo_lab.group.parse import parse_number, write_number
from tpo_lab.group.presets import PRESETS
from tpo_lab.group.scenario import Scenario
from tpo_lab.methods.registry import CLIP, KL_WEIGHT, METHODS
from tpo_lab.methods.updates import EPOCHS, OPTIMISERS, Settings, Update, check_updated, update
from tpo_lab.ui.microscope import group_of

LOOKS = {
    "phases": "Five phases",
    "methods": "Methods side by side",
    "dead": "A dead group, later",
    "needs": "Who needs what",
}
PHASES = {"sample": "1 Sample", "score": "2 Score", "standardise": "3 Standardise", "tilt": "4 Tilt", "fit": "5 Fit"}
QUANTITIES = {"advantages": "advantage", "weights": "weight", "gradient": "gradient", "policy": "policy"}
MAX_METHODS = 6

DEFAULTS = {
    "look": "phases",
    "phase": "sample",
    "scores": "1,0,0,0,0,0,0,0",
    "policy": "",
    "kind": "probs",
    "lengths": "",
    "eta": "1",
    "rule": "tpo_paper",
    "strength": "",
    "methods": "tpo,grpo,ppo,dg,pg,rloo",
    "quantity": "weights",
    "epoch": "16",
    "step": "1",
    "optimiser": "plain",
    "clip": write_number(CLIP.default),
    "kl_weight": write_number(KL_WEIGHT.default),
    "moved": "1",
    "masked": "off",
}


@dataclass(frozen=True)
class View:
    """The page's state as values; the texts of `DEFAULTS` are its only source.

    Attributes:
        scenario: the group.
        methods: names of the methods that take it.
        settings: of the first update, from p_old.
        later: of an update after other groups moved the policy; a group of equal scores may be masked there.
        epoch: after which the policy is shown.
    """

    look: str
    phase: str
    scenario: Scenario
    methods: tuple[str, ...]
    quantity: str
    epoch: int
    settings: Settings
    later: Settings

    def updates(self) -> dict[str, Update]:
        """The chosen methods on the group, from p_old."""
        return {name: update_once(name, self.scenario, self.settings) for name in self.methods}

    def dead(self) -> Scenario:
        """The group with all its scores made equal."""
        return replace(self.scenario, scores=tuple(None if s is None else 0.0 for s in self.scenario.scores))

    def later_updates(self) -> dict[str, Update]:
        """The chosen methods on the dead group, after other groups moved the policy."""
        return {name: update_once(name, self.dead(), self.later) for name in self.methods}


def update_once(name: str, scenario: Scenario, settings: Settings) -> Update:
    """As `update`, and not again while it is known: a press changes one method of many, or none."""
    knobs, *others = (getattr(settings, field.name) for field in fields(settings))
    return _update(name, scenario, tuple(knobs.items()), *others)


@lru_cache(maxsize=64)
def _update(name: str, scenario: Scenario, knobs: tuple[tuple[str, float], ...], *others: Any) -> Update:
    return update(name, scenario, Settings(dict(knobs), *others))


def read(texts: Mapping[str, str]) -> View:
    """The view of the fields' texts.

    Raises:
        InputError: for the first that is wrong; it names the field.
    """
    knobs = {name: _knob(name, texts[name]) for name in ("clip", "kl_weight")}
    step, optimiser = parse_number(texts["step"], "step"), _known("optimiser", texts["optimiser"], OPTIMISERS)
    scenario = group_of(texts)
    settings = Settings({**knobs, "eta": scenario.eta}, step, optimiser)  # type: ignore[arg-type]
    masked = _known("masked", texts["masked"], ("on", "off")) == "on"
    later = Settings(settings.knobs, step, settings.optimiser, parse_number(texts["moved"], "moved"), masked)
    return View(
        look=_known("look", texts["look"], LOOKS),
        phase=_known("phase", texts["phase"], PHASES),
        scenario=scenario,
        methods=_methods(texts["methods"]),
        quantity=_known("quantity", texts["quantity"], QUANTITIES),
        epoch=int(_known("epoch", texts["epoch"], tuple(map(str, EPOCHS)))),
        settings=settings,
        later=later,
    )


def preset_of(view: View) -> str | None:
    """The name of the preset whose group this is."""
    return next((name for name, preset in PRESETS.items() if preset.scenario == view.scenario), None)


def _methods(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(METHODS[name].name for name in text.split(",") if name))
    for name in names:
        check_updated(name)
    if not 1 <= len(names) <= MAX_METHODS:
        raise InputError("methods", f"Choose 1 to {MAX_METHODS} methods, not {len(names)}.")
    return names


def _knob(name: str, text: str) -> float:
    knob, value = {"clip": CLIP, "kl_weight": KL_WEIGHT}[name], parse_number(text, name)
    if not knob.low <= value <= knob.high:
        raise InputError(name, f"The {knob.label} must be {knob.low:g} to {knob.high:g}, not {write_number(value)}.")
    return value


def _known(field: str, text: str, known: Any) -> str:
    if text not in known:
        raise InputError(field, f"Unknown {field} {shown(text)}; known: {', '.join(known)}.")
    return text
