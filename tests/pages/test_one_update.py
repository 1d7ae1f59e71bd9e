"""The page One update without a browser: phases, methods, dead groups, and bad input."""

import io
import re
from functools import partial
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.page import control, data, html_of, quiet, sentences, texts, typed, url
from tests.pages.page import opened as page_of
from tpo_lab.group.presets import PRESETS
from tpo_lab.group.report import report
from tpo_lab.group.scenario import Scenario
from tpo_lab.methods.registry import METHODS
from tpo_lab.methods.table4 import TABLE
from tpo_lab.methods.updates import EPOCHS, UPDATED
from tpo_lab.ui import one_update
from tpo_lab.ui.form_file import to_json
from tpo_lab.ui.one_update_methods import csv_text

opened = partial(page_of, "one_update")
SKEWED = {"scores": "1,0,0.5,null", "policy": "0.2,0.3,0.4,0.1", "eta": "0.7"}
ODD = ("x", "nan", "inf", "1e999", "", "1" * 20_000, "[<img src=x>](y)")
GROUP = Scenario((1, 0, 0.5, None), policy=(0.2, 0.3, 0.4, 0.1), eta=0.7)


def bars(page: AppTest, chart: int = 0) -> dict[str, list[float]]:
    """The bars of a chart, by kind."""
    table = data(page, chart, "bars")
    found: dict[str, list[float]] = {}
    for kind, value in zip(table["kind"], table["value"], strict=True):
        found.setdefault(kind, []).append(value)
    return found


def walked(page: AppTest, phase: str) -> AppTest:
    """The page after its stepper has gone to a phase: a component that runs in a browser only."""
    page.session_state["update.form"].change({"phase": phase})
    return quiet(page.run())


def test_each_phase_is_drawn_and_the_url_follows() -> None:
    page = opened(**SKEWED)
    now = report(GROUP)
    np.testing.assert_allclose(bars(page)["p_old"], now.p_old)
    np.testing.assert_allclose(bars(page, 1)["log p_old"], [*now.log_p_old[:3], 0])
    page = walked(page, "score")
    np.testing.assert_allclose(bars(page)["score"], [1, 0, 0.5, 0])
    np.testing.assert_allclose(bars(page, 1)["score − mean"], [0.5, -0.5, 0, 0])
    page = walked(page, "standardise")
    np.testing.assert_allclose(bars(page)["u"], now.u)
    assert "GRPO" in bars(page, 1)
    page = walked(page, "tilt")
    assert url(page)["phase"] == "tilt"
    np.testing.assert_allclose(bars(page)["target q"], now.q)
    page = walked(page, "fit")
    np.testing.assert_allclose(data(page, 0, "ticks")["value"], now.q)
    assert set(bars(page)) == {"p_old", *(f"after {n}" for n in EPOCHS)}
    lines = data(page, 2, "lines")
    assert set(lines["label"]) == {METHODS[name].label for name in one_update.DEFAULTS["methods"].split(",")}


def test_a_hidden_chart_stays_as_it_is_until_it_is_seen() -> None:
    page = opened(**SKEWED, phase="fit")
    before, lines = bars(page, 1), data(page, 2, "lines")
    page = typed(page, "Temperature η", "3")
    assert bars(page, 1) == before
    assert data(page, 2, "lines") != lines
    lines = data(page, 2, "lines")
    page = walked(page, "tilt")
    assert bars(page, 1) != before
    page = typed(page, "Temperature η", "0.7")
    assert bars(page, 1) == before
    assert data(page, 2, "lines") == lines
    assert data(walked(page, "fit"), 2, "lines") != lines


@pytest.mark.parametrize("phase", one_update.PHASES)
def test_the_equation_of_each_phase_has_the_numbers(phase: str) -> None:
    page = opened(**SKEWED, phase=phase)
    (equations,) = [m.value for m in page.markdown if "$$" in m.value]
    assert equations.count("$$") == 2 * len(one_update.PHASES)
    now = report(GROUP)
    number = {
        "sample": now.p_old[0],
        "score": now.sigma_population,
        "standardise": now.u[0],
        "tilt": now.q[0],
        "fit": now.q[0],
    }[phase]
    (line,) = re.findall('<p class="numbers">(.*)</p>', html_of(page))
    assert f"{number:.3g}" in line
    assert "\\" not in line
    assert f"of-{phase}" in html_of(page)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_goes_through(name: str) -> None:
    page = opened(**PRESETS[name].scenario.to_query(), phase="fit")
    assert not sentences(page)
    assert "nan" not in texts(page)


@pytest.mark.parametrize("quantity", one_update.QUANTITIES)
def test_methods_side_by_side(quantity: str) -> None:
    page = opened(**SKEWED, look="methods", quantity=quantity, epoch="2", methods="tpo,awr,rebel")
    found = bars(page)
    assert list(found) == ["TPO", "AWR", "REBEL"]
    assert {len(row) for row in found.values()} == {4}
    if quantity == "policy":
        np.testing.assert_allclose([sum(row) for row in found.values()], 1)
    if quantity == "gradient":
        now = report(GROUP)
        np.testing.assert_allclose(found["TPO"], -now.q_minus_p, atol=1e-12)
    assert re.search(r"residual after.*0.*16", texts(page))


def test_all_methods_can_be_chosen_six_at_a_time() -> None:
    names = list(UPDATED)
    for start in range(0, len(names), 6):
        page = opened(look="methods", methods=",".join(names[start : start + 6]))
        assert not sentences(page)


def test_a_dead_group_returns_under_tpo_and_stays_when_masked() -> None:
    page = opened(look="dead", scores="1,0,0,0", methods="tpo,pg")
    assert "TPO's gradient" in texts(page).replace("&#x27;", "'")
    distance = dict(
        zip(*(data(page, 1, "lines")[name] for name in ("label", "value")), strict=True)
    )  # of the last epoch
    assert distance["TPO"] < 0.02 < distance["PG"]
    masked: Any = page.get("button_group")[1]
    page = quiet(masked.set_value("on").run())
    distance = dict(zip(*(data(page, 1, "lines")[name] for name in ("label", "value")), strict=True))
    assert distance["TPO"] == pytest.approx(distance["PG"])
    page = typed(page, "Moved by other groups: logit of candidate 1, nats", "99")
    assert "50 nats" in sentences(page)[0]


def test_the_table_of_needs_is_whole() -> None:
    page = opened(look="needs")
    assert all(row.name in texts(page) for row in TABLE.values())


@pytest.mark.parametrize(
    ("label", "about", "out_of_range"),
    [
        ("Scores", "Scores|score", ",".join(["1"] * 65)),
        ("Step size α", "step size|Step", "1001"),
        ("Temperature η", "eta|Eta", "0"),
        ("Clip range ε", "clip range|Clip", "2"),
        ("KL weight β", "KL weight|Kl weight", "-1"),
        ("Old policy: probabilities", "Policy|probabilit", "1,0"),
    ],
)
def test_bad_input_is_said_and_kept(label: str, about: str, out_of_range: str) -> None:
    page = opened(phase="fit", scores="1,0,0.5")
    page.session_state["update.open.more"] = True
    shown = html_of(quiet(page.run()))
    for text in (*ODD, out_of_range):
        if not text and label.startswith("Old policy"):
            continue  # empty: uniform
        page = typed(page, label, text)
        (sentence,) = sentences(page)
        assert re.search(about, sentence.replace("\\", "")), sentence
        assert len(sentence) < 200
        assert control(page, "text_input", label).value == text
        assert url(page) == {"phase": "fit", "scores": "1,0,0.5"}
        assert html_of(page) == shown


@pytest.mark.parametrize(
    ("query", "about"),
    [
        ({"methods": "tpo_token"}, "namesake"),
        ({"methods": "sarsa"}, "known"),
        ({"methods": ""}, "1 to 6"),
        ({"phase": "dream"}, "tilt"),
        ({"epoch": "3"}, "16"),
        ({"optimiser": "adam"}, "plain"),
        ({"look": "all"}, "needs"),
        ({"quantity": "loss"}, "weights"),
        ({"kind": "odds"}, "log_probs"),
        ({"lengths": "1"}, "mean log-probs"),
        ({"rule": "grpo"}, "tpo_paper"),
        ({"strength": "1"}, "no strength"),
        ({"moved": "nan"}, "Moved is"),
        ({"masked": "maybe"}, "off"),
        ({"step": ""}, "Step"),
        ({"methods": "tpo," * 9_000 + "x"}, "known"),
        ({"policy": "1"}, "1 probabilit"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_bad_url_is_one_sentence(query: dict[str, str], about: str) -> None:
    page = opened(**query)
    assert len(sentences(page)) == 1
    assert about in sentences(page)[0].replace("\\", "")
    assert url(page) == query


def test_the_numbers_as_a_file() -> None:
    view = one_update.read({**one_update.DEFAULTS, "scores": "1,null,0", "methods": "tpo,grpo"})
    table = np.genfromtxt(io.StringIO(csv_text(view)), delimiter=",", names=True, dtype=None, encoding="utf-8")
    assert len(table) == 6
    np.testing.assert_allclose(table["weight"][:3], report(Scenario((1, None, 0))).q)
    np.testing.assert_allclose(table["p_after_16"][:3].sum(), 1)


def test_the_group_leaves_for_a_file_and_the_other_pages(opened_on: dict[str, dict[str, str]]) -> None:
    page = opened(**SKEWED)
    page.session_state["update.open.more"] = True
    quiet(page.run())
    assert "Page (JSON)" in [b.proto.label for b in page.get("download_button")]
    assert Scenario.from_query(opened_on["target"]) == GROUP == Scenario.from_query(opened_on["low_variance"])


def test_a_saved_page_is_loaded_and_a_broken_file_is_said() -> None:
    page = opened(**SKEWED, look="methods", methods="tpo,awr", step="0.3")
    page.session_state["update.open.more"] = True
    saved = to_json("one_update", page.session_state["update.form"].texts, GROUP)
    other = opened()
    other.session_state["update.open.more"] = True
    quiet(other.run())
    quiet(other.file_uploader[0].upload("page.json", saved.encode(), "application/json").run())
    assert url(other) == url(page)
    quiet(other.file_uploader[0].upload("page.json", b"\x00\xff", "application/json").run())
    assert "not JSON" in sentences(other)[0]
    assert url(other) == url(page)


def test_code_of_a_chosen_method_is_shown_when_asked_for() -> None:
    page = opened(**SKEWED, phase="fit", step="0.3")
    assert not page.code
    page.session_state["update.open.code"] = True
    quiet(page.run())
    assert [word in code.value for word, code in zip(("numpy", "jax", "torch"), page.code, strict=True)] == [True] * 3
    quiet(control(page, "selectbox", "Method").set_value("grpo").run())
    assert all("GRPO: arXiv 2402.03300" in code.value and "0.3" in code.value for code in page.code)


def test_the_charts_of_all_phases_have_one_specification() -> None:
    specs = []
    for phase in one_update.PHASES:
        charts = opened(**SKEWED, phase=phase, methods="tpo,pg").get("vega_lite_chart")
        specs.append([(c.proto.spec, c.proto.alt, [d.name for d in c.proto.datasets]) for c in charts])
    assert all(spec == specs[0] for spec in specs)
    assert len(specs[0]) == 3
    alone = opened(**SKEWED, phase="tilt", methods="tpo")
    assert list(bars(alone, 1)) == ["q − p_old"]
    assert list(bars(walked(alone, "standardise"), 1)) == ["score − mean"]


@pytest.mark.parametrize("look", ["methods", "dead"])
def test_huge_scores_have_numbers_too(look: str) -> None:
    page = opened(scores="1e300,-1e300,0", look=look)
    assert not sentences(page)
    assert "∞" not in texts(page)
