"""Certificates: JSON round trips, their contents, and errors on damaged or foreign text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fairness.planted_tables import DIRECT, EVERY, planted
from fairness.small_tables import (
    LOAN_GRAPH,
    loans,
    stage_model,
)
from janus_synth import Janus, __version__
from janus_synth.errors import BiasError
from janus_synth.fairness import Bias, Certificate, plant


def refuse(text: str) -> float:
    """Reject NaN, as strict JSON parsers do."""
    raise ValueError(f"{text} is no JSON")


@pytest.mark.parametrize("name", EVERY)
def test_certificates_come_back_from_json_equal(name):
    certificate = planted(name).certificate
    again = Certificate.from_json(certificate.to_json())
    assert again == certificate
    assert again.to_json() == certificate.to_json()
    assert str(again) == str(certificate)


@pytest.mark.parametrize("name", EVERY)
def test_certificates_are_strict_json(name):
    read = json.loads(planted(name).certificate.to_json(), parse_constant=refuse)
    assert read["format"] == "janus fairness certificate"
    assert read["format_version"] == 1
    assert read["version"] == __version__


def test_a_certificate_records_what_was_planted_where_and_how():
    certificate = planted("mediated").certificate
    assert certificate.outcome == "approved"
    assert certificate.n_rows == 900
    assert certificate.baseline == "fair"
    assert certificate.where == ("race != 'red'",)
    assert set(certificate.graph) == set(LOAN_GRAPH)
    assert set(certificate.features["approved"]) == {"sex", "race", "region", "school"}
    record = certificate.record_of("approved")
    assert record.asked == 0.1
    assert (record.privileged, record.favourable) == ("sex == 'male'", "approved")
    assert planted("stages").certificate.rules == tuple(map(str, stage_model().rules_))


def test_rates_equal_shares_counted_in_the_frames():
    for name in ("direct", "mediated"):
        made = planted(name)
        rates = {rate.group: rate for rate in made.certificate.rates}
        for group, women in (("sex == 'male'", False), ("sex != 'male'", True)):
            among = (made.fair["sex"] == "female") == women
            assert rates[group].n == among.sum()
            assert rates[group].fair == pytest.approx(made.fair["approved"][among].mean())
            assert rates[group].biased == pytest.approx(made.frame["approved"][among].mean())


def test_a_certificate_reads_well():
    text = str(planted().certificate)
    record = planted().certificate.records[0]
    assert "400 rows" in text
    assert str(DIRECT) in text
    assert f"requested 0.3, realised {record.realised:.6g}: {record.n_turned:,} of {record.n_eligible:,}" in text
    assert "effect of sex on approved" in text
    assert "through school" in str(planted("mediated").certificate)


def test_an_outcome_is_looked_up_by_its_last_bias_and_unknown_outcomes_raise():
    made = planted("kinds")
    assert {record.bias.outcome for record in made.certificate.records} == {"passed", "pay", "note"}
    assert made.certificate.record_of("pay").bias.protected == ("age",)
    assert made.certificate.effect_of("note").protected == ("age", "member")
    assert made.certificate.effect_of("passed").protected == ("member",)
    with pytest.raises(BiasError, match="no bias on 'grade' was planted; there is one on .*'passed'"):
        made.certificate.record_of("grade")
    with pytest.raises(BiasError, match="no bias on 'grade'"):
        made.favoured("grade")


def written(**change: Any) -> str:
    """The text of a certificate with parts of it replaced."""
    return json.dumps({**json.loads(planted().certificate.to_json()), **change})


FOREIGN = {
    "nothing": ("", "it is not JSON"),
    "prose": ("a certificate", "it is not JSON"),
    "cut off": ('{"format": "janus fairness cert', "it is not JSON"),
    "a list": ("[1, 2]", "not a certificate of planted bias"),
    "a number": ("3", "not a certificate of planted bias"),
    "an empty object": ("{}", "not a certificate of planted bias"),
    "another format": ('{"format": "other", "format_version": 1}', "not a certificate of planted bias"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_text_that_is_no_certificate_raises(name):
    text, says = FOREIGN[name]
    with pytest.raises(BiasError, match=says):
        Certificate.from_json(text)


def test_certificates_of_a_newer_version_raise():
    for version in (2, None, "1"):
        with pytest.raises(BiasError, match=f"has format {version!r}; this release reads 1"):
            Certificate.from_json(written(format_version=version))


@pytest.mark.parametrize(
    "name",
    [
        *("records", "rates", "effects", "n_rows", "n_turned", "n_changed", "baseline"),
        *("seed", "version", "rules", "where", "graph", "features"),
    ],
)
def test_certificates_that_lack_a_part_raise(name):
    parts = json.loads(planted().certificate.to_json())
    del parts[name]
    with pytest.raises(BiasError, match="damaged"):
        Certificate.from_json(json.dumps(parts))


@pytest.mark.parametrize(
    "change",
    [
        {"more": 1},
        {"records": 3},
        {"records": [3]},
        {"records": [{}]},
        {"records": []},
        {"records": None},
        {"rates": [{"outcome": "approved"}]},
        {"effects": [{"protected": "sex"}]},
        {"effects": [1]},
        {"graph": [["sex"]]},
        {"graph": 3},
        {"features": None},
        {"features": ["sex"]},
        {"features": {"approved": 3}},
        {"rules": 3},
        {"n_rows": "many"},
        {"n_rows": None},
    ],
    ids=str,
)
def test_certificates_with_invalid_parts_raise(change):
    with pytest.raises(BiasError, match="damaged"):
        Certificate.from_json(written(**change))


@pytest.mark.parametrize(
    "change",
    [
        {"magnitude": 3},
        {"magnitude": "x"},
        {"subgroup": "age >"},
        {"favourable": None},
        {"privileged": {"a": 1}},
        {"x": 1},
    ],
    ids=str,
)
def test_certificates_with_invalid_biases_raise(change):
    records = json.loads(planted().certificate.to_json())["records"]
    records[0]["bias"].update(change)
    with pytest.raises(BiasError, match="damaged"):
        Certificate.from_json(written(records=records))


def test_a_page_shows_the_figures_and_escapes_text_from_the_data():
    table = loans(1_500).replace({"male": "<b>male</b>"})
    model = Janus(structure=LOAN_GRAPH, random_state=0).fit(table)
    bias = Bias("sex", "<b>male</b>", "approved", True, 0.3)
    certificate = plant(model, bias, n=300, effect_units=50).certificate
    page = certificate.to_html()
    assert "<b>male</b>" not in page
    assert "&lt;b&gt;male&lt;/b&gt;" in page
    assert str(certificate.records[0].n_turned) in page
    assert certificate.to_html() == page
    for name in EVERY:
        assert "<html" in planted(name).certificate.to_html()
