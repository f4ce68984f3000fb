from dataclasses import asdict

import pytest

from janus_bench.fidelity.report import DEPENDENCE, QUALITY, charts, paper_grids, privacy_grids, training_grids
from janus_bench.fidelity.summary import FidelitySummary
from janus_bench.fidelity.trials import Trial
from janus_bench.results import Result
from janus_bench.versions import REAL_ROWS

SCORES = {
    "detection": 0.6,
    "detection_mlp": 0.45,
    "utility": 0.8,
    "utility_gap": 0.1,
    "ks": 0.05,
    "association_error": 0.02,
    "association_norm": 2.5,
    "mutual_information_error": 0.01,
    "theils_u_error": 0.02,
    "mmd": -0.001,
    "closer_to_train": 0.52,
    "exact_copies": 0.01,
    "distance_to_train": 0.7,
    "delta_presence": 1.5,
    "k_anonymity": 40.0,
    "fit_seconds": 1.0,
}


def result(tables=("iris", "adult"), methods=("JANUS", "JANUS paper", "CART"), **scores):
    records = [
        asdict(Trial(table, method, 0, 75, 5, {**SCORES, **scores, **({"ks": 0.15} if differs else {})}))
        for table in tables
        for method in (*methods, REAL_ROWS)
        for differs in [(table, method) == ("adult", "CART")]
    ]
    ours = [method for method in methods if method.startswith("JANUS")]
    options = {"tables": list(tables), "methods": list(methods), "ours": ours}
    return Result("fidelity", "2026-01-31 12:00:00", {}, options, records)


def summary(**changed):
    return FidelitySummary.of(result(**changed))


def rows_of(grid):
    return {row[0]: dict(zip(grid.headings[1:], row[1:], strict=True)) for row in grid.rows}


def test_ours_stand_beside_the_papers():
    quality, dependence = paper_grids(summary())
    janus = rows_of(quality)["JANUS"]
    assert janus == {
        "MMD²": "−0.001 (0.012)",
        "detection, MLP": "0.450 (0.497)",
        "detection, XGBoost": "0.600 (0.639)",
        "correlation": "2.500 (2.420)",
        "utility": "0.800 (0.851)",
    }
    assert rows_of(quality)["JANUS paper"] == janus
    assert rows_of(dependence)["CART"]["1 − KS"] == "0.900"
    assert rows_of(dependence)["JANUS"]["1 − KS"] == "0.950 (0.942)"
    assert "2 of the paper's fifteen" in quality.note


def test_other_tables_than_the_papers_are_not_held_against_it():
    assert paper_grids(summary(tables=("iris", "ring"))) == []


def test_the_papers_figures_are_complete():
    assert set(QUALITY) == set(DEPENDENCE)
    assert {len(figures) for figures in QUALITY.values()} == {5}
    assert {len(figures) for figures in DEPENDENCE.values()} == {4}


def test_privacy_is_reported_where_it_was_asked():
    (grid,) = privacy_grids(summary())
    assert rows_of(grid)["JANUS"] == {
        "closer to train": "0.520",
        "copies": "0.010",
        "distance to train": "0.700",
        "δ-presence": "1.50",
        "k-anonymity": "40",
    }
    assert privacy_grids(summary(delta_presence=None)) == []


def test_the_picture_has_a_line_per_method_and_a_panel_per_score():
    pytest.importorskip("altair")
    (picture,) = charts(result()).values()
    panels = picture.to_dict()["hconcat"]
    assert [panel["title"]["text"] for panel in panels] == [
        "detection AUC",
        "utility gap",
        "association error",
        "closer to train",
    ]
    assert panels[0]["layer"][0]["encoding"]["y"]["scale"]["domain"] == ["JANUS", "JANUS paper", "CART"]


def test_rows_among_training_rows_stand_beside_published_scores():
    assert training_grids(summary()) == []
    (grid,) = training_grids(summary(detection_training=0.53, cpu_seconds=2.0))
    adult = rows_of(grid)["adult"]
    assert (adult["JANUS"], adult["CART"], adult["best published"]) == ("0.940", "0.940", "0.86")
    assert rows_of(grid)["iris"]["best published"] == "–"
    (inverted,) = training_grids(summary(detection_training=0.47, cpu_seconds=2.0))
    assert rows_of(inverted)["adult"]["JANUS"] == "0.940"
