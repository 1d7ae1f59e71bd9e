"""The sentences: each where it belongs, with the live numbers, and never a wrong one."""

import itertools
from typing import Any

import numpy as np
import pytest

from tpo_lab.group.presets import PRESETS
from tpo_lab.group.report import report
from tpo_lab.group.rules import RULES
from tpo_lab.group.scenario import Scenario
from tpo_lab.group.verdict import LOW_SIGMA, Verdict, verdicts


def said(scores: Any, **more: Any) -> dict[str, Verdict]:
    return {verdict.kind: verdict for verdict in verdicts(report(Scenario(tuple(scores), **more)))}


@pytest.mark.parametrize(
    ("preset", "kinds"),
    [
        ("one_success", ["one_winner"]),
        ("all_fail", ["all_fail"]),
        ("all_pass", ["all_pass"]),
        ("low_variance", ["low_variance"]),
        ("scale_1", ["ordinary"]),
        ("scale_100", ["ordinary"]),
        ("constant", ["zero_variance"]),
        ("shaped_all_fail", ["shaped_all_fail", "low_variance"]),
        ("summed_log_probs", ["peaked_policy", "one_winner"]),
        ("mean_log_probs", ["one_winner"]),
        ("missing_score", ["missing", "shaped_all_fail"]),
        ("peaked_policy", ["peaked_policy", "one_winner"]),
        ("three_of_32", ["ordinary"]),
        ("tie", ["ordinary"]),
    ],
)
def test_what_is_said_of_each_preset(preset: str, kinds: list[str]) -> None:
    assert [verdict.kind for verdict in verdicts(report(PRESETS[preset].scenario))] == kinds


def test_every_preset_is_covered_above() -> None:
    marks = test_what_is_said_of_each_preset.pytestmark  # type: ignore[attr-defined]
    assert [name for name, _ in marks[0].args[1]] == list(PRESETS)


@pytest.mark.parametrize(
    ("score", "kind"),
    [(0, "all_fail"), (-1, "all_fail"), (1, "all_pass"), (2.5, "all_pass"), (0.7, "zero_variance")],
)
def test_equal_scores_by_what_they_are_worth(score: float, kind: str) -> None:
    for rule in RULES:
        found = said([score] * 4, rule=rule)
        assert list(found) == [kind]
        assert "the first gradient is exactly 0" in found[kind].text
        assert f"Every score is {score}" in found[kind].text


def test_one_candidate() -> None:
    assert said([3])["single"].title == "Only one candidate"
    assert list(said([None, 0.7, None])) == ["single", "missing"]
    assert list(said([None, 0.7, None], rule="verl_grpo")) == ["single", "missing"]


@pytest.mark.parametrize(("k", "factor"), [(4, "10.1"), (8, "20.6"), (16, "62.3"), (32, "313"), (64, "3176")])
def test_one_winner_quotes_the_odds(k: int, factor: str) -> None:
    text = said(np.eye(k)[1])["one_winner"].text
    assert text.startswith(
        f"Candidate 2 beats the other {k - 1}, which tie. Its odds grow by a factor of {factor} = exp("
    )
    assert f"from {1 / k:.3g} to" in text


def test_one_of_two_wins_in_good_english() -> None:
    text = said([1, 0])["one_winner"].text
    assert text.startswith("Candidate 1 beats the other one. Its odds grow by a factor of 7.39")
    assert text.endswith("its probability from 0.5 to 0.881.")


def test_what_an_ordinary_update_does_to_the_order() -> None:
    assert said([0, 0.3, 0.5, 1])["ordinary"].text.endswith("4 becomes the most probable, from 0.25 to 0.683.")
    assert said([1, 1, 0, 0])["ordinary"].text.endswith("The 2 best together go from 0.5 to 0.881.")
    stays, moves = Scenario((1, 0.5, 0), policy=(0.5, 0.3, 0.2)), Scenario((0, 0.5, 1), policy=(0.5, 0.3, 0.2))
    assert "Candidate 1 stays the most probable" in verdicts(report(stays))[0].text
    assert "changes from 1 to 3" in verdicts(report(moves))[0].text


def test_the_formula_of_the_odds_is_quoted_only_where_it_holds() -> None:
    assert "= exp(K / sqrt(K - 1))" in said([1, 0, 0])["one_winner"].text
    assert "= exp(K / (eta sqrt(K - 1)))" in said([1, 0, 0], eta=0.5)["one_winner"].text
    assert "exp(" not in said([1, 0, 0], rule="rloo")["one_winner"].text


def test_low_variance_quotes_the_amplification() -> None:
    text = said([0.001, 0, 0])["low_variance"].text
    assert "sigma = 0.000471" in text
    assert "amplifies them 2121 times" in text  # 1 / sigma
    assert "moves 47.3 %" in text
    calm = said([0.001, 0, 0], rule="dr_grpo")["low_variance"].text
    assert "multiplies gaps by 1," in calm
    assert "amplifies" not in calm


def test_the_threshold_of_low_variance_passes_every_mixed_group_of_0_and_1() -> None:
    smallest = min(np.std([1.0] * n + [0.0] * (k - n)) for k in range(2, 65) for n in range(1, k))
    assert smallest > LOW_SIGMA
    assert round(float(smallest), 2) == 0.12  # as the sentence says


def test_a_policy_too_peaked_for_the_tilt() -> None:
    text = said([1, 0, 0, 0], policy=(-120, -80, -85, -90), kind="log_probs")["peaked_policy"].text
    assert "spreads over 40 nats, the tilt u / eta over 2.31" in text
    assert "from 4.2e-18 to 4.2e-17" in text
    assert "peaked_policy" not in said([0, 1, 0, 0], policy=(0.001, 0.997, 0.001, 0.001))  # peaked on the best
    assert "peaked_policy" not in said([1, 0, 0, 0], policy=(-120, -80, -85, -90), kind="log_probs", eta=0.01)


def test_a_probability_too_small_for_a_float_is_still_told() -> None:
    text = said([1, 0], policy=(-1200, -80), kind="log_probs")["peaked_policy"].text
    assert "candidate 1 goes from exp(-1120) to exp(-1118) only" in text


def test_a_best_candidate_that_p_old_cannot_reach() -> None:
    found = said([0, 1, 0.5], policy=(0.5, 0, 0.5))
    assert list(found) == ["unreachable"]
    assert "peaked_policy" not in found
    assert "unreachable" not in said([0, 1, 1], policy=(0.5, 0, 0.5))  # the other best has mass


def test_missing_scores_and_what_0_would_have_done() -> None:
    text = said([-1, -1, -0.5, None])["missing"].text
    assert text.startswith("1 of 4 candidates has no score and leaves the group")
    assert "it would get u = 1.51" in text
    two = said([None, 1, 0.2, None, 0])["missing"]
    assert two.title == "Scores are missing"
    assert two.text.startswith("2 of 5 candidates have no score and leave the group")


def test_a_rule_that_says_nothing_or_the_opposite() -> None:
    assert next(iter(said([-1, -3], rule="prime_rl_max_rl"))) == "silent_rule"
    assert list(said([1, -3, -3], rule="prime_rl_max_rl", policy=(0.01, 0.98, 0.01))) == ["silent_rule"]
    assert list(said([1, -3, -3], rule="skyrl_max_rl", policy=(0.01, 0.98, 0.01))) == ["inverted_rule"]
    inverted = said([-1, -3, -2], rule="skyrl_max_rl")["inverted_rule"]
    assert "the scores, -2:" in inverted.text
    assert "u = -0.5 and the worst 0.5" in inverted.text


def test_shaping_is_never_claimed_where_a_score_is_near_a_pass() -> None:
    assert "shaped_all_fail" not in said([0.9, 0.95, 0.97])
    assert "If 1 is a pass" in said([0, 0.02, 0.1])["shaped_all_fail"].text


def test_every_group_gets_sentences_without_nonsense() -> None:
    values = (None, 0.0, 0.001, -1e300, 5e-324)
    policies: list[dict[str, Any]] = [
        {},
        {"policy": (1, 0, 5e-324)},
        {"policy": (-1e300, 0, -1e5), "kind": "log_probs", "eta": 1e-300},
        {"policy": (-1, -2, -3), "kind": "log_probs", "eta": 1e300},
    ]
    for scores, more in itertools.product(itertools.product(values, repeat=3), policies):
        if scores.count(None) == 3 or (
            "policy" in more and more.get("kind") is None and scores[0] is scores[2] is None
        ):
            continue
        for rule in ("tpo_paper", "trl_none"):
            found = verdicts(report(Scenario(scores, rule=rule, **more)))
            assert found
            for verdict in found:
                assert verdict.text.endswith(".")
                assert "nan" not in verdict.text
                assert "-0 " not in verdict.text
