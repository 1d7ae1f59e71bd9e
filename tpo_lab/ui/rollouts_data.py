"""What is computed of the rollouts of one tab, each once: numbers by setting, health by threshold, updates."""

from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from tpo_lab.rollouts_io.health import Health, judged
from tpo_lab.rollouts_io.logged import Logged, logged
from tpo_lab.rollouts_io.numbers import Numbers, numbers_of
from tpo_lab.rollouts_io.settings import Setting
from tpo_lab.rollouts_io.table import Rollouts
from tpo_lab.rollouts_io.whatif import Comparison, Update, compare, update

_DATA = "rollouts.data"
_KEPT = 4  # settings whose numbers are held: of a million rows they take a few MiB each


@dataclass
class Data:
    """A table with what was computed of it.

    Attributes:
        key: of the reading.
    """

    key: tuple[object, ...]
    table: Rollouts
    _held: dict[tuple[Any, ...], Any] = field(default_factory=dict)

    def numbers(self, setting: Setting) -> Numbers:
        """Of every group."""
        found: Numbers = self._once(("numbers", setting), lambda: numbers_of(self.table, setting))
        return found

    def health(self, setting: Setting, threshold: float) -> Health:
        """Of the whole table."""
        found: Health = self._once(
            ("health", setting, threshold), lambda: judged(self.table, setting, self.numbers(setting), threshold)
        )
        return found

    def update(self, setting: Setting, threshold: float) -> Update:
        """The weight of every candidate."""
        found: Update = self._once(("update", setting, threshold), lambda: update(self.table, setting, threshold))
        return found

    def comparison(self, now: Setting, then: Setting, threshold: float) -> Comparison:
        """Of two updates."""
        return compare(self.table, self.update(now, threshold), self.update(then, threshold))

    def logged(self) -> Logged | None:
        """The file's advantages against its stack's rules."""
        found: Logged | None = self._once(("logged",), lambda: logged(self.table))
        return found

    def _once(self, key: tuple[Any, ...], make: Any) -> Any:
        if key not in self._held:
            same = [held for held in self._held if held[0] == key[0]]
            for old in same[: max(0, len(same) - _KEPT + 1)]:
                del self._held[old]
            self._held[key] = make()
        return self._held[key]


def data_of(key: tuple[object, ...], table: Rollouts) -> Data:
    """The data of this tab; another reading drops what was computed of the one before."""
    held = st.session_state.get(_DATA)
    if not isinstance(held, Data) or held.key != key:
        held = Data(key, table)
        st.session_state[_DATA] = held
    return held
