"""What the engine is measured against: the count of the model's products, and the lines that people read."""

from dataclasses import replace

from tpo_lab.bench.engine import as_text, products, settings
from tpo_lab.training.plan import plan_of

PACE = {
    "name": "A lane",
    "episode_seconds": 0.5,
    "times_as_fast": 4.0,
    "of_matrix_rate": 0.5,
    "compile_seconds": 5.0,
    "obvious_compile_seconds": 8.0,
}


def test_products_are_counted_as_by_hand() -> None:
    """B = 1, K = 2, H = 2, one layer of width 4: four tokens are read, two of the prompt and one of each output."""
    _, config, method = settings()[0]
    small = replace(config, prompts=1, candidates=2, length=2, layers=1, width=4, heads=1, vocabulary=3)
    of_a_token = 4 * 12 + 4 * 4 + 4 * 16 + 16 * 4  # queries, keys and values; join; up; down
    read_out = 2 * 2 * 4 * 3
    attention = 2 * 4 * (2 * 2 + 2 * 3)  # scores and sums: the prompt over itself, each output's token over 3 places
    forward = 2 * (4 * of_a_token + read_out + attention)
    assert products(plan_of(small, method)[0]) == 3 * forward


def test_the_lines_hold_every_figure() -> None:
    result = {
        "matrix_products_per_second": 123e9,
        "paces": [PACE],
        "exponents": {"K": 0.9, "H": 1.2, "S": 1.0},
        "side_by_side": {"times_as_fast": 2.1, "of_matrix_rate": 0.6, "alone_of_matrix_rate": 0.3},
        "first_step_seconds": (7.5, 1.4),
    }
    text = as_text(result)
    for figure in ("123 GFLOP/s", "4.0 times", "50 %", "5.0 s", "K^0.90", "H^1.20", "S^1.00", "2.10", "60 %", "1.4 s"):
        assert figure in text
    assert max(map(len, text.splitlines())) <= 120
