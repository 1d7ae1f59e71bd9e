"""One update in NumPy: its gradients against JAX's of the losses, and what becomes of the policy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tpo_lab.errors import InputError
from tpo_lab.group.report import report
from tpo_lab.group.scenario import Floats, Scenario
from tpo_lab.methods.losses import loss_of
from tpo_lab.methods.registry import METHODS
from tpo_lab.methods.table4 import TABLE
from tpo_lab.methods.updates import _LOSSES, EPOCHS, UPDATED, Settings, _gradient, _group, update

GROUP = Scenario((1.0, 0.2, 0.0, -0.5, 0.7), policy=(0.1, 0.3, 0.2, 0.25, 0.15))
SKEWED = Scenario((0.5, 0.0, 1.0, 0.2, 0.0), policy=(0.6, 0.2, 0.1, 0.05, 0.05), eta=0.6)
EQUAL = Scenario((0.5,) * 5, policy=(0.4, 0.3, 0.1, 0.1, 0.1))


def of_jax(name: str, starts: list[tuple[Scenario, Floats]]) -> Floats:
    """The gradients in the logits of the registry's loss, in float64, one row a start."""

    def loss(logits: jax.Array, log_p_old: jax.Array, signal: jax.Array, eta: jax.Array) -> jax.Array:
        knobs = {"eta": eta} if "rule" in METHODS[name].choices and METHODS[name].fits_target else {}
        old = jax.nn.log_softmax(log_p_old)
        return loss_of(name)(jax.nn.log_softmax(logits), old, signal, **knobs)[0]

    def signal(scenario: Scenario) -> Floats:
        scores = scenario.score_array()
        if METHODS[name].group != "none":
            return scores
        return np.asarray(
            (np.arange(len(scores)) == np.argmax(scores)) * 1.0 if name == "ce" else scores - scores.mean()
        )

    with jax.enable_x64(True):
        rows = [(z, s.log_p_old(), signal(s), np.array([s.eta])) for s, z in starts]
        batch = [jnp.asarray(np.stack(values)) for values in zip(*rows, strict=True)]
        return np.asarray(jax.jit(jax.vmap(jax.grad(loss)))(*batch))


@pytest.mark.parametrize("name", UPDATED)
def test_the_gradients_are_those_of_the_losses(name: str) -> None:
    rng = np.random.default_rng(1)
    starts = [  # at p_old, where ratios are not clipped, and beyond
        (scenario, scenario.log_p_old() + size * rng.normal(size=scenario.k))
        for scenario in (GROUP, SKEWED, EQUAL)
        for size in (0.0, 0.1, 1.0)
    ]
    found = [_gradient(_group(name, scenario, Settings()), z - np.log(np.exp(z).sum()))[1] for scenario, z in starts]
    np.testing.assert_allclose(found, of_jax(name, starts), rtol=1e-9, atol=1e-12)


def test_every_method_has_its_derivative() -> None:
    assert set(_LOSSES) == set(UPDATED) == set(METHODS) - {"tpo_token", "grpo_token"}
    assert {row.method for row in TABLE.values() if row.method} <= set(UPDATED)


@pytest.mark.parametrize("name", UPDATED)
def test_an_update_starts_at_p_old_and_stays_a_policy(name: str) -> None:
    found = update(name, GROUP, Settings(step_size=0.3))  # at 1 REBEL swings to and fro
    np.testing.assert_allclose(found.policies[0], report(GROUP).p_old)
    np.testing.assert_allclose(found.policies.sum(axis=1), 1)
    assert found.residuals.shape == (EPOCHS[-1] + 1,)
    assert np.linalg.norm(found.gradient) == pytest.approx(found.residuals[0])
    assert np.sum(found.gradient) == pytest.approx(0, abs=1e-12)
    best = 0
    assert found.policies[-1][best] > found.policies[0][best]


def test_a_target_is_reached_and_scalar_weights_go_on() -> None:
    settings = Settings(step_size=0.9)
    found = {name: update(name, GROUP, settings, epochs=500) for name in ("tpo", "pg", "rebel")}
    assert found["tpo"].residuals[-1] < 1e-8
    assert found["rebel"].residuals[-1] < 1e-8  # a regression has its solution too: log-ratios of eta times A
    np.testing.assert_allclose(
        np.ptp(np.log(found["rebel"].policies[-1]) - GROUP.log_p_old() - GROUP.score_array()), 0, atol=1e-6
    )
    np.testing.assert_allclose(found["tpo"].policies[-1], report(GROUP).q, atol=1e-8)
    np.testing.assert_array_equal(found["tpo"].weights, update("tpo", GROUP, settings).weights)
    assert found["pg"].policies[-1].max() > 0.95  # nothing holds it: the policy collapses


def test_equal_scores_pull_back_to_p_old_only_under_an_anchor() -> None:
    """The dead group of an epoch after others moved the policy: TPO returns, GRPO by its KL, PG not at all."""
    moved = Settings(moved=1.0, step_size=1.0)
    p_old = report(EQUAL).p_old
    tpo, grpo, pg = (update(name, EQUAL, moved) for name in ("tpo", "grpo", "pg"))
    assert tpo.policies[0][0] > p_old[0] + 0.1
    np.testing.assert_allclose(tpo.gradient, tpo.policies[0] - p_old)
    assert np.abs(tpo.policies[-1] - p_old).max() < 0.1 * np.abs(tpo.policies[0] - p_old).max()
    assert 0 < grpo.residuals[0] < tpo.residuals[0]
    assert not np.any(pg.gradient)
    np.testing.assert_array_equal(pg.policies[-1], pg.policies[0])
    at_home = update("tpo", EQUAL, Settings())
    assert not np.any(at_home.residuals)


@pytest.mark.parametrize("name", UPDATED)
def test_a_masked_dead_group_does_nothing(name: str) -> None:
    found = update(name, EQUAL, Settings(moved=1.0, masked=True))
    assert not np.any(found.residuals)
    assert np.any(update(name, GROUP, Settings(masked=True)).residuals)


def test_normalised_steps_have_their_length() -> None:
    found = update("tpo", GROUP, Settings(step_size=0.1, optimiser="normalised"), epochs=1)
    z = np.log(found.policies)
    step = (z[1] - z[1].mean()) - (z[0] - z[0].mean())
    assert np.linalg.norm(step) == pytest.approx(0.1)


def test_missing_and_unreachable_candidates_stay_out() -> None:
    scenario = Scenario((1.0, None, 0.0, 0.5), policy=(0.5, 0.2, 0.3, 0.0))
    for name in UPDATED:
        found = update(name, scenario, Settings())
        for values in (found.advantages, found.weights, found.gradient, *found.policies):
            assert not values[1]
            assert not values[3]
        assert np.all(np.isfinite(found.policies))


def test_the_knobs_are_the_methods_own() -> None:
    loose = update("ppo", GROUP, Settings(knobs={"clip": 0.9}))
    tight = update("ppo", GROUP, Settings(knobs={"clip": 0.01}))
    assert loose.policies[-1][0] > tight.policies[-1][0]
    np.testing.assert_array_equal(
        update("gspo", GROUP, Settings(knobs={"clip": 0.9})).policies, update("gspo", GROUP, Settings()).policies
    )


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: Settings(step_size=0.0), "step size"),
        (lambda: Settings(moved=float("nan")), "move"),
        (lambda: Settings(optimiser="adam"), "normalised"),  # type: ignore[arg-type]
        (lambda: update("tpo_token", GROUP, Settings()), "namesake"),
        (lambda: update("sarsa", GROUP, Settings()), "known"),
    ],
)
def test_bad_settings_are_said(make, word: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError, match=word):
        make()


@pytest.mark.parametrize("name", UPDATED)
@pytest.mark.parametrize("scores", [(1e300, -1e300, 0.0), (1e200, 0.0, 1.0), (1e-300, 0.0, 0.0)])
def test_scores_of_any_size_give_finite_numbers(name: str, scores: tuple[float, ...]) -> None:
    for settings in (Settings(step_size=1000.0), Settings(step_size=1000.0, optimiser="normalised")):
        found = update(name, Scenario(scores), settings)
        for values in (found.advantages, found.weights, found.gradient, found.residuals):
            assert np.all(np.isfinite(values))
        np.testing.assert_allclose(found.policies.sum(axis=1), 1)
