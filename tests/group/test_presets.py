"""Presets show what their sentence says."""

import numpy as np
import pytest

from tpo_lab.group.presets import PRESETS, Preset
from tpo_lab.group.report import Report, report


def shown(name: str) -> Report:
    return report(PRESETS[name].scenario)


@pytest.mark.parametrize("preset", PRESETS.values(), ids=list(PRESETS))
def test_one_sentence_why(preset: Preset) -> None:
    assert preset.why.endswith(".")
    assert ". " not in preset.why
    assert len(preset.why) <= 120
    assert len(preset.label) <= 25


def test_the_two_scales_give_one_target() -> None:
    np.testing.assert_array_equal(shown("scale_1").q, shown("scale_100").q)


def test_the_success_grows_its_odds_21_fold() -> None:
    assert round(shown("one_success").odds_factor) == 21


def test_sums_swallow_the_tilt_and_means_do_not() -> None:
    assert shown("summed_log_probs").q[0] < 1e-15
    assert shown("mean_log_probs").q[0] > 0.75
    assert np.ptp(shown("summed_log_probs").log_p_old) == 40


@pytest.mark.parametrize("name", ["all_fail", "all_pass", "constant"])
def test_equal_scores_move_nothing(name: str) -> None:
    assert not np.any(shown(name).q_minus_p)


def test_the_success_stays_at_a_few_per_cent() -> None:
    assert 0.01 < shown("peaked_policy").q[1] < 0.05


def test_shaping_ranks_as_firmly_as_successes() -> None:
    shaped = shown("shaped_all_fail")
    assert shaped.q[3] > 0.6


def test_the_missing_candidate_counted_as_0_would_win() -> None:
    scores = PRESETS["missing_score"].scenario.scores
    assert max(s for s in scores if s is not None) < 0


def test_three_share_the_gain() -> None:
    assert shown("three_of_32").odds_factor < 313 / 3


def test_a_tie_is_split_as_the_old_policy_did() -> None:
    tie = shown("tie")
    np.testing.assert_allclose(tie.q[0] / tie.q[1], 0.1 / 0.4)
