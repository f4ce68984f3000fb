"""Time limits end searches, nest, and leave nothing behind."""

import math

import pytest

from janus_synth.deadlines import OutOfTime, check_time, seconds_left, time_limit


def test_the_time_is_out_after_the_limit():
    with time_limit(0.0), pytest.raises(OutOfTime):
        check_time()
    check_time()
    assert seconds_left() == math.inf


def test_the_earliest_of_nested_limits_counts():
    with time_limit(5.0):
        with time_limit(1000.0):
            assert seconds_left() <= 5
        with time_limit(-1.0), pytest.raises(OutOfTime):
            check_time()
        assert 0 < seconds_left() <= 5


def test_a_limit_ends_with_its_block_even_after_an_error():
    with pytest.raises(KeyError), time_limit(-1.0):
        raise KeyError
    check_time()
