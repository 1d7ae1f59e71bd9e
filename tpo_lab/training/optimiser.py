"""Muon on matrices, AdamW on the rest: which parameter is under which.

`reference` follows the paper's reference code: embedding, positions, feed-forward and output kernels are under Muon;
attention kernels, norms and biases under AdamW, because that code stores attention kernels with three axes. `matrices`
puts the attention kernels under Muon too, queries, keys and values each as a matrix of its own.
"""

from typing import Any, Literal

import jax
import optax  # type: ignore[import-untyped]
from jax.typing import ArrayLike
from optax.contrib import MuonDimensionNumbers, muon  # type: ignore[import-untyped]

from tpo_lab.policies.transformer import Blocks, Params

Partition = Literal["reference", "matrices"]

# The five Newton-Schulz steps as a table: optax runs a table as a loop, and one triple unrolled, which compiles slower.
NEWTON_SCHULZ = ((3.4445, -4.7750, 2.0315),) * 5


def optimiser(learning_rate: ArrayLike, partition: Partition = "reference") -> optax.GradientTransformation:
    """optax.contrib.muon at one learning rate for both parts, no weight decay; the rate may be traced.

    What is under AdamW is one vector to it: a pass over each parameter would compile ten times longer.
    """
    under = dimensions(partition)
    matrices = muon(learning_rate, ns_coeffs=NEWTON_SCHULZ, muon_weight_dimension_numbers=lambda _: under)
    rest = optax.flatten(optax.adamw(learning_rate, weight_decay=0.0, nesterov=True))
    return optax.partition({"muon": matrices, "adamw": rest}, lambda params: _labels(under, params))


def _labels(under: Any, params: Params) -> Any:
    """`muon` or `adamw` for each parameter."""
    return jax.tree.map(
        lambda axes, _: "adamw" if axes is None else "muon",
        under,
        params,
        is_leaf=lambda axes: axes is None or isinstance(axes, MuonDimensionNumbers),
    )


def dimensions(partition: Partition) -> Any:
    """For each parameter the axes that Muon orthogonalises, or None for AdamW."""
    stacked = MuonDimensionNumbers(reduction_axis=1, output_axis=2)
    attention = MuonDimensionNumbers(1, 3) if partition == "matrices" else None
    join = stacked if partition == "matrices" else None
    blocks: Any = Blocks(None, None, attention, None, join, None, stacked, None, stacked, None)  # type: ignore[arg-type]
    matrix: Any = MuonDimensionNumbers()
    return Params(matrix, matrix, blocks, None, None, matrix, None)  # type: ignore[arg-type]
