"""Which parameters are under Muon and which under AdamW, seen in the first step that each takes."""

from functools import partial

import jax
import numpy as np
import pytest

from tpo_lab.policies.transformer import Params, Shape, init
from tpo_lab.training.optimiser import Partition, optimiser
from tpo_lab.training.reversal import QUICK

SHAPE = Shape(vocabulary=4, length=3, width=16, layers=2)
RATE = 1e-3


def first_step(partition: Partition) -> Params:
    """The first update for gradients drawn at random."""

    @partial(jax.jit, compiler_options=QUICK)
    def update() -> Params:
        params = init(jax.random.key(0), SHAPE)
        leaves, tree = jax.tree.flatten(params)
        keys = jax.random.split(jax.random.key(1), len(leaves))
        drawn = [jax.random.normal(key, leaf.shape) for key, leaf in zip(keys, leaves, strict=True)]
        rule = optimiser(RATE, partition)
        step: Params = rule.update(jax.tree.unflatten(tree, drawn), rule.init(params), params)[0]
        return step

    first: Params = update()
    return first


def is_adamw(step: jax.Array) -> bool:
    """AdamW's first step has one size in every entry."""
    sizes = np.abs(np.asarray(step))
    return bool(np.ptp(sizes) < 1e-3 * sizes.max())


def is_muon(matrix: jax.Array) -> bool:
    """Muon's step has singular values near the rate, times sqrt(outputs / inputs) where that exceeds 1."""
    rows, columns = matrix.shape
    values = np.linalg.svd(np.asarray(matrix), compute_uv=False) / RATE / max(1.0, columns / rows) ** 0.5
    return bool((values > 0.4).all() and (values < 1.4).all())


@pytest.mark.parametrize("partition", ["reference", "matrices"])
def test_who_is_under_muon(partition: Partition) -> None:
    step = first_step(partition)
    blocks = step.blocks
    muon = [step.embedding, step.positions, step.output, *blocks.up, *blocks.down]
    attention = [blocks.attention[layer, :, part] for layer in range(2) for part in range(3)] + list(blocks.join)
    adamw = [step.norm_scale, step.norm_bias, step.output_bias, blocks.norm_scale, blocks.norm_bias]
    adamw += [blocks.attention_bias, blocks.join_bias, blocks.up_bias, blocks.down_bias]
    (adamw if partition == "reference" else muon).extend(attention)
    assert all(is_muon(matrix) for matrix in muon)
    assert all(is_adamw(leaf) for leaf in adamw)
    assert not any(is_adamw(matrix) for matrix in muon)
