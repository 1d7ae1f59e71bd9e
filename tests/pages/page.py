"""What tests of pages share: opening a page, working its controls, and reading what it shows."""

import re
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]


def opened(name: str, **query: str) -> AppTest:
    """The page of this name, come to by a URL with these parameters."""
    page = AppTest.from_file(str(ROOT / "pages" / f"{name}.py"), default_timeout=60)
    for key, value in query.items():
        page.query_params[key] = value
    return quiet(page.run())


def quiet(page: AppTest) -> AppTest:
    """The page, whose script has raised nothing."""
    assert not page.exception, page.exception[0].stack_trace
    return page


def control(page: AppTest, kind: str, label: str) -> Any:
    """The one control of that kind and label."""
    (found,) = [widget for widget in getattr(page, kind) if widget.label == label]
    return found


def typed(page: AppTest, label: str, text: str, kind: str = "text_input") -> AppTest:
    """The page after a field was filled."""
    return quiet(control(page, kind, label).set_value(text).run())


def click(page: AppTest, label: str) -> AppTest:
    """The page after a press of the one button of that label."""
    button = control(page, "button", label)
    assert not button.disabled, label
    return quiet(button.click().run())


def url(page: AppTest) -> dict[str, str]:
    """The parameters that the page has left in the URL."""
    return {name: value[0] if isinstance(value, list) else value for name, value in page.query_params.items()}


def sentences(page: AppTest) -> list[str]:
    """What the page says is wrong."""
    return [error.value for error in page.error]


def html_of(page: AppTest) -> str:
    """All plain HTML of the page."""
    return "\n".join(element.proto.body for element in page.get("html"))


def texts(page: AppTest) -> str:
    """The same without its tags."""
    return re.sub("<[^>]*>", "", html_of(page))


def data(page: AppTest, chart: int, name: str) -> dict[str, list[Any]]:
    """A data set of a chart, by column."""
    (found,) = [d for d in page.get("vega_lite_chart")[chart].proto.datasets if d.name == name]
    table: dict[str, list[Any]] = pa.ipc.open_stream(found.data.data).read_all().to_pydict()
    return table
