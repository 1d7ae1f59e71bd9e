"""The formulas: every rule has one, and their numbers are the report's."""

import pytest

from tpo_lab.group.report import report
from tpo_lab.group.rules import RULES
from tpo_lab.group.scenario import Scenario
from tpo_lab.ui import latex


def test_every_rule_has_a_formula_with_its_constants() -> None:
    formulas = {name: latex.standardisation(rule) for name, rule in RULES.items()}
    assert formulas["tpo_paper"] == r"u_i = \frac{s_i - \bar s}{\sigma}"
    assert formulas["verl_grpo"] == r"u_i = \frac{s_i - \bar s}{\sigma_{K-1} + 1 \times 10^{-6}}"
    assert formulas["rloo"] == r"u_i = s_i - \bar s_{-i}"
    assert formulas["prime_rl_max_rl"] == r"u_i = \frac{s_i - \bar s}{\bar s}\ \text{if}\ \bar s > 0"
    for name, rule in RULES.items():
        assert formulas[name].count("{") == formulas[name].count("}")
        for constant in (rule.amount, rule.bound):
            assert not constant or latex.number(constant) in formulas[name]


def test_a_strength_takes_the_place_of_the_constant() -> None:
    assert "0.3" in latex.standardisation(RULES["robust_floor"], 0.3)
    assert r"\pm 1.5" in latex.standardisation(RULES["robust_clip"], 1.5)


def test_the_numbers_of_one_success_of_eight() -> None:
    now = report(Scenario((1, 0, 0, 0, 0, 0, 0, 0)))
    assert latex.target(now, 0).endswith(r"= \frac{0.125 \cdot e^{2.65 / 1}}{2.36} = 0.746")
    assert latex.gradient(now, 1).endswith("= 0.125 - 0.0363 = 0.0887")
    assert latex.score(now, 0).endswith("u_{1} = 2.65")


@pytest.mark.parametrize(
    ("rule", "numbers"),
    [
        ("tpo_paper", r"\bar s = 0.5,\quad \sigma = 0.408\quad\Rightarrow\quad u_{1} = 1.22"),
        ("verl_grpo", r"\bar s = 0.5,\quad \sigma_{K-1} = 0.5\quad\Rightarrow\quad u_{1} = 1"),
        ("nemo_rl", r"\bar s_{-1} = 0.25,\quad \sigma_{-1} = 0.354\quad\Rightarrow\quad u_{1} = 2.12"),
        ("rloo", r"\bar s_{-1} = 0.25\quad\Rightarrow\quad u_{1} = 0.75"),
        ("prime_rl_max_rl", r"\bar s = 0.5\quad\Rightarrow\quad u_{1} = 1"),
    ],
)
def test_the_numbers_are_those_that_the_rule_reads(rule: str, numbers: str) -> None:
    assert latex.score(report(Scenario((1, None, 0.5, 0), rule=rule)), 0) == r"s_{1} = 1,\quad " + numbers


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (-2.5, "-2.5"), (1e-7, r"1 \times 10^{-7}"), (12345.0, r"1.23 \times 10^{4}")]
)
def test_numbers(value: float, text: str) -> None:
    assert latex.number(value) == text


def test_a_cold_target_is_written_without_overflow() -> None:
    assert r"{e^{" in latex.target(report(Scenario((1, 0), eta=1e-9)), 0)


def test_numbers_on_one_line_are_plain_html() -> None:
    text = r"\bar s_{-1} = 0.25,\quad p_{1}^{old}: 1 \times 10^{-5} \cdot e^{2 / 1 \times 10^{-5}} \to \infty"
    assert latex.as_html(text) == (
        "<i>s̄</i><sub>−1</sub> = 0.25,&emsp; <i>p</i><sub>1</sub><sup>old</sup>: 1 × 10<sup>−5</sup> · "
        "<i>e</i><sup>2 / 1 × 10<sup>−5</sup></sup> → ∞"
    )


@pytest.mark.parametrize("rule", RULES)
def test_the_numbers_of_every_rule_are_plain_html(rule: str) -> None:
    text = latex.as_html(latex.score(report(Scenario((1, 0, 0.5, 0.5), rule=rule)), 0))
    assert not set("\\{}_^") & set(text)
