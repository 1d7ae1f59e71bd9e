"""The command line: numbers that scripts can read, one sentence on bad input, and a quick start."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.group.cases import GOLDEN, IDS
from tpo_lab import __version__, cli
from tpo_lab.group import RULES

ROOT = Path(__file__).parents[1]
REQUIRED = {
    "u", "p_old", "q", "q_minus_p", "counted", "sigma_population", "sigma_sample", "kl_q_p", "entropy_p_old",
    "entropy_q", "odds_factor", "zero_variance", "verdict", "advantages",
}  # fmt: skip


def as_json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert cli.main(["target", *words, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    found: dict[str, Any] = json.loads(out, parse_constant=pytest.fail)
    return found


def listed(values: list[float | None]) -> str:
    return ",".join("null" if v is None else repr(v) for v in values)


@pytest.mark.parametrize("case", GOLDEN, ids=IDS)
def test_golden_cases(case: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """Also the trap of argparse: lists that start with a minus."""
    words = ("--scores", listed(case["scores"]), "--log-probs", listed(case["log_p_old"]), "--eta", str(case["eta"]))
    found, expect = as_json(capsys, *words), case["expect"]
    assert set(found) >= REQUIRED
    assert list(found["advantages"]) == list(RULES)
    for name in REQUIRED & set(expect) - {"advantages"}:
        np.testing.assert_allclose(found[name], expect[name], rtol=1e-12, atol=1e-12, err_msg=name)
    for name, values in (expect.get("advantages") or {}).items():
        expected = [0.0 if a is None else a for a in values]
        np.testing.assert_allclose(found["advantages"][name], expected, rtol=1e-12, atol=1e-12, err_msg=name)
    assert isinstance(found["verdict"], str)
    assert found["verdict"].endswith(".")


def test_policies_of_every_kind(capsys: pytest.CaptureFixture[str]) -> None:
    scores = ("--scores", "1,0")
    for words, expected in (
        ((), [0.5, 0.5]),
        (("--probs", "3,1"), [0.75, 0.25]),
        (("--log-probs", "-1,-2"), [0.7310585786300049, 0.2689414213699951]),
        (("--log-probs", "-.1,-.2", "--lengths", "10,10"), [0.7310585786300049, 0.2689414213699951]),
    ):
        np.testing.assert_allclose(as_json(capsys, *scores, *words)["p_old"], expected, rtol=1e-14)


@pytest.mark.parametrize("scores", ["-1,-1,-.5,null", "-.5,0", "null,-1,2", "-1e-3 0", "[-1, 0]"])
def test_values_that_look_like_options(scores: str, capsys: pytest.CaptureFixture[str]) -> None:
    first = as_json(capsys, "--scores", scores)
    assert first == as_json(capsys, f"--scores={scores}")


def test_a_kl_budget_is_spent(capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, "--scores", "1,0,0", "--kl", "0.25")
    assert abs(found["kl_q_p"] - 0.25) < 1e-9
    assert found["eta"] != 1


def test_rule_and_strength(capsys: pytest.CaptureFixture[str]) -> None:
    scores = ("--scores", "0.001,0,0")
    by_rule = as_json(capsys, *scores, "--rule", "trl_group")
    np.testing.assert_array_equal(by_rule["u"], by_rule["advantages"]["trl_group"])
    strong = as_json(capsys, *scores, "--rule", "robust_floor", "--strength", "1")
    np.testing.assert_allclose(strong["u"], [2 / 3e3, -1 / 3e3, -1 / 3e3])
    np.testing.assert_array_equal(strong["u"], strong["advantages"]["robust_floor"])


def test_a_lone_candidate_has_no_advantage_where_the_stack_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, "--scores", "5")["advantages"]
    assert found["openrlhf_group_norm"] is None
    assert found["verl_grpo"] == [5]


def test_the_table_reads_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["target", "--scores", "0.001,0,0,null"]) == 0
    lines = capsys.readouterr().out.splitlines()
    table = lines[: lines.index("")]
    assert len(table) == 5
    assert len({len(line) for line in table}) == 1
    assert table[1].split() == ["1", "0.001", "0.333", "1.41", "0.807", "+0.473"]
    assert table[4].split() == ["4", "null", "-", "-", "-", "-"]
    assert "2121 times" in " ".join(lines)
    assert max(map(len, lines)) <= 100
    assert all(line.isascii() for line in lines)


BAD = [
    ("", "Give a command: target, rules, rollouts, groups, run, runs, list, methods, bench."),
    ("nonsense", "invalid choice: 'nonsense'"),
    ("target", "required: --scores."),
    ("target --scores", "expected one argument."),
    ("target --scores --json", "expected one argument."),
    ("target --scores 1,nan", "--scores: value 2 is 'nan'; write null for a missing score."),
    ("target --scores -x,1", "--scores: value 1 is '-x'"),
    ("target --scores 1,,2", "value 2 is empty"),
    ("target --scores null", "At least one candidate needs a score."),
    (
        "target --scores 1,2 --probs -1,2",
        "Probability 1 is -1; probabilities must not be negative; log-probs are another kind.",
    ),
    ("target --scores 1,2 --probs 0,0", "greater than 0."),
    ("target --scores 1,2 --probs 1,2,3", "There are 3 probabilities for 2 scores"),
    ("target --scores 1,2 --probs 1,null", "--probs: value 2 is 'null'; use a finite number"),
    ("target --scores 1,2 --probs 1,2 --log-probs 1,2", "not allowed with"),
    ("target --scores 1,2 --lengths 1,2", "--lengths needs --log-probs"),
    ("target --scores 1,2 --log-probs -1,-2 --lengths 0,1", "a length is at least 1 token."),
    ("target --scores 1,2 --eta 0", "eta must be greater than 0, not 0."),
    ("target --scores 1,2 --eta -1", "eta must be greater than 0, not -1."),
    ("target --scores 1,2 --eta -inf", "--eta is '-inf'"),
    ("target --scores 1,2 --eta 1 --kl 1", "not allowed with"),
    ("target --scores 1,2 --kl 5", "out of reach: below 0.6931 nats"),
    ("target --scores 1,2 --kl x", "--kl is 'x'; use a finite number"),
    ("target --scores 1,1 --kl .1", "KL is 0 at every eta."),
    ("target --scores 1,2 --rule nonsense", "Unknown rule 'nonsense'; known: tpo_paper"),
    ("target --scores 1,2 --strength 2", "has no strength to set"),
    ("target --scores 1,2 --bogus", "Unrecognized arguments: --bogus."),
    ("target --sc 1,2", "required: --scores."),
    ("rules extra", "Unrecognized arguments: extra."),
]


@pytest.mark.parametrize(("line", "message"), BAD, ids=[line or "nothing" for line, _ in BAD])
def test_bad_input_is_one_sentence_and_code_2(line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code: Any = cli.main(line.split())
    except SystemExit as stop:  # raised by argparse
        code = stop.code
    out, err = capsys.readouterr()
    assert code == 2
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
    assert err.startswith("tpo-lab")
    assert err.endswith(".\n")
    assert "usage" not in err


def test_the_rules_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["rules"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(RULES)
    assert "sample" in next(line for line in lines if line.startswith("trl_group")).split()
    assert "+ 0.0001" in next(line for line in lines if line.startswith("trl_group"))
    assert cli.main(["rules", "--json"]) == 0
    found = {rule["name"]: rule for rule in json.loads(capsys.readouterr().out)}
    assert list(found) == list(RULES)
    assert found["verl_grpo"]["amount"] == 1e-6
    assert found["verl_grpo"]["scale"] == "sample"
    assert "1dda039" in found["verl_grpo"]["source"]


@pytest.mark.parametrize("words", [["--help"], ["target", "--help"], ["rules", "--help"]])
def test_help(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(words)
    out, err = capsys.readouterr()
    assert (stop.value.code, err) == (0, "")
    assert out.startswith("usage: tpo-lab")


def program(*words: str) -> list[str]:
    return [sys.executable, "-m", "tpo_lab.cli", *words]


def test_the_version() -> None:
    done = subprocess.run(program("--version"), capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == f"tpo-lab {__version__}\n"


def test_a_reader_that_has_gone_is_no_error() -> None:
    with subprocess.Popen(
        program("target", "--scores", "1,0", "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        assert child.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_sentence() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(program("rules"), stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False)
    assert done.returncode == 1
    assert done.stderr == "tpo-lab rules: [Errno 28] No space left on device.\n"


@pytest.mark.skipif(os.name == "nt", reason="closes streams as a POSIX shell does")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_error(closed: str) -> None:
    line = f"{shlex.join(program('target', '--scores', '1,0'))} {closed}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("candidate") == (">&-" not in closed.split())


def test_a_quick_start() -> None:
    """Half a second is promised for a whole run; the fastest of several tells it apart from a busy machine.

    Processor time of the child, not wall time, so that the neighbours of a shared machine do not decide.
    """
    import resource

    def seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(program("target", "--scores", "0.001,0,0"), check=True, capture_output=True, cwd=ROOT)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(seconds() for _ in range(5)) < 0.5


def test_scipy_is_loaded_for_a_budget_only() -> None:
    code = (
        "import sys; from tpo_lab.cli import main; main(sys.argv[1:]); "
        "print('scipy' in sys.modules, 'jax' in sys.modules, file=sys.stderr)"
    )
    for more, expected in (([], "False False"), (["--kl", "0.1"], "True False")):
        words = [sys.executable, "-c", code, "target", "--scores", "1,0", *more]
        done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT)
        assert done.stderr.strip() == expected
