"""The page Rollouts without a browser: what it shows of a file, asks of a person, and keeps in the URL."""

import html
import json
import re
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.rollouts_io.making import lines, sample
from tpo_lab.group.report import report
from tpo_lab.group.scenario import Scenario
from tpo_lab.rollouts_io.numbers import candidates_of
from tpo_lab.rollouts_io.read import read as read_files
from tpo_lab.rollouts_io.settings import Setting
from tpo_lab.rollouts_io.table import Rollouts
from tpo_lab.rollouts_io.workings import Workings
from tpo_lab.ui import microscope, rollouts_group
from tpo_lab.ui.pieces import signed
from tpo_lab.ui.rollouts_view import DEFAULTS, read
from tpo_lab.ui.view import View

PAGE = Path(__file__).parents[2] / "pages" / "rollouts.py"


def opened(**query: str) -> AppTest:
    page = AppTest.from_file(str(PAGE), default_timeout=60)
    for name, value in query.items():
        page.query_params[name] = value
    return quiet(page.run())


def quiet(page: AppTest) -> AppTest:
    assert not page.exception, page.exception[0].stack_trace
    return page


def url(page: AppTest) -> dict[str, str]:
    return {name: value if isinstance(value, str) else value[0] for name, value in page.query_params.items()}


def html_of(page: AppTest) -> str:
    return "\n".join(element.proto.body for element in page.get("html"))


def rows_of(page: AppTest) -> dict[str, list[str]]:
    """The texts of the table of groups, by column."""
    (found,) = (data for element in page.get("bidi_component") if "ids" in (data := json.loads(element.proto.json)))
    return dict(zip(found["columns"], map(list, zip(*found["rows"], strict=True)), strict=True))


def click(page: AppTest, label: str) -> AppTest:
    (button,) = [b for b in page.button if b.label == label]
    return quiet(button.click().run())


def typed(page: AppTest, label: str, text: str) -> AppTest:
    field = next(field for field in page.text_input if field.label == label)
    return quiet(field.set_value(text).run())


def test_the_first_look_is_the_health_of_a_sample() -> None:
    page = opened()
    assert "of 96 groups inform the update" in html_of(page)
    assert "TRL GRPO: 768 candidates in 96 groups" in [c.value for c in page.caption]
    assert [e.value for e in page.error] == [
        r"In 1 of 96 groups the advantages of the file are not those of trl\_group, the rule of the stack that comes "
        "nearest. Groups, sorted by disagreement, shows them."
    ]
    assert len(page.get("vega_lite_chart")) == 3
    assert url(page) == {}


def test_the_threshold_follows_what_is_typed_and_what_is_suggested() -> None:
    page = opened()
    before = html_of(page)
    page = click(page, "Take 0.25, from the scores")
    assert url(page) == {"threshold": "0.25"}
    assert html_of(page) != before
    page = typed(page, "Low variance below σ", "-1")
    assert any("must be a spread of scores" in e.value for e in page.error)
    assert url(page) == {"threshold": "0.25"}


@pytest.mark.parametrize("name", ["nemo_rl", "open_instruct", "prime_rl", "reasoning_gym", "skyrl", "table", "verl"])
@pytest.mark.parametrize("look", ["health", "groups", "whatif"])
def test_every_sample_in_every_look(name: str, look: str) -> None:
    quiet(opened(sample=name, look=look))


def test_a_group_is_shown_with_its_candidates_and_leaves_for_the_other_pages(
    opened_on: dict[str, dict[str, str]],
) -> None:
    page = opened(look="groups", sample="table", group="3")
    shown = html_of(page)
    assert "Group 3, step 1" in shown
    assert "Candidate 5" in shown
    assert set(opened_on) == {"target", "one_update", "low_variance"}
    target = View.from_query(opened_on["target"]).scenario
    assert target.kind == "log_probs"
    assert Scenario.from_query(opened_on["one_update"]) == target
    low = microscope.read({**microscope.DEFAULTS, **opened_on["low_variance"]}).scenario
    assert low.scores == target.scores
    np.testing.assert_allclose(report(low).p_old, report(target).p_old, rtol=1e-12)


def test_a_file_without_advantages_shows_those_of_its_stack() -> None:
    table = sample("verl")
    group = int(np.flatnonzero([len(set(some)) > 1 for some in np.split(table.score, table.starts[1:-1])])[0])
    scores = table.score[table.starts[group] : table.starts[group + 1]]
    first = (scores[0] - scores.mean()) / (scores.std(ddof=1) + 1e-6)
    shown = html_of(opened(look="groups", sample="verl", group=str(group + 1)))
    assert f"none in the file, {signed(first)} by verl_grpo" in shown
    assert "in the file" not in html_of(opened(look="groups", sample="table"))  # which stack wrote it is not known


def test_a_range_narrows_the_groups() -> None:
    page = opened(look="groups", sigma="0,0.05")
    sigma = rows_of(page)["σ"]
    assert max(map(float, sigma)) <= 0.05
    table = sample("trl")
    apart = np.split(table.score, table.starts[1:-1])
    assert len(sigma) == sum(np.nanstd(scores) <= 0.05 for scores in apart)
    page = opened(look="groups", sigma="5,6")
    assert [i.value for i in page.info] == ["No group is left: widen the ranges."]
    page = click(page, "All groups")
    assert url(page) == {"look": "groups"}
    page = typed(page, "σ", "1,0")
    assert any("Sigma is a range" in e.value for e in page.error)


def test_the_first_rows_are_shown_as_they_were_read() -> None:
    shown = html_of(opened(sample="table"))
    table = sample("table")
    groups = [table.label(int(g)) for g in np.repeat(np.arange(9), table.sizes()[:9])[:6]]
    texts = [*table.texts(0), *table.texts(1)]
    for group, score, text in zip(groups, table.score, texts, strict=False):
        cells = f"<th>{re.escape(group)}</th>", f"<td>{score:g}</td>", f"<td>{re.escape(html.escape(text or ''))}</td>"
        assert re.search("<tr>" + "(?:(?!</tr>).)*".join(cells) + "</tr>", shown), cells


def test_a_group_that_is_not_there_is_said() -> None:
    assert [i.value for i in opened(look="groups", group="1000").info] == ["There is no group 1,000; the file has 96."]


def test_a_group_that_the_ranges_leave_out_gives_way_to_the_first_that_they_leave() -> None:
    assert "Group 83, step 14" in html_of(opened(look="groups", group="83"))
    page = opened(look="groups", group="83", kind="informative", sort="sigma")
    first = rows_of(page)["group"][0]
    assert f"Group {first}, step" in html_of(page)
    assert "Group 83," not in html_of(page)


def test_another_rule_over_the_whole_file() -> None:
    page = opened(look="whatif", b_method="tpo", b_rule="robust_floor")
    shown = html_of(page)
    assert "TPO · Variance floor" in shown
    assert "share of the update in low-variance groups" in shown
    rows = {name: [float(text) for text in texts] for name, texts in rows_of(page).items() if name in ("change", "σ")}
    assert rows["change"] == sorted(rows["change"], reverse=True)
    assert max(rows["σ"]) < 0.6


def test_every_figure_over_the_steps_and_where_the_logged_share_is_wrong() -> None:
    page = opened(lines="all")
    assert len(page.get("vega_lite_chart")) == 11
    assert any("equal scores: a float32 mean of equal scores can round" in c.value for c in page.caption)


def test_a_missing_score_and_a_strength_are_choices_of_what_if() -> None:
    page = opened(look="whatif", sample="table", b_method="tpo", b_rule="robust_floor", b_missing="zero")
    rows = html_of(page)
    assert "<th>groups of equal scores</th><td>16.7 %</td><td>12.5 %</td>" in rows
    page = typed(page, "Strength, score units", "0.5")
    assert url(page)["b_strength"] == "0.5"
    assert html_of(page) != rows


def test_a_method_with_its_own_rule_leaves_no_choice() -> None:
    page = opened(look="whatif", b_method="rloo")
    assert "RLOO · RLOO (verl)" in html_of(page)
    assert [s.disabled for s in page.selectbox if s.label == "Standardisation rule"].count(True) == 1


def test_a_path_in_a_link_is_not_opened_before_somebody_presses(tmp_path: Path) -> None:
    file = tmp_path / "dump.jsonl"
    file.write_text("\n".join(json.dumps({"group": i // 2, "score": i % 2, "text": "<img src=x>"}) for i in range(8)))
    page = opened(place="path", path=str(file), look="groups")
    assert "Choose files on the left" in page.markdown[0].value
    page = click(page, "Open")
    shown = html_of(page)
    assert "&lt;img src=x&gt;" in shown
    assert "<img" not in shown
    page = click(page, "Forget the files")
    assert "Choose files on the left" in page.markdown[0].value
    assert "rollouts.read" not in page.session_state
    assert "rollouts.data" not in page.session_state
    page = typed(page, "Place on this machine", str(tmp_path / "nothing"))
    assert "Choose files on the left" in page.markdown[0].value
    page = click(page, "Open")
    assert any("There is no file or folder" in e.value for e in page.error)


def test_a_table_whose_columns_nobody_can_guess_asks_for_them(tmp_path: Path) -> None:
    file = tmp_path / "dump.csv"
    file.write_text("q,points\nx,1\nx,0\ny,1\ny,1\n")
    page = click(opened(place="path", path=str(file)), "Open")
    assert any("Which column holds the score" in e.value for e in page.error)
    (score,) = [m for m in page.multiselect if m.label == "Score, added up"]
    page = quiet(score.set_value(["points"]).run())
    assert any("Which column tells the groups apart" in e.value for e in page.error)
    (group,) = [m for m in page.multiselect if m.label == "Groups by"]
    page = quiet(group.set_value(["q"]).run())
    assert "50 % of 2 groups inform the update" in html_of(page)
    assert url(page)["pick_score"] == "points"


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"look": "x"}, "Unknown look 'x'; known: health"),
        ({"b_method": "x"}, "Unknown method 'x' for a whole file"),
        ({"eta": "0"}, "eta must be greater than 0"),
        ({"colour": "red"}, "Unknown parameter 'colour'"),
        ({"group": "1.5"}, "groups are counted from 1"),
        ({"threshold": "x"}, "Threshold is 'x'"),
        ({"sample": "nothing"}, "There is no sample 'nothing'; known: trl"),
    ],
)
def test_a_link_that_cannot_be_read_is_said(query: dict[str, str], message: str) -> None:
    errors = [e.value.replace("\\", "") for e in opened(**query).error]
    assert any(message in error for error in errors), errors


def test_the_defaults_are_a_view() -> None:
    assert read(DEFAULTS).picks == ()


def scenario_of(table: Rollouts, group: int, setting: Setting) -> Scenario | str:
    return rollouts_group.scenario_of(table, candidates_of(Workings(table), setting, group), setting, group)


def test_a_group_that_no_other_page_takes_says_why() -> None:
    table = read_files([lines([{"group": 1, "score": i} for i in range(65)] + [{"group": 2, "score": None}])])
    assert scenario_of(table, 0, Setting()) == "The pages of one group take up to 64 candidates; this one has 65."
    assert scenario_of(table, 1, Setting()) == "At least one candidate needs a score."


def test_mean_log_probs_leave_as_they_are_shown() -> None:
    rows = [{"group": 1, "score": i, "log_prob": -8.0 * (i + 1), "length": 4} for i in range(2)]
    table = read_files([lines(rows)])
    found = scenario_of(table, 0, Setting(log_prob="mean"))
    assert isinstance(found, Scenario)
    assert found.policy == (-2, -4)
    whole = scenario_of(table, 0, Setting())
    assert isinstance(whole, Scenario)
    assert whole.policy == (-8, -16)
