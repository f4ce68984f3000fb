"""The report of a mix as text."""

from __future__ import annotations

from janus_synth.sampling.mix_report import MeanReached, Mix, ShareReached


def test_a_report_names_categories_means_and_costs():
    text = str(Mix(1_000, (ShareReached("churn == 'Yes'", 0.3, 300),), (MeanReached("age", 40.0, 40.2),), 2_500, 1_840))
    assert "1,000 rows of 2,500 drawn" in text
    assert "churn == 'Yes'  0.3  300 rows" in text
    assert "40 asked  40.2 reached" in text
    assert "effective sample size of the candidates: 1,840" in text


def test_without_means_there_is_no_effective_sample_size():
    assert str(Mix(10, (), (), 10, 10.0)) == "10 rows of 10 drawn"
