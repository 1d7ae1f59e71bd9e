"""`tpo-lab run`, `list` and `methods`: what they print, write and refuse, and how a run ends that is disturbed."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from tests.runs.fake_worker import DIAGNOSTICS
from tests.runs.fates import until
from tests.runs.store import new_home, without_writing
from tests.runs.test_service import FAKE
from tests.runs.test_worker import directly
from tpo_lab.cli import main
from tpo_lab.commands import follow
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.presets import PRESETS
from tpo_lab.experiments.reversal import ReversalConfig
from tpo_lab.methods.registry import METHODS
from tpo_lab.runs import estimate
from tpo_lab.runs.catalogue import Catalogue
from tpo_lab.runs.database import StoreError
from tpo_lab.runs.reader import Reader
from tpo_lab.runs.service import RunService

ROOT = Path(__file__).parents[2]
LONG = BanditConfig(methods=("pg",), steps=4_000, seeds=50)


def setting(**values: object) -> list[str]:
    return [word for name, value in values.items() for word in ("--set", f"{name}={value}")]


@pytest.fixture
def fake(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder; whatever the command starts is played by the fake worker, see there what its first seed says."""
    monkeypatch.setattr(follow, "RunService", partial(RunService, workers=2, command=FAKE))
    monkeypatch.setattr(follow, "PATIENCE", 60)
    return folder


def played(first_seed: int) -> list[str]:
    return ["run", "fig2", "--methods", "pg,tpo", "--seeds", "3", *setting(steps=8, seed=first_seed)]


@contextmanager
def meanwhile(work: Callable[[], None]) -> Iterator[None]:
    """Do something on another thread, once the command is at it."""
    thread = threading.Thread(target=work)
    thread.start()
    yield
    thread.join()


def at_step(catalogue: Catalogue, step: int) -> str:
    """Wait until the only run is so far; its id."""
    until(lambda: catalogue.list() and catalogue.list()[0].steps >= step, 60)
    return catalogue.list()[0].id


def test_a_run_writes_every_diagnostic_of_every_step_and_a_summary(
    fake: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run.parquet"
    command = ["run", "live-terminal", "--methods", "tpo", "--seeds", "2", *setting(length=4, episodes=70)]
    assert main([*command, "--out", str(out), "--json"]) == 0
    printed = capsys.readouterr()
    summary = json.loads(printed.out)
    table = pd.read_parquet(out)
    assert list(table.columns) == ["method", "seed", "step", *DIAGNOSTICS]
    assert table.groupby(["method", "seed"]).step.apply(list).to_dict() == {("tpo", s): list(range(70)) for s in (0, 1)}
    entry = summary["methods"]["tpo"]
    assert entry == {
        "steps": 70,
        "seeds_ended": 2,
        "seconds": 0.1,
        "compile_seconds": 0.1,
        "diverged": {"1": 2},
        "final_error_mean": 0.5,
        "final_error_standard_error": 0,
        "final_errors": table[table.step == 69].error.tolist(),
        "steps_to_1_percent": None,
    }
    metadata = pq.read_schema(out).metadata
    config = ReversalConfig.from_json(metadata[b"tpo_lab.config"].decode())
    assert (config.length, config.seeds, config.methods) == (4, 2, ("tpo",))
    assert {"tpo-lab", "jax", "numpy"} <= json.loads(metadata[b"tpo_lab.versions"]).keys()

    (row,) = Catalogue(fake).list()
    assert (row.id, row.status, row.config, row.preset) == (summary["id"], "done", config, "")
    assert row.name.startswith("live-terminal methods=tpo length=4 ")
    first, last = printed.err.splitlines()
    assert first == f"Run {row.id}: {row.name}. The lab shows it too."
    assert last.startswith("TPO done: error ")


def test_a_preset_as_it_is_goes_by_its_name(fake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "fig2"]) == 0
    (row,) = Catalogue(fake).list()
    assert (row.preset, row.name, row.config, row.status) == ("fig2", "", BanditConfig(), "done")
    assert {lane.method for lane in row.lanes} == {"tpo", "dg", "grpo", "pg"}
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[:9] == ["TPO", "(diverged:", "1)", "50", "%", "+-", "0", "100", "150"]
    assert lines[1].split()[9] == "never"


def program(*words: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tpo_lab.cli", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)


def test_a_run_that_others_see_and_stop_ends_as_if_nothing_had_been(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Started by a second process, drawn and stopped from here, resumed by a third until Ctrl-C, resumed here."""
    catalogue = Catalogue(new_home(tmp_path / "lab", monkeypatch))
    with program("run", "fig2", "--methods", "pg", "--seeds", "50", *setting(steps=4_000)) as first:
        run_id = at_step(catalogue, 10)
        reader = Reader(catalogue, run_id)
        seen = reader.read().steps
        until(lambda: reader.read().steps > seen)
        assert main(["runs", "stop", run_id[:4]]) == 0
        assert first.wait(30) == 1
        assert first.stderr
        assert "Stopped from elsewhere after" in first.stderr.read()
    stopped = reader.read().steps
    assert 10 <= stopped < 4_000
    with program("runs", "resume", run_id[:4]) as second:
        at_step(catalogue, stopped + 1)
        second.send_signal(signal.SIGINT)
        out, err = second.communicate(timeout=30)
    assert second.returncode == 130
    assert f"`tpo-lab runs resume {run_id}` goes on with it." in err
    assert out.startswith("method")
    assert (catalogue.get(run_id).status, reader.read().lanes["pg"].steps < 4_000) == ("stopped", True)
    file = tmp_path / "run.parquet"
    assert main(["runs", "resume", run_id[:4], "--out", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["methods"]["pg"]["steps"] == 4_000
    table = pd.read_parquet(file)
    assert len(table) == 50 * 4_000
    for name, values in directly(LONG).items():
        np.testing.assert_array_equal(table[name].to_numpy(np.float32), np.asarray(values).T.ravel())
    reader.close()
    catalogue.close()


def test_ctrl_c_keeps_what_is_done(fake: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def press() -> None:
        at_step(Catalogue(fake), 3)
        os.kill(os.getpid(), signal.SIGINT)

    out, before = tmp_path / "run.parquet", signal.getsignal(signal.SIGINT)  # ignored, where a shell started this aside
    with meanwhile(press):
        assert main([*played(3), "--out", str(out)]) == 130
    assert signal.getsignal(signal.SIGINT) is before
    (row,) = Catalogue(fake).list()
    printed = capsys.readouterr()
    told = "Stopped after 3 of 8 steps; what is done is kept, and `tpo-lab runs resume "
    assert f"{told}{row.id}` goes on with it." in printed.err
    assert row.status == "stopped"
    assert printed.out.splitlines()[2].split()[-5:-2] == ["3", "3", "-"]
    assert pd.read_parquet(out).groupby(["method", "seed"]).size().tolist() == [3] * 6


def test_a_second_ctrl_c_does_not_wait(
    fake: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(RunService, "stop", lambda *_: os.kill(os.getpid(), signal.SIGINT))

    def press() -> None:
        at_step(Catalogue(fake), 3)
        os.kill(os.getpid(), signal.SIGINT)

    with meanwhile(press):
        assert main(played(3)) == 130
    (row,) = Catalogue(fake).list()
    assert row.status == "interrupted"
    told = f"Left at once; `tpo-lab runs resume {row.id}` goes on from what was kept last."
    assert capsys.readouterr().err.splitlines()[-1] == told


def test_a_method_that_fails_is_told_and_counts(fake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(played(4)) == 1
    err = capsys.readouterr().err
    assert "TPO failed: FloatingPointError: too hot; 0.0 s" in err
    (row,) = Catalogue(fake).list()
    assert f"too hot The rest is kept; `tpo-lab runs resume {row.id}` tries again." in err


def test_a_run_that_is_removed_while_it_is_computed_ends(fake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with meanwhile(lambda: Catalogue(fake).delete(at_step(Catalogue(fake), 3))):
        assert main(played(3)) == 1
    assert "Stopped from elsewhere after 3 of 8 steps" in capsys.readouterr().err


def test_a_terminal_has_a_bar(fake: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "90")

    def work() -> None:
        run_id = at_step(Catalogue(fake), 3)
        until(lambda: "left; error" in shown())
        assert main(["runs", "pause", run_id]) == 0
        until(lambda: "paused" in shown())
        assert main(["runs", "stop", run_id]) == 0

    seen: list[str] = []

    def shown() -> str:
        seen.append(capsys.readouterr().err)
        return "".join(seen)

    with meanwhile(work):
        assert main(played(3)) == 1
    bars = shown().split("\r")
    for text in ("0:00 left; error: PG 50 %, TPO 50 %", "paused; error"):
        assert any(bar.startswith(f"[#######             ]  38 %, {text}") for bar in bars)
    assert {len(bar.rstrip("\n")) for bar in bars[1:-1]} == {89}


@pytest.mark.usefixtures("fake")
def test_a_long_compilation_is_told_once(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "PATIENCE", 0.0)
    seen: list[str] = []

    def shown() -> str:
        seen.append(capsys.readouterr().err)
        return "".join(seen)

    def press() -> None:
        until(lambda: "Compiling" in shown(), 60)
        time.sleep(3 * follow.LOOK)
        os.kill(os.getpid(), signal.SIGINT)

    with meanwhile(press):
        assert main(played(2)) == 130
    assert shown().count("Compiling; the first time that takes some seconds to a minute.\n") == 1


def test_a_store_that_cannot_be_written_is_one_sentence_with_a_way_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Catalogue(folder).list()
    with without_writing(folder):
        assert main(played(0)) == 2
    (folder / "owners").write_text("not a folder")
    assert main(played(0)) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert "et TPO_LAB_HOME to a" in lines[0]
    assert lines[1].endswith(" cannot be written: File exists. Set TPO_LAB_HOME to a folder that you can write.")


def test_a_store_that_fills_up_ends_the_command_with_the_reason(
    fake: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StoreError("store", "The disk is full.")

    monkeypatch.setattr(Catalogue, "set_run", full)
    assert main(played(0)) == 2
    (row,) = Catalogue(fake).list()
    assert row.status == "interrupted"
    again = f"Once it can be written, `tpo-lab runs resume {row.id}` goes on with the run."
    assert capsys.readouterr().err.endswith(f"tpo-lab run: The disk is full. {again}\n")


def test_a_run_beyond_the_memory_is_refused(
    fake: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(estimate, "available", lambda: 1_000_000)
    assert main(played(0)) == 2
    err = capsys.readouterr().err
    assert err.startswith("tpo-lab run: ")
    assert "memory" in err
    assert err.count("\n") == 1
    assert Catalogue(fake).list() == ()


def test_a_folder_in_the_place_of_the_file_is_told_before_there_is_a_run(
    fake: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (fake / "taken.parquet").mkdir()
    assert main([*played(0), "--out", str(fake / "taken.parquet")]) == 2
    assert capsys.readouterr().err.endswith("taken.parquet is a folder; --out needs the name of a file.\n")
    assert Catalogue(fake).list() == ()


def test_a_file_that_cannot_be_written_loses_nothing(fake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*played(0), "--out", str(fake / f"{'long' * 99}.parquet")]) == 2
    printed = capsys.readouterr()
    (row,) = Catalogue(fake).list()
    assert f"The run is kept: `tpo-lab runs export {row.id} FILE` writes it." in printed.err
    assert (row.status, printed.out.startswith("method")) == ("done", True)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["run", "fig99"], "Unknown preset 'fig99'; known: live-..., fig2, easy, fig3, fig3-..., digits-..., fig4-..."),
        (["run", "live-terminal", "--set", "length"], "needs KEY=VALUE"),
        (["run", "live-terminal", "--set", "speed=1"], "Unknown setting 'speed'"),
        (["run", "live-terminal", "--set", "eta=-1"], "temperature eta must be a number"),
        (["run", "live-terminal", "--seeds", "0"], "from 1 to"),
        (["run", "live-terminal", "--out", "/nowhere/at/all.parquet"], "does not exist"),
        (["run", "live-terminal", "--out", ""], "--out must end in .parquet, not ''"),
        (["run", "live-terminal", "--out", "x.csv"], "--out must end in .parquet, not 'x.csv'; `runs export` writes"),
        (["run", "fig4-digits", "--set", "folder=/nowhere"], "The folder /nowhere does not exist."),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(
    words: list[str], answer: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert answer in capsys.readouterr().err
    assert Catalogue(folder).list() == ()


def test_list_and_methods_name_everything(capsys: pytest.CaptureFixture[str]) -> None:
    for command, registry in (("list", PRESETS), ("methods", METHODS)):
        assert main([command]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[0] for line in lines[1:]] == list(registry)
        assert main([command, "--json"]) == 0
        assert [entry["name"] for entry in json.loads(capsys.readouterr().out)] == list(registry)
