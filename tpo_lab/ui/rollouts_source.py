"""Where the rollouts come from: a sample, an upload or a place on this machine; and which column is what.

A path in a link is only filled in: it is opened when somebody here presses the button.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from tpo_lab.errors import InputError
from tpo_lab.rollouts_io.read import files_of, look, read
from tpo_lab.rollouts_io.streams import File
from tpo_lab.rollouts_io.table import Rollouts
from tpo_lab.ui import rollouts_data
from tpo_lab.ui.form import Form, choice
from tpo_lab.ui.rollouts_view import LOG_PROBS, NO_FILTER, NO_PICKS, PICKS, PLACES, View
from tpo_lab.ui.sentences import refuse

SAMPLES = Path(__file__).parents[2] / "assets" / "samples"
UPLOAD_MB = 1000
_OPENED, _READ, _UPLOADER = "rollouts.opened", "rollouts.read", "rollouts.uploader"
LABELS = {
    "group": "Groups by",
    "score": "Score, added up",
    "step": "Training step",
    "log_prob": "Log-prob",
    "length": "Tokens",
    "text": "Text",
    "prompt": "Prompt",
    "advantage": "Advantage",
}


Key = tuple[object, ...]
Chosen = tuple[Key, Callable[[], list[File]]]


@dataclass(frozen=True)
class Loaded:
    """What was read, and which reading it was.

    Attributes:
        key: another one for every other reading.
        table: None where nothing could be read.
        names: columns that can be picked; empty where the format leaves no choice.
    """

    key: Key
    table: Rollouts | None
    refused: str
    names: tuple[str, ...]


def sample_names() -> list[str]:
    """The samples, the largest first."""
    return ["trl", *sorted(path.name for path in SAMPLES.iterdir() if path.is_dir() and path.name != "trl")]


def choose(form: Form[View]) -> Loaded | None:
    """The controls of the source, and what it holds; None while nothing is chosen."""
    also = {**NO_PICKS, **NO_FILTER}
    st.segmented_control(
        "Rollouts from",
        list(PLACES),
        default=form.text("place"),
        format_func=PLACES.__getitem__,
        required=True,
        **form.on("place", also),
    )
    place = form.texts["place"]
    if place == "sample":
        found = _sample(form, also)
    elif place == "upload":
        found = _upload()
    else:
        found = _path(form, also)
    if found is None:
        return None
    key, files = found
    return _read((*key, form.view.picks), files, dict(form.view.picks))


def _sample(form: Form[View], also: Mapping[str, str]) -> Chosen | None:
    names = sample_names()
    name = form.texts["sample"]
    if name not in names:
        refuse(f"There is no sample {name!r}; known: {', '.join(names)}.")
        return None
    st.selectbox("Sample", names, names.index(name), format_func=_sample_label, **form.on("sample", also))
    return ("sample", name), lambda: files_of(SAMPLES / name)


def _sample_label(name: str) -> str:
    return {
        "verl": "verl, with uid",
        "verl_old": "verl, without uid",
        "prime_rl_trace": "prime-rl, one trace a line",
        "trl": "TRL GRPO",
        "table": "any table (CSV)",
    }.get(name, name.replace("_", "-"))


def _upload() -> Chosen | None:
    round_ = st.session_state.setdefault(_UPLOADER, 0)
    uploaded = st.file_uploader(
        "Files of one run",
        accept_multiple_files=True,
        key=f"{_UPLOADER}.{round_}",
        max_upload_size=UPLOAD_MB,
        help="JSON lines, JSON, CSV, TSV, Parquet or Arrow, also packed. They stay in the memory of this machine.",
    )
    if not uploaded:
        st.caption(f"Larger than {UPLOAD_MB:,} MB, or a folder: choose Path, which reads them where they are.")
        return None
    _forget_button()
    key = ("upload", *(file.file_id for file in uploaded))
    return key, lambda: [File(file.name, data=file.getvalue()) for file in uploaded]


def _forget_button() -> None:
    st.button("Forget the files", icon=":material/delete:", on_click=_forget)


def _forget() -> None:
    """Drop what was read, uploaded and computed; of an opened path the place stays typed, unopened."""
    st.session_state[_UPLOADER] = st.session_state.get(_UPLOADER, 0) + 1
    for key in (_READ, _OPENED, rollouts_data.KEY):
        st.session_state.pop(key, None)


def _path(form: Form[View], also: Mapping[str, str]) -> Chosen | None:
    st.text_input(
        "Place on this machine",
        form.text("path"),
        placeholder="/runs/17/rollouts",
        help="A file, or a folder with one file or folder a step. It is read where it is.",
        **form.on("path", also),
    )

    def opened() -> None:
        _, times = st.session_state.get(_OPENED, ("", 0))
        st.session_state[_OPENED] = (form.text("path"), times + 1)

    path = form.texts["path"]
    asked, times = st.session_state.get(_OPENED, ("", 0))
    with st.container(horizontal=True):
        st.button("Open", icon=":material/folder_open:", disabled=not path, on_click=opened)
        if path and asked == path:
            _forget_button()
    if not path or asked != path:
        return None
    return ("path", path, times), lambda: files_of(Path(path).expanduser())


def _read(key: Key, files: Callable[[], list[File]], picks: dict[str, str]) -> Loaded:
    held: Loaded | None = st.session_state.get(_READ)
    if held is None or held.key != key:
        st.session_state.pop(_READ, None)  # two large tables need not be there at once
        with st.spinner("Reading", show_time=True):
            held = _reading(key, files, picks)
        st.session_state[_READ] = held
    return held


def _reading(key: Key, files: Callable[[], list[File]], picks: dict[str, str]) -> Loaded:
    names: tuple[str, ...] = ()
    try:
        found = files()
        first, entry, _ = look(found)
        names = () if entry.expand else first.names
        return Loaded(key, read(found, picks=picks), "", names)
    except (InputError, RuntimeError) as error:  # no home folder of that name
        return Loaded(key, None, str(error), names)


def columns(form: Form[View], loaded: Loaded) -> None:
    """Which column holds what, where there is a choice; the guess is filled in."""
    if not loaded.names:
        return
    known = list(loaded.names)
    used = loaded.table.columns if loaded.table else None
    with st.expander("Columns", icon=":material/view_column:", expanded=loaded.table is None):
        for what in PICKS:
            field = f"pick_{what}"
            picked = form.texts[field]
            if what in ("group", "score"):
                now = picked.split("+") if picked else list(getattr(used, what, ()))
                st.multiselect(
                    LABELS[what],
                    known,
                    [name for name in now if name in known],
                    **form.on(field, NO_FILTER, write="+".join),
                )
            else:
                one = picked or getattr(used, what, None)
                options = ["-", *known]
                st.selectbox(
                    LABELS[what], options, options.index(one) if one in options else 0, **form.on(field, NO_FILTER)
                )
        choice(form, "A log-prob is the", "pick_log_prob_kind", LOG_PROBS)
