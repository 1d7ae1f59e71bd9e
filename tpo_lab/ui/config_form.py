"""The settings of a run as fields, built from its typed configuration; a field without text has the preset's value."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import streamlit as st

from tpo_lab.errors import InputError
from tpo_lab.experiments.config import Config, Setting, one_of
from tpo_lab.experiments.differences import read, written
from tpo_lab.experiments.kinds import AnyConfig
from tpo_lab.experiments.presets import PRESETS, Preset
from tpo_lab.methods.registry import METHODS
from tpo_lab.ui import runs_view
from tpo_lab.ui.form import Form, text_field

PREDICTS = "on"  # what the field `predict` holds where an order is expected before a run


@dataclass(frozen=True)
class View:
    """What a page of runs is about.

    Attributes:
        preset: where the settings start from.
        config: the settings.
        seen: how the curves are seen.
    """

    preset: Preset
    config: AnyConfig
    seen: runs_view.Seen


@dataclass(frozen=True)
class Shelf:
    """The presets of a page.

    Attributes:
        first: those that it opens on, by name, and what their chips say; the first one is chosen.
        papers: by name of a small one, the paper's own that it is a copy of.
        stays: fields of the page that another preset leaves as they are.
    """

    first: Mapping[str, str]
    papers: Mapping[str, str]
    stays: tuple[str, ...] = ()

    @property
    def kinds(self) -> tuple[type[AnyConfig], ...]:
        """The kinds of their configurations."""
        return tuple(dict.fromkeys(type(PRESETS[name].config) for name in self.first))

    def names(self) -> tuple[str, ...]:
        """Every preset of these kinds."""
        return tuple(name for name, preset in PRESETS.items() if type(preset.config) in self.kinds)

    def fields(self) -> dict[str, str]:
        """The texts that a page of these presets holds: its form's defaults."""
        settings = (field.name for kind in self.kinds for field in fields(kind))
        return {
            "preset": next(iter(self.first)),
            "run": "",
            "predict": "",
            "order": "",
            **runs_view.FIELDS,
            **dict.fromkeys(settings, ""),
        }

    def make(self, texts: Mapping[str, str]) -> View:
        """The view of a page's texts.

        Raises:
            InputError: for the first that is wrong.
        """
        preset = PRESETS[texts["preset"]]
        if type(preset.config) not in self.kinds:
            raise InputError("preset", f"{preset.name} is a preset of another page; known: {', '.join(self.names())}.")
        settings = dict.fromkeys(field.name for kind in self.kinds for field in fields(kind))
        values = {name: _value(name, texts[name]) for name in settings if texts[name]}
        config = type(preset.config).from_mapping({**vars(preset.config), **values})
        if texts["predict"]:
            one_of("predict", texts["predict"], (PREDICTS,))
        for name in filter(None, texts["order"].split(",")):
            config.known[name]  # one that the run does not have any more is passed over
        return View(preset, config, runs_view.seen(texts))


def settings(form: Form[View]) -> None:
    """The methods as coloured chips, then one field per choice and per number, with what is wrong below it."""
    base = form.view.preset.config
    methods(form, base)
    for name, options in base.choices.items():
        select(form, base, name, options)
    entries = list(base.numbers.values())
    for pair in zip(entries[::2], [*entries[1::2], None], strict=False):
        for column, setting in zip(st.columns(2, vertical_alignment="bottom"), pair, strict=True):
            if setting:
                with column:
                    number(form, base, setting)
        form.complain(*(setting.name for setting in pair if setting))


def others(base: Config) -> tuple[str, ...]:
    """The fields that `settings` has no control for."""
    return tuple(f.name for f in fields(base) if f.name not in {*base.numbers, *base.choices, "methods"})


def methods(form: Form[Any], base: AnyConfig) -> None:
    """The chips of the methods, in the colours of their curves."""
    known = base.known
    dots(form, "methods", known)
    chosen = form.text("methods").split(",") if form.text("methods") else list(base.methods)

    def write(names: list[str]) -> str:
        ordered = tuple(name for name in known if name in names)
        return "" if set(ordered) == set(base.methods) else ",".join(ordered) or ","

    st.pills(
        "Methods",
        list(known),
        selection_mode="multi",
        default=[name for name in chosen if name in known],
        format_func=lambda name: known[name].label,
        **form.on("methods", write=write),
    )
    form.complain("methods")


def dots(form: Form[Any], name: str, methods: Iterable[str]) -> None:
    """Give the chips of a field, one per method, the colours of the curves."""
    dot = f"[class*=st-key-{form.name}-{name}] button:nth-of-type({{}}){{{{ --dot: {{}}; }}}}"
    st.html(f"<style>{''.join(dot.format(i, METHODS[m].colour) for i, m in enumerate(methods, 1))}</style>")


def select(form: Form[Any], base: AnyConfig, name: str, options: tuple[str, ...]) -> None:
    """One of the names that a field may hold."""
    before = written(getattr(base, name))
    value = form.text(name) or before
    st.selectbox(
        label(name.replace("_", " ").capitalize(), value, before),
        options,
        options.index(value) if value in options else options.index(before),
        format_func=lambda option: "each method's own" if option == "null" else option.replace("_", " "),
        **form.on(name, write=lambda text: "" if text == before else str(text)),
    )
    form.complain(name)


def number(form: Form[Any], base: AnyConfig, setting: Setting) -> None:
    """A number; what is wrong with it is for the caller to show, where there is room."""
    before = float(getattr(base, setting.name))
    typed = read(form.text(setting.name)) if form.text(setting.name) else before
    value = float(typed) if isinstance(typed, (int, float)) else before
    st.number_input(
        label(setting.label, f"{value:g}", f"{before:g}"),
        value=value,  # of a field of whole numbers the browser would make 3.7 a silent 3
        step=float(setting.increment),
        format="%g",
        help=f"{setting.help} From {setting.low:,.10g} to {setting.high:,.10g}.",
        **form.on(setting.name, write=lambda x: "" if x == before or x is None else f"{x:.12g}"),
    )


def text(form: Form[Any], name: str, hint: str) -> None:
    """Any other field; the hint says what an empty one means."""
    text_field(form, name.replace("_", " ").capitalize(), name, hint=hint)


def label(words: str, value: str, before: str) -> str:
    """The label of a field, with the preset's value where that is another one."""
    return words if value == before else f"{words} :gray[(preset: {before.replace('_', ' ')})]"


def _value(name: str, text: str) -> Any:
    if name == "methods":
        return tuple(part for part in text.split(",") if part)
    return read(text)
