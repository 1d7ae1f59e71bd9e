"""The look that asks how far to trust a target, given the noise of the scorer."""

from functools import lru_cache

import numpy as np
import streamlit as st

from tpo_lab.charts import trust as trust_charts
from tpo_lab.group.curves import sigma_of
from tpo_lab.group.noise import Noise, pair_total_variation, small_noise_total_variation
from tpo_lab.group.resample import Threshold, Tradeoff, Trust, threshold, tradeoffs
from tpo_lab.group.resample import trust as resampled
from tpo_lab.group.rules import RULES
from tpo_lab.group.scenario import Scenario
from tpo_lab.group.target import policy
from tpo_lab.group.wording import figure, percent
from tpo_lab.ui.drawing import chart
from tpo_lab.ui.microscope import View
from tpo_lab.ui.pieces import figures, headline

CALM = tuple(name for name in RULES if name == "tpo_paper" or name.startswith("robust_"))

_trust = lru_cache(maxsize=32)(resampled)
_threshold = lru_cache(maxsize=32)(threshold)


@lru_cache(maxsize=32)
def _tradeoffs(scenario: Scenario, noise: Noise) -> list[Tradeoff]:
    return tradeoffs(scenario, noise, CALM)


def trusted(view: View) -> Trust | None:
    """What noise does to the target; None where there is none, or nothing to compare."""
    if view.scenario.counted().sum() < 2 or view.noise.sd == 0:
        return None
    return _trust(view.scenario, view.noise)


def trust(view: View) -> None:
    """What new scores would do to the target."""
    scenario, noise = view.scenario, view.noise
    found = trusted(view)
    if found is None:
        what = "one scored candidate" if noise.sd else "no noise"
        st.info(f"With {what} the target is what it is. Two scored candidates and a noise above 0 are needed.")
        return
    # The threshold depends on the shape of the scores, not on their spread: the slider asks for it once.
    where = _threshold(view.unstretched, noise)
    headline("Mostly noise" if found.mostly_noise else "More signal than noise", _sentence(scenario, found, where))
    figures(_numbers(scenario, noise, found, where))
    left, right = st.columns(2)
    names = [str(i + 1) for i in np.flatnonzero(scenario.counted())]
    with left:
        p_old = policy(scenario.log_p_old()[scenario.counted()])
        chart(
            trust_charts.intervals(),
            trust_charts.interval_columns(found, p_old, names),
            key="trust-intervals",
            alt="Each candidate's target under new scores: shown value, median and ranges",
        )
    with right:
        chart(
            trust_charts.threshold(),
            trust_charts.threshold_columns(where, noise.sd, sigma_of(scenario)),
            key="trust-threshold",
            alt="How far noise moves the target, and half of how far the scores do, against the spread",
        )
    chart(
        trust_charts.tradeoffs(),
        trust_charts.tradeoff_columns(_tradeoffs(scenario, noise), RULES),
        key="trust-rules",
        alt="Bias and noise of the paper's rule and of the calmer rules",
    )
    st.caption(
        "Bias: from the paper's target of the shown scores, taken as true, to the rule's. Noise: from its target "
        "of the shown scores to that of new ones. Both: from the paper's target to the rule's of new scores; least is "
        "best."
    )


def _sentence(scenario: Scenario, found: Trust, where: Threshold) -> str:
    moves = f"Scored again, the target would move {percent(found.tv)} of the probability; the scores move"
    moves = f"{moves} {percent(found.moved)}."
    if where.spread is None:
        return moves
    here = figure(sigma_of(scenario))
    return f"{moves} Here it is mostly noise below sigma = {figure(where.spread)}; this group has {here}."


def _numbers(scenario: Scenario, noise: Noise, found: Trust, where: Threshold) -> list[tuple[str, str, str]]:
    simulated = f"Simulated with {found.draws:,} draws; ± is its standard error."
    closed = _closed_form(scenario, noise)
    numbers = [
        (
            "Moved by noise",
            f"{found.tv:.3f} ± {found.tv_error:.1g}",
            f"Expected total variation from the shown q. {simulated}",
        ),
        ("Moved by the scores", f"{found.moved:.3f}", "Total variation between q and p_old."),
        (
            "Largest target wrong",
            f"{found.argmax_wrong:.3f} ± {found.argmax_wrong_error:.1g}",
            f"Probability that another candidate gets the largest target. {simulated}",
        ),
        (
            "Best score wrong",
            f"{found.best_wrong:.3f}",
            "Probability that another candidate is scored highest: a closed form.",
        ),
        (
            "Half noise below σ",
            figure(found.half_spread),
            "Observed spread at which half of the scores' variance is noise: τ √(2 (K − 1) / K), a closed form.",
        ),
        (
            "Mostly noise below σ",
            "-" if where.spread is None else figure(where.spread),
            "Spread at which noise moves the target half as far as the scores do: simulated, for this rule and η.",
        ),
    ]
    if closed is not None:
        numbers.insert(1, ("In closed form", f"{closed[0]:.3f}", closed[1]))
    return numbers


def _closed_form(scenario: Scenario, noise: Noise) -> tuple[float, str] | None:
    """The expected total variation without a simulation, where there is a formula that holds."""
    counted = scenario.counted()
    scores, log_p = scenario.score_array()[counted], scenario.log_p_old()[counted]
    if scenario.rule != "tpo_paper" or sigma_of(scenario) == 0 or not np.all(np.isfinite(log_p)):
        return None
    if len(scores) == 2:
        return pair_total_variation(scores, log_p, scenario.eta, noise), "Moved by noise, for two candidates: exact."
    if noise.sd > 0.1 * sigma_of(scenario):
        return None
    value = small_noise_total_variation(scores, log_p, scenario.eta, noise)
    return value, "Moved by noise, to first order in noise over spread."
