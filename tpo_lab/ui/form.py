"""A page's state as one declared list of texts: what the fields hold, what the URL says, and the last good view of it.

Every control holds the text that stands in the URL, so that what is typed, linked and shown is read in one place.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import streamlit as st

from tpo_lab.errors import InputError, shown
from tpo_lab.ui import url
from tpo_lab.ui.sentences import refuse

V = TypeVar("V")


class Form(Generic[V]):
    """The state of one browser tab on one page.

    Attributes:
        name: the page; it opens the keys of the controls.
        defaults: text by field; these and no others are in the URL, where they differ.
        make: the view of good texts; it raises InputError with the field at fault.
        view: of the last good texts.
        around: what the controls show beside their own texts; a change that leaves it is drawn by the body alone.
    """

    def __init__(self, name: str, defaults: Mapping[str, str], make: Callable[[Mapping[str, str]], V]) -> None:
        self.name, self.defaults, self.make = name, defaults, make
        self.texts = dict(defaults)
        self.view = make(self.texts)
        self.around: Callable[[], object] | None = None
        self._in_body = False  # whether the body is being drawn
        self._held: dict[str, str] = {}  # typed, and not taken
        self._wrong: dict[str, str] = {}
        self._revisions: dict[str, int] = {}

    def change(self, texts: Mapping[str, str], *, worked: str = "") -> None:
        """Take new texts for some fields; bad ones leave the view and get their sentence.

        Args:
            texts: by field.
            worked: the field whose control holds its new text already; the others are drawn anew.
        """
        self._wrong.pop("url", None)
        whole = {**self.texts, **self._held, **texts}
        try:
            self._take(whole)
            self._held.clear()
            self._wrong.clear()
        except InputError:
            self._change_these(texts)
        self._drawn_anew(name for name in texts if name != worked)

    def replace_all(self, texts: Mapping[str, str]) -> None:
        """Take these texts and the defaults of all other fields; every sentence and unfinished text is dropped."""
        self._held.clear()
        self._wrong.clear()
        self.change({**self.defaults, **texts})

    def take_file(self, read: Callable[[], Mapping[str, str]]) -> None:
        """Take the texts that a file holds, or none: then its sentence stands under the field `file`."""
        try:
            self._take({**self.texts, **read()})
        except InputError as error:
            self._wrong["file"] = str(error)
            return
        self._held.clear()
        self._wrong.clear()
        self._drawn_anew(self.defaults)

    @property
    def right(self) -> bool:
        """Whether the view is of all that was typed."""
        return not self._held

    def text(self, name: str) -> str:
        """What the control of a field shows."""
        return self._held.get(name, self.texts[name])

    def key(self, name: str) -> str:
        """The key of a field's control; another one after its text was set from elsewhere."""
        return f"{self.name}.{name}.{self._revisions.get(name, 0)}"

    def on(self, name: str, also: Mapping[str, str] | None = None, write: Callable[[Any], str] = str) -> dict[str, Any]:
        """Key and callback of the control of a field.

        Args:
            also: texts of other fields that a change of this one sets.
            write: the text of what the control holds.
        """
        key, in_body = self.key(name), self._in_body

        def callback() -> None:
            if key != self.key(name):  # the browser sent the value of a control that it had yet to drop
                return
            before = self._surroundings()
            self.change({name: write(st.session_state[key]), **(also or {})}, worked=name)
            alone = not also and self._surroundings() == before
            if self.around is not None and alone != in_body:  # else what runs by itself is what is to run
                run_part(self.body_key if alone else "app")

        return {"key": key, "on_change": callback}

    def complain(self, *names: str) -> None:
        """Show the sentences of these fields, here."""
        for name in names:
            if sentence := self._wrong.get(name):
                refuse(sentence)

    def write_url(self) -> None:
        """Make the URL follow the view."""
        url.write(self._query())

    def _query(self) -> dict[str, str]:
        return {name: text for name, text in self.texts.items() if text != self.defaults[name]}

    def _take(self, texts: dict[str, str]) -> None:
        self.view = self.make(texts)
        self.texts = texts

    def _change_these(self, texts: Mapping[str, str]) -> None:
        """Leave what is wrong elsewhere as it is."""
        try:
            self._take({**self.texts, **texts})
            for name in texts:
                self._held.pop(name, None)
                self._wrong.pop(name, None)
        except InputError as error:
            self._held.update(texts)
            field = error.field if error.field in texts else next(iter(texts))
            self._wrong[field] = str(error)

    @property
    def body_key(self) -> str:
        """Of the part of the page that `body` draws."""
        return f"{self.name}.body"

    def _surroundings(self) -> object:
        """All that the controls show beside the text of the one that is worked."""
        return dict(self._wrong), set(self._held), self.around and self.around()

    def _drawn_anew(self, names: Iterable[str]) -> None:
        """The controls of these fields get their texts from here."""
        for name in names:
            self._revisions[name] = self._revisions.get(name, 0) + 1

    def _read_url(self, query: Mapping[str, str]) -> None:
        before = self.texts
        self._wrong.clear()
        try:
            for name in query:
                if name not in self.defaults:
                    raise InputError("url", f"Unknown parameter {shown(name)}; known: {', '.join(self.defaults)}.")
            self._take({**self.defaults, **query})
        except InputError as error:
            self.texts = before
            self._wrong["url"] = f"The link could not be read. {error}"
        self._held.clear()
        self._drawn_anew(self.defaults)
        url.keep(self._query())


def load(name: str, defaults: Mapping[str, str], make: Callable[[Mapping[str, str]], V]) -> Form[V]:
    """The form of this tab, after the URL was read (if somebody came by it) or written (if the view has changed)."""
    key = f"{name}.form"
    query = url.arrived(first=key not in st.session_state)
    form: Form[V] = st.session_state.setdefault(key, None) or Form(name, defaults, make)
    st.session_state[key] = form
    if query is not None:
        form._read_url(query)
    form.write_url()
    form.complain("url")
    return form


def run_part(key: str) -> None:
    """Run the part of the page of this key, or the whole `app`, in answer to what is worked; to be called back."""
    st.rerun(key)


def body(form: Form[Any], draw: Callable[[], None], around: Callable[[], object]) -> None:
    """Draw the page but for its controls, in a part of its own: most changes leave the controls as they are.

    What is not run again is not drawn again either: 10 to 50 ms of a press on One update (`tpo-lab bench steps`). A
    page of few controls gains nothing: for a part that another control asks for, Streamlit starts a run twice.

    Args:
        draw: everything that depends on the view.
        around: what the controls outside show of the view, beside the texts of their own fields.
    """
    form.around = around

    def whole() -> None:
        form.write_url()
        form._in_body = True
        try:
            draw()
        finally:
            form._in_body = False

    st.fragment(whole, key=form.body_key)()


def text_field(
    form: Form[Any], label: str, name: str, *, area: int = 0, help: str | None = None, hint: str = ""
) -> None:
    """A field of text; `area` is its height in pixels, 0 for one line. What is wrong stands below it."""
    if area:
        st.text_area(label, form.text(name), height=area, help=help, placeholder=hint, **form.on(name))
    else:
        st.text_input(label, form.text(name), help=help, placeholder=hint, **form.on(name))
    form.complain(name)


def choice(
    form: Form[Any],
    label: str,
    name: str,
    options: Mapping[str, str],
    *,
    also: Mapping[str, str] | None = None,
    **more: Any,
) -> None:
    """One of a few options by name, in a row; its label is what people read. `also` as in `Form.on`."""
    st.segmented_control(
        label,
        list(options),
        default=form.text(name),
        format_func=options.__getitem__,
        required=True,
        **more,
        **form.on(name, also),
    )
    form.complain(name)


def several(form: Form[Any], label: str, name: str, options: Mapping[str, str], **more: Any) -> None:
    """Some of many options by name, found by typing."""
    st.multiselect(label, list(options), **_several(form, name, options), **more)
    form.complain(name)


def chips(form: Form[Any], label: str, name: str, options: Mapping[str, str], **more: Any) -> None:
    """Some of a dozen options by name, all of them seen; they are drawn sooner than the field of `several`."""
    st.pills(label, list(options), selection_mode="multi", **_several(form, name, options), **more)
    form.complain(name)


def _several(form: Form[Any], name: str, options: Mapping[str, str]) -> dict[str, Any]:
    def write(names: Sequence[str]) -> str:
        return ",".join(option for option in options if option in names)

    chosen = [option for option in form.text(name).split(",") if option in options]
    return {"default": chosen, "format_func": options.__getitem__, **form.on(name, write=write)}
