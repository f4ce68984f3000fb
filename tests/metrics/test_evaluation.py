import json
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from janus_synth.errors import DataError, UnknownColumnError
from janus_synth.metrics import METRIC_NAMES, evaluate

CHEAP = [name for name in METRIC_NAMES if name not in ("detection", "detection_mlp", "utility", "utility_gap")]


def test_all_scores_of_fresh_rows_are_near_their_ideals(draw):
    report = evaluate(draw(600), draw(600), draw(600), metrics=METRIC_NAMES)
    assert list(report) == list(METRIC_NAMES)
    far = {"exact_copies": 0.01, "minority_preservation": 0.3, "rare_level_preservation": 0.3}
    # A norm adds up some twenty pairs; clusters of forty rows differ by chance, the smallest by most.
    far |= {"association_norm": 0.5, "delta_presence": 1.5, "k_anonymity": 30}
    for name, score in report.scores.items():
        ideal = score.reference if score.ideal is None else score.ideal
        assert abs(score.value - ideal) < far.get(name, 0.1), name


def test_all_scores_of_poor_rows_are_far_from_their_ideals(draw, rng):
    train, test = draw(400), draw(400)
    poor = draw(400, shift=3.0).apply(lambda column: rng.permutation(column))
    report = evaluate(train, test, poor)
    assert report["detection"] > 0.9
    assert report["utility_gap"] > 0.2
    assert min(report["ks"], report["mmd"], report["wasserstein"]) > 0.2
    assert min(report["association_error"], report["mutual_information_error"]) > 0.02


def test_the_reference_scores_real_rows_in_place_of_synthetic_ones(draw):
    train, test, poor = draw(400), draw(400), draw(400, shift=3.0)
    report = evaluate(train, test, poor)
    stand_in = evaluate(train, test, train)
    for name in ("detection", "ks", "association_error", "mmd", "utility"):
        assert report.scores[name].reference == stand_in[name]
    assert report.scores["exact_copies"].reference == 0.0


def test_without_reference_only_the_utility_has_one(draw):
    report = evaluate(draw(100), draw(100), draw(100), reference=False)
    known = [name for name, score in report.scores.items() if not np.isnan(score.reference)]
    assert known == ["utility"]


def test_a_score_does_not_depend_on_the_others(draw):
    tables = draw(200), draw(150), draw(180)
    together = evaluate(*tables, metrics=CHEAP)
    for name in CHEAP:
        assert evaluate(*tables, metrics=[name])[name] == together[name]


def test_one_seed_means_one_report(draw):
    tables = draw(150), draw(100), draw(120)
    first, second = (evaluate(*tables, random_state=5, max_rows=90) for _ in range(2))
    assert first == second
    assert first != evaluate(*tables, random_state=6, max_rows=90)


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "pyarrow"])
def test_all_kinds_of_frames_score_alike(draw, convert):
    tables = [draw(120) for _ in range(3)]
    expected = evaluate(*tables, metrics=CHEAP)
    report = evaluate(*map(convert, tables), metrics=CHEAP)
    assert dict(report) == pytest.approx(dict(expected))


def test_the_last_column_is_the_target(draw):
    tables = draw(60), draw(60), draw(60)
    assert evaluate(*tables, metrics="ks").target == "label"
    assert evaluate(*tables, metrics="ks", target="flag").target == "flag"


def test_every_column_has_a_distance(draw):
    report = evaluate(draw(100), draw(100), draw(100, shift=3.0), metrics="ks")
    assert list(report.columns) == ["x", "count", "seen", "size", "flag", "label"]
    assert max(report.columns, key=report.columns.get) == "x"


def test_progress_is_reported_from_start_to_end(draw):
    calls = []
    evaluate(draw(60), draw(60), draw(60), metrics=["ks", "mmd"], progress=lambda *call: calls.append(call))
    assert calls == [("ks", 0, 2), ("mmd", 1, 2), ("", 2, 2)]


def test_errors_about_unknown_names_suggest_the_closest(draw):
    tables = draw(60), draw(60), draw(60)
    with pytest.raises(DataError, match="Did you mean 'detection'"):
        evaluate(*tables, metrics=["detektion"])
    with pytest.raises(DataError, match="Choose from detection"):
        evaluate(*tables, metrics=["?"])
    with pytest.raises(UnknownColumnError, match="Did you mean 'label'"):
        evaluate(*tables, target="labels")


def test_different_columns_are_listed(draw):
    with pytest.raises(DataError, match="test table lacks 'size', 'flag'"):
        evaluate(draw(60), draw(60).drop(columns=["size", "flag"]), draw(60))
    with pytest.raises(DataError, match="synthetic table has 'extra' that the train table lacks"):
        evaluate(draw(60), draw(60), draw(60).assign(extra=1))


def test_max_rows_must_leave_a_row(draw):
    with pytest.raises(DataError, match="max_rows"):
        evaluate(draw(60), draw(60), draw(60), max_rows=0)


@pytest.mark.parametrize("detector", ["xgboost", "boosting", "mlp"])
@pytest.mark.parametrize("sizes", [(1, 1, 1), (2, 1, 3), (10, 5, 7), (40, 35, 33)])
def test_tiny_tables_are_scored_where_possible(draw, sizes, detector):
    report = evaluate(*map(draw, sizes), metrics=METRIC_NAMES, detector=detector)
    assert np.isnan(report["detection"]) == (min(sizes) < 30)
    assert str(report)
    assert report.to_json()


@pytest.mark.parametrize(
    "column",
    [
        np.full(60, 1.5),
        np.full(60, np.nan),
        np.array(["a"] * 60),
        pd.Series([None] * 60, dtype="str"),
        pd.Series([pd.NaT] * 60),
        pd.Series([True] * 60),
        pd.Series([True, None] * 30, dtype="boolean"),
        np.array([0, 1] * 30),
    ],
    ids=[
        "constant",
        "null numbers",
        "one level",
        "null text",
        "null moments",
        "one flag",
        "gaps",
        "two values",
    ],
)
@pytest.mark.parametrize("alone", [True, False])
def test_degenerate_columns_are_scored_where_possible(draw, column, alone):
    base = pd.DataFrame({"y": column})
    table = base if alone else pd.concat([draw(60), base], axis=1)
    report = evaluate(table, table, table, metrics=METRIC_NAMES)
    assert report.target == "y"
    assert report["exact_copies"] == 1.0
    assert report["closer_to_train"] == 0.5


def test_degenerate_synthetic_columns_are_scored(draw):
    for values in ({"x": np.nan, "size": None, "label": None}, {"x": 1.5, "size": "new", "label": "no"}):
        report = evaluate(draw(60), draw(60), draw(60).assign(**values), metrics=METRIC_NAMES)
        assert np.isfinite(report["association_error"])


def test_importing_the_scores_loads_no_heavy_library():
    heavy = ("sklearn", "scipy", "xgboost", "pandas", "pyarrow", "rich")
    code = f"import sys, janus_synth.metrics; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_report_turns_into_json(draw):
    report = evaluate(draw(60), draw(60), draw(60)[:10], metrics=["detection", "ks"], target="label")
    loaded = json.loads(report.to_json())
    assert loaded == report.to_dict()
    assert loaded["scores"]["detection"] == {
        "value": None,
        "reference": loaded["scores"]["detection"]["reference"],
        "ideal": 0.5,
    }
    assert loaded["n_rows"] == {"train": 60, "test": 60, "synthetic": 10}


def test_attacks_are_part_of_a_report_where_asked(draw):
    from janus_synth.metrics import disclosure

    tables = draw(60), draw(50), draw(55)
    steps = []
    report = evaluate(*tables, metrics=["ks"], disclosure=True, progress=lambda *step: steps.append(step))
    assert steps == [("ks", 0, 2), ("disclosure", 1, 2), ("", 2, 2)]
    assert set(report.disclosure.attacks) == set(disclosure(*tables).attacks)
    assert report.to_dict()["disclosure"] == report.disclosure.to_dict()
    assert str(report.disclosure) in str(report)
    plain = evaluate(*tables, metrics=["ks"])
    assert plain.disclosure is None
    assert "disclosure" not in plain.to_dict()


def test_tables_of_few_rows_are_not_attacked(draw):
    assert evaluate(draw(60), draw(19), draw(55), metrics=["ks"], disclosure=True).disclosure is None
