"""What happens in each phase of one update: a sentence, the paper's equation, and the same with the group's numbers."""

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


def formulas(view: View) -> list[str]:
    """The paper's equation of each phase, in LaTeX without numbers."""
    step = r"\frac{p - q}{\lVert p - q \rVert}" if view.settings.optimiser == "normalised" else "(p - q)"
    tilted = r"p_{}^{{\text{{old}}}}\; e^{{u_{}/\eta}}"
    return [
        r"p_i^{\text{old}} = \frac{\pi_{\text{old}}(y_i \mid x)}{\sum_j \pi_{\text{old}}(y_j \mid x)}",
        r"\bar s = \tfrac{1}{K} \textstyle\sum_j s_j, \qquad \sigma^2 = \tfrac{1}{K} \sum_j (s_j - \bar s)^2",
        latex.standardisation(RULES[view.scenario.rule], view.scenario.strength),
        rf"q_i = \frac{{{tilted.format('i', 'i')}}}{{\sum_j {tilted.format('j', 'j')}}}",
        rf"z \leftarrow z - \alpha\, {step}",
    ]


def numbers(scene: Scene) -> str:
    """The same with the numbers of the best candidate: LaTeX on one line, as `latex.as_html` takes it."""
    view, now, number = scene.view, scene.now, latex.number
    i = now.best
    n, q = i + 1, number(float(now.q[i]))
    match view.phase:
        case "sample":
            return rf"p_{{{n}}}^{{old}} = {number(float(now.p_old[i]))}"
        case "score":
            spread = rf"\bar s = {number(now.mean)},\quad \sigma = {number(now.sigma_population)}"
            return rf"s_{{{n}}} = {number(view.scenario.scores[i] or 0.0, 6)},\quad {spread}"
        case "standardise":
            return latex.score(now, i)
        case "tilt":
            above, below = latex.tilted(now, i)
            return rf"q_{{{n}}} = {above} / {below} = {q}"
    path = r" \to ".join(number(float(scene.tpo.policies[epoch][i])) for epoch in (0, *EPOCHS))
    return rf"\alpha = {number(view.settings.step_size)},\quad p_{{{n}}}: {path},\quad q_{{{n}}} = {q}"
