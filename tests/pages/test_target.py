"""The page Target without a browser: what the controls do to the numbers, and what bad input leaves alone."""

import math
import re
from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.page import control, html_of, quiet, sentences, typed, url
from tests.pages.page import opened as page_of
from tpo_lab.group.presets import PRESETS
from tpo_lab.group.rules import RULES
from tpo_lab.group.scenario import Scenario
from tpo_lab.ui import microscope, one_update
from tpo_lab.ui.view import View

opened = partial(page_of, "target")


def headline(page: AppTest) -> str:
    (title,) = re.findall("<h4.*?>(.*?)</h4>", html_of(page))
    return str(title)


def metric(page: AppTest, label: str) -> str:
    (found,) = re.findall(f"<dt>{re.escape(label)}.*?</dt><dd>(.*?)</dd>", html_of(page))
    return str(found)


def open_numbers(page: AppTest) -> AppTest:
    return open_box(page, "numbers")


def open_box(page: AppTest, name: str) -> AppTest:
    page.session_state[f"target.open.{name}"] = True
    return quiet(page.run())


def test_it_opens_on_one_success_of_eight() -> None:
    page = opened()
    assert headline(page) == "One winner"
    assert metric(page, "Spread") == "0.331"
    assert metric(page, "Odds of candidate 1") == "× 20.6"
    assert metric(page, "KL") == "1.02"
    assert metric(page, "Effective candidates") == "8 → 2.89"
    assert url(page) == {}


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_opens_says_why_and_is_in_the_url(name: str) -> None:
    preset = PRESETS[name]
    page = opened(**preset.scenario.to_query())
    assert preset.why in [caption.value for caption in page.caption]
    assert control(page, "number_input", "Candidates K").value == preset.scenario.k


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_opens_with_its_source(rule: str) -> None:
    page = opened(scores="1,0,0.5,null", rule=rule)
    assert any(RULES[rule].source in caption.value for caption in page.caption)
    assert [x.label for x in page.text_input if "Strength" in x.label or "Bound" in x.label] == (
        [] if RULES[rule].tunable is None else [page.text_input[-1].label]
    )


def test_eta_by_field_and_budget_is_one_value() -> None:
    page = typed(opened(), "η", "123.5")
    assert url(page)["eta"] == "123.5"
    typed(page, "η from KL, nats", "0.25")
    assert metric(page, "KL") == "0.25"
    odds = math.exp(8 / math.sqrt(7) / float(url(page)["eta"])) / 7
    q = odds / (1 + odds)
    assert q * math.log(8 * q) + (1 - q) * math.log(8 * (1 - q) / 7) == pytest.approx(0.25, abs=1e-5)


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "abc", "", "1e999"])
def test_a_bad_eta_keeps_the_last_good_one_and_what_was_typed(text: str) -> None:
    page = typed(opened(scores="1,0", eta="2"), "η", text)
    assert len(sentences(page)) == 1
    assert control(page, "text_input", "η").value == text
    assert url(page) == {"scores": "1,0", "eta": "2"}
    assert metric(page, "KL") == "0.111"
    typed(page, "η", "1")
    assert sentences(page) == []
    assert "eta" not in url(page)


def test_a_budget_out_of_reach_is_said() -> None:
    page = typed(opened(), "η from KL, nats", "30")
    assert "out of reach" in sentences(page)[0]
    assert metric(page, "KL") == "1.02"
    assert sentences(typed(page, "η from KL, nats", "a")) == ["KL is 'a'; use a finite number such as 0.5."]
    assert sentences(typed(page, "η from KL, nats", "")) == []


def test_fewer_and_more_candidates_copy_or_drop_the_last() -> None:
    page = opened(scores="1,0,2", policy="0.5,0.25,0.25")
    quiet(control(page, "number_input", "Candidates K").set_value(5).run())
    assert url(page)["scores"] == "1,0,2,2,2"
    assert url(page)["policy"] == "0.5,0.25,0.25,0.25,0.25"
    quiet(control(page, "number_input", "Candidates K").set_value(2).run())
    assert url(page)["scores"] == "1,0"


@pytest.mark.parametrize("k", [0, -1, 65, 3.7, 10**12])
def test_a_size_out_of_range_is_said_and_kept(k: float) -> None:
    page = opened(scores="1,0")
    quiet(control(page, "number_input", "Candidates K").set_value(k).run())
    assert sentences(page) == [f"A group has 1 to 64 candidates, not {k}."]
    assert control(page, "number_input", "Candidates K").value == k
    assert metric(page, "Effective candidates").startswith("2 →")


def test_dropping_the_last_scored_candidate_is_refused() -> None:
    page = opened(scores="null,null,1")
    quiet(control(page, "number_input", "Candidates K").set_value(2).run())
    assert len(sentences(page)) == 1
    assert url(page)["scores"] == "null,null,1"


def test_a_strength_belongs_to_its_rule() -> None:
    page = opened(scores="0.001,0,0", rule="robust_floor", strength="0.5")
    assert control(page, "text_input", "Strength, score units").value == "0.5"
    typed(page, "Strength, score units", "-2")
    assert sentences(page) == ["The strength must be greater than 0, not -2."]
    quiet(control(page, "selectbox", "Standardisation rule").set_value("tpo_paper").run())
    assert sentences(page) == []
    assert url(page) == {"scores": "0.001,0,0"}


@pytest.mark.parametrize(
    ("query", "about"),
    [
        ({"scores": "1,a"}, "'a'"),
        ({"scores": "1,0", "eta": "0"}, "greater than 0"),
        ({"scores": "1,0", "policy": "0.5"}, "1 probabilit"),
        ({"scores": "1,0", "policy": "0,0"}, "greater than 0"),
        ({"scores": "1,0", "policy": "-1,2"}, "negative"),
        ({"scores": "1,0", "rule": "grpo"}, "known"),
        ({"scores": ",".join("0" * 65)}, "at most 64"),
        ({"scores": "1,0", "candidate": "3"}, "no candidate 3"),
        ({"scores": "1,0", "candidate": "1.5"}, "whole number"),
        ({"scores": "1,0", "step_size": "0"}, "step size"),
        ({"scores": "1,0", "colour": "red"}, "colour"),
        ({"scores": "1" * 20_000}, "limit"),
    ],
)
def test_a_bad_url_is_one_sentence_and_the_default_stays(query: dict[str, str], about: str) -> None:
    page = opened(**query)
    assert len(sentences(page)) == 1
    assert about in sentences(page)[0]
    assert metric(page, "Spread") == "0.331"
    assert url(page) == query  # to be corrected by hand
    typed(page, "η", "2")
    assert sentences(page) == []
    assert url(page) == {"scores": "1,0,0,0,0,0,0,0", "eta": "2"}


def test_the_url_waits_for_the_end_of_a_drag_but_not_for_ever() -> None:
    page = opened(scores="1,0")
    session = page.session_state["target.session"]
    session.view, session.gesture = View(Scenario((1.0, 0.5))), True  # as an edit leaves it
    assert url(quiet(page.run())) == {"scores": "1,0"}
    assert url(quiet(page.run())) == {"scores": "1,0.5"}  # the page was left and opened again, for instance


def test_a_single_candidate_of_a_url_opens() -> None:
    page = opened(scores="1")
    assert headline(page) == "Only one candidate"
    assert control(page, "number_input", "Candidates K").value == 1


def test_scores_are_pasted() -> None:
    page = open_numbers(opened())
    typed(page, "Scores", "[1; 0.5; null; -2]", "text_area")
    assert sentences(page) == []
    assert url(page)["scores"] == "1,0.5,null,-2"
    assert headline(page) == "A score is missing"


@pytest.mark.parametrize("text", ["1, x", "", "nan", "inf, 1", "1,,2", ",".join(["1"] * 65), "1 " * 9_000, "null"])
def test_bad_scores_are_kept_as_typed(text: str) -> None:
    page = typed(open_numbers(opened()), "Scores", text, "text_area")
    assert len(sentences(page)) == 1
    assert control(page, "text_area", "Scores").value == text
    typed(page, "η", "2")
    assert control(page, "text_area", "Scores").value == text
    assert len(sentences(page)) == 1
    assert url(page) == {"scores": "1,0,0,0,0,0,0,0", "eta": "2"}


def test_what_is_wrong_comes_back_with_its_field() -> None:
    page = typed(open_numbers(opened(scores="1,0")), "Scores", "1, oops", "text_area")
    page.session_state["target.open.numbers"] = False
    quiet(page.run())
    assert sentences(page) == []
    quiet(control(page, "number_input", "Candidates K").set_value(65).run())  # what is refused settles nothing
    page = open_numbers(page)
    assert control(page, "text_area", "Scores").value == "1, oops"
    assert len(sentences(page)) == 2
    typed(page, "Scores", "1, 2", "text_area")
    assert sentences(page) == ["A group has 1 to 64 candidates, not 65."]
    assert url(page) == {"scores": "1,2"}


def test_a_pasted_group_is_right_when_its_last_field_is() -> None:
    page = open_numbers(opened(scores="1,0", policy="0.5,0.5"))
    typed(page, "Scores", "1, 0, 0", "text_area")
    assert sentences(page) == ["There are 2 probabilities for 3 scores; give one per candidate."]
    assert url(page)["scores"] == "1,0"
    typed(page, "Probabilities", "0.2, 0.2, 0.6", "text_area")
    assert sentences(page) == []
    assert url(page) == {"scores": "1,0,0", "policy": "0.2,0.2,0.6"}


def test_a_policy_is_stated_in_another_way_without_moving_the_target() -> None:
    page = open_numbers(opened(scores="1,0", policy="0.8,0.2"))
    before = metric(page, "KL")
    quiet(control(page, "selectbox", "Old policy").set_value("mean_log_probs").run())
    typed(page, "Lengths, tokens", "2, 2", "text_area")
    assert sentences(page) == []
    assert metric(page, "KL") != before  # twice the log-probs
    quiet(control(page, "selectbox", "Old policy").set_value("probs").run())
    weights = [float(p) for p in url(page)["policy"].split(",")]
    assert weights[0] / weights[1] == pytest.approx(16)
    quiet(control(page, "selectbox", "Old policy").set_value("uniform").run())
    assert "policy" not in url(page)


def test_a_probability_of_zero_has_no_log_prob() -> None:
    page = open_numbers(opened(scores="1,0,0", policy="0.5,0.5,0"))
    quiet(control(page, "selectbox", "Old policy").set_value("log_probs").run())
    assert len(sentences(page)) == 1
    assert url(page)["policy"] == "0.5,0.5,0"


def test_the_formula_has_the_numbers_of_the_candidate() -> None:
    formula = opened(scores="1,0,0,0,0,0,0,0", candidate="2").markdown[0].value
    assert "Candidate 2" in formula
    assert r"e^{-0.378 / 1}}{2.36} = 0.0363" in formula
    assert "0.125 - 0.0363 = 0.0887" in formula
    absent = opened(scores="1,0,null", candidate="3").markdown[0].value
    assert "has no score" in absent
    assert "$$" not in absent


def test_the_group_is_handed_to_the_pages_that_look_closer(opened_on: dict[str, dict[str, str]]) -> None:
    group = Scenario((1, None, 0.5), policy=(-1, -2, -3), kind="log_probs", eta=0.7, rule="robust_floor", strength=0.3)
    opened(**group.to_query(), candidate="3")
    assert opened_on.keys() == {"one_update", "low_variance"}
    assert one_update.read({**one_update.DEFAULTS, **opened_on["one_update"]}).scenario == group
    assert microscope.read({**microscope.DEFAULTS, **opened_on["low_variance"]}).scenario == group


def test_code_is_shown_when_asked_for() -> None:
    page = opened(scores="1,0,0.25")
    assert not page.code
    open_box(page, "code")
    assert [language in code.value for language, code in zip(("numpy", "jax", "torch"), page.code, strict=True)] == [
        True
    ] * 3
    assert all("0.25" in code.value for code in page.code)


@pytest.mark.parametrize(
    ("scores", "spread"), [("1e300,-1e300", "1e300"), ("1e-300,0", "5e−301"), (",".join(["0"] * 63 + ["1"]), "0.124")]
)
def test_extremes_open(scores: str, spread: str) -> None:
    page = opened(scores=scores, eta="1e-9")
    assert metric(page, "Spread") == spread
    assert metric(page, "Effective candidates").endswith("→ 1")
