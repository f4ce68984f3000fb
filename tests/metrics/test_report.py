import copy
import pickle
from io import StringIO

import pandas as pd
import pytest
from rich.console import Console

from janus_synth.errors import DataError
from janus_synth.metrics import Report, Score, evaluate

NAN = float("nan")


@pytest.fixture
def report():
    scores = [
        Score("detection", 0.57312, 0.5, 0.5, "AUC of the detector"),
        Score("exact_copies", NAN, NAN, None, "share of copies"),
    ]
    sizes = {"train": 20_000, "test": 900, "synthetic": 1_000}
    return Report({score.name: score for score in scores}, {"x": 0.1}, "income", "xgboost", sizes)


def test_it_prints_as_a_table(report):
    assert str(report).splitlines() == [
        "1,000 synthetic rows beside 20,000 training and 900 held-out rows; target income, detector xgboost",
        "",
        "score          value  reference      ideal  meaning",
        "detection     0.5731     0.5000        0.5  AUC of the detector",
        "exact_copies       –          –  reference  share of copies",
    ]


def test_it_renders_for_a_terminal(report):
    console = Console(file=StringIO(), width=120)
    console.print(report)
    text = console.file.getvalue()
    assert "0.5731" in text
    assert "share of copies" in text


def test_it_is_a_mapping_of_values(report):
    assert report["detection"] == 0.57312
    assert list(report) == ["detection", "exact_copies"]
    assert len(report) == 2
    assert "ks" not in report


def test_it_is_frozen(report):
    with pytest.raises(AttributeError):
        report.target = "age"


def test_undefined_scores_are_none_in_its_dict(report):
    assert report.to_dict()["scores"]["exact_copies"] == {"value": None, "reference": None, "ideal": None}


@pytest.fixture(scope="module")
def scored():
    parts = [pd.DataFrame({"x": [(7 * i + j) % 30 for i in range(40)], "y": [0, 1] * 20}) for j in range(3)]
    return parts, evaluate(*parts, metrics=["ks"], max_rows=30, random_state=4)


def test_a_page_has_the_tables_and_settings_of_the_evaluation(scored, tmp_path):
    from janus_synth.report import report_page

    parts, report = scored
    report.to_html(tmp_path / "page.html", title="Mine")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page == report_page(*parts, report, title="Mine", max_rows=30, random_state=4)
    assert "<h1>Mine</h1>" in page


@pytest.mark.parametrize("send", [lambda r: pickle.loads(pickle.dumps(r)), copy.deepcopy], ids=["pickle", "copy"])
def test_rows_stay_where_they_are(scored, send, tmp_path):
    again = send(scored[1])
    assert again.tables is None
    assert again.to_dict() == scored[1].to_dict()
    with pytest.raises(DataError, match="write_report"):
        again.to_html(tmp_path / "page.html")
    assert not list(tmp_path.iterdir())
