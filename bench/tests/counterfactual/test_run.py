import json
import pickle
import sys
from dataclasses import asdict, replace
from importlib.metadata import PackageNotFoundError
from itertools import product

import pytest

from janus_bench import versions
from janus_bench.cells import RunSettings
from janus_bench.cli import app
from janus_bench.counterfactual import run
from janus_bench.counterfactual.interface import CopiedRow, Method
from janus_bench.counterfactual.methods import METHODS, OURS
from janus_bench.counterfactual.models import GRAPHS, NOISES, Case
from janus_bench.counterfactual.node_by_node import NodeByNode
from janus_bench.counterfactual.regressions import NearestNeighbours
from janus_bench.counterfactual.report import NAMED, PAPER, counterfactual_grids, error_picture
from janus_bench.counterfactual.run import KIND, Trial, chosen_cases, run_counterfactual
from janus_bench.counterfactual.trial import CounterfactualSizes, misses
from janus_bench.rendering import to_markdown, write_pictures
from janus_bench.results import Result
from janus_bench.store import Store
from janus_bench.versions import package_fingerprint
from janus_synth.errors import DataError

SMALL = CounterfactualSizes(n_train=200, n_test=40, effort=0.0)


@pytest.fixture
def canned():
    names = [method.name for method in METHODS]
    trials = [
        Trial(graph, noise, seed, name, 0.01 * (1 + place), 0.02 * (1 + place), 1.0 + place, 0.1)
        for graph, noise, seed, (place, name) in product(GRAPHS, NOISES, range(2), enumerate(names[:-1]))
    ]
    trials += [Trial("Chain", "NADD", seed, names[-1], failure="not installed: pip install dowhy") for seed in range(2)]
    options = {"methods": names}
    return Result("counterfactual", "2026-01-31 12:00:00", {}, options, [asdict(trial) for trial in trials])


def test_tables_render_from_records(canned):
    errors, by_graph, times, paper, failures = counterfactual_grids(Result.from_json(canned.to_json()))
    assert list(errors.headings) == ["method", *NOISES]
    assert errors.rows[0] == [OURS, *["0.010 ± 0"] * 3]
    assert errors.rows[-1][1:] == ["–"] * 3
    assert len(by_graph.headings) == 1 + len(GRAPHS) * len(NOISES)
    assert times.rows[1][:3] == ["copy the row", "2.00", "2.0 ×"]
    assert [row[0] for row in paper.rows] == list(GRAPHS)
    assert "48.8" in paper.rows[0]
    assert "16,515" in paper.rows[3]
    assert [row[-3] for row in paper.rows] == ["18 ×", "47 ×", "2.3 ×", "1.1 ×"]
    assert [row[-2] for row in paper.rows] == ["6.0 ×"] * 4  # the sixth method is the best that the paper has
    assert failures.rows == [["dowhy.gcm, automatic", "not installed: pip install dowhy", "2"]]
    assert all("|" in grid.to_markdown() for grid in (errors, by_graph, times, paper, failures))


def test_the_papers_methods_have_one_of_ours_each():
    assert set(NAMED) == set(PAPER["Chain"])
    assert NAMED[OURS] == OURS


def test_the_picture_shows_every_method_that_answered(canned, tmp_path):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    said = write_pictures(canned, tmp_path / "counterfactual-x")
    text = (tmp_path / "counterfactual-x-errors.svg").read_text(encoding="utf-8")
    assert "counterfactual-x-errors.svg" in said
    assert (tmp_path / "counterfactual-x-errors.png").read_bytes().startswith(b"\x89PNG")
    assert "forget the noise" in text
    assert "dowhy.gcm, automatic" not in text
    assert len(error_picture(canned).to_dict()["hconcat"]) == len(NOISES)


def test_a_run_records_every_graph_noise_seed_and_method():
    result = run_counterfactual(["copy", "linear"], graphs=["Chain", "Y"], noises=["NLIN"], seeds=range(2), sizes=SMALL)
    found = [(r["graph"], r["seed"], r["method"]) for r in result.records]
    assert found == list(product(["Chain", "Y"], range(2), ["copy the row", "additive noise, linear"]))
    assert all(r["error"] > 0 and r["failure"] == "" and r["fit_seconds"] >= 0 for r in result.records)
    assert result.to_json()


def stored(folder):
    return {path.name: path.stat().st_mtime_ns for path in (folder / KIND).glob("*.json")}


N_MORTAL = 150


class Mortal:
    """A row that is copied, until its number is up."""

    left = n_fits = 0

    def fit(self, frame, parents, seed):
        if len(frame) == N_MORTAL:  # otherwise it is a warm-up
            if Mortal.left == 0:
                raise KeyboardInterrupt
            Mortal.left -= 1
            Mortal.n_fits += 1
        return CopiedRow()


def mortal(share):
    return Mortal()


def test_a_run_that_was_ended_goes_on_where_it_ended(tmp_path, monkeypatch):
    method = Method("mortal", "mortal", mortal, ())
    monkeypatch.setattr(run, "make_counterfactual_methods", lambda words: [method])
    sizes = CounterfactualSizes(N_MORTAL, 40)
    how = {"graphs": ["Chain", "Y"], "noises": ["NLIN", "NADD"], "seeds": range(1), "sizes": sizes}
    Mortal.left = 3
    with pytest.raises(KeyboardInterrupt):
        run_counterfactual(**how, run=RunSettings(store=Store(tmp_path)))
    before = stored(tmp_path)
    assert len(before) == 3
    Mortal.left = 100
    result = run_counterfactual(**how, run=RunSettings(store=Store(tmp_path)))
    assert Mortal.n_fits == len(result.records) == 4
    after = stored(tmp_path)
    assert {name: after[name] for name in before} == before
    assert run_counterfactual(**how, run=RunSettings(store=Store(tmp_path))).records == result.records
    assert Mortal.n_fits == 4


def test_a_record_is_what_fitting_asking_and_judging_by_hand_give():
    (record,) = run_counterfactual(["knn"], graphs=["Y"], noises=["NADD+"], seeds=range(1, 2), sizes=SMALL).records
    question = Case("Y", "NADD+", 1).question(SMALL.n_train, SMALL.n_test)
    fitted = NodeByNode(NearestNeighbours).fit(question.train, question.parents, 1)
    squares, relative = misses(question, fitted.counterfactual(question.rows, question.do))
    assert (record["mse"], record["error"]) == (squares, relative)


def test_a_library_that_comes_later_is_measured_then(tmp_path, monkeypatch):
    how = {
        "graphs": ["Chain"],
        "noises": ["NLIN"],
        "seeds": range(1),
        "sizes": SMALL,
        "run": RunSettings(store=Store(tmp_path)),
    }
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "torch", None)
        patch.setattr(versions, "version", _no_version)
        (record,) = run_counterfactual(["flow"], **how).records
        assert record["failure"] == "not installed: pip install torch"
        assert record["error"] is None
    pytest.importorskip("torch")
    (record,) = run_counterfactual(["flow"], **how).records
    assert record["failure"] == ""
    assert record["error"] > 0
    assert len(stored(tmp_path)) == 2


def _no_version(name):
    raise PackageNotFoundError(name)


def test_each_method_depends_on_its_own_code_and_ours_on_the_package():
    found = {method.word: run._version(method) for method in METHODS}
    assert package_fingerprint() in found["janus"]
    assert all(package_fingerprint() not in version for word, version in found.items() if word != "janus")
    assert found["linear"] == found["gp"]
    modules = {(method.module, method.libraries) for method in METHODS}
    assert len(set(found.values())) == len(modules) == 8
    assert {method.settings["made by"] for method in METHODS if method.word.startswith("dowhy")} == {"dowhy_model"}
    assert len({json.dumps(method.settings) for method in METHODS}) == len(METHODS)


def test_processes_get_every_method():
    again = pickle.loads(pickle.dumps(METHODS))
    assert [method.word for method in again] == [method.word for method in METHODS]
    assert [method.module for method in again] == [method.module for method in METHODS]


@pytest.mark.slow
def test_a_method_out_of_time_is_a_failure_in_the_tables():
    pytest.importorskip("torch")
    how = {"graphs": ["Chain"], "noises": ["NLIN"], "seeds": range(1)}
    result = run_counterfactual(
        ["copy", "diffusion"],
        sizes=CounterfactualSizes(20_000, 50),
        **{**how, "run": replace(how["run"], jobs=1, most_seconds=15.0)},
    )
    copied, late = result.records
    assert copied["failure"] == ""
    assert late["failure"] == "took longer than 15 s"
    assert "took longer than 15 s" in to_markdown(result)


def test_the_command_keeps_what_it_measures(tmp_path):
    from typer.testing import CliRunner

    command = ["counterfactual", "--quick", "--graphs", "Chain", "--noises", "NADD", "--methods", "copy,linear"]
    command += ["--jobs", "0", "--cache", str(tmp_path), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert "Plain MSE on NADD" in done.output
    before = stored(tmp_path)
    assert len(before) == 2
    assert CliRunner().invoke(app, command).exit_code == 0
    assert stored(tmp_path) == before


def test_unknown_graphs_and_noises_are_refused():
    with pytest.raises(DataError, match="no graph is called .ring"):
        chosen_cases(["ring"], None, range(1))
    with pytest.raises(DataError, match="kind of noise"):
        chosen_cases(None, ["loud"], range(1))
    with pytest.raises(DataError, match="at least one"):
        run_counterfactual(["copy"], seeds=range(0), sizes=SMALL)
