"""A page saved as a file is the page that the file gives back; files of other pages give their group."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tpo_lab.errors import InputError
from tpo_lab.group.scenario import Scenario
from tpo_lab.ui import microscope, one_update
from tpo_lab.ui.form import Form
from tpo_lab.ui.form_file import from_json, to_json
from tpo_lab.ui.view import View

GROUP = {"scores": "0.01,null,0.02", "policy": "-1,-2,-3", "kind": "log_probs", "eta": "0.7", "rule": "robust_floor"}
LOW = {
    **GROUP,
    "strength": "0.2",
    "look": "trust",
    "spread": "1e-07",
    "precision": "float32",
    "show": "u",
    "missing": "zero",
    "rules": "rloo",
    "noise": "0.25",
    "noise_kind": "step",
    "repeats": "1 2\n3",
    "rewards": "1,0\n0,1",
    "weights": "2,1",
    "answers": "a,a,b",
}
UPDATE = {
    **GROUP,
    "look": "methods",
    "methods": "tpo,awr",
    "quantity": "policy",
    "epoch": "4",
    "step": "0.3",
    "optimiser": "normalised",
    "clip": "0.1",
    "kl_weight": "0",
    "moved": "2",
    "masked": "on",
}


def saved(page: str, defaults: Mapping[str, str], texts: Mapping[str, str]) -> str:
    whole = {**defaults, **texts}
    group = Scenario.from_query({name: whole[name] for name in microscope.GROUP if whole[name]})
    return to_json(page, whole, group)


@pytest.mark.parametrize(
    ("page", "defaults", "texts", "read"),
    [
        ("low_variance", microscope.DEFAULTS, LOW, microscope.read),
        ("one_update", one_update.DEFAULTS, UPDATE, one_update.read),
    ],
)
def test_a_saved_page_is_the_page(
    page: str, defaults: Mapping[str, str], texts: Mapping[str, str], read: Callable[[Mapping[str, str]], Any]
) -> None:
    assert set(texts) >= set(defaults) - {"lengths", "phase", "strength"}
    found = from_json(page, saved(page, defaults, texts), defaults)
    assert {**defaults, **found} == {**defaults, **texts}
    form = Form(page, defaults, read)
    form.take_file(lambda: found)
    assert form.texts == {**defaults, **texts}


def test_a_group_and_a_file_of_another_page_leave_the_settings() -> None:
    group = Scenario((1, None, 0.5), eta=2)
    form = Form("low_variance", microscope.DEFAULTS, microscope.read)
    form.change({"spread": "0.1", "precision": "float32", "rule": "rloo"})
    for text in (
        View(group, 0, 3.0).to_json(),
        group.to_json(),
        saved("one_update", one_update.DEFAULTS, group.to_query()),
    ):
        form.change({"spread": "0.1", "eta": "7"})
        form.take_file(lambda text=text: from_json("low_variance", text, microscope.DEFAULTS))  # type: ignore[misc]
        assert form.view.typed == group
        assert form.texts["precision"] == "float32"
        assert form.texts["spread"] == ""


@pytest.mark.parametrize(
    ("change", "about"),
    [
        ({"scores": [1, "x"]}, "'x'"),
        ({"scores": "1,0"}, "list of numbers"),
        ({"precision": "float16"}, "float32"),
        ({"spread": 1e9}, "spread must be"),
        ({"noise": [1]}, "must be a text"),
        ({"colour": "red"}, "colour"),
        ({"eta": 0}, "greater than 0"),
    ],
)
def test_a_bad_file_is_one_sentence_and_changes_nothing(change: dict[str, Any], about: str) -> None:
    form = Form("low_variance", microscope.DEFAULTS, microscope.read)
    text = json.dumps({**json.loads(saved("low_variance", microscope.DEFAULTS, LOW)), **change})
    form.take_file(lambda: from_json("low_variance", text, microscope.DEFAULTS))
    assert about in form._wrong["file"]
    assert form.texts == microscope.DEFAULTS
    form.take_file(
        lambda: from_json("low_variance", saved("low_variance", microscope.DEFAULTS, LOW), microscope.DEFAULTS)
    )
    assert not form._wrong


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"page": "low_variance"}', "1" * 200_000, "\N{REPLACEMENT CHARACTER}"]
)
def test_what_is_no_saved_page_is_said(text: str) -> None:
    with pytest.raises(InputError):
        from_json("low_variance", text, microscope.DEFAULTS)
