"""The golden cases and the profile of random groups that the tests of this room share."""

import json
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import numpy.typing as npt
from hypothesis import settings

from tpo_lab.group.rules import RULES
from tpo_lab.group.scenario import LARGEST, Scenario

GOLDEN: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "golden" / "target_cases.json").read_text())
IDS = [case["id"] for case in GOLDEN]
EXTREMES = (0.0, 5e-324, 1e-300, 1e-7, 1.0, 1.00001, 1e5, 1e300, 1.7e308)

fixed = settings(derandomize=True, deadline=None, max_examples=50, database=None)

scores = st.lists(
    st.floats(-100, 100, allow_subnormal=False) | st.sampled_from([0.0, 1.0, 0.1, -1.0]), min_size=2, max_size=12
).map(lambda values: np.array(values))


def scenario(case: dict[str, Any]) -> Scenario:
    """A golden case as a scenario."""
    return Scenario(tuple(case["scores"]), tuple(case["log_p_old"]), "log_probs", eta=case["eta"])


def log_probs(seed: int, k: int) -> npt.NDArray[np.float64]:
    """Normalised log-probs of a random policy, spread over a few nats."""
    logits = np.random.default_rng(seed).normal(scale=2, size=k)
    return floats(logits - np.log(np.exp(logits).sum()))


def floats(values: Any) -> npt.NDArray[np.float64]:
    """The values as float64; None becomes NaN."""
    return np.array(values, dtype=np.float64)


numbers = st.floats(-LARGEST, LARGEST)


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """Any group that can be stated."""
    k = draw(st.integers(1, 64))
    scores = draw(st.lists(st.none() | numbers, min_size=k, max_size=k).filter(lambda s: any(x is not None for x in s)))
    kind = draw(st.sampled_from(["uniform", "probs", "log_probs", "mean_log_probs"]))
    more: dict[str, Any] = {}
    if kind == "probs":
        more["policy"] = draw(st.lists(st.floats(5e-324, LARGEST), min_size=k, max_size=k))
    elif kind != "uniform":
        more |= {"kind": kind, "policy": draw(st.lists(st.floats(-1e9, 0), min_size=k, max_size=k))}
    if kind == "mean_log_probs":
        more["lengths"] = draw(st.lists(st.integers(1, 10**6), min_size=k, max_size=k))
    rule = draw(st.sampled_from(list(RULES)))
    if RULES[rule].tunable is not None and draw(st.booleans()):
        more["strength"] = draw(st.floats(1e-300, 1e300))
    return Scenario(tuple(scores), eta=draw(st.floats(5e-324, LARGEST)), rule=rule, **more)
