"""Join the JavaScript modules of a component into one: an inline component has no address to import others from.

The files are plain ES modules, so that node can test each of them as it stands.
"""

import re
from pathlib import Path

HERE = Path(__file__).parent
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w.]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


def javascript(entry: str) -> str:
    """The module `entry` and all that it imports, each once, as the text of one module; only its default is exported.

    All share one scope: a name that two modules declare is a syntax error in the browser, and in a test.
    """
    modules: dict[str, str] = {}
    _collect(entry, modules)
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in modules.values())


def stylesheet(*names: str) -> str:
    """The style sheets, joined."""
    return "\n".join(_read(name) for name in names)


def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _collect(name: str, modules: dict[str, str]) -> None:
    """Add what `name` imports, then `name` itself."""
    text = _read(name)
    for imported in _IMPORT.findall(text):
        if imported not in modules:
            _collect(imported, modules)
    modules[name] = text
