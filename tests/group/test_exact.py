"""beta(p): the closed forms against the updates that they summarise."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tpo_lab.group import standardise, target
from tpo_lab.group.exact import beta_ce, beta_dg, beta_grpo, beta_pg, beta_tpo, lam

P = np.linspace(0.01, 0.99, 25)


def test_the_figures_of_the_paper() -> None:
    assert round(lam(10), 2) == 28.03
    assert round(float(beta_tpo(0.1, k=10)), 2) == 0.73
    assert round(float(beta_grpo(0.1)), 2) == 0.33
    assert round(float(beta_dg(0.1)), 2) == 0.09
    assert beta_pg(0.1) == 0.1
    assert beta_ce(0.1) == 1


@pytest.mark.parametrize("k", [2, 10, 64])
@pytest.mark.parametrize("eta", [0.25, 1.0, 4.0])
def test_tpo_is_the_target_minus_the_policy(k: int, eta: float) -> None:
    u = standardise(np.eye(k)[0])
    for p in P:
        pi = np.full(k, (1 - p) / (k - 1))
        pi[0] = p
        update = target(np.log(pi), u, eta=eta) - pi
        np.testing.assert_allclose(update, beta_tpo(p, k=k, eta=eta) * (np.eye(k)[0] - pi), atol=1e-14)


def test_pg_dg_and_grpo_are_expectations_over_actions() -> None:
    """E[A (e_a - pi)] with the advantage of each method, on pi = (p, (1 - p) / 2, (1 - p) / 2)."""
    e = np.eye(3)
    for p in P:
        pi = np.array([p, (1 - p) / 2, (1 - p) / 2])
        reward = e[0]
        sigma = math.sqrt(p * (1 - p))
        advantages = {
            "pg": reward,
            "dg": reward / (1 + np.exp(reward * np.log(pi))),
            "grpo": (reward - p) / sigma,
        }
        betas = {"pg": beta_pg(p), "dg": beta_dg(p), "grpo": beta_grpo(p)}
        for name, advantage in advantages.items():
            update = sum(pi[a] * advantage[a] * (e[a] - pi) for a in range(3))
            np.testing.assert_allclose(update, betas[name] * (e[0] - pi), atol=1e-14, err_msg=name)


def test_the_temperature_of_dg() -> None:
    for eta in (0.1, 1.0, 5.0):
        np.testing.assert_allclose(beta_dg(P, eta=eta), P / (1 + np.exp(np.log(P) / eta)))
    np.testing.assert_allclose(beta_dg(P), P / (1 + P))


def test_the_ends() -> None:
    ends = np.array([0.0, 5e-324, 1.0])
    for beta in (beta_ce, beta_pg, beta_dg, beta_grpo):
        assert np.all(np.isfinite(beta(ends)))
    for eta in (1e-300, 0.05, 1e300):
        found = beta_tpo(ends, k=10, eta=eta)
        assert np.all((found >= 0) & (found <= 1))
        assert found[0] == 0
    assert beta_grpo(1.0) == 0


def test_jax_float32() -> None:
    p = jnp.asarray(P, jnp.float32)
    for beta in (beta_ce, beta_pg, beta_dg, beta_grpo, lambda p: beta_tpo(p, k=10)):
        found = jax.jit(beta)(p)
        assert found.dtype == jnp.float32
        np.testing.assert_allclose(found, beta(P), rtol=1e-5)
