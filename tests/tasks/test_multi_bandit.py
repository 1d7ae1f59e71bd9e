"""The multi-context bandit: the ordering of Fig. 3, by hand where it can be, and what no split may change."""

import jax.numpy as jnp
import numpy as np
import pytest

from tpo_lab.errors import InputError
from tpo_lab.experiments.multi_bandit import MULTI_BANDIT_METHODS, MultiBanditConfig
from tpo_lab.tasks.multi_bandit import BETA, DIAGNOSTICS, chunk, direction, init

CONFIG = MultiBanditConfig()


def test_every_method_has_its_beta() -> None:
    assert list(BETA) == list(MULTI_BANDIT_METHODS)


def test_at_a_tenth_the_updates_have_the_papers_sizes() -> None:
    """beta(.1): TPO .73, GRPO .33, DG .09; the direction is e_y - pi."""
    logits = jnp.log(jnp.array([[0.1, *[0.1] * 9]]))
    for method, beta in (("tpo", 0.73), ("grpo", 1 / 3), ("dg", 1 / 11), ("pg", 0.1), ("ce", 1.0)):
        expected = beta * np.array([0.9, *[-0.1] * 9])
        np.testing.assert_allclose(
            direction(CONFIG, method, logits)[0], expected, rtol=0.01 if method == "tpo" else 1e-5
        )


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
