"""What is computed of the rollouts of one tab, each once: parts by setting, health by threshold, updates."""

from dataclasses import dataclass

import streamlit as st

from tpo_lab.rollouts_io.health import Health, judged, suggested_threshold
from tpo_lab.rollouts_io.logged import Logged, logged
from tpo_lab.rollouts_io.settings import Setting
from tpo_lab.rollouts_io.table import Rollouts
from tpo_lab.rollouts_io.whatif import Comparison, compare, update
from tpo_lab.rollouts_io.workings import Workings

KEY = "rollouts.data"


@dataclass
class Data:
    """A table with what was computed of it.

    Attributes:
        key: of the reading.
    """

    key: tuple[object, ...]
    table: Rollouts
    workings: Workings

    def health(self, setting: Setting, threshold: float) -> Health:
        """Of the whole table."""
        found: Health = self.workings.once(
            "health", setting, threshold, make=lambda: judged(self.workings, setting, threshold)
        )
        return found

    def comparison(self, now: Setting, then: Setting, threshold: float) -> Comparison:
        """Of two updates."""
        found: Comparison = self.workings.once(
            "comparison", now, then, threshold, make=lambda: self._comparison(now, then, threshold)
        )
        return found

    def logged(self) -> Logged | None:
        """The file's advantages against its stack's rules."""
        found: Logged | None = self.workings.once("logged", make=lambda: logged(self.table, self.workings))
        return found

    def suggested(self) -> float | None:
        """The threshold that the scores suggest."""
        found: float | None = self.workings.once("suggested", make=lambda: suggested_threshold(self.table))
        return found

    def _comparison(self, now: Setting, then: Setting, threshold: float) -> Comparison:
        return compare(*(update(self.workings, setting, threshold) for setting in (now, then)))


def data_of(key: tuple[object, ...], table: Rollouts) -> Data:
    """The data of this tab; another reading drops what was computed of the one before."""
    held = st.session_state.get(KEY)
    if not isinstance(held, Data) or held.key != key:
        st.session_state.pop(KEY, None)  # two large tables need not be there at once
        held = Data(key, table, Workings(table))
        st.session_state[KEY] = held
    return held
