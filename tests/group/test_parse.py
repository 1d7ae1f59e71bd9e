"""Lists of numbers as people type, paste and link them."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from tests.group.cases import fixed
from tpo_lab.errors import InputError
from tpo_lab.group.parse import MAX_TEXT, parse_number, parse_numbers, write_number, write_numbers


@pytest.mark.parametrize(
    "text",
    [
        "1,-.5,null,2e-3",
        " 1 , -.5 , null , 2e-3 ",
        "1 -.5 null 2e-3",
        "1\n-.5\nnull\n2e-3\n",
        "1\t-.5\tnull\t2e-3",
        "1; -.5; NULL; 2E-3",
        "1,\n-.5,\nnull,\n2e-3",
        "[1, -0.5, null, 0.002]",
        "(1, -0.5, null, +0.002)",
        "1, \N{MINUS SIGN}0.5, null, 2e\N{MINUS SIGN}3",
        "1.\r\n-.5\r\nnull\r\n.002",
    ],
)
def test_the_same_four_values(text: str) -> None:
    assert parse_numbers(text, "scores", missing=True) == (1.0, -0.5, None, 0.002)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Scores: there are no values; write numbers such as 1, 0, 0.5."),
        ("[ ]", "Scores: there are no values; write numbers such as 1, 0, 0.5."),
        ("1,nan", "Scores: value 2 is 'nan'; write null for a missing score."),
        ("1 None 2", "Scores: value 2 is 'None'; write null for a missing score."),
        ("1,,2", "Scores: value 2 is empty; write null for a missing score."),
        ("1,2,", "Scores: value 3 is empty; write null for a missing score."),
        ("inf", "Scores: value 1 is 'inf'; use a number, or null for a missing score."),
        ("0,1e999", "Scores: value 2 is 1e999, which is beyond the largest number."),
        ("1_000", "Scores: value 1 is '1_000'; use a number, or null for a missing score."),
        ("0x10", "Scores: value 1 is '0x10'; use a number, or null for a missing score."),
        ("\u0661", "Scores: value 1 is '\u0661'; use a number, or null for a missing score."),
        ("1 " * 65, "Scores: there are 65 values; a group has at most 64."),
        ("abc" * 20, "Scores: value 1 is 'abcabcabcabcabcabcab...'; use a number, or null for a missing score."),
        (
            "0,5; 0,7",
            "Scores: commas and semicolons are mixed; separate values with one, and write 0.5 with a point.",
        ),
        ("1" * (MAX_TEXT + 1), "Scores: the text has 10001 characters; the limit is 10000."),
    ],
)
def test_one_sentence_with_the_position(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_numbers(text, "scores", missing=True)
    assert str(caught.value) == message
    assert caught.value.field == "scores"


def test_null_only_where_a_value_may_be_missing() -> None:
    with pytest.raises(InputError, match=r"^Policy: value 2 is 'null'; use a finite number such as 0\.5\.$"):
        parse_numbers("1,null", "policy")


@pytest.mark.parametrize("text", ["", "x", "1,2", "1 2", "nan", "null", "1e999", "--1"])
def test_not_one_number(text: str) -> None:
    with pytest.raises(InputError, match=r"^Eta is"):
        parse_number(text, "eta")


def test_one_number() -> None:
    assert parse_number(" \N{MINUS SIGN}2.5e-3 ", "eta") == -0.0025


@fixed
@given(st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=64))
def test_what_is_written_reads_back_to_the_last_bit(values: list[float | None]) -> None:
    text = write_numbers(tuple(values))
    found = parse_numbers(text, "scores", missing=True)
    assert [repr(x) for x in found] == [repr(x) for x in values]
    assert "+" not in text


def test_written_numbers_are_short() -> None:
    assert write_numbers((1.0, None, -0.0, 1e22, 0.1)) == "1,null,-0,1e22,0.1"
    assert write_number(5e-324) == "5e-324"
