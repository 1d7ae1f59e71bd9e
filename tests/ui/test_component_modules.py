"""The modules behind the charts: edits, axes, numbers, the link to Python, and how they are joined."""

import math
import re
from itertools import pairwise
from pathlib import Path

import pytest

from tests.ui.javascript import Node
from tpo_lab.group.report import report
from tpo_lab.group.scenario import Scenario
from tpo_lab.ui.components.bundle import HERE, javascript
from tpo_lab.ui.components.payload import group_data


@pytest.mark.parametrize("entry", ["group_editor.js", "fit_player.js", "look_strip.js", "stepper.js"])
def test_a_bundle_is_one_module_without_imports(node: Node, entry: str, tmp_path: Path) -> None:
    """Node loads it, so no name is declared twice; its default is the function that Streamlit calls."""
    text = javascript(entry)
    assert not re.search(r"^import ", text, re.MULTILINE)
    (tmp_path / "bundle.mjs").write_text(text)
    assert node('import mount from "./bundle.mjs"; export default () => typeof mount;') == "function"


def test_every_module_is_short() -> None:
    for module in HERE.glob("*.js"):
        assert len(module.read_text().splitlines()) <= 300, module.name


MODEL = 'import * as model from "./group_model.js"; '


def test_a_dragged_probability_leaves_the_ratios_of_the_others(node: Node) -> None:
    group = group_data(report(Scenario((1.0, 0.0, None, 0.0), policy=(0.2, 0.2, 0.5, 0.1))))
    found = node(MODEL + "export default (g) => model.withProbability(g, 0, 0.7).policy;", group)
    # Candidate 3 does not count: its weight keeps its ratio to the total of those that do.
    assert found == pytest.approx([0.7, 0.2, 1.0, 0.1])


def test_a_probability_never_takes_everything_and_a_lone_one_stays(node: Node) -> None:
    run = MODEL + "export default (g) => model.withProbability(g, 0, 5).policy ?? null;"
    group = group_data(report(Scenario((1.0, 0.0, 0.0))))
    assert node(run, group) == pytest.approx([0.999, 0.0005, 0.0005])
    assert node(run, group_data(report(Scenario((1.0, None))))) is None
    nothing_elsewhere = group_data(report(Scenario((1.0, 0.0, 0.0), policy=(1.0, 0.0, 0.0))))
    assert node(MODEL + "export default (g) => model.withProbability(g, 0, 0.5).policy;", nothing_elsewhere) == [
        0.5,
        0.25,
        0.25,
    ]


def test_the_last_scored_candidate_keeps_its_score(node: Node) -> None:
    run = MODEL + "export default (g) => model.withToggled(g, 0, 3).scores;"
    assert node(run, group_data(report(Scenario((1.0, None))))) == [1.0, None]
    assert node(run, group_data(report(Scenario((1.0, 2.0))))) == [None, 2.0]
    assert node(run, group_data(report(Scenario((None, 2.0))))) == [3.0, 2.0]
    unreachable = group_data(report(Scenario((1.0, 2.0), policy=(1.0, 0.0))))
    assert node(run, unreachable) == [1.0, 2.0]


def test_the_edited_candidate_becomes_the_selected_one(node: Node) -> None:
    edits = "model.withScore(g, 1, 2), model.withToggled(g, 2), model.withProbability(g, 0, 0.7)"
    run = f"{MODEL}export default (g) => [{edits}].map((edited) => edited.selected);"
    group = {**group_data(report(Scenario((1.0, 0.0, 0.5)))), "selected": 3}
    assert node(run, group) == [1, 2, 0]


SCALES = 'import { scoreScale } from "./scales.js"; export default (groups) => groups.map(scoreScale);'


def test_the_axis_of_the_scores_holds_them_and_suits_their_spread(node: Node) -> None:
    groups: list[list[float]] = [
        [0.001, 0, 0],
        [1000.1, 1000.2, 1000],
        [0, 0],
        [0.7, 0.7],
        [1e300, -1e300],
        [-3, -1],
        [5e-324, 0],
    ]
    for scores, scale in zip(groups, node(SCALES, groups), strict=True):
        low, high = scale["range"]
        assert low < high
        assert low <= min(scores) <= max(scores) <= high, scores
        spread = max(scores) - min(scores)
        if spread > 1e-300:
            assert high - low <= 3 * max(spread, 0 if scale["far"] else max(map(abs, scores))), scores
        assert scale["span"] > 0
        assert scale["far"] == (scores[0] == 1000.1)


def test_numbers_are_written_short_and_keep_what_tells_them_apart(node: Node) -> None:
    run = (
        'import { brief, briefScore, decimals, signed, snap, roundDown } from "./numbers.js";'
        "export default () => [brief(0.30000000000000004), brief(-1e-300), brief(123456.7), briefScore(1000.15, 0.2),"
        "decimals(0.3334, 3), decimals(1e-9, 3), decimals(1, 3), decimals(0.99999, 3), signed(-0.2366, 3),"
        "signed(1e-9, 3), snap(0.715000001, 0.005), roundDown(0.07), roundDown(3e-310) > 0];"
    )
    expected = ["0.3", "~1e~300", "123457", "1000.15", ".333", "<.001", "1", "1", "~.237", "≈0", 0.715, 0.05, True]
    minus = "\N{MINUS SIGN}"
    assert node(run) == [x.replace("~", minus) if isinstance(x, str) else x for x in expected]


LINK = """
import { Link } from "./link.js";
export default (story) => {
  let now = 1000;
  let timers = [];
  const sent = [];
  const link = new Link(
    (edit) => sent.push({ at: now, value: edit.value, final: edit.final, seq: edit.seq }),
    () => now,
    (f, ms) => timers.push({ f, at: now + ms }),
  );
  for (const [at, what, value] of story) {
    for (let due; (due = timers.filter((t) => t.at <= at).sort((a, b) => a.at - b.at)[0]); ) {
      timers = timers.filter((t) => t !== due);
      now = due.at;
      due.f();
    }
    now = at;
    if (what === "drag") link.push({ value }, false);
    if (what === "release") link.finish();
    if (what === "answer") link.answer(sent.at(-1).seq);
  }
  return { sent, ahead: link.ahead };
};
"""


def test_edits_leave_when_the_server_keeps_up_and_the_last_one_always(node: Node) -> None:
    drags = [[1000 + 10 * i, "drag", i] for i in range(100)]
    answers = [[1000 + 10 * i + 5, "answer", 0] for i in range(3, 100, 4)]
    found = node(LINK, [*sorted(drags + answers), [2100, "release", 0], [2150, "answer", 0]])
    times = [edit["at"] for edit in found["sent"]]
    assert times[0] == 1000
    gaps = [b - a for a, b in pairwise(times)]
    assert all(gap >= 90 for gap in gaps[:-1])
    assert 7 <= len(times) <= 12
    assert [edit["final"] for edit in found["sent"]] == [False] * (len(times) - 1) + [True]
    assert found["sent"][-1]["value"] == 99
    assert not found["ahead"]
    assert found["sent"] == sorted(found["sent"], key=lambda edit: edit["seq"])


def test_a_slow_server_is_not_interrupted(node: Node) -> None:
    """While nothing is answered an edit leaves every 600 ms at most, and the local state stays the newer one."""
    found = node(LINK, [[1000 + 10 * i, "drag", i] for i in range(100)])
    assert [edit["at"] for edit in found["sent"]] == [1000, 1600]
    assert found["ahead"]


def test_the_payload_is_json_whatever_the_group() -> None:
    data = group_data(report(Scenario((1.0, None, 0.0), policy=(0.5, 0.0, 0.5))))
    assert data["scores"] == [1.0, None, 0.0]
    assert data["logP"] == [math.log(0.5), None, math.log(0.5)]


def test_arrow_keys_move_over_the_squares_of_a_strip_and_stop_at_its_ends(node: Node) -> None:
    run = """import { moved } from "./look_strip.js";
    export default (keys) => keys.map(([key, at, groups, places]) => moved(key, at, groups, places));"""
    cases = [
        ["ArrowRight", [0, 0], 3, 1],
        ["ArrowRight", [2, 0], 3, 1],
        ["ArrowDown", [0, 0], 3, 1],  # of one row, down is on
        ["ArrowDown", [1, 0], 3, 2],
        ["ArrowUp", [1, 0], 3, 2],
        ["End", [0, 1], 3, 2],
        ["Home", [2, 1], 3, 2],
        ["Enter", [0, 0], 3, 1],
    ]
    assert node(run, cases) == [[1, 0], [2, 0], [1, 0], [1, 1], [1, 0], [2, 1], [0, 1], None]


def test_arrow_keys_move_along_the_tabs_and_letters_typed_in_a_field_are_no_keys(node: Node) -> None:
    run = """import { along, typing } from "./stepper.js";
    export default (keys) => [keys.map(([key, at]) => along(key, at, 5)),
      [{ tagName: "INPUT" }, { tagName: "BUTTON" }, { tagName: "P", isContentEditable: true }].map(typing)];"""
    keys = [["ArrowRight", 0], ["ArrowRight", 4], ["ArrowLeft", 0], ["Home", 3], ["End", 1], ["b", 2]]
    assert node(run, keys) == [[1, 4, 0, 0, 4, None], [True, False, True]]


def test_keys_move_over_the_rows_of_a_table_and_stop_at_its_ends(node: Node) -> None:
    run = """import { stepped } from "./rows_table.js";
    export default (keys) => keys.map(([key, at]) => stepped(key, at, 20));"""
    cases: list[tuple[str, int]] = [("ArrowDown", 3), ("ArrowDown", 19), ("ArrowUp", 0), ("PageDown", 3), ("End", 3)]
    assert node(run, [*cases, ("Home", 3), ("a", 3)]) == [4, 19, 0, 11, 19, 0, None]
