import numpy as np
import pandas as pd
import pytest

from janus_bench.draws import N_SAMPLES, Half, draw
from janus_bench.peers import IndependentColumns
from janus_bench.store import Store
from janus_bench.tables import NamedTable, read_named


class Counting(IndependentColumns):
    """Independent columns that count their fits."""

    fits = 0

    def fit(self, frame, *, seed):
        Counting.fits += len(frame) != 200  # the warm-up is no fit
        return super().fit(frame, seed=seed)


class Fussy(Counting):
    """Learns but one table."""

    def fit(self, frame, *, seed):
        if "hired" in frame:
            raise ValueError("not this table")
        return super().fit(frame, seed=seed)


@pytest.fixture
def half(tmp_path):
    Counting.fits = 0
    return Half(read_named("hiring"), 0, max_rows=600, store=Store(tmp_path))


def test_rows_are_made_once_and_read_back_as_they_were(half):
    first, second = draw(half, Counting()), draw(half, Counting())
    assert Counting.fits == 1
    assert len(first.samples) == len(second.samples) == N_SAMPLES
    for one, other in zip(first.samples, second.samples, strict=True):
        pd.testing.assert_frame_equal(one, other)
    assert (first.fit_seconds, first.sample_seconds, first.cpu_seconds) == (
        second.fit_seconds,
        second.sample_seconds,
        second.cpu_seconds,
    )


def test_samples_differ_from_one_another(half):
    one, other, *_ = draw(half, Counting()).samples
    assert not one.equals(other)


def test_rows_are_made_anew_when_asked_or_when_one_file_is_gone(half):
    draw(half, Counting())
    draw(Half(half.table, 0, 600, half.store, fresh=True), Counting())
    assert Counting.fits == 2
    gone = next(half.store.folder.rglob("*-2.parquet"))
    gone.unlink()
    draw(half, Counting())
    assert Counting.fits == 3
    gone.write_bytes(b"PAR1 cut short")
    draw(half, Counting())
    assert Counting.fits == 4


def test_another_seed_size_or_table_is_another_draw(half):
    changed = half.table.frame.assign(age=half.table.frame["age"] + 1)
    others = [
        Half(half.table, 1, 600, half.store),
        Half(half.table, 0, 400 + 2, half.store),
        Half(NamedTable("hiring", changed, "hired"), 0, 600, half.store),
    ]
    for other in [half, *others]:
        draw(other, Counting())
    assert Counting.fits == 4


def test_who_cannot_learn_the_warm_up_table_may_learn_another():
    table = NamedTable("one", pd.DataFrame({"x": np.arange(100.0)}), "x")
    assert len(draw(Half(table, 0), Fussy()).samples[0]) == 50
