import json
from xml.etree import ElementTree

import numpy as np
import pytest

from janus_synth.bench.cli import app
from janus_synth.bench.constrained.asking import Answer, Limits, TrainingRows, filter_training, reject
from janus_synth.bench.constrained.methods import Method, make_conditional_methods
from janus_synth.bench.constrained.pictures import draws_picture, score_time_picture
from janus_synth.bench.constrained.run import ORACLE, Fits, Sizes, run_constrained
from janus_synth.bench.constrained.scenarios import ModelKey, chosen_scenarios
from janus_synth.bench.pictures import write_pictures
from janus_synth.bench.results import Result, read_result
from janus_synth.errors import DataError, MissingExtraError

SIZES = Sizes(n_train=400, n_rows=60, n_rare_rows=40, limits=Limits(most_draws=4_000))
SCENARIOS = chosen_scenarios(quick=True, nodes=["5"], kinds=["range", "mixed"], rarities=["hard", "1%"])


class Slow(TrainingRows):
    n_fits = 0

    def fit(self, frame, *, seed):
        Slow.n_fits += 1
        return super().fit(frame, seed=seed)


class Unfit(TrainingRows):
    def fit(self, frame, *, seed):
        raise ValueError("cannot learn\nat all")


def half(fitted, request):
    answer = filter_training(fitted, request)
    return Answer(answer.rows.iloc[: request.n // 2], None)


def broken(fitted, request):
    raise RuntimeError("no rows today")


METHODS = [
    Method("half", "slow", lambda sem: Slow(), half),
    Method("rejecting", "slow", lambda sem: Slow(), reject),
    Method("broken", "slow", lambda sem: Slow(), broken),
    Method("unfit", "unfit", lambda sem: Unfit(), reject),
]


@pytest.fixture(scope="module")
def result():
    Slow.n_fits = 0
    return run_constrained(SCENARIOS, METHODS, sizes=SIZES, detector="boosting")


def records_of(result, method):
    return [record for record in result.records if record["method"] == method]


def lines_of(markdown, title):
    section = markdown.split(f"## {title}\n", 1)[1].split("\n## ")[0]
    return [line for line in section.splitlines() if line.startswith("|")][2:]


def test_every_method_answers_every_scenario_and_the_oracle_is_one_of_them(result):
    assert len(result.records) == len(SCENARIOS) * (1 + len(METHODS))
    for record in records_of(result, ORACLE):
        assert record["scores"]["csr"] == 1
        assert record["n_returned"] == record["n_asked"] == 60
        assert record["probability"] == pytest.approx(record["target"], rel=0.6)


def test_fits_are_shared_between_methods_and_scenarios(result):
    assert Slow.n_fits == 2  # one to warm up, one for the model


def test_missing_rows_and_failures_are_on_record(result):
    for record in records_of(result, "half"):
        assert record["scores"]["csr"] == (0.5 if record["n_training_matches"] else 0)
    for record in records_of(result, "broken"):
        assert record["error"] == "RuntimeError: no rows today"
        assert record["scores"]["final"] == record["scores"]["csr"] == 0
        assert record["fit_seconds"] is not None
    assert {record["error"] for record in records_of(result, "unfit")} == {"ValueError: cannot learn\nat all"}


def test_the_page_lists_scores_draws_and_failures(result):
    page = result.to_markdown()
    assert lines_of(page, "CSR by rarity")[0] == "| oracle | 1.000 | 1.000 |"
    assert lines_of(page, "CSR by rarity")[3] == "| broken | 0.000 | 0.000 |"
    failures = lines_of(page, "Failures")
    assert failures[0].startswith("| broken | RuntimeError: no rows today | 4 | x")
    assert failures[1].startswith("| unfit | ValueError: cannot learn | 4 | x")
    drawing = [line.split(" | ")[0] for line in lines_of(page, "Rows drawn per row returned")]
    assert drawing == ["| oracle", "| rejecting"]
    rare = lines_of(page, "How rare the conditions are")
    assert [line.split(" | ")[:3] for line in rare] == [["| hard", "2", "0.1"], ["| joint 1 %", "2", "0.01"]]


def test_means_are_means_and_draws_are_pooled(result):
    page = result.to_markdown()
    rejecting = records_of(result, "rejecting")
    final = np.mean([record["scores"]["final"] for record in rejecting])
    drawn = sum(r["n_drawn"] for r in rejecting) / sum(r["n_returned"] for r in rejecting)
    cells = lines_of(page, "Mean over scenarios")[2].split(" | ")
    assert cells[1] == f"{final:.3f}"
    assert cells[-2] == (f"{drawn:.1f}" if drawn < 100 else f"{drawn:,.0f}")


def test_a_result_read_back_renders_the_same_page(result, tmp_path):
    files = result.write(tmp_path)
    again = read_result(files.json)
    assert again == Result(**json.loads(result.to_json()))
    assert files.markdown.read_text(encoding="utf-8") == again.to_markdown()


def test_pictures_show_every_method_that_returned_something(result, tmp_path):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    said = write_pictures(result, tmp_path / "constrained-now")
    names = ["constrained-now-score-time.svg", "constrained-now-draws.svg"]
    assert all(name in said for name in names)
    for name in names:
        root = ElementTree.parse(tmp_path / name).getroot()
        texts = {"".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")}
        assert {"oracle", "rejecting"} <= texts
    first, *_ = score_time_picture(result).concat
    assert [row["method"] for row in first.data.values] == [ORACLE, "half", "rejecting"]
    assert {row["method"] for row in draws_picture(result).data.values} == {ORACLE, "rejecting"}


def test_without_the_extra_there_are_no_pictures_and_the_reason_is_told(result, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "altair", None)
    assert "janus-synth[plots]" in write_pictures(result, tmp_path / "constrained-now")
    assert not list(tmp_path.iterdir())


def test_training_rows_follow_from_the_model_alone():
    first, again, other = (Fits.of(key, 50).train for key in (ModelKey(5, 0), ModelKey(5, 0), ModelKey(5, 1)))
    assert first.equals(again)
    assert not first.equals(other)


def test_nothing_to_do_is_an_error():
    with pytest.raises(DataError, match="at least one scenario"):
        run_constrained([], METHODS, detector="boosting")


def test_a_missing_library_names_its_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "xgboost", None)
    with pytest.raises(MissingExtraError, match=r"janus-synth\[detection\]"):
        run_constrained(SCENARIOS, METHODS)


@pytest.mark.slow
def test_rivals_reach_the_neighbourhood_of_the_ceiling_under_an_ordinary_condition():
    methods = make_conditional_methods(["reject", "cart", "cart-given", "copula", "rows", "clip"])
    result = run_constrained(SCENARIOS[:1], methods, detector="boosting", sizes=Sizes(n_rows=300))
    finals = {record["method"]: record["scores"]["final"] for record in result.records}
    assert all(record["error"] == "" for record in result.records)
    for method in ("JANUS, rejection", "CART, rejection", "training rows"):
        assert finals[ORACLE] - 0.1 < finals[method] < finals[ORACLE] + 0.02
    assert finals["JANUS, clipped"] < finals["JANUS, rejection"]


def test_the_command_ends_in_files_and_pictures(tmp_path):
    pytest.importorskip("xgboost")
    from typer.testing import CliRunner

    command = ["constrained", "--quick", "--nodes", "5", "--kinds", "range", "--rarities", "hard"]
    done = CliRunner().invoke(app, [*command, "--methods", "rows,copula", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    (path,) = tmp_path.glob("constrained-*.json")
    result = read_result(path)
    assert [record["method"] for record in result.records] == [ORACLE, "training rows", "copula, rejection"]
    assert path.with_suffix(".md").read_text(encoding="utf-8") == result.to_markdown()
    assert "Mean over scenarios" in done.output
    shown = CliRunner().invoke(app, ["show", str(path)])
    assert shown.output in done.output
