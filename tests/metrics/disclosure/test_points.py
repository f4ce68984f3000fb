from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.metrics import align
from janus_synth.metrics.disclosure.points import distinct, halves, nearest, only


def rows_of(**columns):
    return align(table=pd.DataFrame(columns))[0]


def test_equal_rows_are_kept_once_and_in_order():
    rows = rows_of(x=[2.5, 1.5, 2.5, np.nan, np.nan], c=["a", "b", "a", "b", "b"])
    kept = distinct(rows)
    assert kept["x"][:2].tolist() == [2.5, 1.5]
    assert kept.n_rows == 3


def test_halves_share_no_row_and_lose_none(rng):
    first, second = halves(rows_of(x=np.arange(11) + 0.5), rng)
    assert sorted([*first["x"], *second["x"]]) == (np.arange(11) + 0.5).tolist()
    assert (first.n_rows, second.n_rows) == (5, 6)


def test_columns_are_picked_by_name():
    assert only(rows_of(a=[1.5, 2.5], b=["x", "y"], c=[3.5, 4.5]), ["c", "a"]).names == ("c", "a")


def test_the_nearest_rows_are_those_of_a_full_search(draw):
    rows, among = align(rows=draw(40), among=draw(200))
    found = nearest(rows, among, 4)
    from janus_synth.metrics import point_map

    encode = point_map(among)
    full = np.sqrt(((encode.points(rows)[:, None] - encode.points(among)[None]) ** 2).sum(axis=2))
    assert found.distance == pytest.approx(np.sort(full, axis=1)[:, :4])
    assert np.take_along_axis(full, found.index, axis=1) == pytest.approx(found.distance)


def test_copies_are_at_distance_nought_and_there_may_be_few_rows(draw):
    (rows,) = align(table=draw(3))
    found = nearest(rows, rows, 5)
    assert found.distance.shape == (3, 3)
    assert (found.distance[:, 0] == 0).all()
