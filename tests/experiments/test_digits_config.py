"""The configuration of the digits bandit: the paper's numbers, and refusals."""

from typing import Any

import pytest

from tpo_lab.errors import InputError
from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.experiments.presets import PRESETS


def test_the_preset_is_the_papers_run() -> None:
    config = PRESETS["fig4-digits"].config
    assert isinstance(config, DigitsConfig)
    assert (config.prompts, config.hidden, config.learning_rate, config.every) == (100, 50, 1e-3, 200)
    assert (config.episodes, config.seeds, config.folder) == (10_000, 20, None)


@pytest.mark.parametrize(
    ("values", "field", "words"),
    [
        ({"image": 3}, "config", "Unknown setting 'image'; known: methods, folder"),
        ({"prompts": 0}, "prompts", "from 1 to 10,000"),
        ({"every": 0}, "every", "from 1 to 100,000"),
        ({"eta": 0}, "eta", "from 0.001 to 1,000"),
        ({"folder": ""}, "folder", "must be a path, or null"),
        ({"folder": 3}, "folder", "must be a path, or null for 8x8 digits, not 3"),
        ({"methods": ()}, "methods", "at least one"),
        ({"methods": ("ppo",)}, "digits method", "known: tpo, pg, grpo, group_pg, dg, ce"),
    ],
)
def test_what_is_wrong_is_named(values: dict[str, Any], field: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        DigitsConfig.from_mapping(values)
    assert caught.value.field == field
