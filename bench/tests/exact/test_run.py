import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from janus_bench.cells import RunSettings
from janus_bench.cli import app
from janus_bench.exact.against import Comparison, Effort
from janus_bench.exact.costs import ADULT_REQUESTS, HIRING_REQUESTS, TIGHTENING, Cost
from janus_bench.exact.report import frame_of, summarise
from janus_bench.exact.run import ExactSizes, chosen_parts, run_exact
from janus_bench.rendering import read_result, to_markdown, write_result
from janus_bench.results import Result
from janus_bench.store import Store
from janus_bench.tables.sources import SOURCES
from janus_synth.errors import DataError, MissingExtraError

TINY = ExactSizes(
    cases=2,
    effort=Effort(60, 20_000),
    disjunction_effort=Effort(60, 20_000),
    n_train=300,
    pool_rows=20_000,
    disjunction_pool_rows=20_000,
    table_rows=1_500,
    timed_rows=50,
    repeats=1,
    many_rows=100,
)
BASE = Comparison("A", "0, graph given", "range", "x > 1", 100, 10_000, 0.01, 0.0098, 0.0103, 100, 0, 0.51, 0.5, 1, 2)


@pytest.fixture(scope="module", autouse=True)
def no_files(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("JANUS_DATA", raising=False)
        patch.setenv("JANUS_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setitem(SOURCES, "adult", replace(SOURCES["adult"], address="http://127.0.0.1:9/adult.zip"))
        yield


def lines_of(markdown, title):
    section = markdown.split(f"## {title}\n", 1)[1].split("\n## ")[0]
    return [line for line in section.splitlines() if line.startswith("|")][2:]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def result(store):
    return run_exact(["O", "A", "C", "D"], sizes=TINY, detector="boosting", run=RunSettings(store=store))


def of_kind(result, kind):
    return [record for record in result.records if record["record"] == kind]


def test_every_step_leaves_a_record(result):
    parts = [record["part"] for record in result.records]
    assert parts == ["O"] * 4 + ["A"] * 2 + ["C"] * len(TIGHTENING["hiring"]) + ["D"] * len(HIRING_REQUESTS)
    assert {record["subject"] for record in of_kind(result, "comparison")} == {"0, graph given", "1, graph learnt"}


def without_seconds(records):
    return [{name: value for name, value in one.items() if not name.endswith("seconds")} for one in records]


def test_what_was_measured_is_not_measured_again(result, store, monkeypatch):
    assert (
        len(list(store.folder.rglob("*.json"))) == 2 + 2 + 1 + 2
    )  # models of O, of A; all that are timed in turns; requests

    def broken(*request, **sizes):
        raise ValueError("asked again")

    for name in ("compare_disjunction", "compare_case", "time_requests", "count_violations"):
        monkeypatch.setattr(f"janus_bench.exact.run.{name}", broken)
    again = run_exact(["O", "A", "C", "D"], cases=3, sizes=TINY, detector="boosting", run=RunSettings(store=store))
    assert again.records[:4] + again.records[5:7] + again.records[8:] == result.records
    assert [again.records[i]["error"] for i in (4, 7)] == ["ValueError: asked again"] * 2


def test_no_row_breaks_a_rule_or_a_request(result):
    found = of_kind(result, "comparison") + of_kind(result, "violations")
    assert [record["n_violations"] for record in found] == [0] * 6
    assert [record["n_rows"] for record in of_kind(result, "violations")] == [100, 100]


def test_rarer_requests_are_rarer(result):
    shares = [record["probability"] for record in of_kind(result, "cost")]
    assert len(shares) == 4
    assert shares == sorted(shares, reverse=True)
    assert 0.3 < shares[0] < 0.7


def test_a_result_read_back_renders_the_same_page(result, tmp_path):
    files = write_result(result, tmp_path)
    again = read_result(files.json)
    assert again == Result(**json.loads(result.to_json()))
    assert files.markdown.read_text(encoding="utf-8") == to_markdown(again)
    assert files.json.name.startswith("exact-")


def test_the_page_has_a_summary_and_a_line_per_case(result):
    page = to_markdown(result)
    groups = [line.split(" | ")[0] for line in lines_of(page, "Disjunctions: exact rows beside rejection")]
    assert groups[0] == "| all"
    assert {"| graph given", "| graph learnt", "| equal shares", "| one branch of 5 %"} < set(groups)
    assert len(lines_of(page, "Disjunctions, case by case")) == 2
    assert page.index("## Disjunctions: exact") < page.index("## Random models: exact")
    groups = [line.split(" | ")[0] for line in lines_of(page, "Random models: exact rows beside rejection")]
    assert groups == ["| all", "| graph given", "| graph learnt", "| range", "| inter-column"]
    assert len(lines_of(page, "Random models, case by case")) == 2
    assert lines_of(page, "Violations")[0].startswith("| age < 30 and experience >= 8 | 100 | 0 |")
    assert "1.00 ×" in lines_of(page, "Cost by rarity")[0]
    assert "Adult" not in page


def test_summaries_count_what_is_good_and_name_the_worst():
    comparisons = [
        BASE,
        replace(BASE, auc=0.52, half_auc=0.55, exact_seconds=3),
        replace(BASE, auc=0.5201, n_accepted=200, n_violations=1),
        replace(BASE, auc=None, half_auc=None, rejection_seconds=9),
    ]
    summary = summarise(frame_of(comparisons, Comparison))
    assert (summary.n, summary.n_judged, summary.n_good) == (4, 3, 2)
    assert (summary.largest_auc, summary.largest_half) == (0.5201, 0.55)
    assert summary.mean_auc == pytest.approx(0.51670, abs=1e-4)
    assert (summary.n_intervals, summary.most_off, summary.n_violations) == (3, 2, 1)
    assert (summary.exact_seconds, summary.rejection_seconds) == (1, 2)


def test_without_an_auc_there_is_a_summary_all_the_same():
    assert np.isnan(summarise(frame_of([replace(BASE, auc=None, half_auc=None)], Comparison)).mean_auc)


def test_rejection_on_adult_is_extrapolated_and_held_against_the_time_with_the_plan():
    rule = ADULT_REQUESTS[0]
    comparison = {"record": "comparison", **_fields(replace(BASE, part="B", rule=rule))}
    cost = {"record": "cost", **_fields(Cost("B", "adult", rule, 0.01, 10_000, 1.0, [4.0, 3.0, 50.0], [1.0]))}
    page = to_markdown(Result.of("exact", options={}, records=[comparison, cost]))
    (line,) = lines_of(page, "Adult, structure chain: exact rows beside rejection")
    assert line == f"| {rule} | 0.01 | 1.000 | yes | 100 | 0.510 | 0.500 | 5.00 | 4.00 | 200 | 40.0 × |"


def _fields(record):
    return {name: getattr(record, name) for name in record.__dataclass_fields__}


def test_milliseconds_are_those_of_the_middle_run():
    cost = Cost("C", "adult", "x > 1", 0.1, 2_000, 1.0, [0.5, 0.2, 0.3], [0.9, 0.4, 0.6])
    assert cost.per_thousand == pytest.approx(150)
    assert cost.processor_per_thousand == pytest.approx(300)


def test_failures_are_on_record_and_on_the_page(monkeypatch):
    def broken(case, **arguments):
        raise ValueError("no rows today")

    monkeypatch.setattr("janus_bench.exact.run.compare_case", broken)
    result = run_exact(["A"], cases=1, sizes=TINY, detector="boosting")
    assert [record["error"] for record in result.records] == ["ValueError: no rows today"]
    assert lines_of(to_markdown(result), "Failures") == ["| A | 0, graph given | ValueError: no rows today |"]


def test_parts_come_in_order_and_adult_only_where_it_is():
    assert chosen_parts(None) == ["O", "A", "C", "D"]
    assert chosen_parts(["d", "a", "o"]) == ["O", "A", "D"]


def test_a_part_that_cannot_be_had_says_why():
    with pytest.raises(DataError, match="no part is called 'E'. Choose from O, A, B, C, D"):
        chosen_parts(["A", "E"])
    with pytest.raises(DataError, match="Choose from"):
        chosen_parts([])
    with pytest.raises(DataError, match="Set JANUS_DATA"):
        chosen_parts(["B"])


def test_a_missing_library_names_its_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "xgboost", None)
    with pytest.raises(MissingExtraError, match=r"janus-synth\[detection\]"):
        run_exact(["O"], sizes=TINY)


def test_the_command_tells_its_options():
    done = CliRunner().invoke(app, ["exact", "--help"], env={"COLUMNS": "160", "NO_COLOR": "1", "TERM": "dumb"})
    assert done.exit_code == 0
    for word in (
        "--parts",
        "--cases",
        "--seeds",
        "--quick",
        "--jobs",
        "--cache",
        "--fresh",
        "--out",
        "Example: janus bench exact",
    ):
        assert word in done.output


def test_the_command_ends_in_files(result, tmp_path, monkeypatch):
    pytest.importorskip("xgboost")
    monkeypatch.setattr("janus_bench.exact.run.QUICK", TINY)
    command = ["exact", "--quick", "--parts", "O,A,D", "--seeds", "1", "--out", str(tmp_path)]
    command += ["--cache", str(tmp_path / "cache")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    (path,) = tmp_path.glob("exact-*.json")
    read = read_result(path)
    assert [record["part"] for record in read.records] == ["O", "O", "A", "D", "D"]
    assert without_seconds(read.records[3:]) == without_seconds(of_kind(result, "violations"))  # in another process
    assert path.with_suffix(".md").read_text(encoding="utf-8") == to_markdown(read)
    assert CliRunner().invoke(app, ["show", str(path)]).output in done.output
