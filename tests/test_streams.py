"""Named random streams: a key has one sequence, and no two keys share it."""

from __future__ import annotations

import itertools

import numpy as np

from janus_synth.streams import PlanStream, Stream, generator, seed_sequence


def test_a_stream_is_the_seed_spawned_by_its_key():
    """What a seed means is part of the interface: NumPy's spawn keys, nothing else."""
    own = np.random.default_rng(np.random.SeedSequence(7, spawn_key=(1, 3)))
    assert generator(7, Stream.CONDITIONAL, 3).random(5).tolist() == own.random(5).tolist()


def test_no_two_streams_positions_or_seeds_share_numbers():
    keys = [
        (seed, *key) for seed in (0, 1) for key in (*itertools.product(Stream, (0, 1)), *((s,) for s in PlanStream))
    ]
    first = [generator(*key).integers(2**63) for key in keys]
    assert len(set(first)) == len(keys)


def test_positions_may_be_numpy_integers():
    assert generator(3, Stream.IMPUTATION, np.int32(2)).random() == generator(3, Stream.IMPUTATION, 2).random()
    assert seed_sequence(3, Stream.IMPUTATION).spawn_key == (3,)
