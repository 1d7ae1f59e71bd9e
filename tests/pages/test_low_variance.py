"""The page Low variance without a browser: every trap and look, the numbers on the charts, and bad input."""

import io
import re
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.pages.page import click, control, data, html_of, quiet, sentences, texts, typed, url
from tests.pages.page import opened as page_of
from tpo_lab.group.rules import RULES
from tpo_lab.group.scenario import Scenario
from tpo_lab.group.traps import TRAPS
from tpo_lab.ui import microscope
from tpo_lab.ui.form_file import to_json
from tpo_lab.ui.microscope_numbers import csv_text

opened = partial(page_of, "low_variance")
ODD = ("x", "nan", "inf", "1e999", "", "1" * 20_000, "[<img src=x>](y)")


def test_it_opens_on_the_low_variance_trap() -> None:
    page = opened()
    assert "The low-variance trap" in texts(page)
    assert url(page) == {}
    np.testing.assert_allclose(data(page, 0, "now")["spread"], [float(np.std([0.001, 0, 0]))])
    rows = [row for row in texts(page).split("\n") if row]
    assert all(rule.label.replace("'", "&#x27;") in " ".join(rows) for rule in RULES.values())


@pytest.mark.parametrize("name", TRAPS)
def test_every_trap_opens_and_names_both_values(name: str) -> None:
    page = opened(**microscope.of_trap(TRAPS[name]))
    assert TRAPS[name].label in texts(page)
    assert f"{TRAPS[name].instead} " in texts(page)
    assert TRAPS[name].rule.label.replace("'", "&#x27;") in texts(page)
    assert not sentences(page)


def test_the_slider_moves_the_group_and_leaves_the_curves() -> None:
    page = opened(scores="1,0,0,0", show="u")
    before = data(page, 0, "chosen")
    page = quiet(control(page, "select_slider", "Spread σ").set_value(1e-7).run())
    assert float(url(page)["spread"]) == 1e-7
    assert data(page, 0, "now")["spread"] == [pytest.approx(1e-7)]
    assert data(page, 0, "chosen") == before
    assert "spread" not in url(click(page, "Back to the scores as typed, σ = 0.433"))


def test_the_rules_in_colour_are_chosen_behind_their_words() -> None:
    page = opened()
    assert not page.multiselect
    page.session_state["microscope.open.rules"] = True
    page = quiet(page.run())
    page = quiet(control(page, "multiselect", "Rules in colour").set_value(["tpo_paper", "dr_grpo"]).run())
    assert set(data(page, 0, "chosen")["label"]) == {RULES["tpo_paper"].label, RULES["dr_grpo"].label}
    assert url(page)["rules"] == "tpo_paper,dr_grpo"


def test_equal_scores_have_no_slider_and_leak_only_where_a_stack_does() -> None:
    page = opened(scores="0.7,0.7,0.7,0.7,0.7,0.7,0.7", precision="float32", show="u")
    assert not page.select_slider
    lines = data(page, 0, "chosen")
    values = dict(zip(lines["label"], lines["value"], strict=True))
    assert values["TPO, paper"] == 0
    assert values["GRPO, TPO's reference code"] == pytest.approx(0.856, abs=1e-3)
    assert set(data(page, 0, "marks")["kind"]) == {"leak"}


def test_trust_needs_noise_and_says_what_it_does() -> None:
    page = opened(look="trust")
    assert "signal than noise" in texts(page)
    page = typed(page, "Noise of one score, score units", "0.01")
    assert "Mostly noise" in texts(page)
    assert len(page.get("vega_lite_chart")) == 3
    assert len(data(page, 0, "q")["candidate"]) == 3
    page = typed(page, "Noise of one score, score units", "0")
    assert "no noise" in page.info[0].value


def test_the_noise_is_estimated_from_repeats() -> None:
    page = opened(look="trust", scores="1,0")
    page.session_state["microscope.open.repeats"] = True
    page = typed(quiet(page.run()), "One line a candidate", "1.0 1.2\n0 0.2", "text_area")
    assert "0.141" in " ".join(c.value for c in page.caption)
    assert url(click(page, "Use it"))["noise"] == "0.1414"


def test_rewards_collapse_when_summed_first() -> None:
    page = opened(look="rewards")
    assert "Different rewards collapse" in texts(page)
    page = typed(page, "Weights", "1,2")
    assert "Nothing collapses" in texts(page)
    page = typed(page, "Weights", "1")
    assert sentences(page) == ["There are 1 weights for 2 rewards; give one each."]


def test_rewards_follow_the_strength_of_the_rule_and_are_shown_as_code() -> None:
    weak, strong = (opened(look="rewards", rule="robust_floor", strength=s, weights="1,2") for s in ("0.1", "5"))
    assert max(data(strong, 0, "bars")["value"]) < 0.5 * max(data(weak, 0, "bars")["value"])
    strong.session_state["microscope.open.code"] = True
    quiet(strong.run())
    assert ["5.0" in code.value and "q_mix_targets" in code.value for code in strong.code] == [True] * 3


def test_copies_are_kept_or_merged() -> None:
    page = opened(look="copies", scores="1,0,0.5", answers="a,a,b")
    assert "Copies: a × 2" in texts(page)
    page = typed(page, "Answers", "a,b")
    assert sentences(page) == ["There are 2 answers for 3 scores; name one a candidate."]
    assert "Copies: a × 2" in texts(page)  # the last good one stays
    assert control(page, "text_input", "Answers").value == "a,b"


def test_bad_input_keeps_what_was_typed_and_the_group() -> None:
    page = typed(opened(), "Scores", "1,x")
    assert len(sentences(page)) == 1
    assert control(page, "text_input", "Scores").value == "1,x"
    assert url(page) == {}
    page = quiet(control(page, "select_slider", "Spread σ").set_value(0.1).run())  # other controls go on working
    assert url(page) == {"spread": "0.1"}
    assert len(sentences(page)) == 1
    assert not sentences(typed(page, "Scores", "1,0"))


@pytest.mark.parametrize(
    ("look", "label", "about", "out_of_range"),
    [
        ("rules", "Scores", "Scores|score", "null,null"),
        ("rules", "Temperature η", "eta|Eta", "-1"),
        ("rules", "Old policy: probabilities", "Policy|probabilit|Probabilit", "1,-1,0"),
        ("trust", "Noise of one score, score units", "noise|Noise", "1e7"),
        ("trust", "One line a candidate", "Repeats|two scores|lines of repeats", "1\n" * 65),
        ("rewards", "Rewards, one line each", "Rewards|reward|lines of rewards", "1,0\n" * 7),
        ("rewards", "Weights", "Weights|weight", "0,0"),
        ("copies", "Answers", "answers for 3 scores|A name has", f"a,b,{'c' * 41}"),
    ],
)
def test_bad_input_of_any_kind_leaves_the_page(look: str, label: str, about: str, out_of_range: str) -> None:
    page = opened(look=look)
    page.session_state["microscope.open.more"] = page.session_state["microscope.open.repeats"] = True
    shown, query = html_of(quiet(page.run())), url(page)
    kind = "text_area" if "line" in label else "text_input"
    for text in (*ODD, out_of_range):
        if not text and label in ("Answers", "One line a candidate", "Old policy: probabilities"):
            continue  # empty is their default
        page = typed(page, label, text, kind)
        (sentence,) = sentences(page)
        assert re.search(about, sentence.replace("\\", "")), sentence
        assert len(sentence) < 200
        assert control(page, kind, label).value == text
        assert url(page) == query
        assert html_of(page) == shown


def test_names_of_answers_that_fit_no_more_do_not_shut_their_look() -> None:
    page = opened(look="copies", scores="1,0,0.5", answers="a,a,b")
    look: Any = page.get("button_group")[0]
    page = typed(quiet(look.set_value("rules").run()), "Scores", "1,0")
    look = page.get("button_group")[0]
    page = quiet(look.set_value("copies").run())
    assert "No copies" in texts(page)
    assert not sentences(page)


def test_what_is_wrong_goes_with_the_way_back() -> None:
    page = typed(opened(), "Scores", "1,x")
    form = page.session_state["microscope.form"]
    form._read_url({"scores": "1,0"})
    assert not form._wrong
    assert form.text("scores") == "1,0"


@pytest.mark.parametrize(
    ("query", "about"),
    [
        ({"scores": "1,a"}, "'a'"),
        ({"look": "all"}, "rewards"),
        ({"rules": "tpo"}, "tpo_paper"),
        ({"spread": "1e9"}, "spread must be"),
        ({"precision": "float16"}, "float32"),
        ({"noise": "-1"}, "noise must be"),
        ({"noise_kind": "pink"}, "step"),
        ({"rewards": "1,0\n1"}, "2, 1 numbers"),
        ({"colour": "red"}, "colour"),
        ({"eta": "0"}, "greater than 0"),
        ({"kind": "odds"}, "log_probs"),
        ({"policy": "1"}, "1 probabilit"),
        ({"lengths": "1,1,1"}, "mean log-probs"),
        ({"rule": "grpo"}, "known"),
        ({"strength": "1"}, "no strength"),
        ({"spread": "nan"}, "Spread is"),
        ({"show": "p"}, "known: q, u"),
        ({"missing": "2"}, "zero"),
        ({"repeats": "1\n2"}, "two scores"),
        ({"weights": "1"}, "1 weights for 2"),
        ({"look": "copies", "answers": "a,b"}, "2 answers for 3"),
    ],
)
def test_a_bad_url_is_one_sentence(query: dict[str, str], about: str) -> None:
    page = opened(**query)
    assert len(sentences(page)) == 1
    assert about in sentences(page)[0].replace("\\", "")
    assert "The low-variance trap" in texts(page)
    assert url(page) == query


def test_the_table_as_a_file() -> None:
    view = microscope.read({**microscope.DEFAULTS, "scores": "1,null,0"})
    table = np.genfromtxt(io.StringIO(csv_text(view)), delimiter=",", names=True, dtype=None, encoding="utf-8")
    assert len(table) == 2 * len(RULES)
    assert set(table["candidate"]) == {1, 3}
    np.testing.assert_allclose(table["u"][table["rule"] == "tpo_paper"], [1, -1])


@pytest.mark.parametrize(("look", "rows"), [("trust", 2), ("rewards", 4), ("copies", 2)])
def test_the_other_looks_as_files(look: str, rows: int) -> None:
    view = microscope.read({**microscope.DEFAULTS, "scores": "1,null,0", "answers": "a,b,a", "look": look})
    table = np.genfromtxt(io.StringIO(csv_text(view)), delimiter=",", names=True, dtype=None, encoding="utf-8")
    assert len(table) == rows
    targets = [
        name for name in table.dtype.names or () if re.fullmatch("q|q_[a-z_]*[a-z]", name) and "percent" not in name
    ]
    assert targets
    np.testing.assert_allclose([np.sum(table[name]) for name in targets], 1)


def test_a_link_with_log_probs_and_a_strength_is_read() -> None:
    query = {
        "scores": "0.01,0,0.02",
        "policy": "-1,-2,-3",
        "kind": "log_probs",
        "rule": "robust_floor",
        "strength": "0.2",
    }
    page = opened(look="trust", **query)
    assert not sentences(page)
    assert control(page, "text_input", "Strength, score units").value == "0.2"
    page = typed(page, "Strength, score units", "-1")
    assert sentences(page) == ["The strength must be greater than 0, not -1."]
    quiet(control(page, "selectbox", "Standardisation rule").set_value("tpo_paper").run())
    assert "strength" not in url(page)


def test_a_saved_page_is_loaded_again() -> None:
    query = {"look": "trust", "scores": "0.01,0,0.02", "rule": "robust_floor", "strength": "0.2", "noise": "0.25"}
    page = opened(**query)
    saved = to_json(
        "low_variance", page.session_state["microscope.form"].texts, page.session_state["microscope.form"].view.typed
    )
    other = opened(look="rewards")
    other.session_state["microscope.open.more"] = True
    quiet(other.run())
    quiet(other.file_uploader[0].upload("page.json", saved.encode(), "application/json").run())
    assert url(other) == query
    assert not sentences(other)


def test_code_follows_the_rule() -> None:
    page = opened(scores="0.001,0,0.0005")
    assert not page.code
    page.session_state["microscope.open.code"] = True
    quiet(page.run())
    quiet(control(page, "selectbox", "Standardisation rule").set_value("rloo").run())
    assert len(page.code) == 3
    assert all(f"Rule: {RULES['rloo'].label}" in code.value and "0.0005" in code.value for code in page.code)


def test_the_shown_group_leaves_for_the_other_pages(opened_on: dict[str, dict[str, str]]) -> None:
    page = opened(scores="1,0,0.5", spread="0.1", look="trust")
    page.session_state["microscope.open.more"] = True
    quiet(page.run())
    left = Scenario.from_query(opened_on["one_update"])
    assert np.std(left.score_array()) == pytest.approx(0.1)
    assert opened_on["target"] == opened_on["one_update"]
