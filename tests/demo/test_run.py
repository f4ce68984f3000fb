from __future__ import annotations

import re
import sys

import pandas as pd
import pytest

from demo.small_demo import Demo, small_results, small_run
from janus_synth import Janus
from janus_synth.demo import FolderError, run_demo
from janus_synth.demo.run import report_write_errors
from janus_synth.demo.sections import OBSERVED, SECTIONS, TRUTH
from janus_synth.files import write_whole
from page_reader import Reader

SECTION_NAMES = [
    "summary", "rows", "columns", "associations", "graph", "decisions", "rules", "given-rules", "rare", "impossible",
    "uncertainty", "effects", "counterfactuals", "bias", "scores", "limits", "code",
]  # fmt: skip


@pytest.fixture
def demo() -> Demo:
    return small_run()[0]


def test_the_folder_holds_a_model_rows_and_a_page(demo):
    folder = demo.page.parent
    assert sorted(path.name for path in folder.iterdir()) == ["index.html", "model.janus", "synthetic.csv"]
    assert Janus.load(folder / "model.janus").n_rows_ == 300
    assert pd.read_csv(folder / "synthetic.csv").shape == (300, 15)


def test_the_page_is_well_formed_and_holds_every_section(demo):
    reader = Reader(demo.html)
    assert [name for name in reader.ids if name in SECTION_NAMES] == SECTION_NAMES
    assert len(SECTIONS) == len(SECTION_NAMES)
    assert len(reader.ids) == len(set(reader.ids))
    # Every column but the key; associations, graph, zone, terrain, by size; two effects, two befores and afters.
    assert reader.tags.count("svg") == 14 + 5 + 2 + 2 + 1


def test_the_page_stands_alone(demo):
    reader = Reader(demo.html)
    assert not {"link", "iframe", "object", "embed"} & set(reader.tags)
    assert reader.tags.count("script") == 1  # the one of all pages
    assert all(address.startswith("#") for address in reader.addresses)
    without_namespaces = re.sub(r'xmlns(:\w+)?="[^"]*"', "", demo.html)
    assert not re.search(r"https?://|@import|javascript:|\son\w+=", without_namespaces)
    assert len(demo.html.encode()) < 1_500_000


def test_pictures_refer_to_parts_of_their_own(demo):
    ids = set(Reader(demo.html).ids)
    assert set(re.findall(r"url\(#([^)]+)\)", demo.html)) <= ids


def test_the_console_prints_the_findings(demo):
    told = demo.printed
    for words in (
        "to fit 300 rows of 14 columns", "to draw 300 rows", "start-up time", "applicant_id", "detection",
        "experience <= age - 18", "100 %", "if hired == ", "Limits", "index.html",
    ):  # fmt: skip
        assert words in told
    assert told.count("if ") >= 3


def test_the_console_prints_rules_and_requests(demo):
    told = " ".join(demo.printed.split())
    for words in (
        "model with rules", "300 rows under 2 rules", "each rule holds in 100 % of them",
        "The model gives it a probability of",
        "100 % of the rows satisfy the request", "Rejection sampling would need",
        "model.check('age < 30 and experience >= 20')",
    ):  # fmt: skip
        assert words in told


def test_the_console_prints_uncertainty_and_causal_answers(demo):
    told = " ".join(demo.printed.split())
    for words in (
        "epistemic share", "these would be most informative",
        "education = phd instead of school: requested_salary changes by",
        "of 4 intervals", "According to the model they would have requested", "equations, with the same noise",
    ):  # fmt: skip
        assert words in told


def test_the_page_says_whose_graph_it_is_and_shows_the_truth_beside(demo):
    assert "fitted with the true graph" in demo.html
    for words in ("Uncertainty about hired", TRUTH, OBSERVED, "requested_salary before and after"):
        assert words in demo.html


def test_no_file_tells_where_it_was_made(demo):
    assert str(demo.page.parent) not in demo.html


def test_without_the_extra_everything_but_pictures_is_told(tmp_path, monkeypatch):
    results = small_results()
    monkeypatch.setattr("janus_synth.demo.results.compute_results", lambda *args, **more: results)
    monkeypatch.setitem(sys.modules, "altair", None)
    demo = Demo(tmp_path)
    reader = Reader(demo.html)
    assert "svg" not in reader.tags
    assert [name for name in reader.ids if name in SECTION_NAMES] == SECTION_NAMES
    assert "janus-synth[plots]" in demo.html
    assert "janus-synth[plots]" in demo.printed


@pytest.mark.parametrize("inside", [False, True])
def test_a_folder_that_cannot_be_written_is_said_before_the_work(tmp_path, inside, monkeypatch):
    monkeypatch.setattr("janus_synth.demo.results.compute_results", lambda *a, **k: pytest.fail("worked"))
    file = tmp_path / "file"
    file.write_text("in the way")
    folder = file / "inside" if inside else file
    with pytest.raises(FolderError, match="Choose another folder") as caught:
        run_demo(folder, n_rows=300)
    assert caught.value.folder == folder
    assert isinstance(caught.value, OSError)


def test_a_failed_write_leaves_the_page_before(tmp_path, monkeypatch):
    page = write_whole(tmp_path / "index.html", "before")

    def full(*paths: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(FolderError, match="no space left"), report_write_errors(tmp_path):
        write_whole(page, "after")
    assert page.read_text() == "before"
    assert list(tmp_path.iterdir()) == [page]


def test_too_few_rows_are_refused_and_leave_nothing(tmp_path):
    with pytest.raises(ValueError, match="at least 50"):
        run_demo(tmp_path / "new", n_rows=3)
    assert not (tmp_path / "new").exists()
