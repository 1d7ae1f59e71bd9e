"""`tpo-lab run PRESET`: train the paper's experiments without a page, with a progress line, a table and a file."""

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from tpo_lab.commands.table import aligned
from tpo_lab.errors import InputError
from tpo_lab.experiments import lanes_file
from tpo_lab.experiments.presets import PRESETS
from tpo_lab.methods.registry import METHODS


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the parser of this command."""
    parser = commands.add_parser(
        "run",
        help="train a preset, headless",
        description="Train a preset of `tpo-lab list`. Ctrl-C ends the run and keeps what is done.",
        allow_abbrev=False,
    )
    parser.add_argument("preset", help="a name of `tpo-lab list`")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="change a setting; may be repeated"
    )
    parser.add_argument("--seeds", type=int, metavar="N", help="how many seeds")
    parser.add_argument("--methods", metavar="A,B", help="names of `tpo-lab methods`, with commas")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write every diagnostic of every step as Parquet")
    parser.add_argument("--json", action="store_true", help="a summary per method, as JSON")
    parser.set_defaults(run=_run)


def config_of(args: argparse.Namespace) -> Any:
    """The configuration that a command line means.

    Raises:
        InputError: if the preset, a setting or a value is unknown or wrong.
    """
    config = PRESETS[args.preset].config
    changes: dict[str, Any] = {}
    for change in args.set:
        name, equals, text = change.partition("=")
        if not equals:
            raise InputError("set", f"--set needs KEY=VALUE, not {change!r}.")
        changes[name] = _value(text)
    if args.seeds is not None:
        changes["seeds"] = args.seeds
    if args.methods is not None:
        changes["methods"] = tuple(args.methods.split(","))
    return type(config).from_mapping({**json.loads(config.to_json()), "methods": config.methods, **changes})


def _value(text: str) -> Any:
    """A number or null where the text is one, else the text; "a,b" is a list."""
    try:
        return json.loads(text)
    except ValueError:
        return tuple(text.split(",")) if "," in text else text


def _run(args: argparse.Namespace) -> None:
    config = config_of(args)
    if args.out is not None and not args.out.parent.is_dir():
        raise InputError("out", f"The folder {args.out.parent} does not exist.")
    # JAX is loaded here and no earlier: a wrong word on the command line is answered at once.
    from tpo_lab.training import lanes

    if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        lanes.keep_compiled(home / "tpo-lab" / "compiled")
    line = _Line()
    done = list(lanes.run(config, line.show))
    line.end()
    wanted = config.seeds * len(config.methods)
    complete = sum(lane.episodes == config.episodes for lane in done)
    if complete < wanted:
        print(f"Stopped: {complete} of {wanted} lanes ended; what is done is kept.", file=sys.stderr)
    if args.out is not None and done:
        lanes_file.write(args.out, config, done, _versions())
    summary = lanes_file.summary(config, done)
    print(json.dumps(summary) if args.json else _table(config, summary))


def _versions() -> dict[str, str]:
    from importlib.metadata import version

    return {name: version(name) for name in ("jax", "jaxlib", "numpy", "optax")}


def _table(config: Any, summary: dict[str, Any]) -> str:
    rows = [("method", "final error", "seeds", "steps to 1 %", "seconds", "to compile")]
    for name in config.methods:
        entry = summary["methods"][name]
        error, steps = "-", "-"
        if entry["seeds_ended"]:
            spread = entry["final_error_standard_error"]
            error = f"{100 * entry['final_error_mean']:.2f} %"
            error += "" if spread is None else f" +- {100 * spread:.2f}"
            steps = "never" if entry["steps_to_1_percent"] is None else str(entry["steps_to_1_percent"])
        label = METHODS[name].label + (f" (diverged: {len(entry['diverged'])})" if entry["diverged"] else "")
        seconds, to_compile = f"{entry['seconds']:.1f}", f"{entry['compile_seconds']:.1f}"
        rows.append((label, error, str(entry["seeds_ended"]), steps, seconds, to_compile))
    return "\n".join([*aligned(rows), "Error: last episode, mean over seeds +- standard error."])


class _Line:
    """A progress bar on a terminal's error stream; silent elsewhere."""

    def __init__(self) -> None:
        self.start = time.monotonic()
        self.shown = False

    def show(self, progress: Any) -> None:
        """Redraw: bar, share, time left, and what is running."""
        if not sys.stderr.isatty():
            return
        left = (time.monotonic() - self.start) * (1 / progress.share - 1)
        bar = ("#" * int(20 * progress.share)).ljust(20)
        text = f"[{bar}] {100 * progress.share:3.0f} %, {_duration(left)} left; "
        text += f"{METHODS[progress.method].label}, seed {progress.seed}: error {100 * progress.error:.1f} %"
        print(f"\r{text:<79}", end="", file=sys.stderr, flush=True)
        self.shown = True

    def end(self) -> None:
        """Leave the line."""
        if self.shown:
            print(file=sys.stderr)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60} h {minutes % 60:02d} min" if minutes >= 60 else f"{minutes}:{rest:02d}"
