"""Damaged files of every kind: rows or one sentence, never another exception, and in time."""

import io
import json
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rollouts_io.making import SAMPLES, text
from tests.rollouts_io.test_odd_files import CSV, JSONL, SAME
from tpo_lab.errors import InputError
from tpo_lab.rollouts_io.export import as_mapping
from tpo_lab.rollouts_io.health import health
from tpo_lab.rollouts_io.logged import logged
from tpo_lab.rollouts_io.read import read

PATIENCE = 20.0  # seconds for one small file, on a machine that does other things too
SAMPLE_FILES = sorted(path for path in SAMPLES.rglob("*") if path.is_file())


def survives(data: bytes, name: str = "file") -> bool:
    """Read and judge; whether rows were found. Anything but rows or an `InputError` is raised."""
    began = time.monotonic()
    before = pa.total_allocated_bytes()
    try:
        table = read([text(data, name)])
    except InputError:
        return False
    finally:
        assert time.monotonic() - began < PATIENCE
        assert pa.total_allocated_bytes() - before < 256 << 20
    assert table.rows == table.starts[-1] == len(table.score) > 0
    assert (np.diff(table.starts) > 0).all()
    json.dumps(as_mapping(table, health(table), logged(table)), allow_nan=False)
    for group in range(min(table.groups, 3)):
        assert all(words is None or words.encode() is not None for words in table.texts(group))
        assert table.label(group).encode() is not None
    return True


def mutated(data: bytes, rng: random.Random) -> bytes:
    """One to eight changes: bytes replaced, cut out, doubled, or put in."""
    broken = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(broken) + 1)
        n = rng.choice((1, 1, 2, 4, 16, 200))
        match rng.randrange(5):
            case 0:
                broken[at : at + n] = rng.randbytes(n)
            case 1:
                del broken[at : at + n]
            case 2:
                broken[at:at] = broken[at : at + n]
            case 3:
                broken[at:at] = rng.choice(
                    (b"NaN", b"Infinity", b"[[[[", b'"', b"\n", b"\0", b"\xff\xfe", b",", b"1e999", b"{")
                )
            case 4:
                broken[at : at + 4] = rng.choice((b"\xff\xff\xff\x7f", b"\0\0\0\0", b"\xff\xff\xff\xff"))
    return bytes(broken) if rng.random() < 0.9 else bytes(broken[: rng.randrange(len(broken) + 1)])


def fuzz(data: bytes, name: str, times: int) -> None:
    rng = random.Random(f"{name} {times}")
    found = sum(survives(mutated(data, rng), name) for _ in range(times))
    assert found + times > 0


@pytest.mark.parametrize("how", SAME)
def test_a_damaged_wrapping(how: str) -> None:
    fuzz(SAME[how], how, 12)


@pytest.mark.parametrize("path", SAMPLE_FILES[::3], ids=lambda path: path.name)
def test_a_damaged_sample(path: Path) -> None:
    fuzz(path.read_bytes(), path.name, 6)


@pytest.mark.slow
@pytest.mark.parametrize("how", SAME)
def test_hundreds_of_damaged_wrappings(how: str) -> None:
    fuzz(SAME[how], how, 300)


@pytest.mark.slow
@pytest.mark.parametrize("path", SAMPLE_FILES, ids=lambda path: path.name)
def test_hundreds_of_damaged_samples(path: Path) -> None:
    fuzz(path.read_bytes(), path.name, 300)


@pytest.mark.slow
def test_every_cut_of_a_file() -> None:
    for data in (JSONL.encode(), CSV.encode(), SAME["parquet"], SAME["arrow stream"], SAME["zstd"]):
        for end in range(len(data)):
            survives(data[:end])


leaf = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
cell = st.recursive(
    leaf, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
NAMES = """group score step log_prob length text prompt advantage input output uid traces results content rewards idx
token_ids token_loss_mask prev_logprobs prompt_idx response_tokens reward logprobs input_prompt output_response
completion filtered_rewards""".split()  # noqa: SIM905 - a list of a word a line is none to read


@settings(max_examples=30, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(NAMES), cell, min_size=3), min_size=1, max_size=5))
def test_any_objects(rows: list[dict[str, Any]]) -> None:
    survives("\n".join(json.dumps(row) for row in rows).encode())


part = st.dictionaries(st.sampled_from(["logprobs", "advantages", "text", "score", "weight"]), cell)
trace = st.dictionaries(st.sampled_from(["rewards", "nodes", "advantages", "completion"]), cell | st.lists(part))


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.sampled_from(["traces", "results"]), st.lists(trace | cell, max_size=4), min_size=1), cell)
def test_any_nested_objects(row: dict[str, Any], group: Any) -> None:
    survives(json.dumps({"group": group, **row}).encode())


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.text(alphabet="ab1.-,\n\t\"'; é", max_size=6), min_size=2, max_size=4), max_size=6))
def test_any_table_of_text(rows: list[list[str]]) -> None:
    survives("\n".join(["group,score,text", *(",".join(row) for row in rows)]).encode())


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    survives(data)


VALUES: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float32(): st.floats(width=32),
    pa.float64(): st.floats(),
    pa.string(): st.text(max_size=9),
    pa.bool_(): st.booleans(),
    pa.list_(pa.float64()): st.lists(st.none() | st.floats(), max_size=4),
    pa.list_(pa.string()): st.lists(st.text(max_size=4), max_size=3),
    pa.decimal128(9, 2): st.just(None),
    pa.timestamp("s"): st.integers(0, 10**9),
    pa.null(): st.none(),
    pa.struct([("content", pa.string())]): st.fixed_dictionaries({"content": st.text(max_size=9)}),
}


def columns(kind: pa.DataType) -> st.SearchStrategy[pa.Array]:
    return st.lists(st.none() | VALUES[kind], min_size=3, max_size=3).map(lambda cells: pa.array(cells, kind))


TYPED = ("group", "score", "step", "log_prob", "length", "text", "advantage")


@settings(max_examples=20, deadline=None)
@given(st.tuples(*[st.sampled_from(list(VALUES)).flatmap(columns) for _ in TYPED]))
def test_any_typed_columns(found: tuple[pa.Array, ...]) -> None:
    sink = io.BytesIO()
    pq.write_table(pa.table(dict(zip(TYPED, found, strict=True))), sink)
    survives(sink.getvalue())
