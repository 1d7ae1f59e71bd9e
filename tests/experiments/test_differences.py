"""What differs from a preset, and the command that says so: it must give the same configuration again."""

import argparse
import shlex

import pytest

from tpo_lab.commands import run
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.differences import base_of, changes, command, read, written
from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.experiments.kinds import AnyConfig
from tpo_lab.experiments.multi_bandit import MultiBanditConfig
from tpo_lab.experiments.presets import PRESETS
from tpo_lab.experiments.reversal import ReversalConfig

CONFIGS = (
    BanditConfig(),
    BanditConfig(eta=0.5, methods=("tpo", "pg"), update="exact"),
    MultiBanditConfig(seeds=3),
    DigitsConfig(folder="/a folder, with, commas"),
    ReversalConfig(length=4, kl_budget=0.1, methods=("tpo",)),
    ReversalConfig(length=4, prompts=32, epochs=2, log_probs="mean", learning_rate=3e-4),
)


def parsed(line: str) -> AnyConfig:
    parser = argparse.ArgumentParser()
    run.add_parser(parser.add_subparsers())
    args = parser.parse_args(shlex.split(line)[1:])
    found: AnyConfig = run.config_of(args)
    return found


@pytest.mark.parametrize("config", CONFIGS, ids=lambda c: f"{type(c).__name__}-{CONFIGS.index(c)}")
def test_the_command_gives_the_same_configuration(config: AnyConfig) -> None:
    assert parsed(command(config)) == config


def test_the_preset_that_was_named_is_the_base_unless_it_is_of_another_kind() -> None:
    config = PRESETS["live-terminal"].config
    assert base_of(config).name == "live-terminal"
    assert base_of(config, "table3-H7-prompt").name == "table3-H7-prompt"
    assert base_of(config, "fig2").name == "live-terminal"
    assert base_of(BanditConfig(eta=3), "gone").name == "fig2"


def test_what_differs_is_named_with_its_value() -> None:
    assert [str(change) for change in changes(BanditConfig(eta=3, methods=("tpo",)), BanditConfig())] == [
        "eta 3",
        "methods tpo",
    ]
    assert changes(BanditConfig(), BanditConfig()) == ()


@pytest.mark.parametrize("value", [3, 0.5, None, True, "word", "1e3", "null", ("tpo", "pg"), "a,b"])
def test_what_is_written_is_read_again(value: object) -> None:
    assert read(written(value)) == value
