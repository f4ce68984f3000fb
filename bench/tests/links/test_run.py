"""Whole runs of the benchmark of computed columns: scores, failures, reports and the command."""

import pytest
from typer.testing import CliRunner

from janus_bench.cells import RunSettings
from janus_bench.cli import app
from janus_bench.links.report import link_grids
from janus_bench.links.run import FREE, RULED, LinkSizes, LinkTrial, run_links
from janus_bench.ours import JanusSynthesizer
from janus_bench.results import Result
from janus_bench.store import Store
from janus_bench.versions import REAL_ROWS
from janus_synth.errors import DataError, InfeasibleError

SMALL = LinkSizes(n_rows=400, truth_rows=2_000, repeats=1)


@pytest.fixture(scope="module")
def result():
    with pytest.warns(UserWarning, match="the rules change how the rows look"):
        return run_links(["houses"], [JanusSynthesizer("small", n_trees=4, links="off")], sizes=SMALL)


def test_rules_are_kept_with_them_and_not_without(result):
    trials = result.frame(LinkTrial).set_index("drawn")
    assert set(trials.index) == {"", FREE, RULED}
    share = trials["kept.above + basement == living"]
    assert share[""] == share[RULED] == 1
    assert share[FREE] < 0.9
    assert trials.loc["", "setting"] == REAL_ROWS


@pytest.mark.statistical
def test_true_rows_cannot_be_told_from_true_rows(result):
    real = next(record for record in result.records if record["setting"] == REAL_ROWS)
    free = next(record for record in result.records if record["drawn"] == FREE)
    # Over 40 seeds the AUC of 400 and 400 true rows had the standard deviation 0.03: a false alarm is a 5-sigma event.
    assert abs(real["detection"] - 0.5) < 0.15
    assert abs(real["detection_derived"] - 0.5) < 0.15
    assert free["detection_derived"] > 0.8


def test_the_report_has_every_row_and_survives_its_file(result):
    detection, errors, kept, shares = link_grids(Result.from_json(result.to_json()))
    assert [row[1] for row in detection.rows] == [REAL_ROWS, "small, free", "small, with rules"]
    assert [row[1] for row in errors.rows] == [row[1] for row in detection.rows]
    assert ["houses", "fixed_combinations(zip, city)"] in [row[:2] for row in kept.rows]
    assert "basement == 0" in [row[1] for row in shares.rows]
    assert detection.rows[1][-1] == "1.00 ×"


def test_stored_measurements_are_read_again(tmp_path):
    run = RunSettings(store=Store(tmp_path))
    first, again = (run_links(["subscribers"], [JanusSynthesizer(n_trees=2)], sizes=SMALL, run=run) for _ in range(2))
    assert first.records == again.records


def test_a_model_that_fails_is_recorded_and_the_others_are_measured(monkeypatch):
    sample = JanusSynthesizer.sample

    def only_free(self, n, *, seed, **request):
        if self.arguments.get("rules"):
            raise InfeasibleError("no rows today")
        return sample(self, n, seed=seed, **request)

    monkeypatch.setattr(JanusSynthesizer, "sample", only_free)
    found = run_links(["subscribers"], [JanusSynthesizer(n_trees=2)], sizes=SMALL)
    assert set(found.frame(LinkTrial)["drawn"]) == {"", FREE}
    failures = link_grids(found)[-1]
    assert failures.title == "Failures"
    assert failures.rows[0][2] == RULED
    assert "no rows today" in failures.rows[0][-1]


def test_rules_of_a_setting_and_unknown_tables_raise_errors():
    with pytest.raises(DataError, match="cannot have rules"):
        run_links(["houses"], [JanusSynthesizer("ruled", rules=["price > 0"])], sizes=SMALL)
    with pytest.raises(DataError, match="Did you mean 'houses'"):
        run_links(["house"], sizes=SMALL)


def test_the_command_writes_its_result(tmp_path):
    words = [
        "links",
        "--tables",
        "subscribers",
        "--setting",
        "few:n_trees=2",
        "--rows",
        "200",
        "--quick",
        "--jobs",
        "0",
    ]
    done = CliRunner().invoke(app, [*words, "--cache", str(tmp_path / "cache"), "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    (page,) = tmp_path.glob("links-*.md")
    assert "few, with rules" in page.read_text(encoding="utf-8")
