"""Training on digits: the updates by hand, the same bits however it is cut, and what the paper's order rests on."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from tests.tasks.mnist_folder import write
from tpo_lab.errors import InputError
from tpo_lab.experiments.digits import DIGITS_METHODS, DigitsConfig
from tpo_lab.policies import mlp
from tpo_lab.tasks.digits import load
from tpo_lab.training import kept
from tpo_lab.training.digits import DIAGNOSTICS, chunk, init
from tpo_lab.training.digits_update import Batch, in_groups, outcome, target

CONFIG = DigitsConfig(methods=("tpo",), episodes=450)
K = 10


def same(a: Any, b: Any) -> None:
    """Every number of two trees has the same bits."""
    for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True):
        x, y = (jax.random.key_data(v) if jnp.issubdtype(v.dtype, jax.dtypes.prng_key) else v for v in (x, y))
        assert np.asarray(x).tobytes() == np.asarray(y).tobytes()


def test_tpo_learns_and_its_bits_depend_on_no_split() -> None:
    """450 steps at once, or in pieces that cut chunks and evaluations; another seed in between changes nothing."""
    whole, record = chunk(CONFIG, "tpo", init(CONFIG, "tpo", 1), 450)
    assert list(record) == list(DIAGNOSTICS)
    assert all(values.shape == (450,) for values in record.values())
    np.testing.assert_array_equal(np.flatnonzero(~np.isnan(record["error"])), [199, 399, 449])
    assert record["reward"][:5].mean() < 0.2 < 0.7 < record["reward"][-20:].mean()
    assert record["error"][-1] < 0.25

    state, parts = init(CONFIG, "tpo", 1), []
    for n in (1, 198, 202, 49):
        state, part = chunk(CONFIG, "tpo", state, n)
        parts.append(part)
        other, _ = chunk(CONFIG, "tpo", init(CONFIG, "tpo", 0), 2)
    same(state, whole)
    same({name: np.concatenate([p[name] for p in parts]) for name in record}, record)
    assert np.any(other.params[0][0] != chunk(CONFIG, "tpo", init(CONFIG, "tpo", 1), 2)[0].params[0][0])


def test_what_is_recorded_is_what_the_policy_does() -> None:
    state, record = chunk(CONFIG, "tpo", init(CONFIG, "tpo", 2), 200)
    data = load()
    log_pi = np.asarray(mlp.log_probs(state.params, data.test_pixels))
    wrong = log_pi.argmax(axis=1) != np.asarray(data.test_labels)
    shares = np.array([record[f"share_{b}"][-1] for b in ("0_25", "25_50", "50_75", "75_100")])
    surpluses = np.array([record[f"surplus_{b}"][-1] for b in ("0_25", "25_50", "50_75", "75_100")])
    assert record["error"][-1] == pytest.approx(wrong.mean(), abs=1e-6)
    assert shares.sum() == pytest.approx(wrong.mean(), abs=1e-6)
    np.testing.assert_array_equal(np.isnan(surpluses), shares == 0)
    assert np.nanmax(surpluses) > 0.01
    assert np.all((record["zero_variance"] == 0) & (record["grad_norm"] > 0) & (record["entropy"] <= np.log(K) + 1e-6))
    assert np.nanmean(record["weight_success"]) > np.nanmean(record["weight_failure"])
    np.testing.assert_allclose(record["any_success"], record["reward"])
    np.testing.assert_allclose(record["all_pass"], record["reward"])
    np.testing.assert_allclose(record["all_fail"] + record["all_pass"], 1, rtol=1e-6)
    assert np.all((record["kl"] > 0) & (record["kl"] < 0.1) & (record["clip_share"] == 0))
    # A step takes part of what the target asks for; the batch is not all that it moves.
    assert np.mean(record["residual"] < record["demand"]) > 0.95


def test_numbers_change_without_a_second_compilation() -> None:
    chunk(CONFIG, "tpo", init(CONFIG, "tpo"), 1)
    before = set(kept._codes)
    for change in ({"eta": 2.0}, {"learning_rate": 1e-2}, {"episodes": 9}, {"every": 3}, {"seeds": 3}, {"seed": 5}):
        config = replace(CONFIG, **change)
        chunk(config, "tpo", init(config, "tpo", 4), 2)
    assert set(kept._codes) == before


@partial(jax.jit, static_argnums=0)
def updates(method: str, logits: Array, batch: Batch, eta: float = 1.0) -> Array:
    """-dL/dz of each image of a batch, (B, K)."""

    def total(logits: Array) -> Array:
        return jnp.sum(outcome(method, jnp.float32(eta), jax.nn.log_softmax(logits), batch).losses)

    gradient: Array = jax.grad(total)(logits)
    return -gradient


def test_every_update_is_the_papers() -> None:
    """On one policy pi, b = sum pi^2, e_a - pi the score function; TPO's z-scores of A e_a are +-(3, -1/3, ...)."""
    pi = np.random.default_rng(1).dirichlet(np.ones(K)).astype(np.float32)
    label, e, log_pi = 4, np.eye(K), np.log(pi)
    reward = e[label]
    a = reward - (pi**2).sum()
    score = e - pi
    z = reward.mean(), reward.std() + 1e-8
    u = np.where(e == 1, 3, -1 / 3) * np.sign(a)[:, None]
    q = pi * np.exp(u)
    expected = {
        "pg": a[:, None] * score,
        "dg": (a / (1 + np.exp(a * log_pi)))[:, None] * score,
        "grpo": ((reward - z[0]) / z[1])[:, None] * score,
        "group_pg": 3 * np.sign(a)[:, None] * score,
        "tpo": q / q.sum(axis=1, keepdims=True) - pi,
        "ce": np.tile(score[label], (K, 1)),
    }
    assert set(expected) == set(DIGITS_METHODS)
    # One image per action, all of the same policy and label.
    batch = Batch(jnp.eye(K), jnp.tile(jnp.eye(K)[label], (K, 1)), jnp.asarray(reward, jnp.float32))
    for method, update in expected.items():
        found = updates(method, jnp.tile(log_pi, (K, 1)), batch)
        np.testing.assert_allclose(found, update, atol=2e-6, err_msg=method)
    # In expectation Group PG is 6 times PG: the paper's Appendix.
    np.testing.assert_allclose(pi @ expected["group_pg"], 6 * (pi @ expected["pg"]), atol=1e-6)


def test_groups_are_of_images_or_of_the_batch() -> None:
    two_of_three = Batch(jnp.eye(3), jnp.eye(3), jnp.array([1.0, 1.0, 0.0]))
    found = {m: [float(x) for x in in_groups(m, two_of_three).values()] for m in DIGITS_METHODS}
    assert found["tpo"] == found["group_pg"] == pytest.approx([1 / 3, 2 / 3])
    assert found["grpo"] == [0, 0]
    assert np.isnan([found[m] for m in ("pg", "dg", "ce")]).all()


def test_the_target_that_is_recorded_is_the_one_that_tpo_fits() -> None:
    log_pi = jax.nn.log_softmax(jax.random.normal(jax.random.key(0), (4, K)))
    batch = Batch(jnp.eye(K)[:4], jnp.eye(K)[jnp.array([0, 5, 2, 5])], jnp.array([1.0, 0.0, 1.0, 0.0]))
    np.testing.assert_allclose(
        target(log_pi, batch, 0.5) - jnp.exp(log_pi), updates("tpo", log_pi, batch, 0.5), atol=1e-6
    )


@pytest.mark.parametrize("method", ["tpo", "grpo", "group_pg"])
def test_equal_scores_give_exactly_no_gradient(method: str) -> None:
    """A policy that is certain and right: b = 1, so A = 0; and every reward of the batch is equal."""
    first = jnp.tile(jnp.eye(K)[0], (3, 1))
    batch = Batch(first, first, jnp.ones(3))
    assert not np.any(updates(method, 200 * first, batch))
    found = jax.jit(outcome, static_argnums=0)(method, jnp.float32(1), jax.nn.log_softmax(200 * first), batch)
    assert found.zero_variance == 1


def test_grpo_compares_the_batch_and_tpo_the_actions() -> None:
    """Nothing right in the batch: equal rewards for GRPO; for TPO still one action per image below the others."""
    taken, label = jnp.eye(K)[:3], jnp.eye(K)[3:6]
    log_pi = jnp.full((3, K), -jnp.log(10.0))
    for reward, equal in (([0.0, 0, 0], 1), ([1.0, 0, 0], 0)):
        batch = Batch(taken, label, jnp.array(reward))
        for method, share in (("grpo", equal), ("tpo", 0)):
            assert jax.jit(outcome, static_argnums=0)(method, jnp.float32(1), log_pi, batch).zero_variance == share


def test_every_step_draws_its_own_images() -> None:
    """A policy that never moves has another entropy on every batch."""
    config = replace(CONFIG, learning_rate=0.0)
    assert len(np.unique(chunk(config, "tpo", init(config, "tpo"), 9)[1]["entropy"])) == 9


def test_a_folder_of_mnist_is_trained_on(tmp_path: Path) -> None:
    """PG has no surplus, and every seed is its own."""
    config = DigitsConfig(methods=("pg",), folder=str(write(tmp_path)), prompts=8, hidden=4, every=3, episodes=7)
    records = [chunk(config, "pg", init(config, "pg", seed), 7)[1] for seed in (0, 1)]
    for record in records:
        np.testing.assert_array_equal(np.isnan(record["error"]), [True, True, False, True, True, False, False])
        assert np.all(np.isnan(record["surplus_75_100"]))
        assert np.all(np.isfinite(record["loss"]))
    assert np.any(records[0]["loss"] != records[1]["loss"])


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(InputError, match="known: tpo, pg, grpo"):
        init(CONFIG, "ppo")


@pytest.mark.slow
def test_figure_4_by_step_2000_on_the_8x8_digits() -> None:
    """TPO and DG are ahead of PG, GRPO and Group PG; TPO's surplus in the top bin is near the paper's .073. 6 seeds.

    At step 10,000 the three that are behind are told apart by nothing but the seeds at which a class is never learnt.
    """
    config = DigitsConfig(methods=("tpo", "dg", "pg", "grpo", "group_pg"), episodes=2_000, seeds=6)
    done = {
        method: [chunk(config, method, init(config, method, seed), config.episodes)[1] for seed in range(config.seeds)]
        for method in config.methods
    }

    def mean(method: str, name: str) -> float:
        return float(np.mean([record[name][-1] for record in done[method]]))

    error = {method: mean(method, "error") for method in config.methods}
    assert max(error["tpo"], error["dg"]) + 0.02 < min(error["pg"], error["grpo"], error["group_pg"])
    assert 0.05 < mean("tpo", "surplus_75_100") < 0.09
    assert abs(mean("dg", "surplus_75_100")) < 0.01
