"""`tpo-lab run PRESET`: train the paper's experiments without a page, in the store that the lab shows."""

import argparse
import json
from pathlib import Path
from typing import Any

from tpo_lab.commands.outputs import ENDS, add_outputs, check_outputs
from tpo_lab.errors import InputError
from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.experiments.presets import PRESETS


def add_parser(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the parser of this command."""
    parser = commands.add_parser(
        "run",
        help="train a preset, headless",
        description="Train a preset of `tpo-lab list`. Ctrl-C stops the run and keeps what is done.",
        epilog=ENDS,
        allow_abbrev=False,
    )
    parser.add_argument("preset", help="a name of `tpo-lab list`")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="change a setting; may be repeated"
    )
    parser.add_argument("--seeds", type=int, metavar="N", help="how many seeds")
    parser.add_argument("--methods", metavar="A,B", help="names of `tpo-lab methods`, with commas")
    add_outputs(parser)
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
    if isinstance(changes.get("folder"), str):  # whoever resumes the run may be in another place
        changes["folder"] = str(Path(changes["folder"]).expanduser().absolute())
    return type(config).from_mapping({**json.loads(config.to_json()), "methods": config.methods, **changes})


def _value(text: str) -> Any:
    """A number or null where the text is one, else the text; "a,b" is a list."""
    try:
        return json.loads(text)
    except ValueError:
        return tuple(text.split(",")) if "," in text else text


def _run(args: argparse.Namespace) -> int:
    config = config_of(args)
    check_outputs(args)
    # The other commands, and a wrong word, need not wait for these.
    from tpo_lab.commands.follow import advising, follow, say, serving
    from tpo_lab.runs.catalogue import LONGEST
    from tpo_lab.tasks.digits_idx import read_folder

    if isinstance(config, DigitsConfig) and config.folder:
        read_folder(config.folder)  # what is wrong with it is told once, before there is a run
    preset = PRESETS[args.preset]
    changed = [f"{k}={_text(v)}" for k, v in vars(config).items() if v != getattr(preset.config, k)]
    with serving() as service:
        name = " ".join([preset.name, *changed])[: LONGEST["name"]] if changed else ""
        with advising():
            run_id = service.start(config, "" if changed else preset.name, name)
        say(f"Run {run_id}: {name or preset.name}. The lab shows it too.")
        return follow(service, run_id, args)


def _text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
