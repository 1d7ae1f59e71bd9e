"""How diagnostics are drawn, held to what the tasks record."""

import pytest

from tpo_lab.charts.diagnostics import diagnostics_of
from tpo_lab.experiments.kinds import KINDS
from tpo_lab.runs.lane import TASKS


@pytest.mark.parametrize("kind", KINDS)
def test_every_diagnostic_that_a_task_records_can_be_drawn_and_no_other(kind: str) -> None:
    config = KINDS[kind]()
    assert set(diagnostics_of(config)) == set(TASKS[KINDS[kind]].DIAGNOSTICS)
    assert next(iter(diagnostics_of(config))) == "error"
