from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.errors import DataError, UnknownColumnError
from janus_synth.table.split import split_frame


def table(n: int = 1000) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"i": np.arange(n), "c": rng.choice(["a", "b", None], n, p=[0.9, 0.05, 0.05]), "x": rng.normal(size=n)}
    )


@pytest.mark.parametrize("stratify", [None, "c", "x"])
@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.731])
def test_every_row_is_in_one_part_and_in_order(share, stratify):
    frame = table()
    train, test = split_frame(frame, test=share, stratify=stratify)
    assert len(test) == round(share * len(frame))
    assert sorted([*train.i, *test.i]) == frame.i.tolist()
    assert train.i.is_monotonic_increasing
    assert test.i.is_monotonic_increasing
    pd.testing.assert_frame_equal(pd.concat([train, test]).sort_index(), frame)


@pytest.mark.parametrize("seed", range(5))
def test_levels_keep_their_shares_up_to_a_row(seed):
    frame = table()
    _, test = split_frame(frame, test=0.3, stratify="c", random_state=seed)
    for level in ("a", "b"):
        assert abs((test.c == level).sum() - 0.3 * (frame.c == level).sum()) <= 1
    assert abs(test.c.isna().sum() - 0.3 * frame.c.isna().sum()) <= 1


def test_numbers_keep_their_quantiles():
    frame = table()
    for seed in range(5):
        _, test = split_frame(frame, test=0.5, stratify="x", random_state=seed)
        assert (
            np.abs(np.searchsorted(np.sort(frame.x), np.sort(test.x)) / 1000 - (np.arange(500) + 0.5) / 500).max()
            < 0.003
        )


@pytest.mark.statistical
@pytest.mark.parametrize("stratify", [None, "c"])
def test_every_row_is_as_likely_to_be_tested(stratify):
    frame, n_runs = table(50), 2_000
    chosen = np.zeros(50)
    for seed in range(n_runs):
        chosen[split_frame(frame, test=0.3, stratify=stratify, random_state=seed)[1].i] += 1
    # A share of 2,000 has a standard error of 0.0102; 5.5 of them for 50 rows: a false alarm once in 10⁶ runs.
    assert np.abs(chosen / n_runs - 0.3).max() < 0.057


def test_seeds_decide():
    first, again, other = (split_frame(table(), random_state=seed)[1].i.tolist() for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize(("n", "share"), [(1, 0.5), (10, 0.0), (10, 1.0), (10, 0.01), (0, 0.5)])
def test_no_part_is_empty(n, share):
    with pytest.raises(DataError, match="leaves one part empty"):
        split_frame(table(n), test=share)


def test_an_unknown_column_is_refused():
    with pytest.raises(UnknownColumnError):
        split_frame(table(), stratify="d")
