"""The two commands: what a person sees with a wrong Python, and when the set-up is skipped, redone or fails."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tpo_lab import environment
from tpo_lab.environment import Environment, SetUpError

DOOR = environment.ROOT / "tpo_lab" / "bootstrap.py"
OLD_PYTHONS = ("python2", "python2.7", "python3.6", "python3.8", "python3.9", "python3.10")
NEW_SYNTAX = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.Starred, ast.Nonlocal, ast.AsyncFunctionDef, ast.Match)


def test_the_door_keeps_to_syntax_of_old_pythons() -> None:
    source = DOOR.read_text()
    assert source.isascii()
    for node in ast.walk(ast.parse(source)):
        assert not isinstance(node, NEW_SYNTAX), f"line {node.lineno}: {type(node).__name__}"
        assert not isinstance(node, ast.arg) or node.annotation is None
        assert not isinstance(node, ast.Raise) or node.cause is None


@pytest.mark.parametrize("version", [(2, 7), (3, 6), (3, 10)])
def test_a_wrong_version_gets_one_line(version: tuple[int, int]) -> None:
    code = f"import sys, runpy; sys.version_info = {version}; runpy.run_path({str(DOOR)!r}, run_name='__main__')"
    _assert_refused(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True), version)


def test_old_pythons_on_this_machine_get_one_line() -> None:
    for name in filter(shutil.which, OLD_PYTHONS):
        ask = subprocess.run([name, "-c", "import sys; print(sys.version_info[:2])"], capture_output=True, text=True)
        if ask.returncode == 0:  # a version manager's stub fails
            ended = subprocess.run([name, str(DOOR), "lab"], capture_output=True, text=True)
            _assert_refused(ended, ast.literal_eval(ask.stdout))


def _assert_refused(ended: subprocess.CompletedProcess[str], version: tuple[int, int]) -> None:
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert "needs Python 3.11 or newer and this is {}.{}:".format(*version) in ended.stderr


def test_modules_beside_the_door_do_not_shadow_the_standard_library(tmp_path: Path) -> None:
    package = tmp_path / "tpo_lab"
    package.mkdir()
    for name in ("bootstrap.py", "environment.py", "__init__.py"):
        shutil.copy(DOOR.with_name(name), package)
    for name in ("hashlib", "shutil", "subprocess", "pathlib", "types"):
        (package / f"{name}.py").write_text("raise RuntimeError('shadowed')")
    ended = subprocess.run([sys.executable, package / "bootstrap.py"], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr.strip()) == (2, environment.USAGE)


class Recorded(Environment):
    """An environment in which pip is only recorded, and fails where it is told to."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.made = 0
        self.installed: list[str] = []
        self.failing = False
        self.fitting = True
        self.pips: list[list[str] | None] = []  # what is found next; afterwards always one

    def _fits(self) -> bool:
        return self.python.exists() and self.fitting

    def _make(self) -> None:
        self.made += 1
        self.python.parent.mkdir(parents=True, exist_ok=True)
        self.python.touch()

    def _find_pip(self) -> list[str] | None:
        return self.pips.pop(0) if self.pips else ["pip"]

    def _install(self, command: list[str], _total: int = 0) -> None:
        if self.failing:
            raise SetUpError("no")
        self.installed.append(command[-1])


@pytest.fixture
def checkout(tmp_path: Path) -> Recorded:
    for name in (*environment.LOCKS.values(), "pyproject.toml"):
        (tmp_path / name).write_text(f"{name}==1\n")
    return Recorded(tmp_path)


def test_the_second_start_installs_nothing_and_the_tests_cover_the_lab(checkout: Recorded) -> None:
    assert not checkout.is_set_up("lab")
    checkout.set_up("lab")
    assert checkout.is_set_up("lab")
    assert not checkout.is_set_up("test")
    checkout.set_up("test")
    assert checkout.is_set_up("lab")
    assert checkout.is_set_up("test")
    assert checkout.made == 1
    locks = [str(checkout.root / environment.LOCKS[name]) for name in ("lab", "test")]
    assert checkout.installed == [locks[0], str(checkout.root), locks[1], str(checkout.root)]


def test_a_changed_lock_or_metadata_is_installed(checkout: Recorded) -> None:
    for name in ("requirements.lock", "pyproject.toml"):
        checkout.set_up("lab")
        (checkout.root / name).write_text(f"changed {name}==2\n")
        assert not checkout.is_set_up("lab")


def test_an_interrupted_install_is_redone(checkout: Recorded) -> None:
    checkout.set_up("lab")
    (checkout.root / "requirements-test.lock").write_text("b==1\n")
    checkout.failing = True
    with pytest.raises(SetUpError):
        checkout.set_up("test")
    assert not checkout.is_set_up("lab")
    assert not checkout.is_set_up("test")


def test_an_environment_of_another_python_is_made_anew(checkout: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout.set_up("lab")
    monkeypatch.setattr(sys, "version_info", (3, 99, 0))
    assert not checkout.is_set_up("lab")
    checkout.fitting = False
    checkout.set_up("lab")
    assert checkout.made == 2


def test_fits_only_a_python_that_starts_and_is_ours(tmp_path: Path) -> None:
    real = Environment(tmp_path)
    assert not real._fits()
    real.python.parent.mkdir(parents=True)
    real.python.symlink_to(tmp_path / "gone")
    assert not real._fits()
    real.python.unlink()
    real.python.write_text("#!/bin/sh\necho '(3, 10) True'\n")
    real.python.chmod(0o755)
    assert not real._fits()
    real.python.write_text(f"#!/bin/sh\necho '{sys.version_info[:2]} True'\n")
    assert real._fits()


def test_no_virtual_environment_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    with pytest.raises(SetUpError, match="apt-get install python3-venv"):
        Environment(tmp_path)._make()


def test_without_any_pip_one_line_says_what_to_install_and_then_it_goes_on(checkout: Recorded) -> None:
    checkout.pips = [None]
    with pytest.raises(SetUpError, match="apt-get install python3-venv"):
        checkout.set_up("lab")
    assert not checkout.is_set_up("lab")
    checkout.pips = [None, ["pip"]]  # the old .venv is still without; made anew it has one
    checkout.set_up("lab")
    assert checkout.is_set_up("lab")
    assert checkout.made == 2


def test_pip_beside_python_fills_an_environment_without_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Environment(tmp_path)
    real.python.parent.mkdir(parents=True)
    real.python.symlink_to(str(shutil.which("false")))
    monkeypatch.setattr(sys, "executable", shutil.which("true"))
    assert real._find_pip() == [sys.executable, "-m", "pip", "--python", str(real.python)]
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    assert real._find_pip() is None


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("WARNING: Retrying (Retry(total=4)) after connection broken\nERROR: No match for jax\n", "check the network"),
        ("ERROR: [Errno 28] No space left on device\n", "could not be installed: [Errno 28] No space left on device."),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES.\n more\n", "THESE PACKAGES DO NOT MATCH THE HASHES."),
        ("Traceback\n", "pip gave no reason."),
    ],
)
def test_a_failed_install_is_one_line_and_a_log(tmp_path: Path, said: str, sentence: str) -> None:
    real = Environment(tmp_path)
    real.folder.mkdir()
    with pytest.raises(SetUpError) as caught:
        real._install([sys.executable, "-c", f"import sys; print({said!r}); sys.exit(1)"])
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert said in real.log.read_text()


def test_all_tests_run_in_two_parts_and_a_failure_in_either_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []

    def run(_: Environment, command: list[str]) -> int:
        ran.append(command)
        return len(ran) % 2  # the first part fails

    monkeypatch.setattr(Environment, "is_set_up", lambda *_: True)
    monkeypatch.setattr(Environment, "run", run)
    assert environment.main(["test"]) == 1
    assert [command[-1] for command in ran] == ["not slow and not browser", "browser and not slow"]


def test_options_choose_what_is_run_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []
    monkeypatch.setattr(Environment, "is_set_up", lambda *_: True)

    def become(_: Environment, command: list[str]) -> int:
        ran.append(command)
        return 0

    monkeypatch.setattr(Environment, "become", become)
    assert environment.main(["test", "-m", "slow"]) == 0
    assert ran == [[*environment.COMMANDS["test"], "-m", "slow"]]
