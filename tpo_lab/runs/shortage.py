"""What programs say when memory runs out, as one sentence."""

import re

SAID = re.compile(r"bad_alloc|RESOURCE_EXHAUSTED|MemoryError|out of memory|cannot allocate memory", re.IGNORECASE)
ASKED = re.compile(r"allocating (\d+) bytes")
ADVICE = "Fewer seeds or methods, or smaller batches, need less."


def of_memory(text: str) -> str:
    """That a worker's memory was not enough, if this is what an error or its last words say; empty otherwise."""
    if not SAID.search(text):
        return ""
    asked = ASKED.search(text)
    more = f": it asked for {int(asked[1]) / 1e9:.2g} GB more" if asked else ""
    return f"The worker process ran out of memory{more}. {ADVICE}"
