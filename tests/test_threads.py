"""Numbers of threads, and linear algebra with one."""

from __future__ import annotations

from threading import current_thread

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from janus_synth.threads import CELLS_PER_THREAD, map_in_threads, one_blas_thread, worker_count


def test_a_number_of_jobs_is_kept_and_none_means_all_cores():
    assert worker_count(3) == 3
    assert worker_count(None) == worker_count(-1) >= 1


@pytest.mark.parametrize("n_jobs", [0, -2, 1.5, True])
def test_other_numbers_are_refused(n_jobs):
    with pytest.raises(ValueError, match="n_jobs is"):
        worker_count(n_jobs)


def test_few_cells_are_worth_one_thread_and_many_as_many_as_wanted():
    assert worker_count(4, n_cells=0) == worker_count(4, n_cells=CELLS_PER_THREAD) == 1
    assert worker_count(4, n_cells=2 * CELLS_PER_THREAD) == 2
    assert worker_count(4, n_cells=100 * CELLS_PER_THREAD) == 4


def test_one_worker_is_the_calling_thread_and_results_keep_their_order():
    assert set(map_in_threads(lambda _: current_thread(), range(3), workers=1)) == {current_thread()}
    assert current_thread() not in set(map_in_threads(lambda _: current_thread(), range(3), workers=2))
    assert list(map_in_threads(lambda k: k * k, range(50), workers=3)) == [k * k for k in range(50)]


def test_linear_algebra_has_one_thread_inside_and_as_many_as_before_outside():
    def threads():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    with threadpool_limits(2, user_api="blas"):
        before = threads()
        with one_blas_thread():
            assert set(threads()) <= {1}
        assert set(one_blas_thread()(threads)()) <= {1}
        assert threads() == before
