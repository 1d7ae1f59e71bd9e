"""The settings of the bandit as fields, and the buttons that start and stop its runs."""

from dataclasses import replace

import streamlit as st

from tpo_lab.experiments.config import BANDIT_METHODS, SETTINGS, BanditConfig, Setting
from tpo_lab.runs.rows import RunRow
from tpo_lab.runs.service import RunService, service
from tpo_lab.runs.snapshot import Snapshot
from tpo_lab.ui import runs_buttons
from tpo_lab.ui.bandit_tab import Tab
from tpo_lab.ui.runs_store import attempt
from tpo_lab.ui.sentences import refuse

PAPER = BanditConfig()
# The chips of the methods carry the colours of their curves.
_DOT = "[class*=st-key-bandits-methods] button:nth-of-type({}){{ --dot: {}; }}"
_CHIPS = "".join(_DOT.format(i, method.colour) for i, method in enumerate(BANDIT_METHODS.values(), 1))


def settings(tab: Tab) -> bool:
    """One field per setting, with what is wrong below it; returns whether all of them are right."""
    wrong = tab.read()
    st.html(f"<style>{_CHIPS}</style>")
    st.pills(
        "Methods",
        list(BANDIT_METHODS),
        selection_mode="multi",
        default=tab.typed["methods"],
        format_func=lambda name: BANDIT_METHODS[name].label,
        key=tab.key("methods"),
    )
    if "methods" in wrong:
        refuse(wrong["methods"])
    pairs = list(SETTINGS.values())
    for left, right in zip(pairs[::2], pairs[1::2], strict=True):
        for column, setting in zip(st.columns(2, vertical_alignment="bottom"), (left, right), strict=True):
            with column:
                _number(tab, setting)
        for setting in (left, right):
            if setting.name in wrong:
                refuse(wrong[setting.name])
    st.button(
        "Reset to the paper's",
        icon=":material/restart_alt:",
        type="tertiary",
        disabled=not wrong and tab.config == PAPER,
        on_click=tab.put,
        args=(PAPER,),
    )
    return not wrong


def _number(tab: Tab, setting: Setting) -> None:
    value, paper = tab.typed[setting.name], getattr(PAPER, setting.name)
    differs = "" if value == paper else f" :gray[(paper: {paper:g})]"
    st.number_input(
        setting.label + differs,
        value=float(value),  # of a field of whole numbers the browser would make 3.7 a silent 3
        step=float(setting.increment),
        format="%g",
        key=tab.key(setting.name),
        help=f"{setting.help} From {setting.low:,.10g} to {setting.high:,.10g}; the paper has {paper:g}.",
    )


def buttons(runs: RunService, tab: Tab, right: bool, shown: Snapshot | None) -> None:
    """Run, run with another seed, pause, resume, stop."""
    running = shown is not None and not shown.finished and shown.status != "paused"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Run",
            icon=":material/play_arrow:",
            type="secondary" if running else "primary",
            disabled=running or not right,
            on_click=_start,
            args=(tab, 0),
        )
        st.button(
            "Another seed",
            icon=":material/casino:",
            disabled=running or not right,
            on_click=_start,
            args=(tab, 1),
            help="The same settings with the next first seed.",
        )
        runs_buttons.buttons(shown.row if shown else None)
        if shown and right and shown.config != tab.config:
            st.caption("The curves below are of other settings. Run to see these.")
        first = attempt(runs.computing)
        if shown and shown.status == "queued" and first and first.kind == "bandit" and first.id != shown.id:
            st.button(
                "Another run is computed first: show it",
                icon=":material/hourglass_top:",
                type="tertiary",
                on_click=_show,
                args=(tab, first),
                help="It was started in another tab, or before this one was. There it can be stopped.",
            )


def _start(tab: Tab, seeds_on: int) -> None:
    if tab.read():  # something wrong was typed after the button was drawn
        return
    tab.bad_url = ""
    if seeds_on:
        last = int(SETTINGS["seed"].high)
        tab.put(replace(tab.config, seed=(tab.config.seed + seeds_on) % (last + 1)))
    tab.run = attempt(service().start, tab.config) or tab.run


def _show(tab: Tab, run: RunRow) -> None:
    if isinstance(run.config, BanditConfig):
        tab.put(run.config)
    tab.run = run.id


def summary(c: BanditConfig) -> str:
    """The settings in one line."""
    return f"K {c.actions} · B {c.samples} · α {c.alpha:g} · η {c.eta:g} · b {c.baseline:g} · first seed {c.seed}"
