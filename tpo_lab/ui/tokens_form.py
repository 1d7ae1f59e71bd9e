"""The settings of a token-reversal run as fields, built from its typed configuration; no text: the preset's value."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import streamlit as st

from tpo_lab.errors import InputError
from tpo_lab.experiments.config import Setting
from tpo_lab.experiments.differences import read, written
from tpo_lab.experiments.presets import PRESETS, Preset
from tpo_lab.experiments.reversal import CHOICES, REVERSAL_METHODS, SETTINGS, ReversalConfig
from tpo_lab.group.rules import RULES
from tpo_lab.ui import runs_view
from tpo_lab.ui.form import Form, text_field

NAMES = tuple(field.name for field in fields(ReversalConfig))
OWN = tuple(name for name in NAMES if name not in {*SETTINGS, *CHOICES, "methods", "rule"})  # None is each method's own
FIRST = "live-terminal"
FIELDS = {"preset": FIRST, "run": "", **runs_view.FIELDS, **dict.fromkeys(NAMES, "")}
OF_PAGE = {name: preset for name, preset in PRESETS.items() if isinstance(preset.config, ReversalConfig)}
PAPERS = {"live-terminal": "table3-H10-prompt", "live-dense": "table1-V2"}  # what the live presets are small copies of
# The chips of the methods carry the colours of their curves.
_DOT = "[class*=st-key-tokens-methods] button:nth-of-type({}){{ --dot: {}; }}"
_CHIPS = "".join(_DOT.format(i, method.colour) for i, method in enumerate(REVERSAL_METHODS.values(), 1))


@dataclass(frozen=True)
class View:
    """What the page is about.

    Attributes:
        preset: where the settings start from.
        config: the settings.
        seen: how the curves are seen.
    """

    preset: Preset
    config: ReversalConfig
    seen: runs_view.Seen


def make(texts: Mapping[str, str]) -> View:
    """The view of the page's texts.

    Raises:
        InputError: for the first that is wrong.
    """
    preset = PRESETS[texts["preset"]]
    base = base_of(preset)
    values = {name: _value(name, texts[name]) for name in NAMES if texts[name]}
    config = ReversalConfig.from_mapping({**vars(base), **values})
    return View(preset, config, runs_view.seen(texts))


def base_of(preset: Preset) -> ReversalConfig:
    """The configuration of a preset.

    Raises:
        InputError: if it is of another page.
    """
    if not isinstance(preset.config, ReversalConfig):
        raise InputError("preset", f"{preset.name} is no preset of token reversal; known: {', '.join(OF_PAGE)}.")
    return preset.config


def fields_of(form: Form[View]) -> None:
    """One field per setting, with what is wrong below it."""
    base = base_of(form.view.preset)
    _methods(form, base)
    for name in CHOICES:
        _select(form, base, name, CHOICES[name])
    numbers = list(SETTINGS.values())
    for pair in zip(numbers[::2], [*numbers[1::2], None], strict=False):
        for column, setting in zip(st.columns(2, vertical_alignment="bottom"), pair, strict=True):
            if setting:
                with column:
                    _number(form, base, setting)
        form.complain(*(setting.name for setting in pair if setting))
    with st.expander("Of single methods"):
        _select(form, base, "rule", ("null", *RULES))
        for name in OWN:
            if name != "methods":
                text_field(form, name.replace("_", " ").capitalize(), name, hint="each method's own")


def _methods(form: Form[View], base: ReversalConfig) -> None:
    st.html(f"<style>{_CHIPS}</style>")
    chosen = form.text("methods").split(",") if form.text("methods") else list(base.methods)
    st.pills(
        "Methods",
        list(REVERSAL_METHODS),
        selection_mode="multi",
        default=[name for name in chosen if name in REVERSAL_METHODS],
        format_func=lambda name: REVERSAL_METHODS[name].label,
        **form.on("methods", write=lambda names: "" if tuple(names) == base.methods else ",".join(names) or ","),
    )
    form.complain("methods")


def _select(form: Form[View], base: ReversalConfig, name: str, options: tuple[str, ...]) -> None:
    before = written(getattr(base, name))
    value = form.text(name) or before
    st.selectbox(
        _label(name.replace("_", " ").capitalize(), value, before),
        options,
        options.index(value) if value in options else options.index(before),
        format_func=lambda option: "each method's own" if option == "null" else option.replace("_", " "),
        **form.on(name, write=lambda text: "" if text == before else str(text)),
    )
    form.complain(name)


def _number(form: Form[View], base: ReversalConfig, setting: Setting) -> None:
    before = float(getattr(base, setting.name))
    typed = read(form.text(setting.name)) if form.text(setting.name) else before
    value = float(typed) if isinstance(typed, (int, float)) else before
    st.number_input(
        _label(setting.label, f"{value:g}", f"{before:g}"),
        value=value,  # of a field of whole numbers the browser would make 3.7 a silent 3
        step=float(setting.increment),
        format="%g",
        help=f"{setting.help} From {setting.low:,.10g} to {setting.high:,.10g}.",
        **form.on(setting.name, write=lambda x: "" if x == before or x is None else f"{x:.12g}"),
    )


def _label(label: str, value: str, before: str) -> str:
    return label if value == before else f"{label} :gray[(preset: {before.replace('_', ' ')})]"


def _value(name: str, text: str) -> Any:
    if name == "methods":
        return tuple(part for part in text.split(",") if part)
    return read(text)
