"""Numbers of threads, and linear algebra with one."""

from __future__ import annotations

import pytest
from threadpoolctl import threadpool_info

from janus_synth.threads import one_blas_thread, worker_count


def test_a_number_of_jobs_is_kept_and_none_means_all_cores():
    assert worker_count(3) == 3
    assert worker_count(None) == worker_count(-1) >= 1


@pytest.mark.parametrize("n_jobs", [0, -2, 1.5, True])
def test_other_numbers_are_refused(n_jobs):
    with pytest.raises(ValueError, match="n_jobs is"):
        worker_count(n_jobs)


def test_linear_algebra_has_one_thread_inside_and_as_many_as_before_outside():
    def threads():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    before = threads()
    with one_blas_thread():
        assert set(threads()) <= {1}
    assert threads() == before
