"""The charts of the page One update. Their specifications never change: what a press changes travels as data."""

from collections.abc import Mapping
from typing import Any

from tpo_lab.charts import bars, epochs
from tpo_lab.charts.axes import Spec
from tpo_lab.methods.registry import BLUE, GREY, METHODS
from tpo_lab.methods.updates import EPOCHS, UPDATED, Update
from tpo_lab.ui.drawing import chart

# From the old policy's grey to TPO's blue.
_SHADES = ("#AFC3D2", "#86B0CF", "#5C9CC9", "#2F87BE", BLUE)
_PHASE = bars.spec(
    {"p_old": GREY, "score": GREY, "u": BLUE, "target q": BLUE}
    | {f"after {n}": shade for n, shade in zip(EPOCHS, _SHADES, strict=True)},
    height=None,
)
_METHODS = bars.spec(
    {"p_old": GREY, "log p_old": GREY, "score − mean": GREY, "q − p_old": BLUE}
    | {method.label: method.colour for method in UPDATED.values()},
    height=None,
)
_RESIDUALS = epochs.spec(
    "Residual: norm of the gradient in the logits",
    log=True,
    epochs=EPOCHS[-1],
    height=None,
    subtitle="below 10⁻⁵ and above 10: drawn at the edge",
)
_DISTANCES = epochs.spec("Distance from p_old (total variation)", log=False, epochs=EPOCHS[-1], height=None)


def phase(title: str, values: Mapping[str, Any], **more: Any) -> None:
    """What one phase does to each candidate; `more` as `bars.data` takes it."""
    _bars(_PHASE, title, values, "update-phase", "What the phase does to each candidate", **more)


def methods(title: str, values: Mapping[str, Any], *, key: str, **more: Any) -> None:
    """A quantity of each candidate under each method, values by the method's name."""
    named = {METHODS[name].label if name in METHODS else name: row for name, row in values.items()}
    _bars(_METHODS, title, named, key, "A quantity of each candidate under each method", **more)


def _bars(spec: Spec, title: str, values: Mapping[str, Any], key: str, alt: str, **more: Any) -> None:
    """`alt` is part of a chart's specification: one that changed would draw it anew."""
    names = [str(i + 1) for i in range(max(map(len, values.values()), default=0))]
    chart(spec, bars.data(title, names, values, **more), key=key, alt=alt)


def residuals(found: Mapping[str, Update]) -> None:
    """The norm of each method's gradient over the epochs."""
    chart(
        _RESIDUALS,
        epochs.data({name: f.residuals.tolist() for name, f in found.items()}, log=True),
        key="update-residuals",
        alt="Norm of the gradient over the epochs, one line a method",
    )


def distances(values: Mapping[str, list[float]]) -> None:
    """How far each method's policy is from the old one, by the method's name."""
    chart(
        _DISTANCES,
        epochs.data(values, log=False),
        key="update-distance",
        alt="How far the policy of the dead group is from the old one, over the epochs",
    )
