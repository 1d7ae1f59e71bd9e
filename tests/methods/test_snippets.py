"""Copy as code: the copied program of each method, run on its own, gives the numbers of the page."""

import contextlib
import io
from typing import Any

import jax
import numpy as np
import pytest

from tpo_lab.errors import InputError
from tpo_lab.group.scenario import Scenario
from tpo_lab.group.snippets import LANGUAGES
from tpo_lab.methods.registry import METHODS
from tpo_lab.methods.snippets import _LOSSES, snippet
from tpo_lab.methods.updates import UPDATED, Settings, taking_part, update

SKEWED = Scenario((0.5, None, 1, 0.2, 0), policy=(0.6, 0.2, 0.1, 0, 0.1), eta=0.6, rule="robust_floor", strength=0.3)
GROUPS = [
    SKEWED,
    Scenario((1, 0, 0, 0, 0, 0, 0, 0)),
    Scenario((0.5, 0.5, 0.5), policy=(-0.5, -1, -0.25), kind="mean_log_probs", lengths=(12, 3, 7)),
    Scenario((0.7,)),
]
SETTINGS = [
    Settings(step_size=0.4),
    Settings({"eta": 0.6, "clip": 0.05, "kl_weight": 0.7}, step_size=0.3, optimiser="normalised"),
]


def run(text: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(text, "<snippet>", "exec"), names)
    return names


@pytest.mark.parametrize("name", UPDATED)
@pytest.mark.parametrize("settings", SETTINGS)
def test_numpy_gives_the_policy_and_the_gradient_of_the_update(name: str, settings: Settings) -> None:
    for scenario in GROUPS:
        found, expected, part = (
            run(snippet(name, scenario, settings)),
            update(name, scenario, settings),
            taking_part(scenario),
        )
        np.testing.assert_allclose(
            found["gradient"](found["log_p_old"]), expected.gradient[part], rtol=1e-9, atol=1e-12
        )
        np.testing.assert_allclose(found["p"], expected.policies[-1][part], rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("name", ["tpo", "ce", "dg", "awr", "group_pg", "grpo_masked", "dapo", "rebel", "pmpo"])
def test_jax_differentiates_the_same_loss(name: str) -> None:
    """In float64, away from p_old too: what NumPy has written out is the derivative of what it calls the loss."""
    settings = SETTINGS[1]
    numpy = run(snippet(name, SKEWED, settings))
    with jax.enable_x64(True):
        found = run(snippet(name, SKEWED, settings, "jax"))
        np.testing.assert_allclose(
            found["p"], update(name, SKEWED, settings).policies[-1][taking_part(SKEWED)], rtol=1e-7
        )
        z = np.array([0.3, -1.0, 0.4])
        np.testing.assert_allclose(found["gradient"](z), numpy["gradient"](z), rtol=1e-9, atol=1e-12)
        log_p = numpy["log_softmax"](z)
        value = found["loss"](log_p, numpy["log_p_old"], numpy["scores"])
        np.testing.assert_allclose(value, numpy["loss"](log_p, numpy["log_p_old"], numpy["scores"])[0], rtol=1e-9)


@pytest.mark.parametrize("name", UPDATED)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_program_is_whole(name: str, language: str) -> None:
    for settings in SETTINGS:
        text = snippet(name, SKEWED, settings, language)
        compile(text, "<snippet>", "exec")
        assert not any(left in text for left in ("xp.", "$", "FROZEN", "LOG_SOFTMAX", "tpo_lab"))
        assert METHODS[name].label in text
        assert "candidate 2, 4" in text
        assert max(map(len, text.splitlines())) <= 120


def test_every_method_has_its_text_and_no_other() -> None:
    assert set(_LOSSES) == set(UPDATED)
    with pytest.raises(InputError, match="namesake"):
        snippet("tpo_token", SKEWED, SETTINGS[0])
