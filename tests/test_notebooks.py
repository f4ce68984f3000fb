"""What notebooks show of results: small tables, with every text escaped."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from fairness.planted_tables import planted
from janus_synth import Column, Estimate, Janus, Schema
from janus_synth.metrics import Report, Score
from janus_synth.questions import Effect
from janus_synth.questions.uncertainty import Cells, Uncertainty
from model.tables import fitted, mixed


def read(shown) -> tuple[str, list[str], list[list[str]]]:
    """Caption, headings and cells of the first table that an object shows."""
    table = ElementTree.fromstring(f"<all>{shown._repr_html_()}</all>").find("table")
    cells = [[cell.text or "" for cell in row.iter("td")] for row in table.find("tbody").iter("tr")]
    return table.findtext("caption"), [cell.text or "" for cell in table.iter("th")], cells


def test_a_schema():
    size = Column("size", "categorical", "str", levels=("S", "M", "<L>"), ordered=True, nullable=True)
    when = Column("when", "datetime", "datetime64[us]", low=0, high=86_400_000_000)
    many = Column("town", "categorical", "str", levels=tuple(f"t{i}" for i in range(9)))
    caption, headings, cells = read(Schema((size, when, many, Column("x", "numeric", "float64"))))
    assert caption == "Schema of 4 columns, pandas"
    assert headings == ["column", "kind", "dtype", "missing", "values"]
    assert cells == [
        ["size", "ordered categorical", "str", "yes", "S < M < <L>"],
        ["when", "datetime", "datetime64[us]", "", "1970-01-01 to 1970-01-02"],
        ["town", "categorical", "str", "", "t0, t1, t2, t3, t4, t5 and 3 more"],
        ["x", "numeric", "float64", "", ""],
    ]


def test_a_check():
    model = fitted(mixed(100), rules="units >= 0")
    caption, headings, cells = read(model.check("units > 3"))
    assert caption.startswith("feasible")
    assert [row[0] for row in cells] == list(mixed(2))
    assert float(dict(cells)["units"]) > 3
    caption, headings, cells = read(model.check("units < 0"))
    assert headings == ["rules that clash"]
    assert caption == model.check("units < 0").reason
    assert ["units < 0"] in cells


def test_an_estimate():
    assert read(Estimate(0.25, 0.125, 12_345.6)) == (
        "Estimate",
        ["value", "low", "high"],
        [["0.25", "0.125", "12,346"]],
    )


def test_an_effect():
    means = (Estimate(1.0, 0.5, 1.5), Estimate(3.0, 2.5, 3.5))
    effects = (Estimate(0.0, 0.0, 0.0), Estimate(2.0, 1.5, 2.5))
    caption, headings, cells = read(Effect("dose", "cure", ((0, 5), 9), means, effects, 0.9))
    assert caption == "Mean of cure as dose is set, with 90% intervals"
    assert headings[0] == "dose"
    assert cells == [["0 to 5", "1", "0.5", "1.5", "0", "0", "0"], ["9", "3", "2.5", "3.5", "2", "1.5", "2.5"]]


def test_an_uncertainty():
    cells = {"age": Cells(np.array([1.0, 3.0]), np.array([0.5, 1.5]), np.array([1.0, 0.5]))}
    caption, _, rows = read(Uncertainty(cells, {"age": 4.0}, unseen={"age": ("<b>",)}))
    assert caption == "Uncertainty of 2 rows, in nats"
    assert rows == [["age", "2.000", "1.000", "1.000", "0.750", "'<b>'"]]


def test_a_report():
    score = Score("ks", 0.125, 0.0625, 0.0, "distance of <ordered> columns")
    found = Report({"ks": score}, {"x": 0.125}, "x", "xgboost", {"train": 9, "test": 9, "synthetic": 9})
    caption, _, cells = read(found)
    assert caption.startswith("9 synthetic rows beside 9 training")
    assert cells == [["ks", "0.1250", "0.0625", "0", "distance of <ordered> columns"]]
    assert 'style="text-align: right">0.1250' in found._repr_html_()
    assert "<td>distance" in found._repr_html_()


def test_a_certificate():
    certificate = planted().certificate
    caption, headings, cells = read(certificate)
    assert f"{certificate.n_rows:,} rows" in caption
    assert headings == ["bias", "requested", "realised", "flipped", "eligible"]
    assert [row[0] for row in cells] == [str(record.bias) for record in certificate.records]


@pytest.mark.parametrize("model", [Janus(n_trees=3), Janus(rules="a < b")])
def test_a_model_before_the_fit(model):
    caption, headings, cells = read(model)
    assert caption.endswith("not fitted")
    assert not headings
    assert not cells
