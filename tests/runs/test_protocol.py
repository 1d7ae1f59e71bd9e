"""Messages survive the pipe, one a line."""

import pytest

from tpo_lab.runs.protocol import decode, encode


def test_a_message_comes_back() -> None:
    message = {"is": "at", "id": "x\n", "lane": "tpo", "steps": 3, "seconds": 0.1, "diverged": [[1, 2]]}
    line = encode(message)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert decode(line) == message


@pytest.mark.parametrize("line", [b"", b"[]\n", b'{"is": "chu', b"\xff\n"])
def test_a_line_that_is_no_message_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match=r".*"):
        decode(line)
