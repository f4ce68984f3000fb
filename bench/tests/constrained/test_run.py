import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from janus_bench import versions
from janus_bench.cells import RunSettings
from janus_bench.cli import app
from janus_bench.constrained.answers import ConstrainedSizes
from janus_bench.constrained.asking import (
    Answer,
    Limits,
    Method,
    Request,
    TrainingRows,
    filter_training,
    reject,
)
from janus_bench.constrained.methods import make_conditional_methods
from janus_bench.constrained.oracle import Oracle
from janus_bench.constrained.pictures import draws_picture, score_time_picture
from janus_bench.constrained.report import PAPER
from janus_bench.constrained.run import ANSWERS, KIND, ORACLE, run_constrained
from janus_bench.constrained.scenarios import chosen_scenarios
from janus_bench.constrained.scores import score_rows
from janus_bench.models.random_sem import ModelKey, known_model
from janus_bench.peers import GaussianCopula
from janus_bench.rendering import read_result, to_markdown, write_pictures, write_result
from janus_bench.results import Result
from janus_bench.store import Store
from janus_bench.workers import FAILED
from janus_synth.errors import DataError, MissingExtraError
from janus_synth.table import read_table

SIZES = ConstrainedSizes(n_train=400, n_rows=60, n_rare_rows=40, limits=Limits(most_draws=4_000))
SCENARIOS = chosen_scenarios(quick=True, nodes=["5"], kinds=["range", "mixed"], rarities=["hard", "1%"])


class Slow(TrainingRows):
    n_fits = 0

    def fit(self, frame, *, seed):
        Slow.n_fits += len(frame) == SIZES.n_train  # fewer rows are a warm-up
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
    Method("half", lambda sem: Slow(), half),
    Method("rejecting", lambda sem: Slow(), reject),
    Method("broken", lambda sem: Slow(), broken),
    Method("unfit", lambda sem: Unfit(), reject),
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
    assert Slow.n_fits == 1


def test_a_record_is_what_fitting_asking_and_judging_by_hand_give():
    scenario = SCENARIOS[1]
    (record,) = records_of(
        run_constrained([scenario], make_conditional_methods(["copula"]), sizes=SIZES, detector="boosting"),
        "copula, rejection",
    )
    sem = scenario.model.sem()
    train = sem.draw(SIZES.n_train, scenario.model.rng(1))
    condition = scenario.condition(sem)
    truth = Oracle(sem, condition).sample(60, scenario.rng(1)).rows
    request = Request(60, condition, seed=int(scenario.rng(3).integers(2**31)), limits=SIZES.limits)
    answer = reject(GaussianCopula().fit(train, seed=scenario.model.seed), request)
    schema = read_table(train).schema
    scores = score_rows(answer.rows, truth, str(condition), n_asked=60, schema=schema, detector="boosting")
    assert record["scores"] == scores
    assert (record["n_returned"], record["n_drawn"]) == (len(answer.rows), answer.n_drawn)
    assert record["rule"] == str(condition)
    assert record["n_training_matches"] == int(condition.mask(train).sum())


def test_missing_rows_and_failures_are_on_record(result):
    for record in records_of(result, "half"):
        assert record["scores"]["csr"] == (0.5 if record["n_training_matches"] else 0)
    for record in records_of(result, "broken"):
        assert record["error"] == "RuntimeError: no rows today"
        assert record["scores"]["final"] == record["scores"]["csr"] == 0
    assert {record["error"] for record in records_of(result, "unfit")} == {"ValueError: cannot learn\nat all"}


def test_the_page_lists_scores_draws_and_failures(result):
    page = to_markdown(result)
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
    page = to_markdown(result)
    rejecting = records_of(result, "rejecting")
    final = np.mean([record["scores"]["final"] for record in rejecting])
    drawn = sum(r["n_drawn"] for r in rejecting) / sum(r["n_returned"] for r in rejecting)
    cells = lines_of(page, "Mean over scenarios")[2].split(" | ")
    assert cells[1] == f"{final:.3f}"
    assert cells[-2] == (f"{drawn:.1f}" if drawn < 100 else f"{drawn:,.0f}")


def test_the_papers_figures_stand_beside_ours_on_conditions_as_strict_as_its_own(result):
    page = to_markdown(result)
    lines = [line.strip("| ").split(" | ") for line in lines_of(page, "Beside the paper's")]
    assert [cells[0] for cells in lines] == list(PAPER)
    assert lines[0][1:3] == ["oracle", "0.990"]
    assert lines[1][:3] == ["JANUS", "–", "0.939"]
    hard = np.mean([r["scores"]["final"] for r in records_of(result, ORACLE) if r["rarity"] == "hard"])
    assert lines[0][3] == f"{hard:.3f}"
    kinds = [
        line.strip("| ").split(" | ")[:3] for line in lines_of(page, "JANUS by kind of condition, beside the paper's")
    ]
    assert kinds == [["range", "0.927", "6.4 %"], ["mixed", "0.978", "1.2 %"]]


def test_short_answers_are_reported_and_what_came_back_is_judged_on_its_own(result):
    lines = {cells[0]: cells[1:] for cells in (
        line.strip("| ").split(" | ") for line in lines_of(to_markdown(result), "Rows that came back")
    )}  # fmt: skip
    assert lines[ORACLE] == ["1.000", "0", "0", "1.000"]
    nothing = sum(not record["n_training_matches"] for record in records_of(result, "half"))
    assert lines["half"] == [f"{0.5 * (4 - nothing) / 4:.3f}", "4", str(nothing), "1.000"]
    assert lines["broken"] == ["0.000", "4", "4", "–"]


def test_a_result_read_back_renders_the_same_page(result, tmp_path):
    files = write_result(result, tmp_path)
    again = read_result(files.json)
    assert again == Result(**json.loads(result.to_json()))
    assert files.markdown.read_text(encoding="utf-8") == to_markdown(again)


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


def test_without_the_extra_there_are_no_pictures_and_the_reason_is_reported(result, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "altair", None)
    assert "janus-synth[plots]" in write_pictures(result, tmp_path / "constrained-now")
    assert not list(tmp_path.iterdir())


def test_training_rows_follow_from_the_model_alone():
    first, other = (known_model(key, 50).train for key in (ModelKey(5, 0), ModelKey(5, 1)))
    again = known_model.__wrapped__(ModelKey(5, 0), 50).train
    assert first.equals(again)
    assert not first.equals(other)


class Mortal:
    """An ask that ends the run when its number is up."""

    left = n_asked = 0

    @classmethod
    def ask(cls, fitted, request):
        if cls.left == 0:
            raise KeyboardInterrupt
        if len(fitted.frame) == SIZES.n_train:
            cls.left -= 1
            cls.n_asked += 1
        return reject(fitted, request)


def stored(folder, kind):
    return {path.name: path.stat().st_mtime_ns for path in (folder / kind).glob("*.json")}


def test_a_run_that_was_ended_in_the_middle_of_a_model_goes_on_where_it_ended(tmp_path):
    methods = [Method("mortal", lambda sem: TrainingRows(), Mortal.ask)]
    how = {"sizes": SIZES, "detector": "boosting", "run": RunSettings(store=Store(tmp_path))}
    Mortal.left, Mortal.n_asked = 2, 0
    with pytest.raises(KeyboardInterrupt):
        run_constrained(SCENARIOS, methods, **how)
    before = stored(tmp_path, ANSWERS)
    assert len(before) == len(SCENARIOS) + 2  # the oracle's and two more
    Mortal.left = 100
    result = run_constrained(SCENARIOS, methods, **how)
    assert Mortal.n_asked == len(SCENARIOS)
    after = stored(tmp_path, ANSWERS)
    assert {name: after[name] for name in before} == before
    assert result.records == run_constrained(SCENARIOS, methods, **how).records
    assert all(record["error"] == "" for record in result.records)

    part = run_constrained(SCENARIOS[2:], methods, **how)  # another cell of the same answers
    assert part.records == result.records[4:]
    assert Mortal.n_asked == len(SCENARIOS)
    run_constrained(SCENARIOS[:1], methods, **{**how, "run": replace(how["run"], fresh=True)})
    assert Mortal.n_asked == len(SCENARIOS) + 1


def test_a_cell_out_of_time_keeps_the_answers_it_has(tmp_path):
    store = Store(tmp_path)
    how = {"sizes": SIZES, "detector": "boosting", "run": RunSettings(store=store)}
    Mortal.left = 3
    methods = [Method("mortal", lambda sem: TrainingRows(), Mortal.ask)]
    with pytest.raises(KeyboardInterrupt):
        run_constrained(SCENARIOS, methods, **how)
    Mortal.left = 100
    run_constrained(SCENARIOS, methods, **how)
    (lost,) = [path for path in (tmp_path / ANSWERS).glob("*.json") if _is_last(path)]
    lost.unlink()
    for path in (tmp_path / KIND).glob("*.json"):
        cell = json.loads(path.read_text(encoding="utf-8"))["cell"]
        if cell["method"] == "mortal":
            store.write(KIND, path.stem, {FAILED: "took longer than 9 s", "limit": 9.0}, about=cell)
    result = run_constrained(SCENARIOS, methods, **{**how, "run": replace(how["run"], jobs=1, most_seconds=9.0)})
    errors = [record["error"] for record in records_of(result, "mortal")]
    assert errors == ["", "", "", "took longer than 9 s"]
    assert records_of(result, "mortal")[-1]["rule"] == records_of(result, ORACLE)[-1]["rule"]


def _is_last(path):
    cell = json.loads(path.read_text(encoding="utf-8"))["cell"]
    last = SCENARIOS[-1]
    return (cell["method"], cell["sizes"]["kind"], cell["sizes"]["rarity"]) == ("mortal", last.kind, last.rarity)


def test_settings_sizes_and_versions_decide_what_is_measured_anew(tmp_path, monkeypatch):
    def n_answers(settings=(), **more):
        how = {"sizes": SIZES, "detector": "boosting", "run": RunSettings(store=Store(tmp_path)), **more}
        run_constrained(SCENARIOS[:1], make_conditional_methods(["rows"], settings), **how)
        return len(stored(tmp_path, ANSWERS))

    assert n_answers() == 2
    assert n_answers() == 2
    assert n_answers(["one:n_trees=1"]) == 3
    assert n_answers(["one:n_trees=2"]) == 4
    assert n_answers(sizes=ConstrainedSizes(n_train=300, n_rows=60, n_rare_rows=40)) == 6
    monkeypatch.setattr(versions, "version", lambda library: "99.0")
    assert n_answers() == 8


def test_a_process_of_its_own_measures_the_same(tmp_path):
    methods = make_conditional_methods(["copula", "independent"])
    here, there = (
        run_constrained(SCENARIOS[:1], methods, sizes=SIZES, detector="boosting", run=RunSettings(jobs=jobs)).records
        for jobs in (0, 1)
    )
    times = ("fit_seconds", "seconds")
    for one, other in zip(here, there, strict=True):
        assert {k: v for k, v in one.items() if k not in times} == {k: v for k, v in other.items() if k not in times}


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
    result = run_constrained(SCENARIOS[:1], methods, detector="boosting", sizes=ConstrainedSizes(n_rows=300))
    finals = {record["method"]: record["scores"]["final"] for record in result.records}
    assert all(record["error"] == "" for record in result.records)
    for method in ("JANUS, rejection", "CART, rejection", "training rows"):
        assert finals[ORACLE] - 0.1 < finals[method] < finals[ORACLE] + 0.02
    assert finals["JANUS, clipped"] < finals["JANUS, rejection"]


def test_the_command_ends_in_files_and_pictures(tmp_path):
    pytest.importorskip("xgboost")
    from typer.testing import CliRunner

    command = ["constrained", "--quick", "--nodes", "5", "--kinds", "range", "--rarities", "hard"]
    command += ["--methods", "rows,copula", "--jobs", "0", "--cache", str(tmp_path / "kept"), "--out", str(tmp_path)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    (path,) = tmp_path.glob("constrained-*.json")
    result = read_result(path)
    assert [record["method"] for record in result.records] == [ORACLE, "training rows", "copula, rejection"]
    assert path.with_suffix(".md").read_text(encoding="utf-8") == to_markdown(result)
    assert "Mean over scenarios" in done.output
    shown = CliRunner().invoke(app, ["show", str(path)])
    assert shown.output in done.output
