"""Training on token reversal: the same bits however it is cut, no second compilation, and the obvious update."""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tpo_lab.bench import obvious
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.policies.transformer import Params
from tpo_lab.training import reversal
from tpo_lab.training.diagnostics import DIAGNOSTICS
from tpo_lab.training.plan import blocks, plan_of
from tpo_lab.training.reversal import chunk, init
from tpo_lab.training.rollouts import extras

SMALL = ReversalConfig(methods=("tpo",), length=3, prompts=16, candidates=6, width=32, layers=1, episodes=60)


def same(a: Any, b: Any) -> None:
    """Every number of two trees has the same bits."""

    def check(x: Any, y: Any) -> None:
        x, y = (
            np.asarray(jax.random.key_data(v) if jnp.issubdtype(v.dtype, jax.dtypes.prng_key) else v) for v in (x, y)
        )
        assert x.tobytes() == y.tobytes()

    jax.tree.map(check, a, b)


def test_tpo_learns_and_its_bits_depend_neither_on_chunks_nor_on_seeds_nor_on_stopping() -> None:
    whole, record = chunk(SMALL, "tpo", init(SMALL, "tpo", 1), 70)
    assert set(record) == set(DIAGNOSTICS)
    assert all(values.shape == (70,) for values in record.values())
    assert record["error"][:5].mean() > 0.6
    assert record["error"][-5:].mean() < 0.1

    other, _ = chunk(SMALL, "tpo", init(SMALL, "tpo", 0), 3)
    state, parts = init(SMALL, "tpo", 1), []
    for n in (1, 66, 3):
        state, part = chunk(SMALL, "tpo", state, n)
        parts.append(part)
    same(state, whole)
    same({name: np.concatenate([p[name] for p in parts]) for name in record}, record)
    assert np.any(
        np.asarray(other.params.embedding)
        != np.asarray(chunk(SMALL, "tpo", init(SMALL, "tpo", 1), 3)[0].params.embedding)
    )


def test_numbers_change_without_a_second_compilation() -> None:
    chunk(SMALL, "tpo", init(SMALL, "tpo"), 1)
    before = len(reversal._programs)
    for change in ({"eta": 2.0}, {"learning_rate": 1e-2}, {"epochs": 2}, {"episodes": 9}, {"seeds": 3}, {"seed": 5}):
        config = replace(SMALL, **change)
        chunk(config, "tpo", init(config, "tpo", 4), 2)
    assert len(reversal._programs) == before


def test_methods_that_sample_alike_share_machine_code_as_long_as_all_is_as_usual() -> None:
    def shared(method: str, **changes: Any) -> tuple[str, ...]:
        return plan_of(replace(SMALL, methods=(method,), **changes), method)[0].methods

    assert shared("tpo", eta=0.5) == shared("grpo", clip=0.1) == ("tpo", "grpo")
    assert shared("dg") == shared("ppo") == ("dg", "ppo")
    assert shared("group_pg") == ("group_pg",)
    for change in ({"rule": "trl_group"}, {"log_probs": "mean"}, {"kl_budget": 0.1}, {"anchor": 0.1}):
        assert shared("tpo", **change) == ("tpo",)
        assert shared("grpo", **change) == ("grpo",)
    chunk(SMALL, "tpo", init(SMALL, "tpo"), 1)
    before = len(reversal._programs)
    records = {method: chunk(SMALL, method, init(SMALL, method), 3)[1] for method in ("tpo", "grpo")}
    assert len(reversal._programs) == before
    assert records["tpo"]["error"][0] == records["grpo"]["error"][0]
    assert records["tpo"]["loss"][0] != records["grpo"]["loss"][0]


def test_groups_without_variance_leave_every_parameter_exactly_where_it_was() -> None:
    """A policy that always writes 0 has groups of one and the same output, and so of one score."""
    state = init(SMALL, "tpo")
    certain = state._replace(params=state.params._replace(output_bias=jnp.array([50.0, -50.0])))
    after, record = chunk(SMALL, "tpo", certain, 3)
    same(after.params, certain.params)
    np.testing.assert_array_equal(record["zero_variance"], 1)
    for name in ("grad_norm", "demand", "residual"):
        np.testing.assert_array_equal(record[name], 0)
    assert chunk(SMALL, "tpo", state, 1)[1]["grad_norm"] > 0


def test_what_is_not_finite_is_recorded_where_it_happens() -> None:
    state, record = chunk(SMALL, "tpo", init(SMALL, "tpo"), 2)
    assert np.isfinite(record["loss"]).all()
    broken = state._replace(params=state.params._replace(output_bias=state.params.output_bias * jnp.nan))
    assert np.isnan(chunk(SMALL, "tpo", broken, 1)[1]["loss"]).all()


@pytest.mark.parametrize("method", ["tpo", "grpo", pytest.param("tpo_token", marks=pytest.mark.slow)])
def test_an_episode_moves_the_parameters_as_the_obvious_one_does(method: str) -> None:
    config = replace(SMALL, prompts=270)
    if method == "tpo_token":
        config = replace(SMALL, methods=(method,), vocabulary=3, reward="bag")
    plan, numbers = plan_of(config, method)
    assert blocks(plan) == (1 if method == "tpo_token" else 2)
    state = init(config, method)
    after, _ = chunk(config, method, state, 1)
    episode = jax.jit(obvious.episode, static_argnums=(0, 1))
    expected, _ = episode(plan, method, numbers, state.params, state.optimiser, jax.random.fold_in(state.key, 0))

    def comparable(params: Params) -> Params:
        """Without the bias of the keys: no output depends on it, so AdamW makes steps of its rounded-off gradient."""
        d = config.width
        bias = params.blocks.attention_bias.at[:, d : 2 * d].set(0)
        return params._replace(blocks=params.blocks._replace(attention_bias=bias))

    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b, atol=3e-5), comparable(after.params), comparable(expected)
    )
    assert np.abs(after.params.embedding - state.params.embedding).max() > 1e-4


def test_single_samples_have_no_groups_and_everything_else() -> None:
    config = replace(SMALL, methods=("dg",))
    _, record = chunk(config, "dg", init(config, "dg"), 2)
    grouped = {"all_fail", "all_pass", "zero_variance", "demand", "residual"}
    assert {name for name, values in record.items() if np.isnan(values).all()} <= grouped | {"weight_success"}
    assert all(np.isnan(record[name]).all() for name in grouped)


def test_gspo_reads_ratios_per_token() -> None:
    config = replace(SMALL, methods=("gspo",))
    plan, _ = plan_of(config, "gspo")
    assert extras(plan, None) == {"lengths": 3.0}
    _, record = chunk(config, "gspo", init(config, "gspo"), 20)
    assert np.isfinite(record["loss"]).all()
    assert record["clip_share"].max() > 0


def test_tpo_takes_a_rule_a_mean_and_an_anchor_to_the_policy_it_began_with() -> None:
    config = replace(SMALL, rule="trl_group", log_probs="mean", anchor=1e3)
    plan, numbers = plan_of(config, "tpo")
    reference = jnp.zeros((16, 6))
    assert extras(plan, reference) == {"rule": "trl_group", "lengths": 3.0, "log_p_ref": reference}
    assert set(numbers.knobs["tpo"]) == {"eta", "anchor"}
    start = init(config, "tpo")
    state, held = chunk(config, "tpo", start, 40)
    same(state.reference, start.params)
    assert init(SMALL, "tpo").reference is None
    # The same machine code learns without the pull.
    free = replace(config, anchor=0.0)
    before = len(reversal._programs)
    _, learnt = chunk(free, "tpo", init(free, "tpo"), 40)
    assert len(reversal._programs) == before
    assert learnt["error"][-5:].mean() < held["error"][-5:].mean() - 0.3


def test_a_kl_budget_bounds_what_the_target_asks_for() -> None:
    """Pinsker: sum |q - p| <= sqrt(2 KL), so its mean over K = 6 candidates is at most sqrt(2 KL) / 6."""
    config = replace(SMALL, kl_budget=1e-3)
    _, record = chunk(config, "tpo", init(config, "tpo"), 5)
    assert 0 < record["demand"].max() <= np.sqrt(2e-3) / 6
    assert chunk(SMALL, "tpo", init(SMALL, "tpo"), 5)[1]["demand"].max() > np.sqrt(2e-3) / 6
