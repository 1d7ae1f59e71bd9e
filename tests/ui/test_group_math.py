"""The browser draws ahead of the server with its own arithmetic: it must be Python's, for every rule and group."""

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from tests.group.cases import GOLDEN
from tests.ui.javascript import Node
from tpo_lab.group import RULES
from tpo_lab.group.fit import fit
from tpo_lab.group.presets import PRESETS
from tpo_lab.group.report import report
from tpo_lab.group.scenario import Scenario
from tpo_lab.ui.components.payload import group_data, rule_data

DESCRIBE = 'import { describe } from "./group_math.js"; export default (groups) => groups.map(describe);'


def close(found: Any, expected: Any, what: str) -> None:
    """Equal to 1e-12: relative for large numbers, absolute for those up to 1."""
    np.testing.assert_allclose(
        np.array(found, dtype=np.float64), np.array(expected, dtype=np.float64), rtol=1e-12, atol=1e-12, err_msg=what
    )


def test_every_golden_case(node: Node) -> None:
    groups = [
        {"scores": c["scores"], "logP": c["log_p_old"], "eta": c["eta"], "rule": rule_data("tpo_paper", None)}
        for c in GOLDEN
    ]
    for case, found in zip(GOLDEN, node(DESCRIBE, groups), strict=True):
        expected = case["expect"]
        assert found["counted"] == expected["counted"], case["id"]
        for name, key in (("u", "u"), ("p_old", "p"), ("q", "q"), ("q_minus_p", "d")):
            close(found[key], expected[name], f"{case['id']}: {name}")


def test_the_golden_advantages_of_every_stack(node: Node) -> None:
    pairs = [(c, name, a) for c in GOLDEN for name, a in (c["expect"].get("advantages") or {}).items()]
    assert pairs
    groups = [
        {"scores": c["scores"], "logP": c["log_p_old"], "eta": 1, "rule": rule_data(name, None)} for c, name, _ in pairs
    ]
    for (case, name, expected), found in zip(pairs, node(DESCRIBE, groups), strict=True):
        close(found["u"], [0.0 if a is None else a for a in expected], f"{case['id']} under {name}")


def random_scenarios(rule: str) -> list[Scenario]:
    """Ordinary, tied, binary, missing, tiny, huge, offset and very small groups, with and without a policy."""
    rng = np.random.default_rng(sum(map(ord, rule)))
    strength = 0.3 if RULES[rule].tunable else None
    found = []
    for k in (1, 2, 3, 8, 64):
        normal = rng.normal(size=k)
        binary = (rng.random(k) < 0.3).astype(float)
        for scores in (
            normal,
            binary,
            np.full(k, 0.7),
            np.full(k, 1000.1),
            normal * 1e-300,
            normal * 1e300 / (np.abs(normal).max() + 1),
            np.where(binary > 0, 1e300, -1e300),
            1e6 + normal,
            normal - 5,
            np.round(normal, 1),
        ):
            missing: list[float | None] = [float(s) for s in scores]
            missing[1::3] = [None] * len(missing[1::3])
            log_p = tuple(float(x) for x in -rng.exponential(1 if k < 64 else 50, size=k))
            eta = float(10 ** rng.uniform(-2, 1))
            found.append(Scenario(tuple(map(float, scores)), rule=rule, eta=eta, strength=strength))
            found.append(Scenario(tuple(missing), policy=log_p, kind="log_probs", rule=rule, strength=strength))
        weights = rng.random(k) * (rng.random(k) < 0.6)
        weights[0] = 1.0
        found.append(Scenario(tuple(normal), policy=tuple(map(float, weights)), rule=rule))
        found.append(Scenario(tuple(normal), policy=(-1e5,) * k, kind="log_probs", rule=rule, eta=1e-300))
        found.append(Scenario(tuple(normal), policy=tuple((normal * 1e299).tolist()), kind="log_probs", rule=rule))
    found += [Scenario((1e300, -1e300, 0), rule=rule, strength=s) for s in (1e-300, 1e300) if strength]
    return found


@pytest.mark.parametrize("rule", list(RULES))
def test_every_rule_on_random_and_extreme_groups(node: Node, rule: str) -> None:
    scenarios = random_scenarios(rule)
    with np.errstate(all="ignore"):
        reports = [report(s) for s in scenarios]
    drawn = node(DESCRIBE, [group_data(r) for r in reports])
    for made, found in zip(reports, drawn, strict=True):
        for key, expected in (("u", made.u), ("p", made.p_old), ("q", made.q), ("d", made.q_minus_p)):
            close(found[key], expected, f"{key} of {made.scenario}")


def test_equal_scores_move_nothing_to_the_last_digit(node: Node) -> None:
    """The page says so only where q - p is exactly 0, as it is in Python."""
    rng = np.random.default_rng(0)
    groups = [Scenario((c,) * k, tuple(rng.random(k).tolist())) for k in range(2, 65) for c in (0.0, 0.1, 0.7, 1000.1)]
    for found in node(DESCRIBE, [group_data(report(s)) for s in groups]):
        assert not any(found["d"])


FIT = 'import { fit } from "./fit.js"; export default (runs) => runs.map(([g, size, n]) => fit(g, size, n));'


def test_the_fit_is_pythons(node: Node) -> None:
    """Where a step does not overshoot: beyond that, the last bit of a logarithm grows from step to step."""
    reports = [report(preset.scenario) for preset in PRESETS.values()]
    reports += [report(s) for s in random_scenarios("tpo_paper") if max(map(abs, s.policy or (0,))) < 1e3]
    runs = [(start, size, 100) for start in reports for size in (0.05, 1.0)]
    runs += [(start, 20.0, 1) for start in reports]
    drawn = node(FIT, [[group_data(start), size, steps] for start, size, steps in runs])
    for (start, size, steps), found in zip(runs, drawn, strict=True):
        expected = fit(start, size, steps)
        for name in ("p", "residual", "loss"):
            np.testing.assert_allclose(found[name], getattr(expected, name), rtol=1e-10, atol=1e-12, err_msg=name)
        np.testing.assert_allclose(found["floor"], expected.loss_floor, rtol=1e-12, atol=1e-12)


def test_equal_scores_give_a_fit_that_stands_still(node: Node) -> None:
    groups = [group_data(report(Scenario((0.7,) * k, policy=tuple(range(1, k + 1))))) for k in range(2, 65)]
    for found in node(FIT, [[group, 20, 10] for group in groups]):
        assert not any(found["residual"])


def test_a_rule_travels_with_its_strength() -> None:
    assert rule_data("robust_floor", 0.25)["amount"] == 0.25
    assert rule_data("robust_clip", 3.0)["bound"] == 3.0
    assert rule_data("trl_group", None) == {**asdict(RULES["trl_group"])}
