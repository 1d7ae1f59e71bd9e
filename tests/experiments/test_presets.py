"""The presets: the paper's experiments under the names of its figures and tables, and what a near name is told."""

from typing import Any

import pytest

from tpo_lab.errors import InputError
from tpo_lab.experiments.config import BanditConfig
from tpo_lab.experiments.presets import PRESETS
from tpo_lab.experiments.reversal import ReversalConfig


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_survives_json(name: str) -> None:
    preset = PRESETS[name]
    assert type(preset.config).from_json(preset.config.to_json()) == preset.config
    assert preset.why.endswith(".")


def test_every_experiment_of_the_paper_but_the_language_models_has_a_preset() -> None:
    families = {name.partition("-")[0] for name in PRESETS} | {word for p in PRESETS.values() for word in p.of}
    assert {f"fig{n}" for n in range(2, 18) if n != 9} | {f"table{n}" for n in (1, 2, 3, 5)} <= families


def test_the_presets_hold_the_papers_numbers() -> None:
    def of(name: str) -> Any:
        return PRESETS[name].config

    assert of("fig2") == BanditConfig()
    assert (of("table1-V16").vocabulary, of("table1-V16").seeds, of("table1-V16").episodes) == (16, 20, 1_000)
    assert (of("table2-sequential-flip").reward, of("table2-sequential-flip").seeds) == ("sequential", 10)
    interaction = of("fig6-interaction-bag-copy")
    assert (interaction.match, interaction.budget("dg")[0], interaction.budget("tpo_token")[0]) == (
        "interaction",
        800,
        100,
    )
    assert of("table3-H10-prompt") == ReversalConfig(methods=("tpo", "grpo", "grpo_no_kl", "ppo", "dg"))
    for name in ("fig10", "fig11", "fig13", "fig14-epochs4", "fig15-epochs2"):
        assert (of(name).length, of(name).candidates, of(name).prompts) == (8, 32, 256)
    assert (of("fig10").seeds, of("fig12-K64").seeds, of("fig12-K64").candidates) == (10, 30, 64)
    assert of("fig14-epochs1").epochs_of("tpo") == of("fig14-epochs1").epochs_of("dg") == 1
    assert of("table5-eta0.25").knobs("tpo_token") == {"eta": 0.25}
    assert of("fig17-sequential-flip-epochs4").epochs_of("dg") == 4


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("table1", "it may be one of: table1-V2, table1-V4, table1-V8, table1-V16;"),
        ("table3-H10", "it may be one of: table3-H10-prompt, table3-H10-interaction;"),
        ("fig7", "it may be one of: table3-H7-prompt,"),
        ("mnist", "it may be one of: live-digits, fig4-digits;"),
        ("Fig2", "it may be one of: fig2;"),
        ("tabel1-V2", "it may be one of: table1-V2"),
        (
            "nonsense",
            "known: live-..., fig2, easy, fig3, fig3-..., digits-..., fig4-..., table1-..., table2-..., fig6-...,",
        ),
        ("", "known: live-..."),
        (3, "known: live-..."),
    ],
)
def test_a_name_that_is_unknown_is_told_what_may_be_meant(name: Any, words: str) -> None:
    with pytest.raises(InputError) as caught:
        PRESETS[name]
    assert words in str(caught.value)
    assert caught.value.field == "preset"
