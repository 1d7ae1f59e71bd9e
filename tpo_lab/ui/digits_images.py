"""Some digits with what the policies of a run make of them, before and after training."""

import base64
import io
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from tpo_lab.methods.registry import METHODS
from tpo_lab.training.guesses import Guesses

SHOWN = 12
HEIGHT = 1.2  # rem, of a probability of 1
ORDERS = {"each": "One of each", "hard": "The hardest"}


def chosen(order: str, looks: Sequence[Guesses]) -> list[int]:
    """Which images are shown: one of each class first, or those whose right class has the least probability."""
    labels = np.asarray(looks[0].labels, int)
    if order == "hard":
        right = np.mean([look.after[np.arange(len(labels)), labels] for look in looks], axis=0)
        return [int(i) for i in np.argsort(right, kind="stable")[:SHOWN]]
    first = [int(np.flatnonzero(labels == c)[0]) for c in np.unique(labels)]
    return [*first, *(i for i in range(len(labels)) if i not in first)][:SHOWN]


def grid(order: str, looks: Mapping[str, Guesses]) -> str:
    """HTML of a card per image: the image, and a row of ten bars before training and for each method."""
    any_look = next(iter(looks.values()))
    return f'<div class="digits">{"".join(_card(i, any_look, looks) for i in chosen(order, [*looks.values()]))}</div>'


def _card(i: int, any_look: Guesses, looks: Mapping[str, Guesses]) -> str:
    label = int(any_look.labels[i])
    head = "".join(f'<th scope="col"{" class=right" if c == label else ""}>{c}</th>' for c in range(10))
    rows = _row("before", "currentColor", any_look.before[i], label)
    rows += "".join(_row(METHODS[m].label, METHODS[m].colour, look.after[i], label) for m, look in looks.items())
    return (
        f'<div class="card"><img src="{_png(any_look.pixels[i])}" alt="handwritten {label}">'
        f"<table><thead><tr><th></th>{head}<th></th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(name: str, colour: str, probabilities: Any, label: int) -> str:
    """The bars of one policy, and the probability of the right class; crossed out where another one is larger."""
    wrong = int(np.argmax(probabilities)) != label
    bars = "".join(
        f'<td class="bar{" right" if c == label else ""}">'
        f'<i style="height: {HEIGHT * p:.2f}rem; background: {colour}"></i></td>'
        for c, p in enumerate(map(float, probabilities))
    )
    said = f"{100 * float(probabilities[label]):.0f}&nbsp;% {'✗' if wrong else '✓'}"
    return f'<tr><th scope="row">{escape(name)}</th>{bars}<td class="said">{said}</td></tr>'


def _png(pixels: Any) -> str:
    from PIL import Image  # only where images are shown

    side = round(len(pixels) ** 0.5)
    file = io.BytesIO()
    Image.fromarray(255 - np.asarray(pixels, np.uint8).reshape(side, side)).save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
