"""The multi-context bandit: the ordering of Fig. 3, by hand where it can be, and what no split may change."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tpo_lab.errors import InputError
from tpo_lab.experiments.multi_bandit import MULTI_BANDIT_METHODS, MultiBanditConfig
from tpo_lab.group.exact import beta
from tpo_lab.tasks import multi_bandit
from tpo_lab.tasks.bandit_updates import Knobs
from tpo_lab.tasks.multi_bandit import DIAGNOSTICS, QUANTILES, batches, chunk, init, updates

CONFIG = MultiBanditConfig()

KNOBS = Knobs(jnp.float32(0.1), jnp.float32(1), jnp.float32(0))


def test_exact_updates_are_the_papers_in_every_context() -> None:
    """beta(p) (e_y - pi) in 100 contexts; beta(.1): TPO .73, GRPO .33, DG .09."""
    pi = np.random.default_rng(0).dirichlet(np.ones(10), 100)
    pi[0] = 0.1
    batch = batches(jnp.asarray(np.log(pi), jnp.float32), None, KNOBS)
    found = jax.jit(lambda b: {m: updates(m, b, KNOBS).direction for m in MULTI_BANDIT_METHODS})(batch)
    for method in MULTI_BANDIT_METHODS:
        expected = beta(method, pi[:, :1], k=10) * (np.eye(10)[0] - pi)
        np.testing.assert_allclose(found[method], expected, rtol=2e-4, atol=2e-6, err_msg=method)
    assert [round(float(found[m][0, 0] / 0.9), 2) for m in ("tpo", "grpo", "dg")] == [0.73, 0.33, 0.09]


def test_sampled_updates_come_near_the_exact_ones_and_differ_by_seed() -> None:
    config = MultiBanditConfig(update="sampled", samples=10_000, contexts=5)
    exact = chunk(replace(config, update="exact"), "grpo", init(config, "grpo"), 20)[0]
    sampled = [chunk(config, "grpo", init(config, "grpo"), 20)[0] for _ in range(2)]
    np.testing.assert_array_equal(sampled[0].logits, sampled[1].logits)
    assert not np.array_equal(sampled[0].logits, exact.logits)
    np.testing.assert_allclose(sampled[0].logits, exact.logits, atol=0.05)
    few = replace(config, samples=1)
    _, record = chunk(few, "grpo", init(few, "grpo"), 3)
    np.testing.assert_array_equal(record["zero_variance"], 1)  # one sample has no variance, and so gives no step
    np.testing.assert_array_equal(record["grad_norm"], 0)
    assert np.isnan(record["misalignment"]).all()
    np.testing.assert_allclose(record["any_success"] + record["all_fail"], 1, rtol=1e-6)


def test_numbers_change_without_a_second_compilation() -> None:
    chunk(CONFIG, "tpo", init(CONFIG, "tpo"), 1)
    before = multi_bandit._chunk._cache_size()  # type: ignore[attr-defined]
    for change in ({"eta": 2.0}, {"alpha": 0.5}, {"baseline": 0.5}, {"episodes": 9}, {"seeds": 3}, {"seed": 5}):
        config = replace(CONFIG, **change)
        chunk(config, "tpo", init(config, "tpo", 1), 2)
    assert multi_bandit._chunk._cache_size() == before  # type: ignore[attr-defined]


def test_the_quantiles_are_of_the_right_actions_after_the_step() -> None:
    state, record = chunk(CONFIG, "tpo", init(CONFIG, "tpo"), 3)
    p = jax.nn.softmax(state.logits)[:, 0]
    expected = [np.quantile(p, q / 100) for q in QUANTILES]
    np.testing.assert_allclose([record[f"p_{q}"][-1] for q in QUANTILES], expected, rtol=1e-5)


def test_figure_3() -> None:
    """Error after 1,000 steps and misalignment to supervised learning order the methods as in the paper; 3 seeds."""
    error, misalignment = {}, {}
    for method in MULTI_BANDIT_METHODS:
        records = [chunk(CONFIG, method, init(CONFIG, method, seed), 1000)[1] for seed in range(3)]
        error[method] = np.mean([r["error"][-1] for r in records])
        misalignment[method] = np.mean([r["misalignment"][[0, 200, 500]] for r in records])
    assert misalignment["ce"] == 0
    assert sorted(error, key=error.__getitem__)[:2] == ["ce", "tpo"]
    assert error["tpo"] < error["grpo"] < error["pg"]
    assert misalignment["tpo"] < misalignment["grpo"] < misalignment["dg"]


def test_bits_depend_on_no_split() -> None:
    whole, record = chunk(CONFIG, "tpo", init(CONFIG, "tpo", 2), 30)
    half, first = chunk(CONFIG, "tpo", init(CONFIG, "tpo", 2), 11)
    rest, second = chunk(CONFIG, "tpo", half, 19)
    np.testing.assert_array_equal(rest.logits, whole.logits)
    for name in DIAGNOSTICS:
        np.testing.assert_array_equal(np.concatenate([first[name], second[name]]), record[name])


def test_unknown_methods_and_settings_are_refused() -> None:
    with pytest.raises(InputError, match="known: ce, tpo, dg"):
        init(CONFIG, "ppo")
    with pytest.raises(InputError, match="known: ce, tpo, dg"):
        MultiBanditConfig(methods=("ppo",))
    with pytest.raises(InputError, match="from 2 to"):
        MultiBanditConfig(actions=1)
    with pytest.raises(InputError, match="Unknown update 'rough'; known: sampled, exact"):
        MultiBanditConfig(update="rough")
