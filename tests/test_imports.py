"""Who may import what: cheap imports stay cheap, and only the page side knows Streamlit."""

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LAB = Path("tpo_lab/ui/lab.py")  # a script: Streamlit runs it, nothing imports it
SOURCES = sorted(path.relative_to(ROOT) for part in ("pages", "tpo_lab") for path in (ROOT / part).rglob("*.py"))
WEB = ("streamlit", "pandas", "altair")
PAGE_SIDE = ("pages/", "tpo_lab/ui/")


def modules(*rooms: str) -> str:
    """The modules of some rooms of the package, as an import statement lists them."""
    wanted = (path for path in SOURCES if path.parts[1] in rooms and path != LAB)
    return ", ".join(".".join(path.with_suffix("").parts) for path in wanted)


def loaded_after(statement: str, names: tuple[str, ...]) -> set[str]:
    """Which of the top-level modules `names` a fresh interpreter has loaded after the statement."""
    code = f"import sys; {statement}; print(*(set({names}) & sys.modules.keys()))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(answer.stdout.split())


def test_the_probe_sees_what_is_loaded() -> None:
    assert loaded_after("import json", ("json", "pandas")) == {"json"}


def test_the_package_alone_loads_nothing_heavy() -> None:
    assert loaded_after("import tpo_lab", (*WEB, "jax", "numpy", "scipy")) == set()


def test_the_mathematics_of_a_group_loads_no_jax() -> None:
    assert "tpo_lab.group.target" in modules("group")
    assert loaded_after(f"import {modules('group')}", (*WEB, "jax")) == set()


def test_the_command_line_loads_no_jax_to_answer() -> None:
    assert loaded_after("import tpo_lab.cli", (*WEB, "jax")) == set()


def imported(path: Path) -> set[str]:
    """Every module that a file imports anywhere, by its first name."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add((node.module or "").split(".")[0])
    return names


def test_only_the_page_side_imports_streamlit() -> None:
    importers = {path.as_posix() for path in SOURCES if "streamlit" in imported(ROOT / path)}
    assert "pages/target.py" in importers
    assert {path for path in importers if not path.startswith(PAGE_SIDE)} == set()


def test_the_web_process_loads_no_jax() -> None:
    """The pages' side, and with it the service of the runs; their worker is another process."""
    assert loaded_after(f"import {modules('ui', 'charts')}", ("streamlit", "jax")) == {"streamlit"}
