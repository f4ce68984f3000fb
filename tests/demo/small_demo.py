"""The results of a small demo, computed once."""

from __future__ import annotations

from functools import cache

from janus_synth.demo.results import Results, compute_results


@cache
def small_results() -> Results:
    """All that the sections of a demo with 300 rows show."""
    return compute_results(300, random_state=1)
