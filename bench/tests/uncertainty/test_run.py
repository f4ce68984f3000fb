"""Uncertainty against what is known: the scenarios, the arithmetic, the rivals, and the tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from math import log, sqrt

import numpy as np
import pandas as pd
import pytest

from janus_bench.cells import RunSettings
from janus_bench.results import Result
from janus_bench.running import records_of
from janus_bench.store import Store
from janus_bench.uncertainty import methods as methods_module
from janus_bench.uncertainty import rivals
from janus_bench.uncertainty import run as run_module
from janus_bench.uncertainty.experiments import Absent, Failure, detect, disturb_iris, grow_clouds, grow_wine
from janus_bench.uncertainty.measures import Correlations, Uncertainty, cohens_d, of_dirichlet, of_passes
from janus_bench.uncertainty.methods import Method, make_methods
from janus_bench.uncertainty.off_data import KINDS, draw_parents
from janus_bench.uncertainty.report import uncertainty_grids
from janus_bench.uncertainty.run import UncertaintySizes, run_uncertainty, version_of
from janus_bench.uncertainty.scenarios import LABEL, NOISE, clouds, iris, true_entropy, wine, with_noise
from janus_synth.errors import DataError

TINY = UncertaintySizes(
    seeds=1,
    n_train=200,
    n_test=300,
    repeats=1,
    fractions=(0.5, 1.0),
    grown=(100, 200),
    grown_test=100,
    off_columns=(3,),
    off_train=300,
    off_test=60,
)


@pytest.fixture
def torch(monkeypatch):
    """Networks that train for a moment only."""
    found = pytest.importorskip("torch")
    monkeypatch.setattr(rivals, "FEWEST_STEPS", 100)
    return found


@dataclass(frozen=True)
class Spread:
    """Says of every row how far it lies from the mean of what was learnt; less so the more was learnt."""

    train: pd.DataFrame

    def prepare(self, features):
        return features

    def ask(self, inputs):
        far = ((inputs - self.train.drop(columns=LABEL).mean()) ** 2).mean(axis=1).to_numpy()
        return Uncertainty.of_parts(far + 1 / len(self.train), far)


def learn_spread(frame, *, seed):
    return Spread(frame)


def refuse(frame, *, seed):
    raise RuntimeError("out of luck")


STUBS = [Method("JANUS", learn_spread), Method("MC dropout", learn_spread), Method("evidential", refuse)]


def canned(parts=("A", "B", "C")) -> Result:
    """A result of stubs: two that answer, one that fails, one whose library is absent."""
    found = [Absent("deep ensemble", "torch")]
    for seed in range(2):
        found += detect(STUBS, seed=seed, n_train=200, n_test=300, repeats=2)
        for method in STUBS[:2]:
            found += grow_wine(method, seed=seed, fractions=(0.5, 1.0))
            found += grow_clouds(method, seed=seed, sizes=(50, 99), n_test=40)
            found += disturb_iris(method, seed=seed)
    found += [Failure(part, "evidential", "RuntimeError: out of luck") for part in ("B", "C")]
    names = ["JANUS", "MC dropout", "deep ensemble", "evidential"]
    options = {"parts": list(parts), "methods": names}
    return Result("uncertainty", "2026-01-31 12:00:00", {}, options, records_of(found))


@pytest.mark.statistical
def test_the_noisy_disc_holds_the_stated_share():
    n, false_alarm = 20_000, 1e-6
    share = clouds(n, seed=3).region.mean()
    assert abs(share - 0.15) <= sqrt(log(2 / false_alarm) / (2 * n))  # Hoeffding: 0.019


@pytest.mark.parametrize("rows", [clouds(2_000, seed=1), iris()], ids=["clouds", "iris"])
def test_noise_replaces_half_of_the_labels_in_the_region_and_none_elsewhere(rows):
    noisy = with_noise(rows, seed=4)
    differs = (noisy.frame[LABEL] != rows.frame[LABEL]).to_numpy()
    assert differs[rows.region].sum() == round(NOISE * rows.region.sum())
    assert not differs[~rows.region].any()
    assert set(noisy.frame[LABEL]) == set(rows.frame[LABEL])
    pd.testing.assert_frame_equal(noisy.features, rows.features)


def test_scenarios_repeat_by_seed_and_differ_between_seeds():
    pd.testing.assert_frame_equal(clouds(50, seed=7).frame, clouds(50, seed=7).frame)
    assert not clouds(50, seed=7).frame.equals(clouds(50, seed=8).frame)
    pd.testing.assert_frame_equal(with_noise(iris(), seed=7).frame, with_noise(iris(), seed=7).frame)
    assert not with_noise(iris(), seed=7).frame.equals(with_noise(iris(), seed=8).frame)
    pd.testing.assert_frame_equal(wine(seed=7)[0], wine(seed=7)[0])
    assert not wine(seed=7)[1].equals(wine(seed=8)[1])


def test_labels_are_text_and_rows_are_parted_without_loss():
    train, test = clouds(60, seed=0).split(20)
    assert (len(train.frame), len(test.frame), len(train.region), len(test.region)) == (20, 40, 20, 40)
    assert test.frame.index[0] == 0
    learnt, asked = wine(seed=0)
    for frame in (train.frame, iris().frame, learnt, asked):
        assert frame[LABEL].map(type).eq(str).all()
        assert frame[LABEL].nunique() == 3
    assert len(learnt) + len(asked) == 178


@pytest.mark.statistical
def test_the_true_entropy_is_that_of_noisy_labels():
    rows = clouds(40_000, seed=2)
    noisy = with_noise(rows, seed=2)
    near = np.linalg.norm(rows.frame[["x", "y"]].to_numpy() - [0.0, 2.0], axis=1) <= 0.4  # the heart of the disc
    shares = noisy.frame[LABEL][near].value_counts(normalize=True).to_numpy()
    # About 1,000 rows there: the entropy of shares has a standard error of 0.01; 0.06 is six of them, alarm below 1e-6.
    assert true_entropy(rows)[near].mean() == pytest.approx(-(shares * np.log(shares)).sum(), abs=0.06)
    assert true_entropy(rows, noise=0.0)[near].mean() < 0.1


@pytest.mark.statistical
@pytest.mark.parametrize("alpha", [[1.0, 1.0, 1.0], [0.3, 2.0, 7.5], [40.0, 30.0, 1.0]])
def test_the_closed_form_of_a_dirichlet_agrees_with_simulation(alpha):
    n, false_alarm = 200_000, 1e-6
    drawn = of_passes(np.random.default_rng(0).dirichlet(alpha, n)[:, None, :])
    closed = of_dirichlet([alpha])
    bound = log(3) * sqrt(log(2 / false_alarm) / (2 * n))  # Hoeffding on entropies in [0, ln 3]: 0.0066
    assert abs(closed.aleatoric[0] - drawn.aleatoric[0]) <= bound
    assert closed.total[0] == pytest.approx(drawn.total[0], abs=bound)
    assert closed.total[0] == pytest.approx(closed.aleatoric[0] + closed.epistemic[0])


def test_no_leaf_with_a_flat_prior_is_mostly_ignorant():
    """What the note of the paper's ratio claims: 0.32 without rows, less with any."""
    counts = np.array([c for c in product(range(13), repeat=3)], dtype=float)
    found = of_dirichlet(counts + 1)
    ratios = found.epistemic / found.aleatoric
    assert ratios[0] == pytest.approx(0.318, abs=5e-4)
    assert ratios[1:].max() < ratios[0]


def test_passes_that_agree_leave_no_ignorance():
    same = of_passes(np.tile([[[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]]], (4, 1, 1)))
    assert same.epistemic == pytest.approx([0, 0])
    assert same.total == pytest.approx([1.0297, 0], abs=1e-4)


def test_cohens_d_by_hand():
    # means 2 and 6, sums of squares 2 and 18, pooled variance 20 / (3 + 4 - 2) = 4
    assert cohens_d([1, 2, 3], [3, 6, 6, 9]) == pytest.approx(4 / 2)
    assert cohens_d([3, 6, 6, 9], [1, 2, 3]) == pytest.approx(-2)
    assert cohens_d([1, 1], [2, 2]) is None


def test_correlations_without_variation_are_undefined():
    assert Correlations.of([1, 2, 3], [5, 5, 5]) == (None, None)
    assert Correlations.of([1, 2, 4], [4, 2, 1]).spearman == pytest.approx(-1)


def test_dropout_splits_its_uncertainty_into_two_parts_of_one_sign(torch):
    (method,) = make_methods(["dropout"])
    fitted = method.fit(clouds(300, seed=0).frame, seed=0)
    inputs = fitted.prepare(clouds(200, seed=1).features)
    before = torch.random.get_rng_state(), torch.get_num_threads()
    found = fitted.ask(inputs)
    assert torch.equal(before[0], torch.random.get_rng_state())
    assert before[1] == torch.get_num_threads()
    assert found.total == pytest.approx(found.aleatoric + found.epistemic)
    assert (found.aleatoric >= 0).all()
    assert (found.epistemic >= 0).all()
    assert found.epistemic.max() > 1e-3
    assert fitted.ask(inputs).total == pytest.approx(found.total)


def test_the_penalty_of_evidential_learning_is_the_divergence_from_flat(torch):
    alpha = torch.tensor([[1.0, 1.0, 1.0], [0.5, 2.0, 7.0], [20.0, 1.0, 3.0]])
    dirichlet = torch.distributions.Dirichlet
    expected = torch.distributions.kl_divergence(dirichlet(alpha), dirichlet(torch.ones(3, 3)))
    assert rivals.divergence_from_flat(alpha).numpy() == pytest.approx(expected.numpy(), abs=1e-5)


@pytest.mark.parametrize("word", ["ensemble", "evidential"])
def test_rivals_are_surer_far_from_the_border(torch, word):
    (method,) = make_methods([word])
    fitted = method.fit(clouds(300, seed=0).frame, seed=0)
    border_and_heart = pd.DataFrame({"x": [0.0, 0.0], "y": [0.0, 3.0], "nuisance_1": [0.0, 0.0], "nuisance_2": 0.0})
    found = fitted.ask(fitted.prepare(border_and_heart))
    assert found.total[0] > found.total[1] + 0.2
    assert found.aleatoric[0] > found.aleatoric[1]


def test_grids_show_every_method_and_the_papers_figures():
    regions, ratios, growth, by_wine, by_clouds, noise, failures = uncertainty_grids(canned())
    assert [row[0] for row in regions.rows] == ["truth", "JANUS", "MC dropout", "deep ensemble", "evidential"]
    assert [row[1] for row in regions.rows[3:]] == ["not installed", "failed"]
    assert (ratios.rows[1][2], ratios.rows[1][5]) == ("1.17", "128 ×")
    assert ratios.rows[2][4] == "1.0 ×"
    assert "sign of ignorance" in ratios.note
    assert {"−47 %", "−0.958"} <= set(growth.rows[0])
    assert growth.rows[0][5].startswith("−")  # the stub knows more from more rows
    assert by_wine.headings == ["method", "71 rows", "142 rows"]
    assert by_clouds.headings == ["method", "50 rows", "99 rows"]
    assert {"+190 %", "3.42", "+0.000"} <= set(noise.rows[0])
    assert failures.rows[0] == ["A", "evidential", "RuntimeError: out of luck"]


def test_a_result_survives_json_and_shows_only_parts_that_ran():
    result = canned(parts=["C"])
    result.to_json()
    assert [grid.title for grid in uncertainty_grids(result)] == ["Noise in a region of iris", "Failures"]
    assert all(grid.to_markdown() for grid in uncertainty_grids(canned()))


def test_pictures_are_written_for_what_was_measured(tmp_path):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    from janus_bench.rendering import write_pictures

    said = write_pictures(canned(), tmp_path / "run")
    assert said.startswith("wrote")
    for ending in ("size", "region"):
        assert (tmp_path / f"run-{ending}.svg").read_text(encoding="utf-8").startswith("<svg")


def test_an_absent_library_is_reported_and_nothing_is_made_up(monkeypatch):
    monkeypatch.setattr(methods_module, "find_spec", lambda name: None)
    result = run_uncertainty(["A"], ["evidential"], sizes=TINY)
    assert [(r["record"], r["method"]) for r in result.records] == [("absent", "evidential"), ("detection", "truth")]
    assert uncertainty_grids(result)[0].rows[1][:3] == ["evidential", "not installed", "–"]


def test_a_run_has_a_record_per_method_seed_and_size(torch):
    result = run_uncertainty(["b", "C"], ["dropout"], seeds=1, sizes=TINY)
    assert [record["record"] for record in result.records] == ["growth"] * 4 + ["disturbance"]
    assert [record["n_train"] for record in result.records[:4]] == [71, 142, 100, 200]
    result.to_json()


def test_what_was_measured_is_not_asked_for_again(torch, tmp_path, monkeypatch):
    arguments = {"sizes": TINY, "run": RunSettings(store=Store(tmp_path))}
    first = run_uncertainty(["A", "B", "C"], ["dropout"], **arguments)
    n_cells = 1 + 2 + 1  # noisy clouds; wine and clouds; iris
    assert len(list(tmp_path.rglob("*.json"))) == n_cells
    monkeypatch.setattr(methods_module, "fit_dropout", refuse)
    again = run_uncertainty(["A", "B", "C"], ["dropout"], **arguments)
    assert again.to_json() == replace(first, date=again.date, machine=again.machine).to_json()
    more = run_uncertainty(["B", "C"], ["dropout"], seeds=2, **arguments)
    assert [record["record"] for record in more.records].count("failure") == 3  # the seed that is new
    other = run_uncertainty(["C"], ["dropout"], **{**arguments, "run": replace(arguments["run"], fresh=True)})
    assert [record["error"] for record in other.records] == ["RuntimeError: out of luck"]


def test_a_method_that_is_not_here_leaves_nothing_in_the_store(tmp_path, monkeypatch):
    monkeypatch.setattr(methods_module, "find_spec", lambda name: None)
    result = run_uncertainty(["B", "C"], ["evidential"], sizes=TINY, run=RunSettings(store=Store(tmp_path)))
    assert [record["record"] for record in result.records] == ["absent"]
    assert not list(tmp_path.rglob("*.json"))


def test_a_change_of_the_package_leaves_the_rivals_records_alone(monkeypatch):
    methods = {word: make_methods([word]) for word in ("janus", "dropout")}
    before = {word: version_of(method) for word, method in methods.items()}
    monkeypatch.setattr(run_module, "package_fingerprint", lambda: "changed")
    after = {word: version_of(method) for word, method in methods.items()}
    assert before["janus"] != after["janus"]
    assert before["dropout"] == after["dropout"]
    assert version_of([*methods["janus"], *methods["dropout"]]) != before["dropout"]


@pytest.mark.parametrize("word", ["janus", "paper"])
def test_janus_finds_the_noisy_region(word):
    found = detect(make_methods([word]), seed=0, n_train=1_500, n_test=500, repeats=1)
    truth, ours = found
    assert ours.auc_aleatoric > 0.75
    assert ours.aleatoric_inside > 1.5 * ours.aleatoric_outside
    assert truth.error == 0 < ours.error < 0.4
    assert len(ours.seconds) == 1


def test_unknown_words_are_named():
    with pytest.raises(DataError, match="no method is called 'oracle'"):
        make_methods(["oracle", "janus"])
    with pytest.raises(DataError, match="no part is called 'z'"):
        run_uncertainty(["z"])


def test_rows_off_the_data_are_noticed_and_tabulated():
    result = run_uncertainty(["D"], ["janus"], sizes=TINY)
    (grid,) = uncertainty_grids(result)
    assert grid.title == "Off the data: who notices"
    assert len(grid.rows) == len(KINDS) + 1
    by_method = pd.DataFrame(result.records).groupby("method")["auc"].mean()
    assert by_method["JANUS auto, 1 − support"] > 0.95
    assert {"deep ensemble", "Gaussian process"} <= set(by_method.index)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_off_the_data_lie_where_no_training_row_is(kind):
    rng = np.random.default_rng(0)
    inside, off = (draw_parents(kind, 2_000, 4, rng, off=side) for side in (False, True))
    assert list(inside) == list(off)
    if kind == "gap":
        assert not inside["x0"].between(-1.3, 1.3).any()
    if kind == "edge":
        assert (off.abs().max(axis=1) > inside.abs().max().max()).mean() > 0.9
    if kind == "level":
        assert "d" not in set(inside["g"])
    if kind == "combination":
        assert (inside["x0"] - inside["x1"]).abs().max() < (off["x0"] - off["x1"]).abs().min()
    if kind == "levels together":
        assert not ((inside["g"] == "a") & (inside["h"] == "r")).any()
