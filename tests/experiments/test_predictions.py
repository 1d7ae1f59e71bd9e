"""An expected order of methods against what came of it."""

import math

import pytest

from tpo_lab.experiments.predictions import End, pairs

ENDS = {"tpo": End(0.01, 0.002), "ppo": End(0.2, 0.03), "grpo": End(0.8, 0.05), "dg": End(0.85, 0.04)}


def verdicts(*order: str) -> list[str]:
    return [f"{a} {b} {verdict}" for a, b, verdict in pairs(order, ENDS)]


def test_the_order_of_the_errors_is_right_in_every_pair_that_is_no_tie() -> None:
    assert verdicts("tpo", "ppo", "grpo", "dg") == [
        "tpo ppo right",
        "tpo grpo right",
        "tpo dg right",
        "ppo grpo right",
        "ppo dg right",
        "grpo dg tie",  # .05 apart, with .064 the standard error of that
    ]


def test_the_order_turned_round_is_wrong_in_the_same_pairs() -> None:
    found = pairs(("dg", "grpo", "ppo", "tpo"), ENDS)
    assert [pair.verdict for pair in found] == ["tie"] + 5 * ["wrong"]
    assert [pair.verdict for pair in pairs(("ppo", "tpo", "dg"), ENDS)] == ["wrong", "right", "right"]


@pytest.mark.parametrize(("gap", "verdict"), [(0.0499, "tie"), (0.0501, "right")])
def test_a_tie_is_within_the_standard_error_of_the_difference(gap: float, verdict: str) -> None:
    ends = {"a": End(0.1, 0.03), "b": End(0.1 + gap, 0.04)}
    assert pairs(("a", "b"), ends)[0].verdict == verdict


def test_of_a_single_seed_only_equal_errors_are_a_tie() -> None:
    ends = {"a": End(0.1, math.nan), "b": End(0.1001, math.nan), "c": End(0.1, math.nan)}
    assert [pair.verdict for pair in pairs(("a", "b", "c"), ends)] == ["right", "tie", "wrong"]


def test_one_method_makes_no_pair() -> None:
    assert pairs(("tpo",), ENDS) == ()
