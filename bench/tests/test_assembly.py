from pathlib import Path

import pytest
from typer.testing import CliRunner

from janus_bench.assembly import page_of, read_folder, write_page
from janus_bench.cli import app
from janus_bench.fidelity.run import run_fidelity
from janus_bench.methods import make_methods
from janus_bench.rendering import read_result, to_markdown, write_result
from janus_bench.results import Result
from janus_synth.errors import DataError


@pytest.fixture(scope="module")
def result():
    return run_fidelity(["ring"], make_methods(["independent"]), max_rows=200, detector="boosting")


@pytest.fixture
def folder(result, tmp_path):
    home = tmp_path / "results"
    home.mkdir()
    (home / "fidelity.json").write_text(result.to_json(), encoding="utf-8")
    (home / "fidelity-again.json").write_text(result.to_json(), encoding="utf-8")
    (home / "fidelity.reading.md").write_text("What we *read* in it.\n", encoding="utf-8")
    (home / "introduction.reading.md").write_text("As the commands wrote them.", encoding="utf-8")
    return home


def test_the_page_holds_tables_readings_and_where_they_come_from(folder, result, tmp_path):
    page, *tables = write_page(folder, tmp_path / "results.md", pictures=False)
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# Results\n\nAs the commands wrote them.")
    assert text.index("## Fidelity\n") < text.index("What we *read*") < text.index("Mean over tables")
    assert "## Fidelity: again" in text
    assert f"{result.records[0]['scores']['detection']:.3f}" in text
    assert result.date in text
    assert "(results/fidelity.md)" in text
    assert [path.name for path in tables] == ["fidelity.md", "fidelity-again.md"]
    assert (folder / "fidelity.md").read_text(encoding="utf-8") == to_markdown(result)


def test_pictures_stand_with_their_own_run(folder, tmp_path):
    pytest.importorskip("vl_convert")
    page, *_ = write_page(folder, tmp_path / "results.md")
    text = page.read_text(encoding="utf-8")
    assert text.count("(results/fidelity-scores.svg)") == 1
    assert text.count("(results/fidelity-again-scores.svg)") == 1
    assert not list(folder.glob("*.png"))
    again = text.index("## Fidelity: again")
    own, other = text.index("(results/fidelity-scores.svg)"), text.index("(results/fidelity-again-scores.svg)")
    assert own < again < other or other < again < own


def test_of_dated_files_the_newest_counts(result, tmp_path):
    later = Result(result.kind, "2099-01-31 12:00:00", result.machine, result.options, result.records)
    for one in (result, later):
        write_result(one, tmp_path)
    (section,) = read_folder(tmp_path)
    assert section.result.date == later.date
    assert section.title == "Fidelity"
    assert "2099-01-31" in page_of(tmp_path, [section], relative_to=tmp_path)


def test_an_empty_folder_says_what_to_do(tmp_path):
    with pytest.raises(DataError, match="holds no results"):
        write_page(tmp_path, tmp_path / "page.md")


def test_the_command_assembles_what_a_command_wrote(tmp_path, monkeypatch):
    pytest.importorskip("xgboost")
    monkeypatch.setenv("JANUS_CACHE", str(tmp_path / "cache"))
    run = CliRunner()
    words = ["--tables", "ring", "--methods", "independent", "--max-rows", "200", "--out", str(tmp_path)]
    assert run.invoke(app, ["fidelity", *words]).exit_code == 0
    page = tmp_path / "page.md"
    done = run.invoke(app, ["assemble", str(tmp_path), "--out", str(page), "--no-pictures"])
    assert done.exit_code == 0, done.output
    (path,) = tmp_path.glob("fidelity-*.json")
    command = "janus bench fidelity --tables ring --methods independent --max-rows 200"
    assert read_result(path).options["command"] == command
    assert f"`{command}`" in page.read_text(encoding="utf-8")


def test_the_page_of_the_docs_is_what_its_results_say(tmp_path):
    docs = Path(__file__).parents[2] / "docs"
    sections = read_folder(docs / "results")
    page = page_of(docs / "results", sections, relative_to=docs)
    assert (docs / "results.md").read_text(encoding="utf-8") == page
    for one in sections:
        assert one.path.with_suffix(".md").read_text(encoding="utf-8") == to_markdown(one.result)
        assert one.comment, f"nobody has commented on {one.path.name}"
