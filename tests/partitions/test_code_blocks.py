"""Rows of all batches come out in their order, in blocks that are no larger than memory may hold."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.kernels.dtypes import CODE
from janus_synth.partitions import code_blocks
from janus_synth.partitions.code_blocks import CodeBlock
from strategies import quick


@quick
@given(st.lists(st.integers(0, 9), max_size=6), st.integers(1, 24), st.booleans())
def test_blocks_hold_all_rows_once_and_in_order(sizes, most, known):
    kept, code_blocks.MOST_CODES = code_blocks.MOST_CODES, most
    try:
        rows = np.arange(2 * sum(sizes), dtype=CODE).reshape(2, -1)
        waiting, blocks = CodeBlock(2, sum(sizes) if known else None), []
        for end, size in zip(np.cumsum(sizes), sizes, strict=True):
            blocks += [block.copy() for block in waiting.add(rows[:, end - size : end])]
        blocks.append(waiting.rest())
    finally:
        code_blocks.MOST_CODES = kept
    np.testing.assert_array_equal(np.concatenate(blocks, axis=1), rows)
    assert all(block.size <= max(2, most) for block in blocks)
    assert all(block.flags.c_contiguous for block in blocks)
    assert known is False or len([block for block in blocks if block.size]) <= 1 or most < rows.size


def test_rows_that_fill_a_block_wait_until_it_is_known_whether_more_come():
    """The last block of a partition is counted only when all its rows have been read."""
    waiting = CodeBlock(1, 4)
    assert not list(waiting.add(np.arange(4, dtype=CODE)[None]))
    assert waiting.rest().tolist() == [[0, 1, 2, 3]]


def test_more_rows_than_were_announced_are_kept():
    waiting = CodeBlock(1, 2)
    blocks = [block.copy() for block in waiting.add(np.arange(5, dtype=CODE)[None])]
    assert [block.tolist() for block in (*blocks, waiting.rest())] == [[[0, 1]], [[2, 3]], [[4]]]
