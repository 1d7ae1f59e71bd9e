"""Health at a glance: a finding, the figures, and the same over the training steps."""

import math

import streamlit as st

from tpo_lab.charts import rollouts as charts
from tpo_lab.group.wording import figure, many, percent
from tpo_lab.rollouts_io.export import as_csv, as_json, as_mapping, as_parquet, groups_table
from tpo_lab.rollouts_io.health import KINDS, LABELS, Health, Kind
from tpo_lab.rollouts_io.logged import Logged
from tpo_lab.rollouts_io.steps import PERCENTILES
from tpo_lab.ui.drawing import chart
from tpo_lab.ui.form import Form, choice
from tpo_lab.ui.pieces import MINUS, figures, headline
from tpo_lab.ui.rollouts_data import Data
from tpo_lab.ui.rollouts_view import LINES, View
from tpo_lab.ui.sentences import refuse

# What is drawn over the steps: title, subtitle, whether it is a share, and the figures under their labels.
PANELS: dict[str, tuple[str, str, bool, dict[str, str]]] = {
    "reward": (
        "Mean reward", "mean over groups, in units of the score", False,
        {"reward_mean": "all groups", "reward_mean_informative": "informative groups"},
    ),
    "moved": (
        "How far the target moves", "mean over groups", False,
        {"mean_abs_q_minus_p": "mean |q − p_old| of a candidate"},
    ),
    "sigma": (
        "Spread of the groups", "percentiles of σ over groups, score units", False,
        {f"sigma_p{p}": f"{p} %" for p in reversed(PERCENTILES)},
    ),
    "effective": (
        "Effective candidates", "exp of the entropy, mean over groups", False,
        {"effective_p_old": "p_old", "effective_q": "q"},
    ),
    "entropy": (
        "Entropy", "nats, mean over groups", False,
        {"entropy_p_old": "p_old", "entropy_q": "q"},
    ),
    "argmax": (
        "Where the tilt acts", "share of groups", True,
        {"argmax_moved": "argmax moves", "peaked": "too peaked for it"},
    ),
    "zero": (
        "Zero variance", "share of groups", True,
        {"zero_variance": "exact", "frac_reward_zero_std": "frac_reward_zero_std"},
    ),
    "low": (
        "Low variance", "share of groups", True,
        {"low_variance": "low variance", "informative": "informative"},
    ),
    "size": (
        "Size of the groups", "candidates, mean over groups", False,
        {"k": "K"},
    ),
    "kl": (
        "KL(q ‖ p_old)", "nats, mean over groups", False,
        {"kl_q_p": "KL"},
    ),
}  # fmt: skip
FEW = ("reward", "moved")


def draw(data: Data, form: Form[View]) -> None:
    """The whole look."""
    view = form.view
    health, compared = data.health(view.now, view.threshold), data.logged()
    headline(*_finding(health))
    _figures(health)
    _logged_zero(health)
    _disagreements(compared)
    _over_steps(health, form)
    _left_out(data)
    _exports(data, health, compared)


def _finding(health: Health) -> tuple[str, str]:
    shares, s = health.shares, health.summary
    dead, low = s["zero_variance"], shares["low_variance"]
    title = f"{percent(shares['informative'])} of {many(s['groups'], 'group')} inform the update"
    constant: tuple[Kind, ...] = ("all_fail", "all_pass", "other_constant")
    split = ", ".join(f"{percent(shares[kind])} {LABELS[kind]}" for kind in constant)
    text = (
        f"{percent(dead)} have equal scores and give none: {split}. {percent(low)} vary by less than "
        f"sigma = {figure(health.threshold)}: a rule that divides by sigma makes their small differences as large as "
        "any."
    )
    if shares["unscored"] + shares["single"] > 0:
        text += f" {percent(shares['unscored'] + shares['single'])} have fewer than two scores."
    return title, text


def _figures(health: Health) -> None:
    s = health.summary
    k = s["k"]
    sigma = ", ".join(f"{name} {figure(value)}" for name, value in s["sigma"].items())
    rows = [
        ("groups", f"{s['groups']:,}", f"{s['candidates']:,} candidates, {s['scored']:,} of them with a score."),
        ("K", f"{k['min']}" if k["min"] == k["max"] else f"{k['min']} to {k['max']}", f"Median {k['median']:g}."),
        ("zero variance", percent(s["zero_variance"]), "Groups whose scores are all equal, found by max = min."),
        ("frac_reward_zero_std", percent(s["frac_reward_zero_std"]), "As logged: float32 deviation within 1e-8 of 0."),
        ("low variance", percent(s["low_variance"]), f"Sigma above 0 and below {figure(health.threshold)}."),
        ("median σ", figure(s["sigma"]["p50"]) if s["sigma"] else "-", f"Of groups with two scores or more: {sigma}."),
        ("reward", _number(s["reward_mean"]), "Mean over the groups of their mean score."),
        ("reward, informative", _number(s["reward_mean_informative"]), "The same over the informative groups."),
        ("effective K", _number(s["effective_p_old"]), "exp of the entropy of p_old, mean over the groups."),
        ("→ under q", _number(s["effective_q"]), "exp of the entropy of the target."),
        ("entropy p_old", _number(s["entropy_p_old"]), "Nats, mean over the groups."),
        ("→ of q", _number(s["entropy_q"]), "Nats, mean over the groups."),
        ("mean |q − p|", _number(s["mean_abs_q_minus_p"]), "Of a candidate, mean over the groups."),
        ("argmax moves", _share(s["argmax_moved"]), "Groups whose most probable candidate is another under q."),
        ("too peaked", _share(s["peaked"]), "Groups whose log-probs spread wider than the tilt: it hardly acts."),
    ]
    figures([(name, value.replace("-", MINUS) if value != "-" else value, meaning) for name, value, meaning in rows])


def _logged_zero(health: Health) -> None:
    """Where the stack's own number is not the share of groups of equal scores, and why."""
    s = health.summary
    logged_, exact = s["frac_reward_zero_std"], s["zero_variance"]
    if abs(logged_ - exact) <= 1e-12:
        return
    why = (
        "a float32 mean of equal scores can round, and their deviation is then not 0"
        if logged_ < exact
        else "scores that differ by less than float32 resolves count as equal"
    )
    st.caption(
        f"A stack with float32 logs frac\\_reward\\_zero\\_std = {percent(logged_)}; {percent(exact)} "
        f"of the groups have equal scores: {why}."
    )


def _number(value: float | None) -> str:
    return "-" if value is None else figure(value)


def _share(value: float | None) -> str:
    return "-" if value is None else percent(value)


def _disagreements(compared: Logged | None) -> None:
    if compared is None:
        return
    wrong = int(compared.groups.sum())
    if wrong:
        refuse(
            f"In {wrong:,} of {many(compared.compared, 'group')} the advantages of the file are not those of "
            f"{compared.rule}, the rule of the stack that comes nearest. Groups, sorted by disagreement, shows them."
        )
    else:
        st.caption(f"The advantages of the file are those of {compared.rule}, recomputed from its scores.")


def _over_steps(health: Health, form: Form[View]) -> None:
    labels: dict[str, str] = {kind: LABELS[kind] for kind in KINDS if health.shares[kind] > 0}
    steps = len(health.steps["step"]) > 1
    shares: dict[str, float] = {kind: health.shares[kind] for kind in KINDS}
    chart(
        charts.kinds_spec(labels, steps),
        {"kinds": charts.kinds_data(labels, health.steps if steps else {"step": health.steps["step"][:0]}, shares)},
        key="rollouts-kinds",
        alt="Share of each kind of group over the training steps",
    )
    if not steps:
        st.caption("The file tells no steps, or one: there is nothing to follow over them.")
        return
    choice(form, "Over the steps", "lines", LINES)
    every = form.view.lines == "all"
    names, most = (list(PANELS), charts.FEW_STEPS) if every else (list(FEW), charts.MAX_STEPS)
    there = len(health.steps["step"])
    if there > most:
        st.caption(f"Each point is the mean of up to {math.ceil(there / most)} steps, weighted by their groups.")
    with st.container(key="rollouts-lines"):
        for at in range(0, len(names), 2):
            for column, name in zip(st.columns(2), names[at : at + 2], strict=False):
                with column:
                    _panel(health, name, most)


def _panel(health: Health, name: str, most: int) -> None:
    title, subtitle, share, figures_ = PANELS[name]
    chart(
        charts.lines_spec(title, subtitle, list(figures_.values()), percent=share),
        {"lines": charts.lines_data(health.steps, figures_, most)},
        key=f"rollouts-{name}",
        alt=f"{title} over the training steps",
    )


def _left_out(data: Data) -> None:
    table = data.table
    if table.faults.by_reason:
        with st.expander(f"Left out: {many(table.faults.rows, 'row')}", icon=":material/report:"):
            for sentence in table.faults.sentences():
                st.text(sentence)
    for note in table.notes:
        st.caption(note.replace("_", r"\_").replace("*", r"\*"))


def _exports(data: Data, health: Health, compared: Logged | None) -> None:
    table = data.table
    with st.container(horizontal=True):
        for label, ending, mime, make in (
            ("Groups (CSV)", "csv", "text/csv", lambda: as_csv(groups_table(table, health))),
            (
                "Groups (Parquet)",
                "parquet",
                "application/octet-stream",
                lambda: as_parquet(groups_table(table, health)),
            ),
            ("Health (JSON)", "json", "application/json", lambda: as_json(as_mapping(table, health, compared))),
        ):
            st.download_button(
                label, make, f"rollouts.{ending}", mime, icon=":material/download:", on_click="ignore", width="content"
            )
