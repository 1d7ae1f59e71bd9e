"""Every format is recognised by what it holds, and its sample gives the groups that were written into it."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.rollouts_io.making import SAMPLES, lines, sample, text
from tpo_lab.errors import InputError
from tpo_lab.rollouts_io.formats import FORMATS, without_sample
from tpo_lab.rollouts_io.health import health
from tpo_lab.rollouts_io.logged import logged
from tpo_lab.rollouts_io.read import files_of, read

# name: format, rows, groups, steps, rows left out, scored, groups with log-probs
EXPECTED = {
    "nemo_rl": ("nemo_rl", 16, 4, [5], 0, 16, 4),
    "open_instruct": ("open_instruct", 36, 9, [1, 2, 3], 0, 36, 9),
    "prime_rl": ("prime_rl", 32, 8, [1, 2], 0, 31, 8),
    "prime_rl_trace": ("prime_rl_trace", 8, 2, [2], 0, 8, 2),
    "reasoning_gym": ("reasoning_gym", 20, 6, [], 0, 20, 0),
    "skyrl": ("skyrl", 24, 6, [20], 0, 24, 0),
    "table": ("table", 129, 24, [1, 2, 3, 4, 5, 6], 1, 126, 24),
    "trl": ("trl", 768, 96, list(range(1, 17)), 0, 767, 0),
    "verl": ("verl_uid", 72, 12, [10, 20, 30], 0, 72, 0),
    "verl_old": ("verl", 30, 5, [40], 1, 29, 0),
}


def test_every_format_has_a_sample() -> None:
    assert set(EXPECTED) == {path.name for path in SAMPLES.iterdir() if path.is_dir()}
    assert {entry[0] for entry in EXPECTED.values()} == {*FORMATS, "table"}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_sample_is_read_as_it_was_written(name: str) -> None:
    table = sample(name)
    form, rows, groups, steps, left_out, scored, known = EXPECTED[name]
    assert table.format.name == form
    assert (table.rows, table.groups, table.faults.rows) == (rows, groups, left_out)
    assert sorted(set(table.group_step[~np.isnan(table.group_step)])) == steps
    assert int((~np.isnan(table.score)).sum()) == scored
    assert int(health(table).numbers.known_policy.sum()) == known
    assert (table.text is None) == (name == "open_instruct")
    assert all(len(table.texts(g)) == size for g, size in enumerate(table.sizes()))


@pytest.mark.parametrize("name", EXPECTED)
def test_the_name_of_a_file_decides_nothing(name: str) -> None:
    files = [path for path in sorted((SAMPLES / name).rglob("*")) if path.is_file()]
    table = read([text(path.read_bytes(), f"{i}.dat") for i, path in enumerate(files)])
    assert (table.format.name, table.rows) == EXPECTED[name][:2]


@pytest.mark.parametrize(
    ("name", "rule"),
    [("nemo_rl", "nemo_rl"), ("open_instruct", "open_instruct_centered"), ("prime_rl", "prime_rl_grpo")],
)
def test_the_advantages_of_a_sample_are_those_of_its_rule(name: str, rule: str) -> None:
    found = logged(sample(name))
    assert found is not None
    assert (found.rule, int(found.groups.sum())) == (rule, 0)


def test_trl_has_one_group_whose_advantages_were_made_before_a_score_was_lost() -> None:
    table = sample("trl")
    found = logged(table)
    assert found is not None
    (group,) = np.flatnonzero(found.groups)
    assert found.rule == "trl_group"
    assert np.isnan(table.score[table.starts[group] : table.starts[group + 1]]).sum() == 1
    assert list(table.parts) == ["accuracy_reward", "format_reward", "length_reward"]


def test_a_table_without_advantages_has_nothing_to_compare() -> None:
    assert logged(sample("verl")) is None


@pytest.mark.parametrize(
    ("uid", "group"),
    [("a_1_0", "a"), ("a_b_3_12_0", "a_b_3"), ("a_b", "a_b"), ("x", "x"), ("a_1_x", "a_1_x"), ("", "")],
)
def test_a_uid_loses_its_last_two_numbers(uid: str, group: str) -> None:
    assert without_sample(uid) == group


def verl(inputs: str, **more: object) -> list[dict[str, object]]:
    return [{"input": name, "output": "x", "score": i % 2, **more} for i, name in enumerate(inputs)]


def test_rows_of_a_prompt_that_follow_each_other_are_a_group() -> None:
    table = read([lines(verl("aabbaacc", step=1))])  # the prompt a was drawn twice
    assert table.sizes().tolist() == [2, 2, 2, 2]


def test_shuffled_rows_of_a_prompt_are_a_group_and_that_is_said() -> None:
    table = read([lines(verl("abab", step=1))])
    assert table.sizes().tolist() == [2, 2]
    assert any("do not all follow" in note for note in table.notes)


def test_the_last_group_may_be_cut_off() -> None:
    table = read([lines(verl("aaabbbaa", step=1))])
    assert table.sizes().tolist() == [3, 3, 2]


def test_the_same_prompt_in_two_steps_is_two_groups(tmp_path: Path) -> None:
    for step in (2, 10):
        (tmp_path / f"{step}.jsonl").write_text("\n".join(json.dumps(row) for row in verl("aabb")))
    table = read(files_of(tmp_path))
    assert table.group_step.tolist() == [2, 2, 10, 10]
    assert table.sizes().tolist() == [2, 2, 2, 2]


def test_without_a_step_files_are_apart(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text("group,score\na,1\na,0\n")
    assert read(files_of(tmp_path)).sizes().tolist() == [2, 2]


def test_nemo_prefers_filtered_rewards_and_groups_by_the_tokens_before_the_first_trained_one() -> None:
    def row(i: int, prompt: list[int]) -> dict[str, object]:
        mask = [0] * len(prompt) + [1, 1]
        return {
            "idx": [i], "content": ["one text"], "rewards": [9.0], "filtered_rewards": [float(i)],
            "token_ids": [[*prompt, 7, 8]], "token_loss_mask": [mask],
            "generation_logprobs": [[0.0] * len(prompt) + [-1, -2]],
        }  # fmt: skip

    table = read([lines([row(0, [1, 2]), row(1, [1, 2]), row(2, [1, 3])])])
    assert table.format.name == "nemo_rl"
    assert table.score.tolist() == [0, 1, 2]
    assert table.sizes().tolist() == [2, 1]
    assert table.log_prob is not None
    assert table.log_prob.tolist() == [-3, -3, -3]
    assert table.length is not None
    assert table.length.tolist() == [2, 2, 2]


def test_a_format_by_hand_must_fit() -> None:
    with pytest.raises(InputError, match="This is no verl, with uid file: it has no uid"):
        read([lines(verl("aa"))], format_name="verl_uid")
    with pytest.raises(InputError, match="Unknown format 'nonsense'; known: prime_rl"):
        read([lines(verl("aa"))], format_name="nonsense")
    assert read([lines(verl("aa"))], format_name="table").format.name == "table"


def test_files_of_another_format_are_left_out_and_counted(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_text("\n".join(json.dumps(row) for row in verl("aa")))
    (tmp_path / "2.csv").write_text("x,y\n1,2\n")
    (tmp_path / "3.png").write_bytes(b"\x89PNG\0\0")
    table = read(files_of(tmp_path))
    assert table.rows == 2
    assert "2 files were left out." in table.notes
    assert any("3.png holds binary data" in sentence for sentence in table.faults.sentences())


def test_what_prime_rl_writes_of_an_episode() -> None:
    def trace(reward: float | None, n: int, **more: object) -> dict[str, object]:
        said = {"role": "assistant", "content": f"answer {n}", "reasoning_content": "hm"}
        nodes = [
            {"message": {"role": "user", "content": "1 + 1?"}, "sampled": False, "logprobs": []},
            {"message": said, "sampled": True, "logprobs": [-1.0] * n, "mask": [False, *[True] * n]},
        ]
        rewards = {"right": {"score": reward, "weight": None}, "form": {"score": 1, "weight": 0.5}, "late": None}
        return {"id": str(n), "nodes": nodes, "rewards": rewards if reward is not None else {}, **more}

    rows: list[object] = [
        {"group": {"id": "g"}, "run": {"work": {"step": 4}}, "traces": [trace(1.0, 2, info={"advantage": 0.5})]},
        {"group": {"id": "g"}, "run": {"work": {"step": 5}}, "traces": [trace(0.0, 3, info={"advantage": -0.5})]},
        {"group": {"id": "g"}, "traces": [trace(None, 4), trace(1.0, 5, agent={"name": "judge", "trainable": False})]},
    ]
    table = read([lines(rows, "rollouts/step_7/train/all/traces.jsonl")])
    np.testing.assert_array_equal(table.score, [1.5, 0.5, np.nan])
    assert (table.groups, table.group_step.tolist()) == (1, [7])  # the folder's step, not when the episode was begun
    assert table.log_prob is not None
    assert table.log_prob.tolist() == [-2, -3, -4]
    assert table.texts(0)[0] == "hm\nanswer 2"
    assert table.prompt_of(0) == "1 + 1?"
    assert logged(table) is not None
    one_a_line: list[object] = [{**trace(float(n), n), "info": {"group_id": "g", "advantage": n}} for n in range(3)]
    apart = read([lines(one_a_line)])
    assert (apart.format.name, apart.groups, apart.score.tolist()) == ("prime_rl_trace", 1, [0.5, 1.5, 2.5])
    lost = read([lines([*one_a_line, {**trace(1.0, 9), "info": None}])])
    assert (lost.groups, lost.faults.rows) == (1, 1)  # a trace that names no group is none by itself


def test_a_folder_that_repeats_another_is_passed_over() -> None:
    rows: list[object] = [{"group": {"id": "g"}, "traces": [{"rewards": {"r": {"score": i}}}]} for i in range(2)]
    files = [lines(rows, f"step_1/train/{kind}/traces.jsonl") for kind in ("all", "effective")]
    table = read(files)
    assert table.rows == 2
    assert "again" in table.faults.sentences()[0]


def test_a_column_that_the_first_file_of_a_folder_lacks_is_read_where_it_is_there() -> None:
    rows = [{"input": "1 + 1", "output": f"{i}", "score": i, "uid": "a_0"} for i in range(2)]
    later: list[object] = [{**row, "step": step} for step in (4, 5) for row in rows]
    table = read([lines([*rows], "first.jsonl"), lines(later, "later.jsonl")])
    assert table.columns.step == "step"
    np.testing.assert_array_equal(table.group_step, [4, 5, np.nan])
    alone = read([lines([*rows], "first.jsonl")])
    assert alone.columns.step is None
    assert not any("not read" in note for note in (*table.notes, *alone.notes))


def test_a_column_that_the_first_of_several_tables_lacks_is_named() -> None:
    rows = [{"group": "a", "score": i} for i in range(2)]
    later: list[object] = [{**row, "step": 4} for row in rows]
    table = read([lines([*rows], "first.jsonl"), lines(later, "later.jsonl")])
    assert "Columns that the first file lacks are not read: 'step'." in table.notes
