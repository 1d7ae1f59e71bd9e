"""Curves over epochs: a specification that compiles, and data that a log axis can show."""

from tests.charts.test_spread import drawn
from tpo_lab.charts import epochs
from tpo_lab.methods.registry import METHODS


def test_the_curves_are_drawn_in_the_methods_colours() -> None:
    for log in (True, False):
        spec = epochs.spec("Title", log=log, epochs=2)
        svg = drawn(spec, epochs.data({"tpo": [1.0, 0.1, 0.0], "grpo": [2.0, 1.0, 0.5]}, log=log))
        assert all(METHODS[name].colour in svg and METHODS[name].label in svg for name in ("tpo", "grpo"))
        assert METHODS["rloo"].label not in svg  # the legend has what is drawn, of all that might be
    assert epochs.data({"tpo": [99.0, 0.0]}, log=True)["lines"]["value"] == [10.0, 1e-5]
