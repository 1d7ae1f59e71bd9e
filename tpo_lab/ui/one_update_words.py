"""What happens in each phase of one update: a sentence and the paper's equation, with the numbers of the group."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tpo_lab.group.report import Report
from tpo_lab.group.rules import RULES
from tpo_lab.group.wording import figure, percent
from tpo_lab.methods.updates import EPOCHS, Update
from tpo_lab.ui import latex
from tpo_lab.ui.one_update import View


@dataclass(frozen=True)
class Scene:
    """What the phases are drawn from: the page's state, the group's numbers, the chosen updates of it, and TPO's."""

    view: View
    now: Report
    found: Mapping[str, Update]
    tpo: Update


def say(scene: Scene) -> tuple[str, str]:
    """A title and a sentence on the phase."""
    now, tpo = scene.now, scene.tpo
    k, n = now.scenario.k, now.n_counted
    match scene.view.phase:
        case "sample":
            most = int(np.argmax(now.p_old))
            return "Sample", (
                f"K = {k} answers are drawn from the old policy, which is frozen; the most probable, {most + 1}, has "
                f"{percent(float(now.p_old[most]))} among them."
            )
        case "score":
            missing = f" {k - n} of them got none." if n < k else ""
            return "Score", (
                f"Each answer gets a score; their mean is {figure(now.mean)}, their spread sigma = "
                f"{figure(now.sigma_population)}.{missing}"
            )
        case "standardise":
            u = now.u[now.counted]
            return "Standardise", (
                f"The scores lose their unit: u goes from {figure(float(u.min()))} to {figure(float(u.max()))}. The "
                "other methods make advantages of the same scores."
            )
        case "tilt":
            moved = percent(0.5 * float(np.abs(now.q_minus_p).sum()))
            return "Tilt", (
                f"The target q is p_old times exp(u / eta), normalised: {moved} of the probability changes its answer. "
                "The other methods weigh log p by a number of either sign."
            )
    return "Fit", (
        f"Gradient epochs with q frozen: TPO's residual |p - q| falls from {figure(tpo.residuals[0])} to "
        f"{figure(tpo.residuals[-1])} in {EPOCHS[-1]}. Where nothing is aimed at, the gradient need not go out."
    )


def formula(scene: Scene) -> str:
    """The paper's equation of the phase, with the numbers of the best candidate."""
    view, now, number = scene.view, scene.now, latex.number
    i = now.best
    match view.phase:
        case "sample":
            return (
                rf"p_{{{i + 1}}}^{{\text{{old}}}} = \frac{{\pi_{{\text{{old}}}}(y_{{{i + 1}}} \mid x)}}"
                rf"{{\sum_j \pi_{{\text{{old}}}}(y_j \mid x)}} = {number(float(now.p_old[i]))}"
            )
        case "score":
            s = view.scenario.scores[i]
            spread = rf"\bar s = {number(now.mean)},\quad \sigma = {number(now.sigma_population)}"
            return rf"s_{{{i + 1}}} = {number(s or 0.0, 6)},\quad {spread}"
        case "standardise":
            rule = latex.standardisation(RULES[view.scenario.rule], view.scenario.strength)
            return rf"\begin{{gathered}}{rule}\\[1.5ex]{latex.score(now, i)}\end{{gathered}}"
        case "tilt":
            return latex.target(now, i)
    alpha = number(view.settings.step_size)
    step = r"\frac{p - q}{\lVert p - q \rVert}" if view.settings.optimiser == "normalised" else "(p - q)"
    path = r" \to ".join(number(float(scene.tpo.policies[n][i])) for n in (0, *EPOCHS))
    q = number(float(now.q[i]))
    return rf"z \leftarrow z - {alpha}\, {step},\qquad p_{{{i + 1}}}: {path},\quad q_{{{i + 1}}} = {q}"
