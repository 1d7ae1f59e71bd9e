"""`tpo-lab rollouts`: what it prints, how it fails a run that it watches, and what it refuses."""

import json
from pathlib import Path

import pytest

from tests.rollouts_io.making import SAMPLES
from tpo_lab.cli import main


def test_the_health_of_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rollouts", str(SAMPLES / "trl")]) == 0
    out = capsys.readouterr().out
    assert out.startswith("TRL GRPO: 768 candidates in 96 groups, 16 steps, K = 8\n")
    assert "not those of trl_group in 1 of 96 groups" in out
    assert "p_old is uniform over each group" in out


def test_the_same_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["groups", str(SAMPLES / "table"), "--json", "--rule", "trl_group", "--threshold", "0.2"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["format"], figures["rows"], figures["rows_unreadable"], figures["groups"]) == ("table", 129, 1, 24)
    assert figures["setting"]["rule"] == "trl_group"
    assert figures["threshold"] == 0.2
    assert len(figures["over_steps"]["step"]) == 6
    assert figures["advantages"] is None


def test_a_missing_score_can_count_as_zero(capsys: pytest.CaptureFixture[str]) -> None:
    found = {}
    for missing in ("drop", "zero"):
        words = ["rollouts", str(SAMPLES / "table"), "--json", "--missing", missing, "--rule", "robust_floor"]
        assert main([*words, "--strength", "0.2", "--policy", "uniform", "--log-prob", "mean"]) == 0
        found[missing] = json.loads(capsys.readouterr().out)
    assert found["zero"]["setting"]["missing"] == "zero"
    assert found["zero"]["zero_variance"] < found["drop"]["zero_variance"]


def test_a_condition_that_holds_ends_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["rollouts", str(SAMPLES / "verl")]
    assert main([*line, "--fail-if", "zero_variance>0.6", "--fail-if", "sigma_p50 < 0"]) == 0
    assert main([*line, "--fail-if", "zero_variance > 0.4"]) == 1
    assert "Fails: zero_variance > 0.4." in capsys.readouterr().out
    assert main([*line, "--json", "--fail-if", "zero_variance>=0.5"]) == 1
    assert json.loads(capsys.readouterr().out)["failed"] == ["zero_variance>=0.5"]


def test_a_condition_is_on_a_number_of_this_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["rollouts", str(SAMPLES / "verl")]
    assert main([*line, "--fail-if", "k_min<4", "--fail-if", "groups_that_disagree>0"]) == 0  # the file has none
    assert main([*line, "--fail-if", "k_max>=6"]) == 1
    assert main(["rollouts", str(SAMPLES / "trl"), "--fail-if", "groups_that_disagree>0"]) == 1
    file = tmp_path / "ones.csv"
    file.write_text("group,score\na,1\nb,0\n")
    assert main(["rollouts", str(file), "--fail-if", "sigma_p50>0"]) == 0
    capsys.readouterr()
    for words in ("format>1", "k>1", "advantages>0", "over_steps<1", "sigma<1"):
        assert main([*line, "--fail-if", words]) == 2
        assert "Unknown figure" in capsys.readouterr().err
    for words in (
        "zero_variance>",
        ">0.6",
        "zero_variance==0.5",
        "zero_variance",
        "zero_variance>x",
        "zero_variance>nan",
    ):
        assert main([*line, "--fail-if", words]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_columns_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "dump"
    file.write_text("q;a;b\nx;1;0\nx;0;0\ny;1;1\ny;1;1\n")
    assert main(["rollouts", str(file), "--columns", "group=q,score=a+b", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["zero_variance"] == 0.5
    assert main(["groups", str(file), "--group", "q", "--score", "b", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["columns"]["score"] == ["b"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere"], "There is no file or folder 'nowhere'."),
        ([str(SAMPLES), "--columns", "x"], "--columns needs WHAT=COLUMN, not 'x'."),
        ([str(SAMPLES / "verl"), "--columns", "score=x"], "There is no column 'x'; the file has 'input'"),
        ([str(SAMPLES / "verl"), "--fail-if", "x"], "--fail-if needs NAME>NUMBER"),
        ([str(SAMPLES / "verl"), "--fail-if", "x>1"], "Unknown figure 'x'; known: rows,"),
        ([str(SAMPLES / "verl"), "--threshold", "x"], "--threshold is 'x'; use a finite number"),
        ([str(SAMPLES / "verl"), "--rule", "x"], "Unknown rule 'x'"),
        ([str(SAMPLES / "verl"), "--eta", "0"], "eta must be greater than 0"),
        ([str(SAMPLES / "verl"), "--format", "x"], "Unknown format 'x'; known: prime_rl"),
    ],
)
def test_bad_input_is_one_sentence(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rollouts", *words]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
