"""The components' JavaScript modules under node, as they stand in the package."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import playwright

from tpo_lab.ui.components.bundle import HERE

_MAIN = """
import { readFileSync } from "node:fs";
import run from "./script.mjs";
process.stdout.write(JSON.stringify(run(JSON.parse(readFileSync(0)))));
"""


@dataclass(frozen=True)
class Node:
    """A folder with a copy of the modules, in which scripts run."""

    folder: Path

    def __call__(self, script: str, data: object = None) -> Any:
        """What the script's default function makes of `data`, through JSON; it imports modules from "./"."""
        (self.folder / "package.json").write_text('{"type": "module"}')
        (self.folder / "main.mjs").write_text(_MAIN)
        (self.folder / "script.mjs").write_text(script)
        for source in HERE.glob("*.js"):
            shutil.copy(source, self.folder)
        done = subprocess.run(
            [_program(), "main.mjs"],
            cwd=self.folder,
            input=json.dumps(data),
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def _program() -> str:
    """node of PATH, else the one that Playwright ships."""
    return shutil.which("node") or str(Path(playwright.__file__).parent / "driver" / "node")
