"""Set up TPO Lab in .venv, then start or test it; standard library only, as it runs before anything is installed."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCKS = {"lab": "requirements.lock", "test": "requirements-test.lock"}
MANY = ["-n", "logical", "--maxprocesses", "4", "--dist", "loadgroup", "--no-loadscope-reorder"]  # processes
COMMANDS = {"lab": ["streamlit", "run", "app.py"], "test": ["pytest", *MANY]}
# All tests, where no option chooses some. Browser tests come last and alone: a click waits for no other test then.
ALL_TESTS = [
    [*COMMANDS["test"], "-m", "not slow and not browser"],
    ["pytest", "-m", "browser and not slow"],
]
USAGE = """usage: python3 tpo_lab/bootstrap.py lab [streamlit options]   set up .venv, then start the lab
       python3 tpo_lab/bootstrap.py test [pytest options]    set up .venv, then run the tests"""
NO_PIP = (
    "This Python cannot make a virtual environment with pip in it: install what is missing "
    "(Debian, Ubuntu: apt-get install python3-venv) and run the same command again."
)
NETWORK_SIGNS = ("Retrying (", "ConnectionError", "ConnectTimeout", "ReadTimeout", "ProxyError", "SSLError")


def main(arguments: list[str]) -> int:
    """Set up what the command needs, unless that is done, and run it; returns the exit code."""
    if not arguments or arguments[0] not in COMMANDS:
        print(USAGE, file=sys.stderr)
        return 2
    name, *options = arguments
    environment = Environment(ROOT)
    try:
        if not environment.is_set_up(name):
            environment.set_up(name)
        if name == "test" and not options:
            return max(environment.run(command) for command in ALL_TESTS)
        return environment.become([*COMMANDS[name], *options])
    except SetUpError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"The set-up failed: {error}.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. The same command goes on from here.", file=sys.stderr)
        return 130


class SetUpError(Exception):
    """One line for the person at the terminal: what failed and what to do."""


class Environment:
    """The virtual environment of a checkout, made and filled by the Python that runs this."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".venv"
        self.python = self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        self.stamp = self.folder / "tpo_lab.stamp"
        self.log = self.folder / "install.log"

    def is_set_up(self, name: str) -> bool:
        """Whether the packages of this command's lock file were installed to the end, by this version of Python."""
        return self.python.exists() and self.stamp.exists() and self._digest(name) in self.stamp.read_text().split()

    def set_up(self, name: str) -> None:
        """Make .venv unless it fits, and install the lock file and the project itself; raises SetUpError."""
        pip = self._find_pip() if self._fits() else None
        if pip is None:
            self._make()
            pip = self._find_pip()
        if pip is None:
            raise SetUpError(NO_PIP)
        self.stamp.unlink(missing_ok=True)  # an interrupted install must not pass for a finished one
        lock = self.root / LOCKS[name]
        total = lock.read_text().count("==")
        print(f"Installing up to {total} packages into .venv; this happens once.", flush=True)
        self._install([*pip, "install", "--require-hashes", "--only-binary", ":all:", "-r", str(lock)], total)
        self._install([*pip, "install", "--no-deps", "--no-build-isolation", "--editable", str(self.root)])
        done = LOCKS if name == "test" else [name]  # the test lock holds all that the lab needs
        self.stamp.write_text("\n".join(map(self._digest, done)))

    def run(self, command: list[str]) -> int:
        """Run a module of .venv in the root; returns its exit code."""
        print("Running", *command, flush=True)
        return abs(subprocess.call([str(self.python), "-m", *command], cwd=self.root))

    def become(self, command: list[str]) -> int:
        """Run a module of .venv in the root, in the place of this process, except on Windows, which cannot."""
        if os.name != "nt":
            os.chdir(self.root)
            print("Running", *command, flush=True)
            os.execv(self.python, [str(self.python), "-m", *command])
        return self.run(command)

    def _digest(self, name: str) -> str:
        """Name a set-up: the place, the version of Python, the pinned packages, the project's own metadata."""
        files = [(self.root / each).read_bytes() for each in (LOCKS[name], "pyproject.toml")]
        return hashlib.sha256(b"\0".join([f"{self.root} {sys.version_info[:2]}".encode(), *files])).hexdigest()

    def _fits(self) -> bool:
        """Whether .venv is there, its Python still starts, and is of the version that runs this."""
        ask = [str(self.python), "-I", "-c", "import sys; print(sys.version_info[:2], sys.prefix != sys.base_prefix)"]
        try:
            answer = subprocess.run(ask, capture_output=True, text=True, check=False)
        except OSError:
            return False
        return answer.stdout.strip() == f"{sys.version_info[:2]} True"

    def _make(self) -> None:
        """Make .venv anew, without pip where this Python carries none to put into it."""
        print("Making the virtual environment .venv with Python {}.{}.".format(*sys.version_info), flush=True)
        for options in ([], ["--without-pip"]):
            if self.folder.exists():
                shutil.rmtree(self.folder)
            command = [sys.executable, "-I", "-m", "venv", *options, str(self.folder)]
            if subprocess.run(command, capture_output=True, check=False).returncode == 0:
                return
        raise SetUpError(NO_PIP)

    def _find_pip(self) -> list[str] | None:
        """The pip of .venv, or else the one beside this Python, told to install into .venv, if there is one."""
        for pip in ([str(self.python), "-I", "-m", "pip"], [sys.executable, "-m", "pip", "--python", str(self.python)]):
            if subprocess.run([*pip, "--version"], capture_output=True, check=False).returncode == 0:
                return pip
        return None

    def _install(self, command: list[str], total: int = 0) -> None:
        """Run pip, count on a terminal, keep all its words in a file, and raise one line if it fails."""
        command = [*command, "--disable-pip-version-check", "--no-input", "--no-color"]
        counting, seen = total and sys.stdout.isatty(), 0
        with (
            self.log.open("w") as log,
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process,
        ):
            for line in process.stdout or ():
                log.write(line)
                seen += line.startswith(("Collecting ", "Processing "))
                if counting:
                    print(f"\r  {seen} of {total} ", end="", flush=True)
        if counting:
            print()
        if process.returncode != 0:
            raise SetUpError(f"{why(self.log.read_text())} All that pip said: {self.log}")


def why(output: str) -> str:
    """One sentence on why pip failed, from what it printed."""
    if any(sign in output for sign in NETWORK_SIGNS):
        return "The packages could not be fetched: check the network, or the index and proxy settings of pip."
    errors = [line.removeprefix("ERROR: ") for line in output.splitlines() if line.startswith("ERROR: ")]
    return f"The packages could not be installed: {errors[0].rstrip('.') if errors else 'pip gave no reason'}."
