"""Numbers as they read in a sentence or a table."""

import math


def figure(x: float) -> str:
    """Three significant digits, with an exponent only where a plain number would be long: 0.746, 2121, 4.2e-18."""
    if not math.isfinite(x):
        return "-" if math.isnan(x) else "∞" if x > 0 else "-∞"
    size = abs(x)
    if size != 0 and not 1e-4 <= size < 99_999.5:
        mantissa, exponent = f"{x:.1e}".split("e")
        return f"{mantissa.removesuffix('.0')}e{int(exponent)}"
    if size >= 999.5:
        return f"{x:.0f}"
    return f"{x:.3g}" if size >= 0.001 or size == 0 else f"{x:.6f}"[: 9 if x < 0 else 8].rstrip("0")


def percent(x: float) -> str:
    """A share in per cent, never rounded to 0 % or 100 % unless it is."""
    if 0 < x < 0.001:
        return "less than 0.1 %"
    if 0.999 < x < 1:
        return "more than 99.9 %"
    return f"{100 * x:.3g} %"


def many(n: int, noun: str) -> str:
    """`1 candidate`, `3,000 candidates`."""
    return f"{n} {noun}" if n == 1 else f"{n:,} {noun}s"
