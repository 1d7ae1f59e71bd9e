"""How the curves of a run are seen, the same controls on every page: which diagnostics, which scale, over what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from tpo_lab.charts.diagnostics import diagnostics_of
from tpo_lab.charts.lines import BANDS, OVER, Look
from tpo_lab.errors import InputError, shown
from tpo_lab.experiments.kinds import KINDS, AnyConfig, kind_of
from tpo_lab.ui.form import Form, several

# Of the form of a page that has these controls.
FIELDS = {"see": "", "scale": "usual", "over": "steps", "band": "error", "lines": "mean"}
SCALES = {"usual": "As usual", "log": "Log", "linear": "Linear"}
LINES = {"mean": "Mean", "seeds": "Seeds too"}
CHOICES = {"scale": SCALES, "over": OVER, "band": BANDS, "lines": LINES}
_LOG = {"usual": None, "log": True, "linear": False}
FIRST = {"reversal": ("error", "zero_variance"), "digits": ("error",)}
USUALLY = ("error", "misalignment")


@dataclass(frozen=True)
class Seen:
    """The diagnostics that were asked for, by name, and how they look; none: those that are seen first."""

    names: tuple[str, ...]
    look: Look

    def of(self, config: AnyConfig) -> tuple[str, ...]:
        """Those that a run of this configuration has."""
        known = diagnostics_of(config)
        return tuple(n for n in self.names if n in known) or FIRST.get(kind_of(config), USUALLY)

    def of_all(self, configs: Sequence[AnyConfig]) -> tuple[str, ...]:
        """Those that runs of all these configurations have; the error is one of them."""
        known = [diagnostics_of(config) for config in configs]
        return tuple(n for n in self.of(configs[0]) if all(n in found for found in known)) or ("error",)


def seen(texts: Mapping[str, str]) -> Seen:
    """What a form's texts say.

    Raises:
        InputError: for the first that is wrong.
    """
    for field, options in CHOICES.items():
        if texts[field] not in options:
            raise InputError(field, f"Unknown {field} {shown(texts[field])}; known: {', '.join(options)}.")
    names = tuple(name for name in texts["see"].split(",") if name)
    known = dict.fromkeys(name for kind in KINDS.values() for name in diagnostics_of(kind()))
    for name in names:
        if name not in known:
            raise InputError("see", f"Unknown diagnostic {shown(name)}; known: {', '.join(known)}.")
    return Seen(names, Look(_LOG[texts["scale"]], texts["over"], texts["band"], texts["lines"] == "seeds"))


def controls(form: Form[Any], config: AnyConfig, first: Sequence[str]) -> None:
    """The controls, in one row.

    Args:
        first: what is seen if nothing is chosen.
    """
    titles = {name: diagnostic.title for name, diagnostic in diagnostics_of(config).items()}
    with st.container(horizontal=True):
        several(form, "Curves", "see", titles, placeholder=" · ".join(titles[name] for name in first))
        for label, name in (("Scale", "scale"), ("Over", "over"), ("Band", "band"), ("Lines", "lines")):
            _select(form, label, name, CHOICES[name])


def _select(form: Form[Any], label: str, name: str, options: Mapping[str, str]) -> None:
    names = list(options)
    st.selectbox(
        label, names, names.index(form.text(name)), format_func=options.__getitem__, width=150, **form.on(name)
    )
    form.complain(name)
