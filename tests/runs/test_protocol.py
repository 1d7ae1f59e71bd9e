"""Messages survive the pipe bit for bit."""

import numpy as np
import pytest

from tpo_lab.runs.protocol import decode, encode


def test_a_message_comes_back_with_its_arrays() -> None:
    values = np.array([[0.1, np.nan, np.inf], [-0.0, 1e-45, 3]], np.float32)
    line = encode({"is": "chunk", "id": "x\n", "values": {"error": values}})
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    back = decode(line)
    assert back["id"] == "x\n"
    assert back["values"]["error"].dtype == np.float32
    assert back["values"]["error"].tobytes() == values.tobytes()
    assert back["values"]["error"].shape == (2, 3)


def test_an_empty_chunk_keeps_its_shape() -> None:
    assert decode(encode({"values": np.zeros((0, 4), np.float32)}))["values"].shape == (0, 4)


@pytest.mark.parametrize("line", [b"", b"[]\n", b'{"is": "chu', b"\xff\n"])
def test_a_line_that_is_no_message_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match=r".*"):
        decode(line)


def test_what_cannot_be_sent_is_named() -> None:
    with pytest.raises(TypeError, match="cannot be sent: set"):
        encode({"x": {1}})
