"""The numbers of a whole table are those of each group by itself, by the same functions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rollouts_io.making import of, sample
from tpo_lab.group.report import Report, report
from tpo_lab.group.rules import RULES
from tpo_lab.group.scenario import Scenario
from tpo_lab.group.verdict import verdicts
from tpo_lab.rollouts_io.numbers import Numbers, candidates_of
from tpo_lab.rollouts_io.numbers import numbers_of as numbers_from
from tpo_lab.rollouts_io.settings import Missing, Setting
from tpo_lab.rollouts_io.table import Rollouts
from tpo_lab.rollouts_io.workings import OF_BATCH, Workings

FIELDS = {
    "n": "n_counted",
    "mean": "mean",
    "sigma": "sigma_population",
    "zero_variance": "zero_variance",
    "kl": "kl_q_p",
    "entropy_p_old": "entropy_p_old",
    "entropy_q": "entropy_q",
    "argmax_moved": "argmax_moved",
}
ONE_BY_ONE = [name for name in RULES if name not in OF_BATCH]  # those look at the whole step


CLOSE = 1e-12  # sums over the candidates are added up in another order


def numbers_of(table: Rollouts, setting: Setting) -> Numbers:
    return numbers_from(Workings(table), setting)


def alone(table: Rollouts, group: int, setting: Setting) -> Report:
    """The report of one group by itself."""
    rows = slice(table.starts[group], table.starts[group + 1])
    scores = tuple(None if np.isnan(s) else float(s) for s in table.score[rows])
    policy = None
    if table.log_prob is not None and not np.isnan(table.log_prob[rows][~np.isnan(table.score[rows])]).any():
        policy = tuple(float(x) for x in np.nan_to_num(table.log_prob[rows]))
    kind = "log_probs" if policy else "probs"
    return report(Scenario(scores, policy, kind, eta=setting.eta, rule=setting.rule, strength=setting.strength))  # type: ignore[arg-type]


def hold_close(found: float, wanted: float, what: object = "") -> None:
    """Equal but for the order of a sum; 0 where 0 is wanted."""
    assert found == wanted or abs(found - wanted) <= CLOSE * max(abs(wanted), 1e-3), (found, wanted, what)


def hold_equal(table: Rollouts, setting: Setting) -> None:
    numbers = numbers_of(table, setting)
    for group in range(table.groups):
        if numbers.n[group] == 0:
            continue
        r = alone(table, group, setting)
        for name, name_alone in FIELDS.items():
            hold_close(getattr(numbers, name)[group], getattr(r, name_alone), (name, group, r.scenario))
        hold_close(numbers.moved[group], np.abs(r.q_minus_p).sum() / 2)
        hold_close(numbers.mean_abs_change[group], np.abs(r.q_minus_p).sum() / r.n_counted)
        hold_close(numbers.largest[group], np.abs(r.u).max())
        one = candidates_of(Workings(table), setting, group)
        np.testing.assert_allclose(one.q[one.counted], r.q[r.counted], rtol=1e-9, atol=1e-300)
        np.testing.assert_allclose(one.u, r.u, rtol=1e-12, atol=1e-12)
        assert np.array_equal(one.counted, r.counted)
        found = {verdict.kind for verdict in verdicts(r)}
        assert numbers.peaked[group] == ("peaked_policy" in found), (found, r.scenario)


@pytest.mark.parametrize("rule", ONE_BY_ONE)
def test_a_sample_with_uneven_groups_and_missing_scores(rule: str) -> None:
    hold_equal(sample("table"), Setting(rule=rule, eta=0.7))


score = st.none() | st.sampled_from([0.0, 1.0, 0.1, 0.7, 1e-9, -1.0]) | st.floats(-1e6, 1e6)
group = st.lists(st.tuples(score, st.floats(-300, 0)), min_size=1, max_size=40)


@settings(max_examples=25, deadline=None)
@given(st.lists(group, min_size=1, max_size=6), st.sampled_from(ONE_BY_ONE), st.floats(0.01, 100))
def test_any_groups(groups: list[list[tuple[float | None, float]]], rule: str, eta: float) -> None:
    scores = [[s for s, _ in some] for some in groups]
    log_probs = [[x for _, x in some] for some in groups]
    hold_equal(of(*scores, log_probs=log_probs), Setting(rule=rule, eta=eta))


def test_a_missing_score_is_left_out_or_zero_or_what_the_stack_makes_of_it() -> None:
    table = of([1.0, None, 1.0], [None, None])
    for rule in RULES:
        dropped, zero, stack = (numbers_of(table, Setting(rule=rule, missing=m)) for m in ("drop", "zero", "stack"))
        assert (dropped.n.tolist(), zero.n.tolist()) == ([2, 0], [3, 2])
        assert (dropped.sigma[0], zero.low[0], zero.high[1]) == (0, 0, 0)
        says_zero = "scores 0" in RULES[rule].missing
        assert stack.n.tolist() == (zero if says_zero else dropped).n.tolist(), rule


def test_constant_groups_are_exact_where_a_float_mean_rounds() -> None:
    table = of([0.1] * 7, [0.2] * 8, [0.7] * 7, [1000.1] * 8, [1 / 3] * 61)
    for rule in ONE_BY_ONE:
        numbers = numbers_of(table, Setting(rule=rule))
        assert numbers.zero_variance.all()
        assert (numbers.sigma == 0).all()
        assert (numbers.kl == 0).all()
        assert (numbers.largest == 0).all()


def test_a_group_with_a_missing_log_prob_has_a_uniform_policy() -> None:
    table = of([1.0, 0.0], [1.0, 0.0], log_probs=[[-1.0, -2.0], [-1.0, None]])
    numbers = numbers_of(table, Setting())
    assert numbers.known_policy.tolist() == [True, False]
    assert numbers.entropy_p_old[1] == pytest.approx(np.log(2))
    assert not numbers_of(table, Setting(policy="uniform")).known_policy.any()


def test_trl_batch_divides_by_the_deviation_of_the_step() -> None:
    table = of([1.0, 0.0], [0.5, 0.5], [3.0, 0.0], steps=[1, 1, 2])
    largest = numbers_of(table, Setting(rule="trl_batch")).largest
    first = float(np.std([1, 0, 0.5, 0.5], ddof=1)) + 1e-4
    second = float(np.std([3, 0], ddof=1)) + 1e-4
    np.testing.assert_allclose(largest, [0.5 / first, 0, 1.5 / second], rtol=1e-12)
    alone = numbers_of(table, Setting(rule="trl_rloo_batch")).largest
    first = float(np.std([1, -1, 0, 0], ddof=1)) + 1e-4
    np.testing.assert_allclose(alone[:2], [1 / first, 0], rtol=1e-12)


@pytest.mark.parametrize("missing", ["drop", "zero"])
def test_groups_in_blocks_of_any_size_are_the_same(monkeypatch: pytest.MonkeyPatch, missing: Missing) -> None:
    table, setting = sample("table"), Setting(rule="nemo_rl", missing=missing)
    assert np.isnan(table.score).any()
    whole = numbers_of(table, setting)
    monkeypatch.setattr("tpo_lab.rollouts_io.layout.CELLS", 1)
    apart = numbers_of(table, setting)
    names = [name for name, entry in vars(Numbers).items() if isinstance(entry, property)]
    assert len(names) == 16
    for name in names:
        np.testing.assert_array_equal(getattr(whole, name), getattr(apart, name))


def test_the_divergence_of_a_few_groups_is_theirs_in_the_whole() -> None:
    n = numbers_of(sample("table"), Setting(eta=0.3))
    some = np.array([8, 0, 3, 5])
    assert len(set(np.diff(sample("table").starts)[some])) > 1  # of uneven sizes
    np.testing.assert_allclose(n.target.kl_of(some), n.kl[some], rtol=1e-12)
    assert n.target.kl_of(some[:0]).shape == (0,)
