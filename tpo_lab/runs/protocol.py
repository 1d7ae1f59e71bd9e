"""What a service and its workers say to each other: JSON, one message a line. Values go straight into the store.

To a worker, each with the "id" of a run and a "lane" of it: {"do": "take", "kind", "config", ...} compute it from its
last checkpoint on; {"do": "leave", ...} write a checkpoint and forget it. And {"do": "fetch", "number"}: load one of
`ahead.live`, which has been compiled, when there is no lane. To a process of `ahead`: {"do": "compile", "number"}; it
answers {"is": "compiled", "number"}.

From a worker: {"is": "ready"}, it has imported what it needs; {"is": "fetched", "number"}. With "id" and "lane":
"on", it begins to compute a chunk of it; "at" with "steps", "seconds", "compile_seconds", "rate" and
"diverged" ([[seed, step], ...]), what is in the store now; at the end "done", "left", or "failed" with "reason".
"""

import json
from typing import Any

Message = dict[str, Any]


def encode(message: Message) -> bytes:
    """The message as one line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes) -> Message:
    """The message of a line.

    Raises:
        ValueError: if the line is no message.
    """
    message = json.loads(line)
    if not isinstance(message, dict):
        raise ValueError(f"not a message: {line[:80]!r}")
    return message
