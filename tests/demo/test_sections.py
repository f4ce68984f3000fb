"""Sections of the demo show the numbers of the results."""

from __future__ import annotations

import pytest

from demo.small_demo import small_results
from janus_synth.demo.results import MIN_ROWS, compute_results
from janus_synth.demo.run import demo_page
from janus_synth.demo.sections import N_SHOWN, SECTIONS, columns, round_to_two_digits, rows, summary
from janus_synth.pages import percent
from page_reader import Reader

SECTION_NAMES = [
    "summary", "rows", "columns", "associations", "graph", "decisions", "rules", "given-rules", "rare", "impossible",
    "uncertainty", "effects", "counterfactuals", "bias", "scores", "limits", "code",
]  # fmt: skip


def test_a_rare_number_of_rows_is_told_in_two_digits():
    assert round_to_two_digits(1_126_345.0) == "1,100,000"


def test_the_summary_tells_the_scores_of_the_report():
    results = small_results()
    facts = dict(summary(results).values["facts"])
    texts = " | ".join(f"{number} {text}" for number, text in facts.items())
    assert f"{results.report.scores['detection'].value:.3f}" in texts
    assert f"{percent(results.report['exact_copies'])} of the synthetic rows are exact copies" in texts
    assert f"{percent(1.0)} of the rows satisfy the 2 rules" in texts


def test_the_first_rows_are_shown_on_their_side():
    results = small_results()
    table = rows(results).values["table"]
    assert all(len(line) == N_SHOWN + 1 for line in (table.headings, *table.rows))
    assert [line[0] for line in table.rows] == list(results.synthetic)
    assert table.rows[1] == ["age", *map(str, results.synthetic["age"][:N_SHOWN])]


def test_the_worst_column_is_the_one_with_the_largest_distance():
    results = small_results()
    values = columns(results).values
    assert values["distance"] == max(results.report.columns.values()) == results.report.columns[values["worst"]]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_the_smallest_demo_has_everything_to_tell(seed):
    results = compute_results(MIN_ROWS, random_state=seed)
    reader = Reader(demo_page(results, [make(results) for make in SECTIONS]))
    assert [name for name in reader.ids if name in SECTION_NAMES] == SECTION_NAMES
