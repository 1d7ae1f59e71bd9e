"""What the page Mechanism is about: one race, or a sweep of one setting; its presets, fields and link."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from tpo_lab.experiments.config import one_of
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.experiments.sweeps import SWEEPS, Sweep, values_of
from tpo_lab.group.rules import RULES
from tpo_lab.ui import config_form, live
from tpo_lab.ui.config_form import Shelf
from tpo_lab.ui.form import Form, text_field

SHELF = Shelf(
    first={"live-why": "Live", "fig10": "The paper's Fig. 10", "fig11": "The paper's Fig. 11"},
    papers={},
    stays=("view", "vary"),
)
VIEWS = {"race": "One race", "sweep": "Sweep"}
FIELDS = {**SHELF.fields(), "view": "race", "vary": "candidates", "values": ""}
RACE = ("error", "grad_norm", "weight_success", "weight_failure", "all_fail", "any_success")
OVERLAY = ("error", "grad_norm")


@dataclass(frozen=True)
class View(config_form.View):
    """What the page is about.

    Attributes:
        which: a name in `VIEWS`.
        sweep: what is varied in a sweep.
        configs: of the runs of the sweep, by what each is called; none in a race.
    """

    which: str
    sweep: Sweep
    configs: Mapping[str, ReversalConfig]

    def names(self) -> tuple[str, ...]:
        """The diagnostics that are shown."""
        usual = RACE if self.which == "race" else OVERLAY
        return self.seen.of(self.config) if self.seen.names else usual


def make(texts: Mapping[str, str]) -> View:
    """The view of the page's texts.

    Raises:
        InputError: for the first that is wrong.
    """
    view = SHELF.make(texts)
    which = one_of("view", texts["view"], tuple(VIEWS))
    sweep, configs = SWEEPS[texts["vary"]], {}
    values = () if sweep.methods else values_of(texts["values"], live.MOST)
    if which == "sweep" and isinstance(view.config, ReversalConfig):
        configs = sweep.configs(view.config, values)
    return View(view.preset, view.config, view.seen, which, sweep, configs)


def view_switch(form: Form[View]) -> None:
    """One race, or a sweep."""
    st.segmented_control(
        "View",
        list(VIEWS),
        default=form.text("view"),
        format_func=VIEWS.__getitem__,
        label_visibility="collapsed",
        required=True,
        **form.on("view", also={"run": ""}),
    )
    form.complain("view")


def sweep_row(form: Form[View]) -> None:
    """What is varied, and over which values."""
    sweep = form.view.sweep
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            "Vary",
            list(SWEEPS),
            default=form.text("vary"),
            format_func=lambda name: SWEEPS[name].label,
            required=True,
            **form.on("vary", also={"values": "", "run": ""}),
        )
        if not sweep.methods:
            with st.container(width=320):
                text_field(form, "Values", "values", hint=", ".join(f"{value:g}" for value in sweep.values))
    form.complain("vary")
    st.caption(sweep.paper)


def settings(form: Form[Any]) -> None:
    """Every setting of the runs, one field each."""
    base = form.view.preset.config
    config_form.settings(form)
    with st.expander("Of single methods"):
        config_form.select(form, base, "rule", ("null", *RULES))
        for name in config_form.others(base):
            if name != "rule":
                config_form.text(form, name, "each method's own")
