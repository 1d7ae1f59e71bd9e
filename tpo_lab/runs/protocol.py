"""What the service and its worker say to each other: JSON, one message a line, arrays as base64 of their bytes.

To the worker: {"do": "run", "id", "config"} and {"do": "stop", "id"}. From it: {"is": "ready"}, and with the "id" of a
run, "began"; "chunk" with "lane" and "values" ({diagnostic: float32 (T, S)}); "done"; "stopped"; "failed" and "reason".
"""

import base64
import json
from typing import Any

import numpy as np
import numpy.typing as npt

Message = dict[str, Any]


def encode(message: Message) -> bytes:
    """The message as one line."""
    return json.dumps(message, default=_pack, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes) -> Message:
    """The message of a line.

    Raises:
        ValueError: if the line is no message.
    """
    message = json.loads(line, object_hook=_unpack)
    if not isinstance(message, dict):
        raise ValueError(f"not a message: {line[:80]!r}")
    return message


def _pack(value: Any) -> dict[str, Any]:
    if not isinstance(value, np.ndarray):
        raise TypeError(f"cannot be sent: {type(value).__name__}")
    array = np.ascontiguousarray(value, "<f4")
    return {"float32": base64.b64encode(array.tobytes()).decode(), "shape": array.shape}


def _unpack(found: dict[str, Any]) -> dict[str, Any] | npt.NDArray[np.float32]:
    if found.keys() != {"float32", "shape"}:
        return found
    flat: npt.NDArray[np.float32] = np.frombuffer(base64.b64decode(found["float32"]), "<f4")
    return flat.reshape(found["shape"])
