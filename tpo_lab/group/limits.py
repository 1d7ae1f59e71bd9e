"""How large one group and its numbers may be, wherever they come from."""

MAX_CANDIDATES = 64
LARGEST = 1e300  # of a score or log-prob: differences of two stay finite in float64
