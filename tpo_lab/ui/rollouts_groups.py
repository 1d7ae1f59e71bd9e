"""The groups of a file: histograms that narrow them, a sorted table, and one group with its candidates."""

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import streamlit as st

from tpo_lab.charts import rollouts as charts
from tpo_lab.rollouts_io.health import KINDS, LABELS, Health
from tpo_lab.rollouts_io.table import Ints
from tpo_lab.rollouts_io.values import Floats
from tpo_lab.ui import rollouts_group
from tpo_lab.ui.components.rows_table import rows_table
from tpo_lab.ui.form import Form, run_part, text_field
from tpo_lab.ui.pieces import signed
from tpo_lab.ui.rollouts_data import Data
from tpo_lab.ui.rollouts_rows import as_read
from tpo_lab.ui.rollouts_view import ANY, KIND_LABELS, NO_FILTER, SORTS, View

MOST = 200  # rows of the table
GROUP = "rollouts.group"  # the part of the page that shows one


def draw(data: Data, form: Form[View]) -> None:
    """The whole look."""
    view = form.view
    health = data.health(view.now, view.threshold)
    _histograms(health, form)
    _filters(form)
    found = narrowed(data, health, view)
    chosen = found[np.argsort(-_order(data, health, view.sort)[found], kind="stable")]
    if not len(chosen):
        st.info("No group is left: widen the ranges.")
        return
    _table(data, health, form, chosen)
    st.fragment(lambda: _group(data, health, form, chosen), key=GROUP)()


def _group(data: Data, health: Health, form: Form[View], chosen: Ints) -> None:
    """One group: all that a chosen row changes, in a part of its own."""
    form.write_url()
    asked = form.view.group
    if asked is not None and asked > data.table.groups:
        st.info(f"There is no group {asked:,}; the file has {data.table.groups:,}.")
        return
    rollouts_group.draw(data, form.view, health, _shown(form.view, chosen))


def _shown(view: View, chosen: Ints) -> int:
    """The group that was asked for, if the ranges leave it, or the first of the table."""
    if view.group is not None and (chosen == view.group - 1).any():
        return view.group - 1
    return int(chosen[0])


def narrowed(data: Data, health: Health, view: View) -> Ints:
    """The groups within the chosen ranges."""
    n, keep = health.numbers, np.ones(data.table.groups, dtype=bool)
    for values, limits in ((n.sigma, view.sigma), (n.mean, view.reward)):
        if limits is not None:
            keep &= (values >= limits[0]) & (values <= limits[1])
    if view.kind != ANY:
        keep &= health.kinds == [str(kind) for kind in KINDS].index(view.kind)
    if view.step is not None:
        keep &= data.table.group_step == view.step
    return np.flatnonzero(keep)


def _order(data: Data, health: Health, sort: str) -> Floats:
    n = health.numbers
    if sort == "disagrees":
        found = data.logged()
        return n.amplification if found is None else found.groups * 1e300 + n.amplification * 1e-300
    if sort == "sigma":
        return -np.where(n.sigma > 0, n.sigma, np.inf)
    order: Floats = getattr(n, sort)
    return order


def _histograms(health: Health, form: Form[View]) -> None:
    n = health.numbers
    left, right = st.columns(2)
    with left:
        _brushed(form, "sigma", "Spread of the groups", "σ of the scores, score units", n.sigma[n.n > 1])
    with right:
        _brushed(form, "reward", "Reward of the groups", "mean score", n.mean[n.n > 0])
    st.caption("Drag across the bars to narrow the table below, or type a range.")


def _brushed(form: Form[View], field: str, title: str, axis: str, values: Floats) -> None:
    bars = charts.histogram_data(values)
    held = f"rollouts.brushed.{field}"
    range_, drawn = st.session_state.get(held, ("", 0))
    if form.texts[field] != range_:  # cleared or typed: a brush that is still there would say something else
        range_, drawn = st.session_state[held] = (form.texts[field], drawn + 1)
    key = f"rollouts.brush.{field}.{drawn}"

    def brushed() -> None:
        chosen = st.session_state[key].selection.get("brush", {}).get("low")
        text = "" if not chosen else f"{min(chosen):.6g},{max(chosen):.6g}"
        st.session_state[held] = (text, drawn)
        form.change({field: text, "group": ""})

    st.vega_lite_chart(
        spec={**charts.histogram_spec(title, axis), "datasets": {"bars": pa.table(dict(bars))}},
        key=key,
        on_select=brushed,
        selection_mode="brush",
        alt=f"Histogram: groups by {axis}",
    )


def _filters(form: Form[View]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Kind",
            list(KIND_LABELS),
            list(KIND_LABELS).index(form.text("kind")),
            format_func=KIND_LABELS.__getitem__,
            **form.on("kind"),
        )
        st.selectbox(
            "Sorted by",
            list(SORTS),
            list(SORTS).index(form.text("sort")),
            format_func=SORTS.__getitem__,
            **form.on("sort"),
        )
        for label, field, hint in (("σ", "sigma", "0,0.1"), ("Mean score", "reward", "0,0.5"), ("Step", "step", "any")):
            text_field(form, label, field, hint=hint)
        st.button("All groups", icon=":material/filter_alt_off:", on_click=form.change, args=(NO_FILTER,))


def _table(data: Data, health: Health, form: Form[View], chosen: Ints) -> None:
    table, n = data.table, health.numbers
    some, compared = chosen[:MOST], data.logged()
    columns = {
        "group": [f"{group + 1}" for group in some],
        "step": as_read(table.group_step[some]),
        "kind": [LABELS[KINDS[kind]] for kind in health.kinds[some]],
        "K": [f"{k}" for k in table.sizes()[some]],
    }
    for name, values in (
        ("mean", n.mean[some]),
        ("σ", n.sigma[some]),
        ("amplification", n.amplification[some]),
        ("KL, nats", n.target.kl_of(some)),
        ("largest |u|", n.largest[some]),
    ):
        columns[name] = [signed(value) for value in values]
    columns["argmax"] = ["moves" if moved else "" for moved in n.argmax_moved[some]]
    if compared is not None:
        columns["advantage"] = ["differs" if wrong else "" for wrong in compared.groups[some]]
    columns["key"] = [table.label(int(group)) for group in some]

    def choose(group: int) -> None:
        form.change({"group": str(group)})
        run_part(GROUP)

    rows_table(
        columns,
        (some + 1).tolist(),
        words=("kind", "argmax", "advantage", "key"),
        chosen=_shown(form.view, chosen) + 1,
        height=260,
        name="Groups, one a row",
        key="rollouts.table",
        on_choose=choose,
    )
    shown = f"The first {MOST} of {len(chosen):,}" if len(chosen) > MOST else f"All {len(chosen):,}"
    st.caption(f"{shown} groups; choose a row to look into it. Amplification: range of u over range of the scores.")
