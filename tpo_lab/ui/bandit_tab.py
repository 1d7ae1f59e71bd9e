"""What one browser tab has on the Bandits page: settings as typed, the run shown, and the URL that holds both."""

from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from tpo_lab.errors import InputError
from tpo_lab.experiments.config import SETTINGS, BanditConfig
from tpo_lab.ui import url
from tpo_lab.ui.runs_store import listed, same

_TAB = "bandits.tab"


@dataclass
class Tab:
    """The state of one tab; nothing that was typed is lost when it leaves the page and comes back.

    Attributes:
        typed: by setting, what its field holds; it may be wrong.
        config: the last settings that were right.
        run: id of the run that is shown; None: none yet.
        bad_url: one sentence on a URL that could not be read; empty otherwise.
        revision: grows when the fields get values from elsewhere.
    """

    typed: dict[str, Any] = field(default_factory=lambda: _fields(BanditConfig()))
    config: BanditConfig = field(default_factory=BanditConfig)
    run: str | None = None
    bad_url: str = ""
    revision: int = 0

    def key(self, name: str) -> str:
        """The key of the widget of one setting."""
        return f"bandits.{name}.{self.revision}"

    def read(self) -> dict[str, str]:
        """Take what the fields hold; returns one sentence for each that is wrong."""
        for name in self.typed:
            self.typed[name] = st.session_state.get(self.key(name), self.typed[name])
        wrong = {}
        for name, setting in SETTINGS.items():
            try:
                setting.check(self.typed[name])
            except InputError as error:
                wrong[name] = str(error)
        try:
            if not wrong:
                self._take(BanditConfig.from_mapping(self.typed))
        except InputError as error:
            wrong["methods"] = str(error)
        return wrong

    def put(self, config: BanditConfig) -> None:
        """Set every field."""
        self._take(config)
        self.typed, self.revision = _fields(config), self.revision + 1

    def to_query(self) -> dict[str, str]:
        """The settings and the run as URL parameters."""
        return self.config.to_query() | ({"run": self.run} if self.run else {})

    def _take(self, config: BanditConfig) -> None:
        """Settings that are right; other ones than before end what was said of the URL."""
        if config != self.config:
            self.config, self.bad_url = config, ""


def load() -> Tab:
    """The tab's state, after the URL was read if somebody came by it."""
    query = url.arrived(first=_TAB not in st.session_state)
    tab = st.session_state.setdefault(_TAB, Tab())
    assert isinstance(tab, Tab)
    if query is not None:
        _read_url(tab, query)
    if tab.run is None:
        tab.run = next((row.id for row in listed() if same(row, tab.config)), None)
    if query is not None:
        url.keep(tab.to_query())
    return tab


def _read_url(tab: Tab, query: dict[str, str]) -> None:
    tab.run = query.pop("run", None)
    try:
        tab.put(BanditConfig.from_query(query))
        tab.bad_url = ""
    except InputError as error:
        tab.bad_url = str(error)


def _fields(config: BanditConfig) -> dict[str, Any]:
    return {name: getattr(config, name) for name in SETTINGS} | {"methods": list(config.methods)}
