"""A group as stated: the same in a URL, a file and a dict, and every fault in one sentence."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tests.group.cases import fixed, scenarios
from tpo_lab.errors import InputError
from tpo_lab.group.presets import PRESETS
from tpo_lab.group.scenario import MAX_JSON, Scenario


@fixed
@given(scenarios())
def test_lossless_in_every_form(scenario: Scenario) -> None:
    assert Scenario.from_dict(scenario.to_dict()) == scenario
    assert Scenario.from_json(scenario.to_json()) == scenario
    query = scenario.to_query()
    assert all(isinstance(text, str) for text in query.values())
    assert repr(Scenario.from_query(query)) == repr(scenario)  # repr tells 0.0 from -0.0


def test_defaults_are_left_out() -> None:
    assert Scenario((1, None, 0)).to_query() == {"scores": "1,null,0"}
    assert Scenario((1, None, 0)).to_dict() == {"scores": [1, None, 0]}
    full = Scenario((1, 0), (-1, -2.5), "mean_log_probs", (10, 20), 0.5, "robust_floor", 0.1)
    assert full.to_query() == {
        "scores": "1,0",
        "policy": "-1,-2.5",
        "kind": "mean_log_probs",
        "lengths": "10,20",
        "eta": "0.5",
        "rule": "robust_floor",
        "strength": "0.1",
    }


@pytest.mark.parametrize("preset", PRESETS.values(), ids=list(PRESETS))
def test_presets_travel(preset: Any) -> None:
    assert Scenario.from_query(preset.scenario.to_query()) == preset.scenario


def test_any_real_number_is_taken_and_kept_as_a_float() -> None:
    made = Scenario(np.array([1, 0]), [np.float32(0.5), Fraction(1, 2)], eta=1)  # type: ignore[arg-type]
    assert made == Scenario((1.0, 0.0), (0.5, 0.5))
    assert all(type(x) is float for x in (*made.scores, *(made.policy or ()), made.eta))
    assert hash(made) == hash(Scenario((1.0, 0.0), (0.5, 0.5)))


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"scores": []}, "scores", "1 to 64 candidates, not 0"),
    ({"scores": [0] * 65}, "scores", "1 to 64 candidates, not 65"),
    ({"scores": [None, None]}, "scores", "At least one"),
    ({"scores": [1, "x"]}, "scores", "Score 2 is 'x'"),
    ({"scores": [1, float("nan")]}, "scores", "Score 2"),
    ({"scores": [1, float("inf")]}, "scores", "Score 2 is inf"),
    ({"scores": [True]}, "scores", "Score 1 is True"),
    ({"scores": [10**400]}, "scores", "Score 1"),
    ({"scores": [10**10_000]}, "scores", "Score 1"),
    ({"scores": [1e301]}, "scores", "1e\\+300"),
    ({"scores": [[1]]}, "scores", "Score 1"),
    ({"scores": "1,2"}, "scores", "list of numbers"),
    ({"scores": 5}, "scores", "list of numbers"),
    ({"scores": {"a": 1}}, "scores", "list of numbers"),
    ({"scores": None}, "scores", "list of numbers"),
    ({}, "scores", "needs scores"),
    ({"policy": [0.5]}, "policy", "1 probabilities for 2 scores"),
    ({"policy": [0.5, -0.1]}, "policy", "Probability 2 is -0.1"),
    ({"policy": [0, 0]}, "policy", "greater than 0"),
    ({"scores": [None, 1], "policy": [1, 0]}, "policy", "scored candidate"),
    ({"policy": [0.5, None]}, "policy", "Probability 2 is None"),
    ({"policy": "uniform"}, "policy", "list of numbers"),
    ({"policy": [1, 2, 3], "kind": "log_probs"}, "policy", "3 log-probs for 2 scores"),
    ({"policy": [-1, float("-inf")], "kind": "log_probs"}, "policy", "Log-prob 2 is -inf"),
    ({"kind": "log_probs"}, "policy", "missing"),
    ({"kind": "x"}, "kind", "Unknown kind"),
    ({"kind": []}, "kind", "Unknown kind"),
    ({"kind": None}, "kind", "Unknown kind"),
    ({"kind": "mean_log_probs", "policy": [-1, -2]}, "lengths", "need lengths"),
    ({"lengths": [1, 2]}, "lengths", "go with mean log-probs"),
    ({"kind": "mean_log_probs", "policy": [-1, -2], "lengths": [1]}, "lengths", "1 lengths"),
    ({"kind": "mean_log_probs", "policy": [-1, -2], "lengths": [1, 0.5]}, "lengths", "Length 2 is 0.5"),
    ({"kind": "mean_log_probs", "policy": [-1, -1e200], "lengths": [1, 1e200]}, "lengths", "Log-prob 2 times"),
    ({"eta": 0}, "eta", "greater than 0"),
    ({"eta": -1}, "eta", "greater than 0"),
    ({"eta": "1"}, "eta", "not a number"),
    ({"eta": None}, "eta", "not a number"),
    ({"eta": float("nan")}, "eta", "not a number"),
    ({"rule": "x"}, "rule", "known: tpo_paper"),
    ({"rule": {}}, "rule", "known: tpo_paper"),
    ({"strength": 1}, "strength", "no strength"),
    ({"strength": -1, "rule": "robust_floor"}, "strength", "greater than 0"),
    ({"strength": "x", "rule": "robust_floor"}, "strength", "not a number"),
    ({"unknown": 1}, "unknown", "Unknown field 'unknown'"),
]


@pytest.mark.parametrize(("fields", "field", "words"), BAD)
def test_every_fault_in_one_sentence(fields: dict[str, Any], field: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        Scenario.from_dict({"scores": [1, 0], **fields} if fields else {})
    message = str(caught.value)
    assert caught.value.field == field
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 700


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[1, 2]", "not an object"),
        ("3", "not an object"),
        ('{"scores": [NaN]}', "holds NaN; a missing score is null"),
        ('{"scores": [1, -Infinity]}', "holds -Infinity"),
        ('{"scores": [1e400]}', "Score 1 is inf"),
        ('{"scores": [' + "9" * 5000 + "]}", "Score 1"),
        ("[" * 50_000, "nested too deeply"),
        (" " * (MAX_JSON + 1), "at most 100000"),
    ],
)
def test_bad_files(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Scenario.from_json(text)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"scores": "1,x"}, "scores"),
        ({"scores": "1,0", "policy": "a,b"}, "policy"),
        ({"scores": "1,0", "eta": ""}, "eta"),
        ({"scores": "1,0", "strength": "nan"}, "strength"),
        ({"scores": "1,0", "rule": "x"}, "rule"),
        ({"scores": "1,0", "kind": "x"}, "kind"),
        ({"scores": "1,0", "more": "x"}, "more"),
        ({"eta": "1"}, "scores"),
    ],
)
def test_a_url_edited_by_hand_names_the_parameter(query: dict[str, str], field: str) -> None:
    with pytest.raises(InputError) as caught:
        Scenario.from_query(query)
    assert caught.value.field == field


def test_log_probs_of_every_kind() -> None:
    uniform = Scenario((1, 0, 0, 0))
    np.testing.assert_allclose(np.exp(uniform.log_p_old()), 0.25)
    weights = replace(uniform, policy=(5e-324, 1e300, 0, 1))
    np.testing.assert_array_equal(weights.log_p_old()[2], -np.inf)
    np.testing.assert_allclose(weights.log_p_old()[[0, 1, 3]], [-744.44, 690.78, 0], atol=0.01)
    means = replace(uniform, policy=(-1, -2, -0.5, 0), kind="mean_log_probs", lengths=(3, 2, 10, 7))
    np.testing.assert_array_equal(means.log_p_old(), [-3, -4, -5, 0])


def test_a_saved_group_is_one_line_of_json() -> None:
    text = PRESETS["missing_score"].scenario.to_json()
    assert json.loads(text) == {"scores": [-1, -1, -0.5, None]}
    assert "\n" not in text
