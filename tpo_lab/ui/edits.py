"""Edits of a group that keep the rest of it: another number of candidates, another way to state the old policy."""

from dataclasses import replace
from typing import TypeVar

import numpy as np

from tpo_lab.errors import InputError
from tpo_lab.group.limits import MAX_CANDIDATES
from tpo_lab.group.parse import write_number
from tpo_lab.group.report import Report
from tpo_lab.group.scenario import PolicyKind, Scenario

T = TypeVar("T")


def resized(scenario: Scenario, size: float) -> Scenario:
    """The group with `size` candidates: the last ones are dropped, or copied to make more.

    Raises:
        InputError: if the size is no whole number in range, or no scored candidate is left.
    """
    if not 1 <= size <= MAX_CANDIDATES or not float(size).is_integer():
        raise InputError("k", f"A group has 1 to {MAX_CANDIDATES} candidates, not {write_number(size)}.")
    k = int(size)

    def to_k(values: tuple[T, ...]) -> tuple[T, ...]:
        return values[:k] + values[-1:] * (k - len(values))

    return replace(
        scenario,
        scores=to_k(scenario.scores),
        policy=scenario.policy and to_k(scenario.policy),
        lengths=scenario.lengths and to_k(scenario.lengths),
    )


def restated(report: Report, kind: PolicyKind | None) -> Scenario:
    """The same group with its old policy stated as `kind`; None: made uniform.

    Raises:
        InputError: if a probability of 0 has no log-prob.
    """
    scenario = report.scenario
    if kind is None:
        return replace(scenario, policy=None, kind="probs", lengths=None)
    log_p = scenario.log_p_old()
    log_p = log_p - np.max(log_p)
    if kind == "probs":
        p = np.exp(log_p)
        return replace(scenario, policy=tuple((p / p.sum()).tolist()), kind=kind, lengths=None)
    lengths = scenario.lengths or (1.0,) * scenario.k
    if scenario.kind != "probs":
        log_p = scenario.log_p_old()
    if kind == "log_probs":
        return replace(scenario, policy=tuple(log_p.tolist()), kind=kind, lengths=None)
    return replace(scenario, policy=tuple((log_p / np.array(lengths)).tolist()), kind=kind, lengths=lengths)
