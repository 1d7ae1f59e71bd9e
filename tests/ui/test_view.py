"""The Target page's state survives the URL and the file, to the last bit."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpo_lab.errors import InputError
from tpo_lab.group.presets import PRESETS
from tpo_lab.group.scenario import Scenario
from tpo_lab.ui.view import View

finite = st.floats(-1e300, 1e300, allow_subnormal=True)


@st.composite
def views(draw: st.DrawFn) -> View:
    scores = draw(st.lists(st.none() | finite, min_size=1, max_size=8).filter(lambda s: any(x is not None for x in s)))
    log_p = draw(st.none() | st.lists(finite, min_size=len(scores), max_size=len(scores)))
    return View(
        Scenario(
            tuple(scores),
            policy=None if log_p is None else tuple(log_p),
            kind="probs" if log_p is None else "log_probs",
            eta=draw(st.floats(1e-300, 1e300)),
        ),
        draw(st.none() | st.integers(0, len(scores) - 1)),
        draw(st.floats(1e-3, 20)),
    )


@given(views())
def test_url_and_file_give_the_same_view_back(view: View) -> None:
    assert View.from_query(view.to_query()) == view
    assert View.from_json(view.to_json()) == view


@pytest.mark.parametrize("name", PRESETS)
def test_a_saved_group_alone_is_a_view(name: str) -> None:
    scenario = PRESETS[name].scenario
    assert View.from_json(scenario.to_json()) == View(scenario)


def test_the_default_needs_no_parameters() -> None:
    assert View().to_query() == {}
    assert View.from_query({}) == View()


@pytest.mark.parametrize(
    ("extra", "about"),
    [
        ({"candidate": "a"}, "use a number"),
        ({"candidate": None}, "use a number"),
        ({"candidate": True}, "use a number"),
        ({"candidate": 1.5}, "whole number"),
        ({"candidate": 0}, "no candidate 0"),
        ({"candidate": 1e300}, "no candidate 1e"),
        ({"step_size": 0}, "above 0"),
        ({"step_size": 21}, "at most 20"),
        ({"step_size": [1]}, "use a number"),
        ({"colour": 1}, "Unknown field"),
    ],
)
def test_a_bad_file_is_one_sentence(extra: dict[str, object], about: str) -> None:
    with pytest.raises(InputError, match=about):
        View.from_json(json.dumps({"scores": [1, 0]} | extra))


def test_a_smaller_group_lets_go_of_a_candidate_that_it_lacks() -> None:
    view = View(Scenario((1, 0, 0)), 2)
    assert view.with_scenario(Scenario((1, 0))).candidate is None
    assert view.with_scenario(Scenario((1, 0, 5))).candidate == 2
