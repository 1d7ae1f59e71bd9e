"""Files beyond the limits: refused in a sentence, or cut where the limit is."""

import gzip
import io
import json

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from tests.rollouts_io.making import text
from tests.rollouts_io.test_odd_files import JSONL
from tpo_lab.errors import InputError
from tpo_lab.rollouts_io import limits, streams
from tpo_lab.rollouts_io.read import read


def test_a_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "RATIO_FROM", 1 << 20)
    with pytest.raises(InputError, match="No rollouts pack so well"):
        read([text(gzip.compress(b'{"group": "a", "text": "' + b"a" * (3 << 20)))])


def test_a_bomb_of_empty_lines_is_refused_before_they_are_counted() -> None:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as packed:
        packed.write(JSONL.encode() + b"\n" * (limits.RATIO_FROM * 2))
    with pytest.raises(InputError, match="No rollouts pack so well"):
        read([text(bytes(sink.getvalue()))])


def test_a_line_beyond_the_limit_costs_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_LINE", 1000)
    table = read([text(f'{JSONL}\n{{"group": "{"x" * 5000}", "score": 1}}\n{JSONL}')])
    assert table.rows == 8
    assert table.faults.rows == 1


def test_a_line_of_brackets_costs_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tpo_lab.rollouts_io.json_files.MAX_BRACKETS", 50)
    table = read([text(f'{JSONL}\n{{"group": 1, "score": 1, "x": [{"[]," * 60}[]]}}\n{JSONL}')])
    assert (table.rows, table.faults.rows) == (8, 1)
    with pytest.raises(InputError, match="has more than 50 brackets"):
        read([text(json.dumps([{"group": [], "score": 1}] * 30))])


def test_a_csv_is_the_same_in_blocks_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = ["plain", '"a, b"', '"two\nlines"', '"say ""hi"""', "5 inch", ""]
    content = "group,score,text\n" + "".join(f"{i // 6},{i},{cells[i % 6]}\n" for i in range(300)) + "x\n1,2,3,4\n"
    whole = read([text(content)])
    assert whole.texts(0) == ["plain", "a, b", "two\nlines", 'say "hi"', "5 inch", None]
    monkeypatch.setattr("tpo_lab.rollouts_io.csv_files.BLOCK", 64)
    parts = read([text(content)])
    assert parts.score.tolist() == whole.score.tolist() == [*range(300)]
    assert parts.texts(49) == whole.texts(49)
    sentence = "2 rows: it has not the 3 cells of the header (file, row 301, file, row 302)"
    assert parts.faults.sentences() == whole.faults.sentences() == [sentence]


def test_reading_stops_at_the_limit_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tpo_lab.rollouts_io.gather.MAX_ROWS", 3)
    assert read([text(JSONL)]).rows == 3


def test_texts_beyond_the_limit_are_dropped_and_the_numbers_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tpo_lab.rollouts_io.gather.MAX_TEXTS", 10)
    table = read([text(JSONL)])
    assert (table.rows, table.text) == (4, None)
    assert any("are not kept" in note for note in table.notes)


def test_a_parquet_of_one_text_many_times_is_kept_once() -> None:
    sink = io.BytesIO()
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(20_000, dtype=np.int32)), pa.array(["x" * 10_000_000]))
    pq.write_table(pa.table({"group": np.arange(20_000) // 8, "score": np.zeros(20_000), "text": column}), sink)
    before = pa.total_allocated_bytes()
    table = read([text(sink.getvalue())])
    assert table.rows == 20_000
    assert pa.total_allocated_bytes() - before < limits.MAX_TEXTS * 1.5
