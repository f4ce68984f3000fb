from dataclasses import asdict
from itertools import product

import pytest

from janus_synth.bench.counterfactual.methods import METHODS, OURS
from janus_synth.bench.counterfactual.models import GRAPHS, NOISES
from janus_synth.bench.counterfactual.pictures import error_picture
from janus_synth.bench.counterfactual.report import NAMED, PAPER, counterfactual_grids
from janus_synth.bench.counterfactual.run import Sizes, Trial, chosen_cases, run_counterfactual
from janus_synth.bench.pictures import write_pictures
from janus_synth.bench.results import Result
from janus_synth.errors import DataError

SMALL = Sizes(n_train=200, n_test=40, effort=0.0)


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


def test_a_method_that_was_too_slow_is_not_asked_again():
    result = run_counterfactual(
        ["linear"], graphs=["Chain"], noises=["NLIN"], seeds=range(2), sizes=SMALL, most_seconds=0
    )
    first, second = result.records
    assert first["failure"] == ""
    assert second["failure"] == "left out: took longer than 0 s before"
    assert second["error"] is None


def test_unknown_graphs_and_noises_are_refused():
    with pytest.raises(DataError, match="Choose from Chain, Triangle"):
        chosen_cases(["ring"], None, range(1))
    with pytest.raises(DataError, match="kind of noise"):
        chosen_cases(None, ["loud"], range(1))
    with pytest.raises(DataError, match="at least one"):
        run_counterfactual(["copy"], seeds=range(0), sizes=SMALL)
