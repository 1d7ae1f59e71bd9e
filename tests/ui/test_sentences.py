"""What a person typed is quoted in a sentence as it was typed."""

from streamlit.testing.v1 import AppTest


def test_marks_of_markdown_lose_their_meaning() -> None:
    page = AppTest.from_string(
        "from tpo_lab.ui.sentences import refuse\nrefuse(r'Not ![a](http://b.c) *d* $e$ `f` \\g.')"
    )
    (shown,) = page.run().error
    assert shown.value == r"Not !\[a\](http://b.c) \*d\* \$e\$ \`f\` \\g."
