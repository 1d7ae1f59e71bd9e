"""How often a page looks at a run that is computed: by what a look costs."""

from collections.abc import Callable
from typing import Any

import pytest
import streamlit as st

from tests.pages.runs_page import HOLDS, opened, quiet, wait
from tpo_lab.runs.service import RunService
from tpo_lab.ui import live


def test_the_dearer_a_look_is_the_longer_until_the_next(runs: RunService, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = wait(runs, runs.start(HOLDS), "running")
    paces: list[float | None] = []
    fragment = st.fragment

    def noted(look: Callable[[], None], run_every: float | None = None) -> Any:
        paces.append(run_every)
        return fragment(look, run_every=run_every)

    monkeypatch.setattr(st, "fragment", noted)
    page = opened("bandits", run=run_id)
    assert paces[0] == live.TICK
    assert 0 < page.session_state[live._COST] < 1
    page.session_state[live._COST] = 0.1
    quiet(page.run())
    assert round(0.1 / live.SHARE, 1) in paces
    runs.stop(run_id)
    wait(runs, run_id, "stopped")
    quiet(page.run())
    assert paces[-1] is None
