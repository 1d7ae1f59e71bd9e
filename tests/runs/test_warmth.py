"""Compiling ahead: what, in which order, and never while there is something to compute."""

import threading
import time
from typing import Any

import pytest

from tpo_lab.experiments.config import BanditConfig
from tpo_lab.runs import warmth


def test_the_live_presets_and_the_pages_bandit_are_compiled_ahead() -> None:
    found = warmth.live()
    assert found[0][0] == BanditConfig()
    assert len(found) > 5
    assert len(set(found)) == len(found)


def test_it_begins_nothing_while_there_are_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    class Lane:
        def __init__(self, config: Any, method: str) -> None:
            self.entry = (config, method)

        def prepare(self) -> None:
            seen.append(self.entry)
            if len(seen) == 2:
                idle.clear()
                raise ValueError("told to whoever runs it, not here")

        def advance(self, halt: Any) -> None:
            assert halt() is not idle.is_set()

    monkeypatch.setattr(warmth, "Lane", Lane)
    monkeypatch.setattr(warmth, "PAUSE", 0.0)
    idle, done, live = threading.Event(), threading.Event(), warmth.live()
    warmth.start(1, 2, idle, done.set)
    time.sleep(0.1)
    assert seen == []
    idle.set()
    time.sleep(0.3)
    assert seen == live[1:4:2]
    idle.set()
    assert done.wait(5)
    assert seen == live[1::2] + live[::2]
