"""The advantages in a file against those that its stack's rules give, recomputed from the scores."""

from dataclasses import dataclass

import numpy as np

from tpo_lab.group.rules import RULES
from tpo_lab.group.standardise import standardise
from tpo_lab.rollouts_io.settings import Setting
from tpo_lab.rollouts_io.table import Rollouts
from tpo_lab.rollouts_io.values import Bools, Floats
from tpo_lab.rollouts_io.workings import Workings

RELATIVE, ABSOLUTE = 1e-2, 1e-3  # what float32, or bfloat16 on the way, may round


@dataclass(frozen=True)
class Logged:
    """How the file's advantages compare with one rule.

    Attributes:
        rule: the rule of the stack that disagrees least.
        advantage: recomputed, shape (R,).
        disagrees: by candidate: both are there and differ by more than rounding, shape (R,).
        groups: groups with such a candidate, shape (G,).
        compared: groups with an advantage in the file.
        by_rule: groups that disagree, by rule.
    """

    rule: str
    advantage: Floats
    disagrees: Bools
    groups: Bools
    compared: int
    by_rule: dict[str, int]


def logged(table: Rollouts, workings: Workings | None = None) -> Logged | None:
    """Recompute the advantages under each rule that the stack has; None if the file holds none."""
    if table.advantage is None:
        return None
    workings = workings or Workings(table)
    found: Logged | None = None
    by_rule: dict[str, int] = {}
    for name in table.format.rules or tuple(RULES):
        now = _under(workings, name)
        by_rule[name] = int(now.groups.sum())
        if found is None or by_rule[name] < by_rule[found.rule]:
            found = now
        if by_rule[name] == 0:
            break
    assert found is not None
    return Logged(found.rule, found.advantage, found.disagrees, found.groups, found.compared, by_rule)


def of_stack(table: Rollouts, group: int) -> tuple[str, Floats] | None:
    """The first rule of the file's stack and its advantages of one group, shape (K,); None where no stack is known."""
    if not table.format.rules:
        return None
    name = table.format.rules[0]
    return name, standardise(table.score[table.starts[group] : table.starts[group + 1]], rule=name)


def _under(workings: Workings, rule: str) -> Logged:
    table = workings.table
    assert table.advantage is not None
    advantage = workings.layout.rows(workings.tilt(Setting(rule=rule, missing="stack")).u)
    there = ~np.isnan(table.advantage) & ~np.isnan(table.score)
    allowed = ABSOLUTE + RELATIVE * np.abs(advantage)
    disagrees = there & (np.abs(np.nan_to_num(table.advantage) - advantage) > allowed)
    groups = np.add.reduceat(disagrees, table.starts[:-1], dtype=np.int64) > 0
    compared = int((np.add.reduceat(there, table.starts[:-1], dtype=np.int64) > 0).sum())
    return Logged(rule, advantage, disagrees, groups, compared, {})
