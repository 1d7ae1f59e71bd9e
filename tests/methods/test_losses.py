"""Every loss: golden values worked out by hand, derivatives, and the same numbers plain, under jit and under vmap."""

import inspect
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

from tpo_lab.errors import InputError
from tpo_lab.group import RULES, target
from tpo_lab.group.budget import eta_for_kl
from tpo_lab.methods.losses import LOSSES, loss_of
from tpo_lab.methods.losses_group import tpo
from tpo_lab.methods.registry import METHODS

GROUPED = [m.name for m in METHODS.values() if m.group != "none"]
NEUTRAL = [name for name in GROUPED if METHODS[name].neutral]


def batch(seed: int = 0, shape: tuple[int, ...] = (5, 8)) -> tuple[jax.Array, jax.Array, jax.Array]:
    """log_p near log_p_old, and scores with ties."""
    a, b, c = jax.random.split(jax.random.key(seed), 3)
    old = jax.nn.log_softmax(jax.random.normal(a, shape))
    return old + 0.3 * jax.random.normal(b, shape), old, jax.random.bernoulli(c, 0.4, shape).astype(jnp.float32)


def test_the_registry_and_the_losses_have_the_same_names_in_the_same_order() -> None:
    assert list(LOSSES) == list(METHODS)


@pytest.mark.parametrize("name", METHODS)
def test_the_knobs_of_the_registry_are_keywords_of_the_loss_with_the_same_defaults(name: str) -> None:
    parameters = inspect.signature(LOSSES[name]).parameters
    for knob in METHODS[name].knobs:
        assert parameters[knob.name].default == knob.default
        assert knob.default is None or knob.low <= knob.default <= knob.high
    keywords = {"rule": "rule", "log_probs": "lengths"}
    assert all(keywords[choice] in parameters for choice in METHODS[name].choices)


def test_colours_are_unique_and_unknown_names_are_refused() -> None:
    assert len({m.colour for m in METHODS.values()}) == len(METHODS)
    with pytest.raises(InputError, match="Unknown method 'tppo'; known: tpo, dg"):
        loss_of("tppo")


def all_losses(log_p: jax.Array, old: jax.Array, signal: jax.Array) -> dict[str, Any]:
    return {name: loss(log_p, old, signal) for name, loss in LOSSES.items()}


# Two candidates, uniform before, scores (1, 0): u = (1, -1). log-ratios (log 1.5, 0) where the ratio matters.
LOG_HALF = float(np.log(0.5))
KL_15 = 1 / 1.5 + np.log(1.5) - 1
GOLDEN = {
    "tpo": np.log(2) - 0.8807970779778823 * np.log(1.5) + np.log(1.25),  # logits (log .75, log .5): p = (.6, .4)
    "tpo_no_anchor": np.log(2) - 0.8807970779778823 * np.log(1.5) + np.log(1.25),
    "tpo_token": np.log(2) - 0.8807970779778823 * np.log(1.5) + np.log(1.25),
    "grpo": -(1.2 - 1) + 0.04 * KL_15,
    "grpo_token": -(1.2 - 1) + 0.04 * KL_15,
    "grpo_masked": -(1.2 - 1) + 0.04 * KL_15,
    "grpo_no_kl": -(1.2 - 1),
    "dapo": -(1.28 - 1),
    "gspo": -(1.0004 - 1),
    "dr_grpo": -0.5 * (1.2 - 1),
    "group_pg": -np.log(0.75) + np.log(0.5),
    "rloo": -np.log(0.75) + np.log(0.5),
    "max_rl": -np.log(0.75) + np.log(0.5),
    "awr": -np.exp(0.5) * np.log(0.75) - np.exp(-0.5) * np.log(0.5),
    "rebel": (np.log(1.5) - 1) ** 2 / 2,
    "pmpo": -0.5 * np.log(0.75) + 0.5 * np.log(0.5) + 0.5 * (1.5 - np.log(1.5) - 1) / 2,
    "pg": -np.log(0.75),
    "dg": -np.log(0.75) / 1.75,  # A = 1: w = 1 / (1 + p)
    "ppo": -1.2,
    "ce": -np.log(0.6),
}


@pytest.fixture(scope="module")
def on_the_golden_group() -> dict[str, Any]:
    """All losses on that group, compiled together."""
    log_p = jnp.array([np.log(0.75), LOG_HALF], dtype=jnp.float32)
    values: dict[str, Any] = jax.jit(all_losses)(log_p, jnp.full(2, LOG_HALF), jnp.array([1.0, 0.0]))
    return values


@pytest.mark.parametrize("name", METHODS)
def test_golden_value(name: str, on_the_golden_group: dict[str, Any]) -> None:
    value, aux = on_the_golden_group[name]
    np.testing.assert_allclose(value, GOLDEN[name], rtol=2e-6, atol=1e-7)
    np.testing.assert_allclose(aux.ratios, [1.5, 1.0], rtol=1e-6)
    np.testing.assert_allclose(aux.kl, KL_15 / 2, rtol=1e-5)


def test_aux_holds_the_target_the_advantages_and_where_the_clip_decided(on_the_golden_group: dict[str, Any]) -> None:
    of_tpo, of_grpo = on_the_golden_group["tpo"][1], on_the_golden_group["grpo"][1]
    np.testing.assert_allclose(of_tpo.weights, [0.8807970779778823, 0.11920292], rtol=1e-6)
    np.testing.assert_allclose(of_tpo.advantages, [1, -1], rtol=1e-6)
    assert of_grpo.clipped.tolist() == [True, False]


@pytest.fixture(scope="module")
def transformed() -> tuple[dict[str, Any], dict[str, Any]]:
    """All losses on one batch, under jit and under vmap: compiled together, once."""
    return jax.jit(all_losses)(*batch()), jax.jit(jax.vmap(all_losses))(*batch())


@pytest.mark.parametrize("name", METHODS)
def test_plain_jit_and_vmap_agree(name: str, transformed: tuple[dict[str, Any], dict[str, Any]]) -> None:
    plain, plain_aux = LOSSES[name](*batch())
    assert plain.shape == (5,)
    for other in transformed:
        value, aux = other[name]
        np.testing.assert_allclose(value, plain, rtol=1e-5, atol=1e-6)
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6), aux, plain_aux)


@pytest.mark.parametrize("name", METHODS)
def test_gradient_matches_finite_differences(name: str) -> None:
    """DG holds its gate constant, so there the derivative is that of the gated loss, checked by hand below."""
    if name == "dg":
        log_p, old, a = batch()
        gradient = jax.grad(lambda x: jnp.sum(LOSSES["dg"](x, old, a)[0]))(log_p)
        np.testing.assert_allclose(gradient, -a * jax.nn.sigmoid(-a * log_p), rtol=1e-6)
        return
    _, old, scores = batch(seed=3)
    if name == "ce":
        scores = jax.nn.one_hot(jnp.arange(5), 8)
    # Log-ratios stay inside every clip range, or clearly outside the narrow one of GSPO: no kink is nearby.
    step = 1e-4 if name == "gspo" else 0.05
    log_p = old + step * jnp.where(jnp.arange(8) % 2, 1.0, -1.0)
    eps = 3e-5 if name == "gspo" else 1e-2
    tolerance = 0.1 if name == "gspo" else 5e-3
    check_grads(  # type: ignore[no-untyped-call]
        lambda x: LOSSES[name](x, old, scores)[0], (log_p,), order=1, eps=eps, atol=tolerance, rtol=tolerance
    )


def test_the_gradient_of_tpo_is_p_minus_q() -> None:
    log_p, old, scores = batch()
    gradient = jax.grad(lambda x: jnp.sum(tpo(x, old, scores)[0]))(log_p)
    q = tpo(log_p, old, scores)[1].weights
    np.testing.assert_array_equal(gradient, jnp.exp(jax.nn.log_softmax(log_p)) - q)


CONSTANTS = (0.0, 1.0, 0.1, 0.2, 0.7, 1000.1, -3.3e-7)


@pytest.fixture(scope="module", params=[2, 7, 64])
def constant_groups(request: pytest.FixtureRequest) -> dict[str, Any]:
    """First-epoch gradients on groups of equal scores, every constant and every neutral method in one compilation."""
    k: int = request.param
    old = jax.nn.log_softmax(3 * jax.random.normal(jax.random.key(k), (len(CONSTANTS), 16, k)))
    scores = jnp.broadcast_to(jnp.array(CONSTANTS)[:, None, None], old.shape)

    def total(name: str, log_p: jax.Array, s: jax.Array) -> jax.Array:
        return jnp.sum(LOSSES[name](log_p, old, s)[0])

    gradients: dict[str, Any] = jax.jit(lambda x, s: {n: jax.grad(total, 1)(n, x, s) for n in NEUTRAL})(old, scores)
    return gradients


@pytest.mark.parametrize("name", NEUTRAL)
def test_equal_scores_give_exactly_zero_gradient_in_the_first_epoch(name: str, constant_groups: dict[str, Any]) -> None:
    assert not np.any(np.asarray(constant_groups[name]))


@pytest.fixture(scope="module")
def gradients() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Of all grouped losses: gradients on equal scores; gradients and values with a missing score; values at NaN."""
    log_p, old, _ = batch(shape=(1, 4))
    missing = jnp.array([[1.0, 0.0, jnp.nan, 0.5]])

    def total(name: str, x: jax.Array, scores: jax.Array) -> jax.Array:
        return jnp.sum(LOSSES[name](x, old, scores)[0])

    @jax.jit
    def every(x: jax.Array, scores: jax.Array) -> tuple[dict[str, Any], dict[str, Any]]:
        pairs = {n: jax.value_and_grad(total, 1)(n, x, scores) for n in GROUPED}
        return {n: g for n, (_, g) in pairs.items()}, {n: v for n, (v, _) in pairs.items()}

    equal, broken = jnp.ones((1, 4)), log_p.at[0, 1].set(jnp.nan)
    return every(old, equal)[0], *every(log_p, missing), every(broken, jnp.array([[1.0, 0.0, 0.0, 0.5]]))[1]


@pytest.mark.parametrize("name", [n for n in GROUPED if n not in NEUTRAL])
def test_the_methods_that_are_not_neutral_move_on_equal_scores(name: str, gradients: tuple[Any, ...]) -> None:
    assert np.abs(gradients[0][name]).max() > 0.1


@pytest.mark.parametrize("name", GROUPED)
def test_a_missing_score_neither_poisons_nor_moves(name: str, gradients: tuple[Any, ...]) -> None:
    gradient, value = gradients[1][name], gradients[2][name]
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()
    if name != "pmpo":  # its pull to the snapshot needs no score
        assert gradient[0, 2] == 0


@pytest.mark.parametrize("name", GROUPED)
def test_a_policy_that_is_not_a_number_shows_in_the_loss(name: str, gradients: tuple[Any, ...]) -> None:
    assert np.isnan(gradients[3][name])


LAMBDA = np.exp(10 / np.sqrt(9))
BETA: dict[str, Any] = {
    "ce": np.ones_like,
    "pg": lambda p: p,
    "dg": lambda p: p / (1 + p),
    "grpo": lambda p: np.sqrt(p / (1 - p)),
    "tpo": lambda p: p * (LAMBDA - 1) / (1 - p + LAMBDA * p),
}


@pytest.mark.parametrize("name", BETA)
def test_on_one_hot_rewards_the_exact_update_is_beta_of_p_times_the_direction_to_the_label(name: str) -> None:
    """K = 10 actions, reward 1 on the first; the policy gradients in expectation over the action."""
    p = np.array([0.01, 0.1, 0.5, 0.9])
    rest = np.random.default_rng(0).dirichlet(np.ones(9), 4) * (1 - p[:, None])
    policies = jnp.concatenate([p[:, None], rest], axis=1, dtype=jnp.float32)
    y = jnp.eye(10)[0]

    def loss(z: jax.Array, pi: jax.Array) -> jax.Array:
        logits, p = jnp.log(pi), pi[0]
        log_pi = jax.nn.log_softmax(z)
        if name in ("tpo", "ce"):
            return LOSSES[name](z, logits, y)[0]
        # One action per sample: the last axis has length 1, the batch runs over the actions with weights pi.
        advantages = y if name != "grpo" else (y - p) / jnp.sqrt(p * (1 - p))
        single = LOSSES["pg"] if name == "grpo" else LOSSES[name]
        return jnp.sum(pi * single(log_pi[:, None], jnp.log(pi)[:, None], advantages[:, None])[0])

    update = -jax.jit(jax.vmap(jax.grad(loss)))(jnp.log(policies), policies)
    expected = np.reshape(BETA[name](p), (-1, 1)) * (y - policies)
    np.testing.assert_allclose(update, expected, rtol=2e-4, atol=2e-6)


def test_group_pg_is_six_times_pg_in_expectation_with_ten_actions() -> None:
    """PG with baseline 1/2 weighs the sampled action by +-1/2; standardising A e_a over the actions makes it +-3."""
    logits = jax.random.normal(jax.random.key(0), (10,))
    pi = jax.nn.softmax(logits)
    a = jnp.eye(10)[0] - 0.5
    score_vectors = a[:, None] * jnp.eye(10)
    u = LOSSES["group_pg"](jnp.zeros((10, 10)), jnp.zeros((10, 10)), score_vectors)[1].weights
    sampled = jnp.diagonal(u)

    def expected(z: jax.Array, weight: jax.Array) -> jax.Array:
        return jnp.sum(pi * LOSSES["pg"](jax.nn.log_softmax(z)[:, None], logits[:, None], weight[:, None])[0])

    of_group = jax.grad(expected)(logits, sampled)
    np.testing.assert_allclose(of_group, 6 * jax.grad(expected)(logits, a), rtol=1e-5, atol=1e-7)


def test_a_kl_budget_is_spent_and_agrees_with_the_root_finder() -> None:
    _, old, _ = batch(shape=(3, 8))
    scores = jax.random.normal(jax.random.key(9), (3, 8))
    aux = jax.jit(lambda: tpo(old, old, scores, kl_budget=0.1)[1])()
    q = np.asarray(aux.weights)
    np.testing.assert_allclose(np.sum(q * (np.log(q) - old), axis=-1), 0.1, rtol=1e-4)
    log_p, u = np.asarray(old[0], dtype=np.float64), np.asarray(aux.advantages[0], dtype=np.float64)
    np.testing.assert_allclose(target(log_p, u, eta=eta_for_kl(log_p, u, 0.1)), q[0], rtol=1e-4)


def test_lengths_turn_sums_into_means() -> None:
    log_p, old, scores = batch()
    value, aux = tpo(log_p, old, scores, lengths=jnp.full((5, 8), 10.0))
    same, same_aux = tpo(log_p / 10, old / 10, scores)
    np.testing.assert_allclose(value, same, rtol=1e-6)
    np.testing.assert_allclose(aux.weights, same_aux.weights, rtol=1e-6)


def test_gspo_takes_the_ratio_per_token_and_the_kl_per_sequence() -> None:
    """Two candidates of 10 tokens: d = (log 1.5, 0), so rho = (1.5^(1/10), 1), clipped at 1.0004."""
    log_p, old = jnp.log(jnp.array([0.75, 0.5])), jnp.full(2, LOG_HALF)
    value, aux = LOSSES["gspo"](log_p, old, jnp.array([1.0, 0.0]), lengths=10.0)  # type: ignore[call-arg]
    np.testing.assert_allclose(value, -(1.0004 - 1), rtol=2e-3)
    np.testing.assert_allclose(aux.ratios, [1.5**0.1, 1], rtol=1e-6)
    np.testing.assert_allclose(aux.kl, KL_15 / 2, rtol=1e-5)


def test_equal_scores_give_tpo_exactly_zero_gradient_under_every_rule_with_a_budget_and_with_means() -> None:
    old = jax.nn.log_softmax(3 * jax.random.normal(jax.random.key(1), (len(CONSTANTS), 8)))
    scores = jnp.broadcast_to(jnp.array(CONSTANTS)[:, None], old.shape)
    settings: dict[str, dict[str, Any]] = {rule: {"rule": rule} for rule in RULES}
    settings |= {"budget": {"kl_budget": 0.1}, "mean": {"lengths": 10.0}}

    @jax.jit
    def gradients(log_p: jax.Array, s: jax.Array) -> dict[str, jax.Array]:
        return {name: jax.grad(lambda x, v=v: jnp.sum(tpo(x, old, s, **v)[0]))(log_p) for name, v in settings.items()}

    assert [name for name, g in gradients(old, scores).items() if np.any(np.asarray(g))] == []


def test_an_anchor_ends_between_the_tilted_snapshot_and_the_reference() -> None:
    _, old, scores = batch()
    ref = jax.nn.log_softmax(jax.random.normal(jax.random.key(4), (5, 8)))
    none = tpo(old, old, scores)[1].weights
    np.testing.assert_allclose(tpo(old, old, scores, log_p_ref=ref, anchor=0.0)[1].weights, none, rtol=1e-6)
    np.testing.assert_allclose(
        tpo(old, old, scores, log_p_ref=ref, anchor=1e6)[1].weights, jnp.exp(ref), rtol=1e-3, atol=1e-5
    )
    same = jax.jit(lambda a: tpo(old, old, scores, log_p_ref=ref, anchor=a)[1].weights)(0.5)
    np.testing.assert_allclose(same, tpo(old, old, scores, log_p_ref=ref, anchor=0.5)[1].weights, rtol=1e-5)
    u = (scores - scores.mean(1, keepdims=True)) / scores.std(1, keepdims=True)
    np.testing.assert_allclose(same, jax.nn.softmax((old + 0.5 * ref + u) / 1.5), rtol=1e-4)
    with pytest.raises(ValueError, match="log_p_ref"):
        tpo(old, old, scores, anchor=0.5)
    with pytest.raises(ValueError, match="one of the two"):
        tpo(old, old, scores, anchor=0.5, log_p_ref=ref, kl_budget=0.1)


def test_masking_removes_the_pull_back_of_kl_on_equal_scores() -> None:
    _, old, _ = batch()
    moved, ones = old.at[:, 0].add(0.1), jnp.ones((5, 8))
    assert LOSSES["grpo"](moved, old, ones)[0].min() > 0
    assert not np.any(LOSSES["grpo_masked"](moved, old, ones)[0])
