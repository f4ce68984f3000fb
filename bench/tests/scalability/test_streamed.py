"""Fidelity of streamed fits."""

from __future__ import annotations

from janus_bench.scalability import streamed


def test_every_share_is_scored_for_every_seed():
    trials = list(streamed.streamed_trials(1, quick=True))
    assert [(trial.table, trial.share, trial.n_train) for trial in trials] == [
        ("hiring", share, 300) for share in streamed.SHARES
    ]
    assert all(0 <= trial.detection <= 1 and 0 <= trial.marginals < 0.5 for trial in trials)
