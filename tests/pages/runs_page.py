"""What tests of the pages of runs share: opening a page, pressing its buttons, and reading what it shows."""

import time
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
from streamlit.testing.v1 import AppTest

from tpo_lab.experiments.config import BanditConfig
from tpo_lab.runs.service import RunService

ROOT = Path(__file__).parents[2]
SMALL = BanditConfig(steps=8, seeds=3)
HOLDS = BanditConfig(steps=8, seeds=3, seed=3)  # waits, after three steps, until it is told to leave


def opened(name: str = "runs", **query: str) -> AppTest:
    page = AppTest.from_file(str(ROOT / "pages" / f"{name}.py"), default_timeout=30)
    for key, value in query.items():
        page.query_params[key] = value
    return quiet(page.run())


def quiet(page: AppTest) -> AppTest:
    assert not page.exception
    return page


def wait(runs: RunService, run_id: str, *statuses: str) -> str:
    """Until the run has one of the statuses."""
    deadline = time.monotonic() + 20
    while runs.get(run_id).status not in statuses or (runs.get(run_id).status == "running" and not _held(runs, run_id)):
        assert time.monotonic() < deadline, runs.get(run_id)
        time.sleep(0.01)
    return run_id


def _held(runs: RunService, run_id: str) -> bool:
    return bool(runs.get(run_id).steps)


def click(page: AppTest, label: str) -> AppTest:
    (button,) = [b for b in page.button if b.label == label]
    assert not button.disabled, label
    return quiet(button.click().run())


def enabled(page: AppTest) -> set[str]:
    return {b.label for b in page.button if not b.disabled}


def url(page: AppTest) -> dict[str, str]:
    return {name: value[0] if isinstance(value, list) else value for name, value in page.query_params.items()}


def shelf(page: AppTest) -> pd.DataFrame:
    return page.dataframe[0].value


def chart(page: AppTest, index: int = 0) -> pd.DataFrame:
    proto: Any = page.get("vega_lite_chart")[index].proto
    return pd.DataFrame(pa.ipc.open_stream(proto.datasets[0].data.data).read_pandas())


def field(page: AppTest, label: str) -> Any:
    (found,) = [f for f in page.text_input if f.label == label]
    return found


def progress(page: AppTest) -> str:
    return str(page.get("progress")[0].proto.text)
