"""The entry and the first page: its group answers, and is handed to the page Target."""

from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from tpo_lab.group.scenario import Scenario
from tpo_lab.runs import service
from tpo_lab.ui.view import View

APP = Path(__file__).parents[2] / "tpo_lab/ui/lab.py"


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setattr(service, "_service", object())  # no worker is needed here
    page = AppTest.from_file(str(APP), default_timeout=30).run()
    assert not page.exception
    return page


def linked(page: AppTest) -> View:
    """The view that the link to the page Target carries."""
    (link,) = [link.proto for link in page.get("page_link") if "Target" in link.proto.label]
    return View.from_query(dict(parse_qsl(link.query_string)))


def test_the_link_to_target_carries_the_group_with_its_temperature(start: AppTest) -> None:
    group = Scenario((1.0, 0.2, 0.0, 0.0), policy=(0.2, 0.3, 0.35, 0.15))
    assert linked(start) == View(group)
    start.session_state["start.view"] = View(replace(group, eta=0.5))
    assert not start.run().exception
    assert linked(start) == View(replace(group, eta=0.5))


def test_three_sentences_say_what_the_method_does(start: AppTest) -> None:
    text = start.markdown[0].value.split("\n", 1)[1]
    assert text.count(".") == 3
