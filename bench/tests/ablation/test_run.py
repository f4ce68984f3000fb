"""Whole runs: caps, tables from canned records, ratios of recorded seconds, and a second run from the store."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

from janus_bench.ablation.configurations import CONFIGURATIONS
from janus_bench.ablation.pictures import charts
from janus_bench.ablation.report import (
    ablation_grids,
    changes_by_model,
    pair_outcomes,
    read_outcomes,
    speedup,
    with_conditions,
)
from janus_bench.ablation.run import run_ablation
from janus_bench.ablation.trial import ORACLE, AblationSizes, Outcome, Task, ablation_task
from janus_bench.constrained.scenarios import Scenario
from janus_bench.models.random_sem import ModelKey
from janus_bench.ours import JanusSynthesizer
from janus_bench.rendering import read_result
from janus_bench.results import Result
from janus_synth.errors import DataError, MissingExtraError

HARD = Scenario(ModelKey(10, 0), "range", "hard")
TINY = {"n_train": 300, "n_rows": 60}


def outcome(configuration, *, model=0, kind="range", rarity="hard", final=0.9, csr=1.0, detection=0.6, **more):
    scores = {"final": final, "csr": csr, "mf": 0.9, "cf": 0.9, "detection": detection}
    facts = {"rule": "x0 >= 1.0", "probability": 0.1, "n_asked": 100, "n_returned": 100, "n_drawn": 100}
    times = {"fit_seconds": 1.0, "seconds": 2.0, "cpu_seconds": 1.0}
    return Outcome(configuration, model, kind, rarity, scores=scores, **{**facts, **times, **more})


def result_of(outcomes, failures=()):
    keys = dict.fromkeys(one.configuration for one in outcomes if one.configuration != ORACLE)
    options = {"configurations": {key: CONFIGURATIONS[key].name for key in keys}, "draws_per_row": 1_000}
    return Result.of("ablation", options=options, records=[*map(asdict, outcomes), *failures])


def canned():
    again = {"again_seconds": 0.5, "again_cpu_seconds": 0.25}
    rejecting = {"seconds": 4.0, "cpu_seconds": 3.0, "n_drawn": 1_000}
    found = [outcome(ORACLE, fit_seconds=None, cpu_seconds=None)]
    for model, (full, less) in enumerate([(0.9, 0.8), (0.95, 0.89)]):
        found += [outcome("janus", model=model, final=full, **again), outcome("one-tree", model=model, final=less)]
        found += [outcome("reject", model=model, final=full, **rejecting)]
        found += [outcome("paper-unmixed", model=model, final=0.5, csr=0.7), outcome("paper", model=model, final=0.6)]
        found += [outcome("janus", model=model, kind="none", rarity="none", detection=0.45)]
        for rarity, n_drawn in (("10 %", 200), ("50 %", 2_000)):
            middle = {"model": model, "kind": "IQR", "rarity": rarity}
            found += [outcome("janus", **middle, **again)]
            found += [outcome("reject", **middle, **{**rejecting, "n_drawn": n_drawn})]
    return found


def grid_of(result, title):
    (grid,) = [grid for grid in ablation_grids(result) if grid.title == title]
    return grid


def row_of(result, title, *labels):
    grid = grid_of(result, title)
    (row,) = [row for row in grid.rows if tuple(row[: len(labels)]) == labels]
    return dict(zip(grid.headings, row, strict=True)), row


def test_changes_are_paired_and_their_error_is_over_models():
    outcomes = read_outcomes(result_of([one for one in canned() if one.kind == "range"]))
    changes = changes_by_model(outcomes, "one-tree", "janus", "final")
    assert changes.mean() == pytest.approx(-0.08)
    assert changes.sem() == pytest.approx(0.02)  # of −0.10 and −0.06
    one = [one for one in canned() if one.kind == "range" and one.model == 0]
    _, row = row_of(result_of(one), "One part taken away: rows under conditions", "JANUS − bag (one tree)")
    assert "±" not in row[2]
    _, row = row_of(result_of(canned()), "One part taken away: rows under conditions", "JANUS − bag (one tree)")
    assert row[1:4] == ["0.845", "−0.080 ± 0.020", "–"]


def test_the_papers_figures_stand_beside_ours():
    title = "One part taken away: rows under conditions"
    _, row = row_of(result_of(canned()), title, "paper − hybrid splitting")
    assert row[1:6] == ["0.500", "−0.100 ± 0.000", "0.847", "0.700", "0.72"]
    named, _ = row_of(result_of(canned()), title, "JANUS − back-filling (rejection)")
    assert named["drawn"] == "10.0"
    assert "1,000 rows for each asked for" in grid_of(result_of(canned()), title).note


def test_free_rows_are_separated_and_detection_is_folded():
    named, _ = row_of(result_of(canned()), "One part taken away: free rows", "JANUS")
    assert named["AUC"] == "0.550"
    assert [row[0] for row in grid_of(result_of(canned()), "One part taken away: free rows").rows] == ["JANUS"]


def test_a_speed_up_is_the_ratio_of_recorded_seconds():
    result = result_of(canned())
    _, row = row_of(result, "Middle halves of columns: what it costs", "JANUS, exact", "50 %")
    assert row[2:] == ["20.0", "5.00", "40.0", "2.00 ×", "8.00 ×", "12.0 ×", "20.0 ×", "49.6 ×"]
    pairs = pairs_of(result).query("rarity == '10 %'")
    assert speedup(pairs) == pytest.approx(pairs["seconds_rejected"].sum() / pairs["seconds_filled"].sum())


def pairs_of(result):
    return pair_outcomes(read_outcomes(result))


def test_a_speed_up_is_per_row_that_came_back():
    short = [outcome("janus"), outcome("reject", n_returned=50, seconds=2.0)]
    assert speedup(pairs_of(result_of(short))) == pytest.approx(2.0)
    nothing = [outcome("janus"), outcome("reject", n_returned=0, seconds=2.0)]
    assert np.isnan(speedup(pairs_of(result_of(nothing))))


def test_what_is_rejected_and_what_a_cap_would_leave():
    title = "Middle halves of columns: what comes back"
    named, _ = row_of(result_of(canned()), title, "JANUS, exact", "50 %")
    assert (named["rejected"], named["CSR, 14 draws"]) == ("95 %", "0.700")
    named, _ = row_of(result_of(canned()), title, "JANUS, exact", "10 %")
    assert (named["rejected"], named["CSR, 14 draws"]) == ("50 %", "1.000")


def test_what_has_no_answer_is_listed_and_a_failure_does_not_count():
    unmet = outcome("janus", n_returned=0, error="InfeasibleError: nothing")
    failure = {"configuration": "janus", "model": 1, "kind": "range", "rarity": "hard", "failed": "took longer"}
    result = result_of([unmet], [failure])
    rows = grid_of(Result.from_json(result.to_json()), "No answer").rows
    assert [row[3] for row in rows] == ["InfeasibleError: nothing", "took longer"]
    assert len(with_conditions(read_outcomes(result))) == 1


def test_parts_that_cannot_be_switched_off_are_named():
    parts = [row[0] for row in grid_of(result_of(canned()), "What cannot be switched off").rows]
    assert "Pólya evidence alone" in parts


def test_pictures_show_every_model_and_the_paper():
    pytest.importorskip("altair")
    found = charts(result_of(canned()))
    assert set(found) == {"scores", "speedup"}
    assert charts(result_of([outcome("janus", kind="none", rarity="none")])) == {}
    dots, ticks, theirs = (layer.data.values for layer in found["scores"].hconcat[0].layer)
    assert len([row for row in dots if row["name"] == "JANUS"]) == 2
    assert {row["name"]: row["value"] for row in ticks}["JANUS"] == pytest.approx(0.925)
    assert {row["name"]: row["value"] for row in theirs}["paper − hybrid splitting"] == 0.847


def test_rejection_obeys_and_is_short_where_its_cap_ends_it():
    full, short = (
        ablation_task(Task(HARD, "reject", AblationSizes(**TINY, draws_per_row=draws), "boosting"))
        for draws in (1_000, 3)
    )
    assert full["scores"]["csr"] == 1 == full["n_returned"] / full["n_asked"]
    assert full["n_drawn"] > 3 * full["n_returned"]
    assert short["n_drawn"] == 3 * short["n_asked"]
    assert 0 < short["scores"]["csr"] == short["n_returned"] / short["n_asked"] < 1
    assert full["again_seconds"] is None


def test_the_oracle_is_asked_twice_and_back_filling_is_timed_twice():
    truth, filled = (ablation_task(Task(HARD, key, AblationSizes(**TINY), "boosting")) for key in (ORACLE, "paper"))
    assert truth["scores"]["csr"] == filled["scores"]["csr"] == 1
    assert truth["fit_seconds"] is None
    assert filled["fit_seconds"] > 0
    assert filled["again_seconds"] > 0
    assert filled["rule"] == truth["rule"]
    assert filled["probability"] == truth["probability"] == pytest.approx(0.1, rel=0.5)


def test_what_is_fitted_alike_is_fitted_once_per_model(monkeypatch):
    fit, sizes = JanusSynthesizer.fit, AblationSizes(n_train=310, n_rows=40)
    fitted = []

    def counted(self, frame, *, seed):
        fitted.append((len(frame), self.name))
        return fit(self, frame, seed=seed)

    monkeypatch.setattr(JanusSynthesizer, "fit", counted)
    chosen = ["paper", "paper-point", "paper-exact"]  # between the first and the last, which share a fit, another one
    run_ablation(chosen, seeds=[0], kinds=["range"], rarities=["hard"], sizes=sizes, detector="boosting")
    assert [name for n, name in fitted if n == 310] == ["paper", "paper − Dirichlet priors"]


def test_nothing_to_do_and_missing_libraries_are_reported(monkeypatch):
    with pytest.raises(DataError, match="at least one configuration and one model"):
        run_ablation(["janus"], seeds=[], detector="boosting")
    monkeypatch.setitem(__import__("sys").modules, "xgboost", None)
    with pytest.raises(MissingExtraError, match=r"janus-synth\[detection\]"):
        run_ablation(["janus"])


def test_the_command_measures_once_and_reads_the_second_time(tmp_path):
    pytest.importorskip("xgboost")
    from typer.testing import CliRunner

    from janus_bench.cli import app

    command = ["ablation", "--quick", "--configurations", "paper-unmixed,paper-reject", "--kinds", "range"]
    command += ["--rows", "40", "--train", "300", "--jobs", "0", "--cache", str(tmp_path / "cache"), "--out"]
    outputs = []
    for run in ("first", "second"):
        done = CliRunner().invoke(app, [*command, str(tmp_path / run)])
        assert done.exit_code == 0, done.output
        outputs.append(done.output)
    first, second = (read_result(next((tmp_path / run).glob("ablation-*.json"))) for run in ("first", "second"))
    assert first.records == second.records  # seconds among them
    asked = [(record["configuration"], record["kind"]) for record in first.records]
    assert asked.count(("paper-unmixed", "range")) == 1
    assert asked.count(("paper", "IQR")) == asked.count(("paper-reject", "IQR")) == 3
    assert ("paper-unmixed", "IQR") not in asked
    assert ("paper-reject", "none") not in asked
    assert "One part taken away: rows under conditions" in outputs[0]
    assert len(list((tmp_path / "cache" / "ablation").glob("*.json"))) == len(first.records)
