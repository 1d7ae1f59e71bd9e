"""The fit: gradient steps on a frozen target until the gradient is gone."""

import numpy as np
import pytest

from tpo_lab.errors import InputError
from tpo_lab.group.fit import MAX_STEPS, fit
from tpo_lab.group.presets import PRESETS
from tpo_lab.group.report import report
from tpo_lab.group.scenario import Scenario


@pytest.mark.parametrize("preset", [name for name in PRESETS if name not in ("summed_log_probs", "peaked_policy")])
def test_the_gradient_extinguishes(preset: str) -> None:
    start = report(PRESETS[preset].scenario)
    path = fit(start, 1.0, 2000)
    np.testing.assert_array_equal(path.p[0], start.p_old)
    np.testing.assert_allclose(path.residual[0], np.linalg.norm(start.q_minus_p), rtol=1e-15 * 4, atol=0)
    assert path.loss[0] == start.loss_at_p_old
    assert path.residual[-1] < 1e-3
    np.testing.assert_allclose(path.loss[-1], path.loss_floor, atol=1e-4)
    assert np.all(np.diff(path.loss) <= 1e-12)  # steps of 1 never overshoot: the curvature of the loss is at most 1/2


def test_one_step_by_hand() -> None:
    path = fit(report(Scenario((1, 0))), 0.5, 1)
    q = 1 / (1 + np.exp(-2))
    p = 1 / (1 + np.exp(-2 * 0.5 * (q - 0.5)))
    np.testing.assert_allclose(path.p, [[0.5, 0.5], [p, 1 - p]])
    np.testing.assert_allclose(path.residual, [np.sqrt(2) * (q - 0.5), np.sqrt(2) * (q - p)])
    np.testing.assert_allclose(path.loss[1], -q * np.log(p) - (1 - q) * np.log(1 - p))
    np.testing.assert_allclose(path.loss_floor, -q * np.log(q) - (1 - q) * np.log(1 - q))


def test_equal_scores_never_move_a_bit() -> None:
    path = fit(report(Scenario((0.7,) * 7, policy=(0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1))), 100.0, 20)
    assert not np.any(path.residual)
    assert np.all(path.p == path.p[0])


def test_candidates_without_a_score_or_a_probability_stay_at_0() -> None:
    path = fit(report(Scenario((1, None, 0, 0.5), policy=(0.2, 0.3, 0.5, 0))), 2.0, 50)
    assert not np.any(path.p[:, [1, 3]])
    np.testing.assert_allclose(path.p.sum(1), 1)
    assert np.all(np.isfinite([path.residual, path.loss]))


def test_a_probability_too_small_for_a_float_can_be_lifted() -> None:
    start = report(Scenario((1, 0), policy=(-800, 0), kind="log_probs", eta=0.001))
    assert start.p_old[0] == 0
    path = fit(start, 1.0, 2000)
    assert path.p[-1, 0] > 0.99


def test_extremes_stay_finite() -> None:
    scenario = Scenario((1, 0, -1), policy=(-1e300, 0, -1e5), kind="log_probs", eta=1e-300)
    path = fit(report(scenario), 1000.0, 100)
    assert np.all(np.isfinite(path.p))
    assert np.all(np.isfinite(path.loss))


@pytest.mark.parametrize(("size", "steps"), [(0, 1), (-1, 1), (float("nan"), 1), (1e4, 1), (1, -1), (1, MAX_STEPS + 1)])
def test_out_of_range(size: float, steps: int) -> None:
    with pytest.raises(InputError, match="must be"):
        fit(report(Scenario((1, 0))), size, steps)
