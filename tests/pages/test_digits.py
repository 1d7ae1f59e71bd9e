"""The page Digits without a browser and without JAX: presets, what is drawn of a run, and some of its digits."""

from html import unescape

import numpy as np
import pytest

from tests.pages.runs_page import chart, click, opened, progress, quiet, url, wait
from tpo_lab.charts.diagnostics import diagnostics_of
from tpo_lab.experiments.digits import DigitsConfig
from tpo_lab.experiments.presets import PRESETS
from tpo_lab.runs import looks
from tpo_lab.runs.curves import RunFile
from tpo_lab.runs.service import RunService
from tpo_lab.training.guesses import Guesses

CONFIG = DigitsConfig(methods=("tpo", "pg"), episodes=4, every=2, seeds=2)


def guesses(right: float) -> Guesses:
    """Forty images, four of each class; the right class has this probability after training and 10 % before."""
    labels = np.repeat(np.arange(10), 4)
    after = np.full((40, 10), (1 - right) / 9)
    after[np.arange(40), labels] = right
    return Guesses(np.arange(40)[:, None] + np.zeros(64), labels, np.full((40, 10), 0.1), after)


def ended(runs: RunService) -> str:
    """A run of two evaluations; the surplus is .02 and .05 at the second one, by seed, and unknown for PG."""
    run_id = runs.catalogue.add(CONFIG)
    names = tuple(diagnostics_of(CONFIG))
    with RunFile.create(runs.folder, run_id, names, CONFIG.seeds) as file:
        for method, right in (("tpo", 0.9), ("pg", 0.05)):
            file.take(method)
            values = np.full((CONFIG.episodes, len(names), CONFIG.seeds), np.nan, np.float32)
            values[1::2, names.index("error")] = 0.25
            if method == "tpo":
                values[1, names.index("surplus_75_100")] = 0.5
                values[3, names.index("surplus_75_100")] = (0.02, 0.05)
            file.append(method, 0, values, b"all", looks.to_bytes(guesses(right)))
            runs.catalogue.set_lane(run_id, method, status="done", steps=CONFIG.episodes)
    runs.catalogue.set_run(run_id, status="done")
    return run_id


def test_it_opens_on_the_live_preset_and_runs_it(runs: RunService) -> None:
    page = opened("digits")
    assert url(page) == {}
    assert "nine of ten" in " ".join(c.value for c in page.caption)
    assert progress(page).startswith("Recorded: step 2,000 of 2,000")
    assert set(chart(page, 1).kind) == {"TPO", "DG"}  # the surplus: of those with a closed form
    assert "A recording keeps no digits" in " ".join(c.value for c in page.caption)
    page = click(page, "Run")
    assert (runs.list()[0].config, runs.list()[0].preset) == (PRESETS["live-digits"].config, "live-digits")
    wait(runs, runs.list()[0].id, "done")
    assert progress(quiet(page.run())).startswith("Done: step 2,000 of 2,000")


def test_the_surplus_is_that_of_the_latest_evaluation_and_digits_are_shown_before_and_after(runs: RunService) -> None:
    page = opened("digits", run=ended(runs))
    surplus = chart(page, 1)
    assert surplus[["label", "kind", "n"]].to_numpy().tolist() == [["¾ to 1", "TPO", 2]]
    assert surplus.value[0] == pytest.approx(0.035)
    assert surplus.error[0] == pytest.approx(0.015)
    (grid,) = [h.proto.body for h in page.get("html") if 'class="digits"' in h.proto.body]
    assert grid.count("<img") == 12
    assert [grid.count(f'alt="handwritten {c}"') for c in range(10)] == [3, 1, 1, 1, 1, 1, 1, 1, 1, 1]
    assert unescape(grid).count("90\xa0% ✓") == 12  # TPO
    assert unescape(grid).count("5\xa0% ✗") == 12  # PG
    said = " ".join(c.value for c in page.caption)
    assert "At the latest evaluation, step 4." in said
    assert "after step 4 of the first seed" in said


@pytest.mark.usefixtures("runs")
def test_a_link_that_is_wrong_is_said() -> None:
    assert "known: each, hard" in opened("digits", images="x").error[0].value
    assert "preset of another page" in opened("digits", preset="fig2").error[0].value
