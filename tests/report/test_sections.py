"""Sections of a report: they show the numbers of the findings, and sentences that fit them."""

from __future__ import annotations

import math

import pytest

from janus_synth.pages import percent
from janus_synth.report import sections
from janus_synth.report.cards import number
from janus_synth.report.findings import SubsetAuc
from janus_synth.report.sections import SECTIONS, associations, columns, privacy, scores
from janus_synth.report.verdict import GradedScore
from report.test_findings import findings


@pytest.mark.parametrize("make", SECTIONS, ids=lambda make: make.__name__)
def test_every_section_is_named_after_its_function_and_has_a_title(make):
    found = make(findings())
    assert found.name == make.__name__
    assert found.title
    assert found.values


def test_columns_and_pairs_are_listed_the_worst_first():
    found = findings()
    listed = columns(found).values["distances"]
    assert [row[0].text for row in listed] == [one.name for one in found.columns]
    assert [row[2] for row in listed] == [percent(one.distance) for one in found.columns]
    pairs = associations(found).values["pairs"]
    assert [row[0].text for row in pairs] == [f"{pair.first} and {pair.second}" for pair in found.pairs]
    assert [row[4] for row in pairs] == [number(pair.synthetic - pair.real, 2) for pair in found.pairs]


def test_scores_that_were_not_computed_are_named():
    assert privacy(findings()).values["not_computed"] == ["closer_to_train", "exact_copies"]
    assert associations(findings()).values["not_computed"] == []
    assert len(scores(findings()).values["scores"]) == len(findings().report.scores)


@pytest.mark.parametrize(
    ("whole", "aucs", "says"),
    [
        (0.51, {("a",): 0.9}, "Nothing in particular"),
        (0.90, {("a",): 0.85, ("a", "b"): 0.88}, "Single columns already reveal much, a the most"),
        (0.90, {("a",): 0.60, ("a", "b"): 0.88}, "two together do, such as a and b"),
        (0.90, {("a",): 0.60, ("a", "b"): 0.65}, "joint distribution of several columns"),
    ],
)
def test_what_reveals_synthetic_rows_is_told(whole, aucs, says):
    class WithDetection:
        n_compared = 5_000
        report = {"detection": whole}  # noqa: RUF012

    found = sorted((SubsetAuc(names, auc) for names, auc in aucs.items()), key=lambda one: -one.auc)
    assert says in sections._describe_subsets(WithDetection, found)


@pytest.mark.parametrize(
    ("value", "reference", "says"),
    [
        (0.0, math.nan, "None of them equals a training row in every column."),
        (0.25, 0.0, f"{percent(0.25)} of them equal a training row in every column; no held-out real row does."),
        (0.25, 0.5, f"{percent(0.5)} of held-out real rows do, because the table has few distinct rows."),
    ],
)
def test_copies_are_told_beside_those_of_real_rows(value, reference, says):
    assert says in sections._describe_copies(GradedScore(value, reference, 0.1, 0.2))
