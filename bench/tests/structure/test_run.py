"""Structures: F1 by hand, interventions against closed forms, whole runs, and what is said of the paper's claims."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from janus_bench.cells import RunSettings
from janus_bench.cli import app
from janus_bench.models.random_sem import ModelKey
from janus_bench.models.sem import Edge, Number, Sem, Signal, Softmax
from janus_bench.options import choose
from janus_bench.results import Result
from janus_bench.running import records_of
from janus_bench.store import Store
from janus_bench.structure.interventions import Setting, Truth, draw_under, errors_of, settings_for, truth_of
from janus_bench.structure.learners import STRUCTURES, directed_f1, make, skeleton_f1
from janus_bench.structure.pictures import charts
from janus_bench.structure.report import PAPER, Gap, StructureSummary, structure_grids
from janus_bench.structure.run import KIND, run_structure
from janus_bench.structure.trial import Trial, real_trial, trial_of
from janus_synth.errors import DataError

TRUE = [("a", "b"), ("b", "c"), ("a", "d")]

CHAIN = Sem(
    {
        "level": Softmax(Signal(()), ("u", "v"), (0.0, 0.0), (0.0, 0.0), (-1.0, 1.0)),
        "x": Number(Signal((Edge("level", "linear", 1.0),)), "gaussian", share=0.64, location=1.0, scale=2.0),
        "y": Number(Signal((Edge("x", "linear", 1.0),)), "gaussian", share=0.36, location=0.0, scale=1.0),
    }
)
"""level → x → y, every mechanism the cause itself: means under settings are known."""


def trial(structure, seed, *, engine="JANUS", f1=0.5, mlp=0.5, xgboost=0.6, do=0.2, cpu=1.0):
    scores = {"xgboost": xgboost, "mlp": mlp, "do_below": do, "do_elsewhere": 0.1}
    graph = {"n_edges": 18, "skeleton_f1": f1, "directed_f1": f1, "seconds": 2 * cpu, "cpu": cpu}
    return Trial(engine, structure, seed, 10, 20, **scores, **graph)


def result_of(*trials):
    return Result.of(KIND, options={}, records=records_of(trials))


def claims_of(*trials):
    table = next(one for one in structure_grids(result_of(*trials)) if one.title == "The paper's claims")
    return {row[0]: row[3:] for row in table.rows}


def test_f1_by_hand():
    found = [("a", "b"), ("c", "b"), ("a", "c"), ("c", "d")]
    # One of four arrows is among the three true ones: precision 1/4, recall 1/3.
    assert directed_f1(found, TRUE) == pytest.approx(2 * (1 / 4) * (1 / 3) / (1 / 4 + 1 / 3))
    # Two of four adjacencies, a–b and b–c, are among the three: precision 2/4, recall 2/3.
    assert skeleton_f1(found, TRUE) == pytest.approx(2 * (2 / 4) * (2 / 3) / (2 / 4 + 2 / 3))


def test_f1_of_the_truth_of_its_reverse_and_of_nothing():
    turned = [(child, parent) for parent, child in TRUE]
    assert (directed_f1(TRUE, TRUE), skeleton_f1(TRUE, TRUE)) == (1, 1)
    assert (directed_f1(turned, TRUE), skeleton_f1(turned, TRUE)) == (0, 1)
    assert (directed_f1([], TRUE), skeleton_f1([], TRUE)) == (0, 0)
    assert (directed_f1([], []), skeleton_f1([], [])) == (1, 1)


def test_setting_a_column_moves_what_is_below_and_nothing_else():
    n, rng = 40_000, np.random.default_rng(0)
    rows = draw_under(CHAIN, Setting("x", 3.0), n, rng)
    assert rows["x"].eq(3.0).all()
    # x = 3 is one on the children's scale, (3 − 1) / 2; y is 0.6 of it and noise of variance 0.64.
    assert rows["y"].mean() == pytest.approx(0.6, abs=6 * 0.8 / np.sqrt(n))
    assert rows["level"].eq("v").mean() == pytest.approx(0.5, abs=3 / np.sqrt(n))


def test_setting_a_level_acts_by_its_effect():
    n = 40_000
    rows = draw_under(CHAIN, Setting("level", "v"), n, np.random.default_rng(1))
    # The level's effect is 1: x has mean 1 + 2 · 0.8 · 1, and y 0.6 · 0.8.
    assert rows["x"].mean() == pytest.approx(2.6, abs=6 * 2 * 0.6 / np.sqrt(n))
    assert rows["y"].mean() == pytest.approx(0.48, abs=6 / np.sqrt(n))


def test_every_column_is_set_to_two_values_that_rows_have():
    train = CHAIN.draw(500, np.random.default_rng(2))
    settings = settings_for(CHAIN, train)
    assert [setting.column for setting in settings] == ["level", "level", "x", "x", "y", "y"]
    assert all(setting.value in train[setting.column].to_list() for setting in settings)


def test_errors_are_split_into_what_moves_and_what_stays():
    import pandas as pd

    means = {Setting("x", 3.0): {"x": 3.0, "y": 0.6}, Setting("y", 1.0): {"x": 1.0, "y": 1.0}}
    truth = Truth(CHAIN, means, {"x": 2.0, "y": 0.5})
    told = {"x": pd.DataFrame({"x": [3.0], "y": [0.1]}), "y": pd.DataFrame({"x": [1.5], "y": [1.0]})}
    errors = errors_of(truth, lambda setting: told[setting.column])
    assert errors.below == pytest.approx(0.5 / 0.5)  # y, half a unit off, its spread a half
    assert errors.elsewhere == pytest.approx(0.5 / 2.0)  # x is above y and should have stayed


def test_the_true_model_makes_no_error_but_that_of_drawing():
    (found,) = real_trial(ModelKey(5, 0), n_train=1_000)
    # Means of 1,000 and 20,000 rows: 0.026 on average in standard deviations of the column, were all settings mild.
    assert found.do_below < 0.08
    assert found.do_elsewhere < 0.08
    assert 0.4 < found.xgboost < 0.6


def test_without_edges_nothing_moves_and_with_the_true_graph_effects_are_found():
    key = ModelKey(5, 1)
    (none,) = trial_of(key, "janus", "none", n_train=1_000)
    (true,) = trial_of(key, "janus", "true", n_train=1_000)
    truth = truth_of(key, 1_000)
    still = errors_of(truth, lambda setting: truth.sem.draw(20_000, np.random.default_rng(0)))
    assert none.do_below == pytest.approx(still.below, abs=0.05)  # the size of the true effects
    assert true.do_below < 0.6 * none.do_below
    assert true.log_prob > none.log_prob
    assert (none.n_edges, none.directed_f1) == (0, 0)
    assert (true.n_edges, true.directed_f1, true.skeleton_f1) == (10, 1, 1)


def test_graphs_are_what_they_are_called():
    dag = ModelKey(6, 0).sem().dag
    assert make("janus", "true", dag).arguments["structure"] == list(dag.edges)
    assert make("paper", "none", dag).arguments["structure"] == []
    assert make("paper", "ges", dag).arguments["prior"] == "flat"
    assert skeleton_f1(make("janus", "reversed", dag).arguments["structure"], dag.edges) == 1
    assert choose(None, STRUCTURES, "structure") == list(STRUCTURES)
    with pytest.raises(DataError, match="Did you mean 'forest'"):
        choose(["forrest"], STRUCTURES, "structure")
    with pytest.raises(DataError, match="at least one"):
        choose([], STRUCTURES, "structure")


def test_a_run_goes_on_and_an_absent_library_is_a_row(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "causallearn", None)
    arguments = {"n_columns": 5, "n_train": 300, "run": RunSettings(store=Store(tmp_path))}
    first = run_structure(["true"], ["paper"], range(1), **arguments)
    result = run_structure(["true", "pc"], ["paper"], range(1), **arguments)
    assert list(result.records[:2]) == list(first.records)
    table, failures = structure_grids(Result.from_json(result.to_json()))
    assert [row[0] for row in table.rows] == ["real rows", "true graph", "pc (1 failed)", "pc, in the paper"]
    assert "causal" in failures.rows[0][3]


def test_intervals_are_students():
    from scipy.stats import ttest_1samp

    differences = [0.1, 0.3, 0.25, 0.05]
    interval = ttest_1samp(differences, 0).confidence_interval(0.95)
    gap = Gap.of(pd.Series(differences))
    assert (gap.mean - gap.half, gap.mean + gap.half) == pytest.approx(interval)
    assert not Gap.of(pd.Series([0.5])).is_significant


def test_gaps_are_paired_by_model():
    trials = [trial("pc", 0, mlp=0.7), trial("pc", 1, mlp=0.9), trial("ges", 1, mlp=0.6), trial("ges", 0, mlp=0.5)]
    gap = StructureSummary.of(result_of(*trials)).gap("JANUS", "pc", "ges", "mlp")
    assert gap.mean == pytest.approx(0.25)


def test_claims_are_judged_by_what_was_found():
    wide = [trial("forest", s, mlp=0.5 + s / 1e3, do=0.3, cpu=1.0) for s in range(4)]
    wide += [trial("pc", s, mlp=0.6, do=0.1 + s / 1e3, cpu=2.0) for s in range(4)]
    wide += [trial("ges", s, mlp=0.55, do=0.4 + s / 1e3, cpu=9.0) for s in range(4)]
    found = claims_of(*wide)
    assert found["all achieve identical fidelity (MLP)"][1] == "does not agree"
    assert found["all achieve identical fidelity (MLP)"][0].startswith("pc above forest by 0.09")
    assert found["all achieve identical fidelity (XGBoost)"][1] == "not refuted"
    assert found["forest is faster than pc"] == ["pc takes 2.0 × the CPU s of forest", "agrees"]
    assert found["use pc for interventional queries"][1] == "agrees"
    assert found["use ges for interventional queries"][1] == "the reverse"


def test_one_model_proves_nothing():
    found = claims_of(trial("forest", 0, mlp=0.5), trial("pc", 0, mlp=0.9))
    assert found["all achieve identical fidelity (MLP)"][1] == "one model: no interval"


def test_the_papers_figures_stand_beside_ours():
    (table, _) = structure_grids(result_of(trial("ges", 0), trial("forest", 0)))
    rows = {row[0]: row for row in table.rows}
    assert rows["ges, in the paper"][1:6] == ["0.71", "–", "42", "–", "0.498"]
    assert rows["forest, in the paper"][9] == "12.3"
    assert "pc, in the paper" not in rows


def test_pictures_hold_every_structure_and_the_papers_points():
    pytest.importorskip("altair")
    drawn = charts(result_of(trial("pc", 0), trial("true graph", 0, engine="JANUS paper")))
    assert list(drawn) == ["arrows"]
    text = drawn["arrows"].to_json()
    assert f'"value": {PAPER["pc"].mlp}' in text
    assert '"structure": "true graph"' in text
    assert charts(result_of()) == {}


def test_the_command_ends_in_files_and_pictures(tmp_path):
    arguments = [
        "structure",
        "--quick",
        "--columns",
        "5",
        "--rows",
        "300",
        "--structures",
        "true",
        "--engines",
        "paper",
    ]
    arguments += ["--jobs", "0", "--cache", str(tmp_path / "cache"), "--out", str(tmp_path / "out")]
    said = CliRunner().invoke(app, arguments)
    assert said.exit_code == 0, said.output
    assert "rows learnt by JANUS paper" in said.output
    assert len(list((tmp_path / "out").glob("*-arrows.svg"))) == 1


def test_no_seed_is_refused():
    with pytest.raises(DataError, match="at least one seed"):
        run_structure(["true"], seeds=[])
