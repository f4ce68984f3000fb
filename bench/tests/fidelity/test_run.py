import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp

from janus_bench.cli import app
from janus_bench.draws import N_SAMPLES
from janus_bench.fidelity.run import run_fidelity
from janus_bench.fidelity.trials import SCORES
from janus_bench.rendering import read_result, to_markdown
from janus_bench.tables import NamedTable, split
from janus_bench.versions import REAL_ROWS
from janus_synth.errors import DataError, MissingExtraError
from janus_synth.metrics import evaluate


def twins(n: int = 120) -> pd.DataFrame:
    x = np.random.default_rng(0).normal(size=n)
    return pd.DataFrame({"x": x, "y": x + 0.01, "big": x > 0})


TABLE = NamedTable("twins", twins(), "big")


class Memory:
    """A method that returns training rows."""

    name = "memory"

    def fit(self, frame, *, seed):
        self.frame, self.n_samples = frame, 0
        return self

    def sample(self, n, *, seed):
        self.n_samples += 1
        return self.frame.sample(n, replace=True, random_state=seed).reset_index(drop=True)


class Broken(Memory):
    name = "broken"

    def sample(self, n, *, seed):
        if "big" in self.frame:
            raise ValueError("no rows today")
        return super().sample(n, seed=seed)


def test_scores_are_those_of_the_metrics():
    method = Memory()
    result = run_fidelity([TABLE], [method], [5], detector="boosting")
    train, test = split(TABLE, 5)
    reports = [
        evaluate(train, test, method.sample(60, seed=6_000 + i), target="big", detector="boosting", random_state=5)
        for i in range(N_SAMPLES)
    ]
    record = result.records[0]
    assert (record["table"], record["method"], record["seed"], record["n_train"]) == ("twins", "memory", 5, 60)
    for name in SCORES:
        assert record["scores"][name] == pytest.approx(np.mean([report[name] for report in reports]))
    assert record["scores"]["closer_to_train"] == 1.0
    assert record["scores"]["fit_seconds"] >= 0


def test_copies_hide_among_training_rows_on_request():
    result = run_fidelity([TABLE], [Memory()], training=True, detector="boosting")
    scores, real = (record["scores"] for record in result.records)
    assert scores["detection_training"] < 0.5 < scores["detection"]
    assert real["detection_training"] == real["detection"]


def test_small_tables_are_sampled_several_times():
    method = Memory()
    run_fidelity([TABLE], [method], detector="boosting")
    assert method.n_samples == N_SAMPLES


def test_real_rows_are_scored_once_per_split():
    result = run_fidelity([TABLE], [Memory(), Memory()], [0, 1], detector="boosting")
    real = [record for record in result.records if record["method"] == REAL_ROWS]
    assert [record["seed"] for record in real] == [0, 1]
    for record in real:
        train, test = split(TABLE, record["seed"])
        assert record["scores"]["ks"] == pytest.approx(ks_2samp(train["x"], test["x"]).statistic)
    assert all(record["scores"]["closer_to_train"] is None for record in real)


def test_a_method_that_fails_does_not_end_the_run():
    result = run_fidelity([TABLE], [Memory(), Broken()], detector="boosting")
    assert [record["error"] for record in result.records] == ["", "", "ValueError: no rows today"]
    assert "no rows today" in to_markdown(result)


def test_nothing_to_do_is_an_error():
    with pytest.raises(DataError, match="at least one table"):
        run_fidelity([TABLE], [], detector="boosting")


def test_a_missing_library_names_its_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "xgboost", None)
    with pytest.raises(MissingExtraError, match=r"janus-synth\[detection\]"):
        run_fidelity([TABLE], [Memory()])


def test_the_command_ends_in_files_with_the_right_numbers(tmp_path, monkeypatch):
    pytest.importorskip("xgboost")
    from typer.testing import CliRunner

    command = ["fidelity", "--tables", "ring,gaussian", "--methods", "independent", "--max-rows", "400"]
    command += ["--setting", "small:n_trees=1", "--jobs", "0", "--out", str(tmp_path)]
    monkeypatch.setenv("JANUS_CACHE", str(tmp_path / "cache"))
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    (path,) = tmp_path.glob("fidelity-*.json")
    result = read_result(path)
    scores = {(r["table"], r["method"]): r["scores"] for r in result.records}
    assert set(scores) == {(t, m) for t in ("ring", "gaussian") for m in ("independent", "small", REAL_ROWS)}
    for table in ("ring", "gaussian"):
        assert scores[table, "small"]["detection"] < scores[table, "independent"]["detection"]
    page = path.with_suffix(".md").read_text(encoding="utf-8")
    assert page == to_markdown(result)
    assert f"{scores['ring', 'independent']['detection']:.3f}" in page
    assert "small beside the best rival of each table" in done.output
    shown = CliRunner().invoke(app, ["show", str(path)])
    assert shown.output in done.output


@pytest.mark.parametrize("command", ["fidelity", "speed", "constrained", "show"])
def test_every_command_shows_an_example(command):
    from typer.testing import CliRunner

    done = CliRunner().invoke(app, [command, "--help"])
    assert done.exit_code == 0
    assert f"Example: janus bench {command}" in done.output
