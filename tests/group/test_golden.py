"""Every golden case: to 1e-12 in float64, and in float32 JAX under jit and vmap."""

from dataclasses import fields
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tests.group.cases import GOLDEN, IDS, floats, scenario
from tpo_lab.group import kl_of_logs, log_target, policy, spread, standardise, target
from tpo_lab.group.report import Report, advantages, report

# float32 rounds to 6e-8. u is built from d in [0, 1] by one subtraction, one sum over at most 64 terms, one square root
# and one division: fewer than 16 such roundings on its own scale, so 1e-6 relative. The exponent of q adds the rounding
# of u / eta and of log-probs as large as 120 (7.6e-6 absolute, which is relative in q): 2e-5.
U32, Q32 = 1e-6, 2e-5
SCORES_ONLY = ("u", "sigma_population", "sigma_sample")


def close(found: Any, expected: Any, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(floats(found), floats(expected), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("case", GOLDEN, ids=IDS)
def test_float64(case: dict[str, Any]) -> None:
    found, expect = report(scenario(case)), dict(case["expect"])
    close(standardised_target(case, "tpo_reference"), expect.pop("q_reference_rule"))
    expect.pop("advantages", None)
    assert set(expect) <= {field.name for field in fields(Report)}
    for name, value in expect.items():
        close(getattr(found, name), value)


def standardised_target(case: dict[str, Any], rule: str) -> Any:
    group = scenario(case)
    counted = group.counted()
    u = standardise(group.score_array(), counted=counted, rule=rule)
    return target(group.log_p_old(), u, eta=group.eta, counted=counted)


@pytest.mark.parametrize(
    ("case", "rule"), [(case, rule) for case in GOLDEN for rule in case["expect"].get("advantages") or {}]
)
def test_advantages_of_the_stacks(case: dict[str, Any], rule: str) -> None:
    expected = [0.0 if a is None else a for a in case["expect"]["advantages"][rule]]
    close(advantages(scenario(case))[rule], expected)


def everything(scores: jax.Array, log_p: jax.Array, eta: jax.Array) -> dict[str, jax.Array]:
    counted = ~jnp.isnan(scores)
    u, stats = standardise(scores), spread(scores)
    log_q = log_target(log_p, u, eta=eta, counted=counted)
    p_old = policy(log_p, counted=counted)
    return {
        "u": u,
        "p_old": p_old,
        "q": jnp.exp(log_q),
        "q_minus_p": jnp.exp(log_q) - p_old,
        "sigma_population": stats.sigma_population[..., 0],
        "sigma_sample": stats.sigma_sample[..., 0],
        "zero_variance": stats.zero_variance[..., 0],
        "kl_q_p": kl_of_logs(log_q, log_target(log_p, 0 * u, counted=counted)),
    }


WIDEST = max(len(case["scores"]) for case in GOLDEN)


def padded(values: Any, filler: float) -> jax.Array:
    """All cases at one K, so that one compilation serves them: the added candidates have no score."""
    row = np.full(WIDEST, filler)
    row[: len(values)] = floats(values)
    return jnp.asarray(row, jnp.float32)


@pytest.fixture(scope="module")
def in_float32() -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Per case under jit, and all cases at once under jit and vmap."""
    rows = [
        (padded(c["scores"], np.nan), padded(c["log_p_old"], 0.0), jnp.asarray([c["eta"]], jnp.float32)) for c in GOLDEN
    ]
    one_by_one = jax.jit(everything)
    return [one_by_one(*row) for row in rows], jax.jit(jax.vmap(everything))(*map(jnp.stack, zip(*rows, strict=True)))


@pytest.mark.parametrize("index", range(len(GOLDEN)), ids=IDS)
def test_float32_under_jit_and_vmap(index: int, in_float32: tuple[list[dict[str, Any]], dict[str, Any]]) -> None:
    expect, k = GOLDEN[index]["expect"], len(GOLDEN[index]["scores"])
    for found in (in_float32[0][index], {name: value[index] for name, value in in_float32[1].items()}):
        for name, value in found.items():
            assert value.dtype == (jnp.bool_ if name == "zero_variance" else jnp.float32)
            close(value[:k] if value.ndim else value, expect[name], U32 if name in SCORES_ONLY else Q32)
            assert not value.ndim or not np.any(value[k:])
