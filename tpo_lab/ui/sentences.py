"""What is wrong, said beside its field. A sentence quotes what a person typed or linked: it is text, never Markdown."""

import re

import streamlit as st

_MARKS = re.compile(r"[\\`*_\[\]<>~$&]")


def refuse(sentence: str) -> None:
    """Show one sentence as an error, sign by sign: an image in a link's text must not be fetched from its host."""
    st.error(_MARKS.sub(r"\\\g<0>", sentence))
