"""The fit, played: gradient steps of the policy on the frozen target of one group."""

import math
from dataclasses import dataclass

import numpy as np

from tpo_lab.errors import InputError
from tpo_lab.group.report import Report
from tpo_lab.group.scenario import Floats
from tpo_lab.group.target import cross_entropy, entropy, policy

MAX_STEPS = 10_000
MAX_STEP_SIZE = 1000.0


@dataclass(frozen=True)
class Fit:
    """The path of the policy from p_old towards q; entry 0 is before the first step.

    Attributes:
        p: policy over the group, shape (steps + 1, K).
        residual: ||p - q||_2, the norm of the gradient in the logits, shape (steps + 1,).
        loss: cross-entropy -sum_i q_i log p_i in nats, shape (steps + 1,).
        loss_floor: H(q), which the loss reaches where p = q.
    """

    p: Floats
    residual: Floats
    loss: Floats
    loss_floor: float


def fit(report: Report, step_size: float, steps: int) -> Fit:
    """z <- z - step_size (softmax(z) - q), from z = log p_old, with q frozen.

    Candidates that do not count, or that p_old cannot reach, stay at exactly 0.

    Args:
        step_size: 0 < step_size <= MAX_STEP_SIZE, in logits per unit of gradient.
        steps: 0 to MAX_STEPS.

    Raises:
        InputError: if one of them is out of range.
    """
    if not 0 < step_size <= MAX_STEP_SIZE:  # NaN fails too
        raise InputError("step_size", f"The step size must be above 0 and at most {MAX_STEP_SIZE:g}, not {step_size}.")
    if not 0 <= steps <= MAX_STEPS:
        raise InputError("steps", f"The number of steps must be 0 to {MAX_STEPS}, not {steps}.")
    # The whole row with a mask, not the reachable part of it: the sums are then the report's to the last bit, and equal
    # scores give a gradient of exactly 0.
    reachable, q = report.log_p_old > -np.inf, report.q
    z = report.scenario.log_p_old()
    logits, p = np.empty((2, steps + 1, q.size))
    for step in range(steps + 1):
        logits[step] = z
        p[step] = policy(z, counted=reachable)
        z = z - step_size * (p[step] - q)
    loss = cross_entropy(logits, np.broadcast_to(q, p.shape), counted=np.broadcast_to(reachable, p.shape))
    residual = np.array([math.hypot(*row) for row in p - q])
    return Fit(p, residual, loss, float(entropy(q)))
