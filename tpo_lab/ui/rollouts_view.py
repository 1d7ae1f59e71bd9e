"""What the page Rollouts shows: the one declared list of its state, read from the texts of its fields."""

from collections.abc import Mapping
from dataclasses import dataclass

from tpo_lab.errors import InputError, shown
from tpo_lab.group.parse import parse_number, parse_numbers
from tpo_lab.group.rules import RULES
from tpo_lab.rollouts_io.health import KINDS, LABELS
from tpo_lab.rollouts_io.settings import DEFAULT_THRESHOLD, RULE_OF, Setting

LOOKS = {"health": "Health", "groups": "Groups", "whatif": "What if"}
PLACES = {"sample": "Sample", "upload": "Upload", "path": "Path"}
SORTS = {
    "amplification": "amplification",
    "kl": "KL(q ‖ p_old)",
    "largest": "largest |u|",
    "sigma": "σ, smallest first",
    "disagrees": "disagreement with the file",
}
PICKS = ("group", "score", "step", "log_prob", "length", "text", "prompt", "advantage")
POLICIES = {"file": "of the file", "uniform": "uniform"}
MISSING = {"drop": "left out", "zero": "score 0", "stack": "as stack"}
LOG_PROBS = {"sum": "sum", "mean": "mean per token"}
LINES = {"few": "reward and target", "all": "every figure"}
ANY = "any"
SETTING = ("method", "rule", "eta", "strength", "policy", "log_prob", "missing", "mask")

DEFAULTS = {
    "look": "health",
    "place": "sample",
    "sample": "trl",
    "path": "",
    "threshold": f"{DEFAULT_THRESHOLD:g}",
    "method": "tpo",
    "rule": "tpo_paper",
    "eta": "1",
    "strength": "",
    "policy": "file",
    "log_prob": "sum",
    "missing": "drop",
    "mask": "",
    "b_method": "grpo",
    "b_rule": "trl_group",
    "b_eta": "1",
    "b_strength": "",
    "b_policy": "file",
    "b_log_prob": "sum",
    "b_missing": "drop",
    "b_mask": "",
    "lines": "few",
    "kind": ANY,
    "sort": "amplification",
    "sigma": "",
    "reward": "",
    "step": "",
    "group": "",
    **{f"pick_{what}": "" for what in PICKS},
    "pick_log_prob_kind": "sum",
}
KIND_LABELS: dict[str, str] = {ANY: "any kind"} | {kind: LABELS[kind] for kind in KINDS}
NO_PICKS = {name: text for name, text in DEFAULTS.items() if name.startswith("pick_")}
NO_FILTER = {name: DEFAULTS[name] for name in ("sigma", "reward", "step", "group", "kind")}


@dataclass(frozen=True)
class View:
    """The page's state as values; the texts of `DEFAULTS` are its only source.

    Attributes:
        now, then: the two settings; the health is that of `now`.
        sigma, reward: what the groups are narrowed to; None: all.
        group: number of the group that is looked at, from 1; None: the first of the list.
        lines: whether a few or all figures are drawn over the steps.
        picks: columns by hand, in the words of `rollouts_io.columns.with_picks`.
    """

    look: str
    threshold: float
    now: Setting
    then: Setting
    kind: str
    sort: str
    sigma: tuple[float, float] | None
    reward: tuple[float, float] | None
    step: float | None
    group: int | None
    picks: tuple[tuple[str, str], ...]
    lines: str = "few"


def read(texts: Mapping[str, str]) -> View:
    """The view of the fields' texts.

    Raises:
        InputError: for the first that is wrong; it names the field.
    """
    for field, known in (("look", LOOKS), ("place", PLACES), ("sort", SORTS), ("kind", KIND_LABELS), ("lines", LINES)):
        if texts[field] not in known:
            raise InputError(field, f"Unknown {field} {shown(texts[field])}; known: {', '.join(known)}.")
    threshold = parse_number(texts["threshold"], "threshold")
    if threshold < 0:
        raise InputError("threshold", f"The threshold must be a spread of scores from 0 up, not {threshold:g}.")
    return View(
        look=texts["look"],
        threshold=threshold,
        now=_setting(texts, ""),
        then=_setting(texts, "b_"),
        kind=texts["kind"],
        sort=texts["sort"],
        sigma=_range(texts["sigma"], "sigma"),
        reward=_range(texts["reward"], "reward"),
        step=parse_number(texts["step"], "step") if texts["step"].strip() else None,
        group=_whole(texts["group"]),
        picks=_picks(texts),
        lines=texts["lines"],
    )


def _setting(texts: Mapping[str, str], prefix: str) -> Setting:
    query = {name: texts[prefix + name] for name in SETTING}
    own = RULE_OF.get(query["method"])
    query = {name: text for name, text in query.items() if text.strip()}
    if RULES[own or query.get("rule", "tpo_paper")].tunable is None:
        query.pop("strength", None)  # kept for the next robust rule
    try:
        return Setting.from_query(query | ({"rule": own} if own else {}))
    except InputError as error:
        raise InputError(prefix + error.field, str(error)) from None


def _range(text: str, field: str) -> tuple[float, float] | None:
    if not text.strip():
        return None
    numbers = parse_numbers(text, field)
    if len(numbers) != 2 or numbers[0] > numbers[1]:
        raise InputError(field, f"{field.capitalize()} is a range: two numbers such as 0,0.1.")
    return numbers[0], numbers[1]


def _whole(text: str) -> int | None:
    if not text.strip():
        return None
    number = parse_number(text, "group")
    if not number.is_integer() or number < 1:
        raise InputError("group", f"Group is {number:g}; groups are counted from 1.")
    return int(number)


def _picks(texts: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    picks = [(what, texts[f"pick_{what}"]) for what in PICKS if texts[f"pick_{what}"]]
    kind = texts["pick_log_prob_kind"]
    if kind not in LOG_PROBS:
        raise InputError("pick_log_prob_kind", f"The log-probs are sum or mean, not {shown(kind)}.")
    return (*picks, ("log_prob_kind", kind)) if kind != "sum" else tuple(picks)
