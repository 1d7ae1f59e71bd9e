"""Wrong and odd files: what can be read is read, the rest is counted with its places and the reason."""

import bz2
import gzip
import io
import json
import math
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.feather as feather  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from tests.rollouts_io.making import lines, text
from tpo_lab.errors import InputError
from tpo_lab.rollouts_io import limits
from tpo_lab.rollouts_io.read import files_of, read, step_of
from tpo_lab.rollouts_io.values import numbers, texts

ROWS: list[dict[str, Any]] = [{"group": g, "score": s, "text": f"text {s}"} for g in "ab" for s in (0.0, 1.0)]
JSONL = "\n".join(json.dumps(row) for row in ROWS)
CSV = "group,score,text\na,0,x\na,1,y\nb,0,z\nb,1,w\n"


def arrow(write: Callable[[pa.Table, io.BytesIO], None]) -> bytes:
    sink = io.BytesIO()
    write(pa.Table.from_pylist(ROWS), sink)
    return sink.getvalue()


def ipc_stream(table: pa.Table, sink: io.BytesIO) -> None:
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


def zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as out:
        out.write(data)
    return bytes(sink.getvalue())


SAME = {
    "json lines": JSONL.encode(),
    "json list": json.dumps(ROWS).encode(),
    "json list, indented": json.dumps(ROWS, indent=2).encode(),
    "csv": CSV.encode(),
    "tsv": CSV.replace(",", "\t").encode(),
    "semicolons": CSV.replace(",", ";").encode(),
    "csv with blank lines first": b"\n\n" + CSV.encode(),
    "csv with Windows line ends": CSV.replace("\n", "\r\n").encode(),
    "byte order mark": b"\xef\xbb\xbf" + CSV.encode(),
    "utf-16 csv": CSV.encode("utf-16"),
    "utf-16 json lines": JSONL.encode("utf-16"),
    "parquet": arrow(pq.write_table),
    "arrow file": arrow(feather.write_feather),
    "arrow file, not packed": arrow(lambda t, f: feather.write_feather(t, f, compression="uncompressed")),
    "arrow stream": arrow(ipc_stream),
    "gzip": gzip.compress(JSONL.encode()),
    "gzip csv": gzip.compress(CSV.encode()),
    "bzip2": bz2.compress(JSONL.encode()),
    "zstd": zstd(JSONL.encode()),
    "gzip parquet": gzip.compress(arrow(pq.write_table)),
}


@pytest.mark.parametrize("how", SAME)
@pytest.mark.parametrize("on_disk", [False, True])
def test_the_same_rows_in_any_wrapping(how: str, on_disk: bool, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(SAME[how])
    table = read(files_of(tmp_path / "file") if on_disk else [text(SAME[how])])
    assert table.score.tolist() == [0, 1, 0, 1]
    assert table.sizes().tolist() == [2, 2]
    assert not table.faults.by_reason
    assert [table.label(g) for g in range(2)] == ["a", "b"]


REFUSED = [
    (b"", "is empty"),
    (b" \n ", "holds only white space"),
    (pickle.dumps(ROWS), "is a pickle. It is never opened here: .*to_parquet"),
    (pickle.dumps(ROWS, protocol=2), "is a pickle"),
    (b"PK\x03\x04 archive/data.pkl", "is a pickle"),
    (b"PK\x03\x04 something", "is a zip archive"),
    (b"\x89HDF\r\n", "is an HDF5 file"),
    (b"a,b\0\0\0", "holds binary data"),
    (b"{" * 5000, "none of its first lines is a JSON object"),
    (b"[" * 5000, "brackets are nested too deeply"),
    (b"[1, 2]", "holds no objects with fields"),
    (b"[1, 2", "is no JSON"),
    (b'{"a": 1}', "Which column holds the score"),
    (b'{"score": 1}', "Which column tells the groups apart"),
    (b"a,b\n1,2\n", "Which column holds the score\\? Pick one or more; the file has 'a', 'b'"),
    (b"group,score\n", "No row can be read"),
    (b"group,score\na,x\n", "No row can be read: 1 row: score is no finite number \\(file, row 1\\)"),
    (b"PAR1 and no more", "is damaged"),
    (b"ARROW1 and no more", "is damaged"),
    (b"\xff\xff\xff\xff and no more", "is damaged"),
    (b"\x1f\x8b and no more", "cannot be unpacked|is empty once unpacked"),
    (b"\x28\xb5\x2f\xfd and no more", "cannot be unpacked"),
]


@pytest.mark.parametrize(("data", "message"), REFUSED, ids=[message[:24] for _, message in REFUSED])
def test_what_holds_no_rows_is_refused_in_a_sentence(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read([text(data)])


def test_a_pickle_is_known_by_its_name_too() -> None:
    with pytest.raises(InputError, match=r"batch\.pt is a pickle"):
        read([text(JSONL, "batch.pt")])


def test_a_zip_of_torch_is_known_wherever_its_pickle_stands() -> None:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("archive/data.pkl", b"x")
    with pytest.raises(InputError, match="is a pickle"):
        read([text(sink.getvalue())])


def test_missing_scores_stay_in_their_groups() -> None:
    cells: list[Any] = [None, math.nan, "", "nan", "NaN", "None", []]
    table = read(
        [lines([{"group": "a", "score": 1}, *({"group": "a", "score": cell} for cell in cells), {"group": "a"}])]
    )
    assert table.rows == len(cells) + 2
    assert np.isnan(table.score).sum() == len(cells) + 1
    assert table.faults.rows == 0


def test_a_score_may_be_said_in_other_ways() -> None:
    cells = [True, "1", " 0.5 ", [1], [0, 0, 1], [[0.25]], "1e-3", 10**20]
    table = read([lines([{"group": "a", "score": cell} for cell in cells])])
    assert table.score.tolist() == [1, 1, 0.5, 1, 1, 0.25, 0.001, 1e20]


def test_a_score_that_is_no_number_costs_its_row_only() -> None:
    cells = [1, "good", math.inf, -math.inf, 1e301, 10**400, {"a": 1}, ["x"], "1_0", 0]
    content = "\n".join(json.dumps({"group": "a", "score": cell}) for cell in cells)
    table = read([text(content)])
    assert table.score.tolist() == [1, 0]
    (sentence,) = table.faults.sentences()
    assert sentence.startswith("8 rows: score is no finite number (file, line 2, file, line 3")
    assert sentence.endswith(", ...)")


@pytest.mark.parametrize(
    "broken", ['{"group": "a", "sco', "\x00", "[1]", "7", '{"group": "b", "score": 1}}', "{" * 3000, "9" * 5000]
)
def test_a_broken_line_costs_itself(broken: str) -> None:
    long = "\n".join([JSONL] * 3)
    table = read([text(f"{long}\n{broken}\n{JSONL.replace('a', 'c')}")])
    assert table.rows == 16
    assert table.faults.rows == 1
    assert "file, line 13" in table.faults.sentences()[0]


def test_a_broken_first_line_is_no_other_format() -> None:
    for broken in ('{"grou', "INFO: started", '"score": 1}'):
        assert read([text(f"{broken}\n{JSONL}")]).rows == 4


def test_a_line_without_a_group_is_counted() -> None:
    table = read([text(JSONL + '\n{"group": null, "score": 1}\n{"score": 1}\n{"group": "", "score": 1}')])
    assert table.faults.sentences() == [
        "3 rows: no group, which tells the groups apart (file, line 5, file, line 6, file, line 7)"
    ]


def test_a_csv_row_of_another_width_is_counted_and_places_count_it() -> None:
    table = read([text("group,score\na,1\na,2,3\na\na,x\na,0\n")])
    assert table.score.tolist() == [1, 0]
    assert table.faults.sentences() == [
        "2 rows: it has not the 2 cells of the header (file, row 2, file, row 3)",
        "1 row: score is no finite number (file, row 4)",
    ]


def test_a_quote_that_never_ends_keeps_the_rows_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tpo_lab.rollouts_io.csv_files.BLOCK", 4096)
    rows = "".join(f"{i // 4},{i},fine\n" for i in range(2000))
    table = read([text(f'group,score,text\n{rows}a,1,"open\n{rows}')])
    assert table.rows > 1000
    assert any("A quote is not closed" in sentence for sentence in table.faults.sentences())


def test_bytes_that_are_no_text_are_shown_as_such() -> None:
    assert read([text(b'{"group": "a", "score": 1, "text": "caf\xe9"}')]).texts(0) == ["caf\ufffd"]
    assert read([text(b"group,score,text\na,1,caf\xe9\n")]).texts(0) == ["caf\ufffd"]
    assert read([text('{"group": "a", "score": 1, "text": "\\ud800"}')]).texts(0) == ["?"]


def test_a_packed_file_that_breaks_off_keeps_its_rows() -> None:
    packed = gzip.compress(("\n".join(json.dumps({"group": i // 4, "score": i}) for i in range(40_000))).encode())
    table = read([text(packed[: len(packed) // 2])])
    assert 10_000 < table.rows < 40_000
    assert "The file breaks off" in table.faults.sentences()[-1]


def test_the_same_candidate_twice_counts_once() -> None:
    rows = [{"input": "q", "output": "", "score": i, "uid": f"q_0_{i % 3}", "step": 1} for i in range(6)]
    table = read([lines(rows)])
    assert table.score.tolist() == [0, 1, 2]
    assert table.faults.sentences() == ["3 rows: the same candidate is there already"]


def test_a_group_of_thousands_is_a_wrong_column() -> None:
    rows = [{"group": "all", "score": 0}] * 1025 + [{"group": "b", "score": 1}] * 1024
    table = read([lines(rows)])
    assert (table.groups, table.rows) == (1, 1024)
    assert "1,025 rows: a group of more than 1,024 rows" in table.faults.sentences()[0]


def test_groups_by_size() -> None:
    table = read([text("score\n" + "\n".join("0101011"))], picks={"size": "3"})
    assert table.sizes().tolist() == [3, 3, 1]


def test_several_scores_are_added_up_by_weight() -> None:
    rows = [{"group": 1, "a": 1, "b": 2}, {"group": 1, "a": None, "b": 2}, {"group": 1, "a": None, "b": None}]
    table = read([lines(rows)], picks={"score": "a+b", "weights": "1+0.5"})
    np.testing.assert_array_equal(table.score, [2, 1, np.nan])
    assert list(table.parts) == ["a", "b"]


def test_picked_columns_must_exist() -> None:
    with pytest.raises(InputError, match="There is no column 'nope'; the file has 'group', 'score', 'text'"):
        read([text(CSV)], picks={"score": "nope"})
    with pytest.raises(InputError, match="Unknown column 'colour'; known: group, score"):
        read([text(CSV)], picks={"colour": "x"})
    with pytest.raises(InputError, match="needs the column with the number of tokens"):
        read([lines([{"group": 1, "score": 1, "lp": -1}])], picks={"log_prob": "lp", "log_prob_kind": "mean"})


def test_log_probs_are_sums_over_tokens() -> None:
    rows = [
        {"group": 1, "score": 1, "logprobs": [-1, -2, None, -3], "n": 9},
        {"group": 1, "score": 1, "logprobs": -4, "n": 2},
        {"group": 1, "score": 1, "logprobs": "x", "n": 2},
    ]
    table = read([lines(rows)])
    assert table.log_prob is not None
    np.testing.assert_array_equal(table.log_prob, [-6, -4, np.nan])
    assert table.length is not None
    np.testing.assert_array_equal(table.length, [3, np.nan, np.nan])
    mean = read([lines(rows)], picks={"log_prob_kind": "mean", "length": "n"})
    assert mean.log_prob is not None
    np.testing.assert_array_equal(mean.log_prob, [-6, -8, np.nan])


def test_typed_columns_give_the_numbers_of_plain_ones() -> None:
    cells: list[Any] = [[1.0, None, 2.0], [], None, [0.5], [float("nan"), 1.0]]
    for kind in (pa.list_(pa.float32()), pa.large_list(pa.float64())):
        values, bad = numbers(pa.array(cells, kind))
        np.testing.assert_array_equal(values, [3, np.nan, np.nan, 0.5, np.nan])
        assert not bad.any()
        sliced, _ = numbers(pa.array([[9.0], *cells, [9.0]], kind).slice(1, 5))
        np.testing.assert_array_equal(sliced, values)
    words = pa.array(["1", None, "x", " 2 ", "1"])
    for column in (words, words.dictionary_encode(), words.cast(pa.large_string())):
        values, bad = numbers(column)
        np.testing.assert_array_equal(values, [1, np.nan, np.nan, 2, 1])
        assert bad.tolist() == [False, False, True, False, False]


def test_a_long_text_keeps_its_two_ends() -> None:
    (kept,) = texts(["a" * 5000 + "b" * 5000]).to_pylist()
    assert kept.startswith("a" * 100)
    assert kept.endswith("b" * 100)
    assert len(kept) < limits.MAX_TEXT + 100
    assert "4,000 characters left out" in kept


def test_messages_of_a_chat_are_one_text() -> None:
    chat = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}]
    assert texts([chat, None, 5]).to_pylist() == ["one\ntwo", None, "5"]


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("17.jsonl", 17), ("a/b/17.jsonl", 17), ("rollouts/step_3/train/all/traces.jsonl", 3),
        ("completions_00040.parquet", 40), ("train_data_step5.jsonl", 5), ("rollouts.csv", None),
        ("run_rollouts_000001.jsonl", None), ("global_step_20_evals/x.jsonl", 20),
    ],
)  # fmt: skip
def test_the_step_in_a_name(name: str, step: float | None) -> None:
    assert step_of(name) == step


def test_a_place_that_is_not_there() -> None:
    with pytest.raises(InputError, match="There is no file or folder"):
        files_of(Path("nowhere"))
    with pytest.raises(InputError, match=r"cannot be opened|There is no file"):
        files_of(Path("x\0y"))


def test_hidden_files_are_passed_over_and_an_empty_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / ".hidden").write_text("x")
    with pytest.raises(InputError, match="holds no files"):
        files_of(tmp_path)
