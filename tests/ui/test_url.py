"""What a page takes from its address."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

PAGES = Path(__file__).parents[2] / "pages"


@pytest.mark.parametrize("query", [{"scores": ["1,0", "2,3"]}, {"scores": "1,0", "rule": ["rloo", "slime"]}])
def test_a_parameter_given_twice_is_refused(query: dict[str, str | list[str]]) -> None:
    page = AppTest.from_file(str(PAGES / "target.py"), default_timeout=30)
    for name, value in query.items():
        page.query_params[name] = value
    (sentence,) = page.run().error
    assert "&" in sentence.value
