"""Pieces of plain HTML that pages share: as Markdown and metrics they took longer to draw than the charts."""

import html
from collections.abc import Iterable, Sequence

import streamlit as st

from tpo_lab.group.wording import figure
from tpo_lab.ui.reading import typeset

MINUS = "−"


def headline(title: str, text: str, *, safe: bool = False) -> None:
    """A finding: a few words and a sentence.

    Args:
        text: plain, or HTML where `safe`.
    """
    said = text if safe else typeset(text)
    st.html(f'<div class="headline"><h4 class="title">{html.escape(title)}</h4><p class="text">{said}</p></div>')


def figures(numbers: Iterable[tuple[str, str, str]]) -> None:
    """Numbers beside each other: name, value, and what it means, which the pointer shows."""
    items = "".join(
        f'<div title="{html.escape(meaning)}"><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd></div>'
        for name, value, meaning in numbers
    )
    st.html(f'<dl class="figures">{items}</dl>')


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, kind: str = "", marked: int | None = None) -> None:
    """A small table; the cells are HTML, the first of each row its name.

    Args:
        kind: a class of its own.
        marked: index of the row that stands out.
    """
    top = "".join(f"<th>{cell}</th>" for cell in head)
    body = ""
    for i, (name, *cells) in enumerate(rows):
        row = f"<th>{name}</th>" + "".join(f"<td>{cell}</td>" for cell in cells)
        body += f'<tr class="marked">{row}</tr>' if i == marked else f"<tr>{row}</tr>"
    st.html(f'<table class="results {kind}"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>')


def signed(value: float) -> str:
    """A number for a table, with a minus sign instead of a hyphen."""
    return figure(float(value)).replace("-", MINUS)


def swatch(colour: str, label: str) -> str:
    """A dot of the colour that stands for something on the charts, and its name."""
    return f'<span style="color:{colour}">●</span> {html.escape(label)}'
