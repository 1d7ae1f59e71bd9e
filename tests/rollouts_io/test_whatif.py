"""What if: the weights are the gradients of the losses, and the comparison counts what it says."""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tests.rollouts_io.making import of, sample
from tpo_lab.errors import InputError
from tpo_lab.methods.losses import LOSSES
from tpo_lab.rollouts_io.settings import COMPARED, RULE_OF, Setting
from tpo_lab.rollouts_io.table import Rollouts
from tpo_lab.rollouts_io.whatif import Update, compare
from tpo_lab.rollouts_io.whatif import update as update_of
from tpo_lab.rollouts_io.workings import Workings

SCORES: tuple[list[float | None], ...] = ([1.0, 0.0, 0.0, 0.5], [0.2, 0.1, 0.9], [0.0, 0.0], [1.0, None, 0.25])
LOG_PROBS: tuple[list[float | None], ...] = (
    [-1.0, -2.0, -3.0, -0.5],
    [-4.0, -4.5, -5.0],
    [-1.0, -3.0],
    [-2.0, -1.0, -1.5],
)
TABLE = of(*SCORES, log_probs=LOG_PROBS)
OF_LOSS: Mapping[str, Mapping[str, float]] = {"grpo": {"kl_weight": 0.0}}


def update(table: Rollouts, setting: Setting, threshold: float) -> Update:
    return update_of(Workings(table), setting, threshold)


def setting(method: str, **more: object) -> Setting:
    rule = RULE_OF.get(method, "reference_grpo" if method == "grpo" else "tpo_paper")
    return Setting(method=method, rule=rule, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", COMPARED)
def test_a_weight_is_minus_the_gradient_of_the_loss_at_the_old_policy(method: str) -> None:
    weight = update(TABLE, setting(method), 0.1).weight
    knobs = OF_LOSS.get(method, {})
    k = int(TABLE.sizes().max())
    scores, old = np.full((TABLE.groups, k), np.nan, np.float32), np.zeros((TABLE.groups, k), np.float32)
    of_old = np.zeros((TABLE.groups, k))
    for group, (some, log_probs) in enumerate(zip(SCORES, LOG_PROBS, strict=True)):
        scores[group, : len(some)] = [np.nan if score is None else score for score in some]
        old[group, : len(some)] = log_probs
        of_old[group, : len(some)] = weight[TABLE.starts[group] : TABLE.starts[group + 1]]
    gradient = jax.grad(lambda log_p: LOSSES[method](log_p, jnp.asarray(old), jnp.asarray(scores), **knobs)[0].sum())(
        old
    )
    np.testing.assert_allclose(of_old, -np.asarray(gradient), atol=2e-5)


def test_masked_groups_give_nothing() -> None:
    awr = setting("awr")
    assert update(TABLE, awr, 0.1).mass[2] == 2  # equal scores are imitated
    masked = update(TABLE, setting("awr", mask=0.0), 0.1)
    assert masked.mass[2] == 0
    assert masked.summary["no_update"] == 0.25
    wide = update(TABLE, setting("awr", mask=0.4), 0.1)
    assert (wide.mass > 0).tolist() == [True, False, False, False]


def test_two_equal_updates_change_nothing_and_scale_is_no_change() -> None:
    same = update(TABLE, Setting(), 0.1)
    assert compare(same, same).change.max() == 0
    pg = update(TABLE, Setting(method="group_pg"), 0.1)
    grpo = update(TABLE, Setting(method="grpo"), 0.1)
    np.testing.assert_allclose(compare(pg, grpo).change, 0, atol=1e-12)


def test_dividing_by_sigma_moves_the_mass_to_groups_of_low_variance() -> None:
    table = of(*[[1, 0, 0, 0]] * 5, *[[0.01, 0, 0, 0]] * 5, [1, 1, 1, 1])
    divided = update(table, Setting(), 0.1).summary
    centred = update(table, Setting(method="group_pg", rule="trl_none"), 0.1).summary
    assert divided["mass_low_variance"] == pytest.approx(0.5)
    assert centred["mass_low_variance"] == pytest.approx(0.01 / 1.01)
    assert divided["no_update"] == pytest.approx(1 / 11)
    assert divided["mass_largest"] == pytest.approx(0.2)  # two of the eleven groups are the largest tenth


def test_the_group_that_changes_most_is_the_one_that_another_rule_treats_otherwise() -> None:
    table = sample("trl")
    before, after = update(table, Setting(), 0.1), update(table, Setting(rule="robust_floor"), 0.1)
    change = compare(before, after).change
    sigma = before.scores.sigma
    assert sigma[np.argmax(change)] < 0.05
    assert change[before.mass == 0].max() == 0


def test_means_of_log_probs_flatten_the_policy() -> None:
    workings = Workings(sample("table"))
    whole, mean, uniform = (
        workings.policy(setting).entropy.mean()
        for setting in (Setting(), Setting(log_prob="mean"), Setting(policy="uniform"))
    )
    assert whole < mean < uniform


def test_only_a_method_that_fits_a_target_has_a_q() -> None:
    assert update(TABLE, setting("grpo"), 0.1).summary["mean_abs_q_minus_p"] is None
    tpo = update(TABLE, Setting(), 0.1)
    n = np.array([sum(score is not None for score in group) for group in SCORES])
    change = np.add.reduceat(np.abs(tpo.weight), TABLE.starts[:-1]) / n
    assert tpo.summary["mean_abs_q_minus_p"] == pytest.approx(change[tpo.mass > 0].mean())


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"method": "ppo"}, "Unknown method 'ppo' for a whole file; known: tpo"),
        ({"method": "rloo"}, "RLOO has its own rule, 'rloo'"),
        ({"rule": "x"}, "Unknown rule 'x'"),
        ({"eta": 0.0}, "eta must be greater than 0"),
        ({"eta": float("nan")}, "eta must be greater than 0"),
        ({"strength": 1.0}, "Only the robust rules"),
        ({"policy": "x"}, "The policy is file or uniform"),
        ({"missing": "x"}, "A missing score is drop, zero or stack"),
        ({"mask": float("inf")}, "The mask must be"),
    ],
)
def test_a_setting_says_what_is_wrong(values: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Setting(**values)  # type: ignore[arg-type]


def test_a_setting_is_the_same_after_the_url() -> None:
    one = Setting("grpo", "robust_floor", 0.3, 0.07, "uniform", "mean", "stack", 0.0)
    assert Setting.from_query(one.to_query("b_"), "b_") == one
    assert Setting().to_query() == {}
    assert Setting.from_query({"other": "x"}) == Setting()
