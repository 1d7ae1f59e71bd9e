"""Edits of a group leave alone what they are not about."""

import numpy as np
import pytest

from tpo_lab.errors import InputError
from tpo_lab.group.presets import PRESETS
from tpo_lab.group.report import report
from tpo_lab.group.scenario import POLICY_KINDS, PolicyKind, Scenario
from tpo_lab.ui.edits import resized, restated

MEAN = Scenario((1, 0), policy=(-0.5, -0.25), kind="mean_log_probs", lengths=(10, 30))


@pytest.mark.parametrize("kind", POLICY_KINDS)
@pytest.mark.parametrize("scenario", [MEAN, *(p.scenario for p in PRESETS.values())])
def test_stating_the_policy_in_another_way_keeps_the_target(scenario: Scenario, kind: PolicyKind) -> None:
    before = report(scenario)
    after = report(restated(before, kind))
    assert after.scenario.kind == kind
    np.testing.assert_allclose(after.q, before.q, rtol=1e-12, atol=1e-15)


def test_uniform_drops_the_policy() -> None:
    assert restated(report(MEAN), None) == Scenario((1, 0))


def test_a_probability_of_zero_has_no_log_prob() -> None:
    with pytest.raises(InputError, match="-inf"):
        restated(report(Scenario((1, 0), policy=(1, 0))), "log_probs")


def test_resizing_copies_or_drops_the_last() -> None:
    bigger = resized(MEAN, 4)
    assert bigger.scores == (1, 0, 0, 0)
    assert bigger.policy == (-0.5, -0.25, -0.25, -0.25)
    assert bigger.lengths == (10, 30, 30, 30)
    assert resized(bigger, 2) == MEAN
    assert resized(MEAN, 64).k == 64


@pytest.mark.parametrize("k", [-1, 0, 65, 10**15])
def test_sizes_out_of_range_are_refused(k: int) -> None:
    with pytest.raises(InputError, match="1 to 64"):
        resized(MEAN, k)
