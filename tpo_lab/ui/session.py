"""The Target page's session: the last good view, what is wrong with what was typed since, and the two kept in step."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import streamlit as st

from tpo_lab.errors import InputError
from tpo_lab.group.report import report
from tpo_lab.ui import url
from tpo_lab.ui.components.group_editor import Edit
from tpo_lab.ui.sentences import refuse
from tpo_lab.ui.view import View

GROUP_FIELDS = ("scores", "policy", "kind", "lengths")  # the controls that hold the group as text
_SESSION = "target.session"
T = TypeVar("T")


@dataclass
class Session:
    """What one browser tab has on the Target page.

    Attributes:
        view: the last good state; what the page shows.
        wrong: one sentence by field, beside which it is shown.
        held: by field, what was typed into it and is not in the view; it is kept, also while the field is off the page.
        gesture: whether this run is for bars that are being dragged: the URL waits for the end.
        revisions: how often each control was given a value from elsewhere.
        typed: the controls that the last change came from.
        meant: by control, what a person typed ("1.0") and the value that it means ("1").
    """

    view: View = field(default_factory=View)
    wrong: dict[str, str] = field(default_factory=dict)
    held: dict[str, Any] = field(default_factory=dict)
    gesture: bool = False
    revisions: dict[str, int] = field(default_factory=dict)
    typed: set[str] = field(default_factory=set)
    meant: dict[str, tuple[Any, Any]] = field(default_factory=dict)


def session() -> Session:
    """The session of this tab."""
    found = st.session_state.setdefault(_SESSION, Session())
    assert isinstance(found, Session)
    return found


def load() -> View:
    """The view to show, after the URL was read (if somebody came by it) or written (if the view has changed)."""
    query = url.arrived(first=_SESSION not in st.session_state)
    tab = session()
    if query is not None:
        _read_url(tab, query)
        url.keep(tab.view.to_query())
    dragging, tab.gesture = tab.gesture, False  # each edit of a gesture says so anew: its end may never come
    if not dragging:
        url.write(tab.view.to_query())
    return tab.view


def _read_url(tab: Session, query: Mapping[str, str]) -> None:
    tab.wrong.clear()
    tab.held.clear()
    try:
        tab.view = View.from_query(query)
    except InputError as error:
        tab.wrong["url"] = str(error)


def change(make: Callable[[View], View], *fields: str, settles: tuple[str, ...] = ()) -> None:
    """Replace the view; bad input leaves it and puts its sentence beside the field at fault.

    Args:
        make: the next view from the present one.
        fields: the controls that were worked; a sentence about none of them goes to the first.
        settles: other controls that follow a change, whose unfinished text is given up.
    """
    tab = session()
    _forget(tab, "url", *fields)
    try:
        tab.view = make(tab.view)
        _forget(tab, *settles)
        tab.gesture = False
        tab.typed.update(fields)
    except InputError as error:
        tab.wrong[error.field if error.field in fields else fields[0]] = str(error)
        tab.held.update({name: st.session_state[_key(name)] for name in fields if _key(name) in st.session_state})


def _forget(tab: Session, *fields: str) -> None:
    """These fields hold nothing wrong any more."""
    for name in fields:
        tab.wrong.pop(name, None)
        tab.held.pop(name, None)


def replace_all(make: Callable[[View], View], field: str) -> None:
    """`change` for what replaces everything: a preset, a file. Success drops every sentence and unfinished text."""
    tab = session()
    change(make, field)
    if field not in tab.wrong:
        tab.wrong.clear()
        tab.held.clear()


def edited(edit: Edit) -> None:
    """Take what a person did to the bars; the URL follows at the end of the gesture."""

    def make(view: View) -> View:
        scenario = edit.apply(view.scenario)
        follows_best = view.candidate is None and edit.selected == report(scenario).best
        return replace(view, scenario=scenario, candidate=None if follows_best else edit.selected)

    before = session().view.scenario
    regrouped = edit.policy is not None or edit.scores != before.scores
    change(make, "group", settles=(GROUP_FIELDS if regrouped else ()) + (() if edit.eta is None else ("eta", "kl")))
    session().gesture = not edit.final


def pending(field: str) -> bool:
    """Whether what was typed into this field has not been taken."""
    return field in session().held


def kept(field: str, value: T) -> T:
    """What a field shows when it comes onto the page: what was typed there and not taken, else the view's `value`."""
    held: T = session().held.get(field, value)
    return held


def complain(*fields: str) -> None:
    """Show the sentences of these fields, here."""
    for name in fields:
        if sentence := session().wrong.get(name):
            refuse(sentence)


def key_for(name: str, value: Any) -> str:
    """The key under which the control `name` shows `value`.

    It stays while a person works the control, and changes when anything else changes the value. A control whose value
    was set from here instead would send its old one along with the next press of any key, and undo what was done.
    """
    tab = session()
    key = _key(name)
    shown = st.session_state.get(key, value)
    if name in tab.typed:
        tab.typed.discard(name)
        tab.meant[name] = (shown, value)
    if name in tab.held or shown == value or tab.meant.get(name) == (shown, value):
        return key
    tab.revisions[name] = tab.revisions.get(name, 0) + 1
    return key_for(name, value)


def worked(name: str, then: Callable[[Any], None]) -> Callable[[], None]:
    """The callback of the control `name` under its present key: `then` of its value, unless it was replaced since."""
    key = _key(name)

    def callback() -> None:
        if key == _key(name):  # else the browser has sent the value of a control that it has not dropped yet
            then(st.session_state[key])

    return callback


def value_of(name: str) -> Any:
    """What the control `name` holds; an empty text where it is not on the page."""
    return st.session_state.get(_key(name), "")


def _key(name: str) -> str:
    return f"target.{name}.{session().revisions.get(name, 0)}"
