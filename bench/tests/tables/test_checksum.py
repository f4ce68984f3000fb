import numpy as np
import pandas as pd
import pytest

from janus_bench.tables.fetch import content_checksum

FRAME = pd.DataFrame({"n": [1, 2, 3], "x": [0.1, np.nan, 2.0], "word": ["a", None, "b\tc"]})


@pytest.mark.parametrize(
    "changed",
    [
        FRAME.assign(n=[1, 2, 4]),
        FRAME.assign(n=[1.0, 2.0, 3.0]),
        FRAME.assign(x=[np.nextafter(0.1, 1), np.nan, 2.0]),
        FRAME.assign(x=[0.1, 0.0, 2.0]),
        FRAME.assign(word=["a", "", "b\tc"]),
        FRAME.assign(word=["a", "None", "b\tc"]),
        FRAME.rename(columns={"n": "m"}),
        FRAME[["x", "n", "word"]],
        FRAME.iloc[:2],
        FRAME.iloc[[1, 0, 2]],
    ],
)
def test_whatever_a_table_says_counts(changed):
    assert content_checksum(changed) != content_checksum(FRAME)


def test_how_a_library_holds_it_does_not_count():
    for other in (
        FRAME.astype({"word": object}),
        FRAME.assign(word=pd.array(["a", pd.NA, "b\tc"], dtype="string")),
        FRAME.astype({"n": np.int32}),
        FRAME.set_index(pd.Index([7, 8, 9])),
    ):
        assert content_checksum(other) == content_checksum(FRAME)


def test_the_order_of_rows_counts_only_where_it_is_known():
    shuffled = FRAME.iloc[[2, 0, 1]]
    assert content_checksum(shuffled, ordered=False) == content_checksum(FRAME, ordered=False)
    assert content_checksum(FRAME.iloc[[2, 0, 0]], ordered=False) != content_checksum(FRAME, ordered=False)
