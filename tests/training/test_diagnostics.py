"""The diagnostics of one batch, by hand."""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.methods.losses_aux import aux_of
from tpo_lab.tasks import bandit, multi_bandit
from tpo_lab.training import digits, reversal
from tpo_lab.training.diagnostics import distances, of_first_epoch, of_last_epoch, of_rollouts
from tpo_lab.training.plan import plan_of
from tpo_lab.training.rollouts import Rollouts

PLAN, _ = plan_of(ReversalConfig(methods=("tpo",), length=2, prompts=3, candidates=2), "tpo")

# Three prompts of two outputs of two tokens: all right, one of two right, none right.
CORRECT = jnp.array([[[1, 1], [1, 1]], [[1, 1], [0, 1]], [[0, 1], [0, 0]]], dtype=bool)
SUCCESS = jnp.all(CORRECT, axis=-1)
ROLLOUTS = Rollouts(
    prompts=jnp.zeros((3, 2), int),
    outputs=jnp.zeros((3, 2, 2), int),
    candidates=jnp.zeros((3, 2, 0), int),
    correct=CORRECT,
    rewards=jnp.broadcast_to(SUCCESS[..., None], (3, 2, 2)).astype(jnp.float32),
    signal=2.0 * SUCCESS,
    success=SUCCESS,
)


def test_shares_and_errors() -> None:
    metrics = of_rollouts(PLAN, ROLLOUTS)
    expected = {
        "error": 3 / 6,
        "exact_error": 3 / 6,
        "reward": 3 / 6,
        "any_success": 2 / 3,
        "all_fail": 1 / 3,
        "all_pass": 1 / 3,
        "zero_variance": 2 / 3,
    }
    assert {name: pytest.approx(float(value)) for name, value in metrics.items()} == expected
    assert of_rollouts(replace(PLAN, reward="bag"), ROLLOUTS)["error"] == pytest.approx(4 / 12)


def test_an_error_is_never_below_zero() -> None:
    right = ROLLOUTS._replace(correct=jnp.ones((3, 7, 10), dtype=bool))
    for plan in (PLAN, replace(PLAN, reward="bag")):
        assert of_rollouts(plan, right)["error"] == 0


def test_weights_entropy_clip_and_kl() -> None:
    half = jnp.full((3, 2), 0.5)
    weights = jnp.array([[0.5, 0.5], [0.9, -0.1], [0.5, 0.5]])
    aux = aux_of(jnp.log(half), jnp.log(half), weights, clipped=weights > 0.8)
    log_p = jnp.log(jnp.full((3, 2, 2, 2), 0.5))
    first = of_first_epoch(ROLLOUTS, log_p, jnp.float32(1), aux, jnp.float32(2))
    assert first["weight_success"] == pytest.approx((0.5 + 0.5 + 0.9) / 3)
    assert first["weight_failure"] == pytest.approx((0.1 + 0.5 + 0.5) / 3)
    assert first["entropy"] == pytest.approx(np.log(2))
    assert of_last_epoch(aux) == {"kl": 0, "clip_share": pytest.approx(1 / 6)}
    none_right = ROLLOUTS._replace(success=jnp.zeros((3, 2), dtype=bool))
    assert np.isnan(of_first_epoch(none_right, log_p, jnp.float32(1), aux, jnp.float32(2))["weight_success"])


def test_distances_are_zero_on_dead_groups_and_those_of_the_target_elsewhere() -> None:
    old = jnp.log(jnp.full((3, 2), 0.5))
    q, sharp = 1 / (1 + np.exp(-2.0)), 1 / (1 + np.exp(-4.0))  # two candidates, scores apart: u = (1, -1)
    now = old.at[1].set(jnp.log(jnp.array([q, 1 - q])))
    plans = {m: plan_of(ReversalConfig(methods=(m,), candidates=2), m)[0] for m in ("rebel", "dg")}
    found = jax.jit(
        lambda: {
            "reached": distances(PLAN, "tpo", ROLLOUTS.signal, {}, old, now),
            "sharp": distances(PLAN, "tpo", ROLLOUTS.signal, {"eta": 0.5}, old, old),
            # An eta that is not TPO's.
            "rebel": distances(plans["rebel"], "rebel", ROLLOUTS.signal, {"eta": 0.5}, old, old),
            "dg": distances(plans["dg"], "dg", ROLLOUTS.signal, {}, old, old),
        }
    )()
    assert found["reached"] == {"demand": pytest.approx((q - 0.5) / 3), "residual": pytest.approx(0, abs=1e-7)}
    assert found["sharp"]["demand"] == pytest.approx((sharp - 0.5) / 3)
    assert found["rebel"]["demand"] == pytest.approx((q - 0.5) / 3)
    assert np.isnan(found["dg"]["demand"])


@pytest.mark.parametrize("task", [bandit, multi_bandit, digits, reversal])
def test_every_task_records_the_same_things_of_every_step(task: Any) -> None:
    everywhere = {
        "error", "reward", "grad_norm", "all_fail", "all_pass", "zero_variance", "any_success", "weight_success",
        "weight_failure", "entropy", "kl", "clip_share", "demand", "residual",
    }  # fmt: skip
    assert everywhere <= set(task.DIAGNOSTICS)
    assert all(meaning.endswith(".") for meaning in task.DIAGNOSTICS.values())
