"""Model files: a saved model is loaded unchanged, by this version and by later ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from janus_synth import Dag, Janus, datasets
from janus_synth.errors import ModelFileError
from model.archives import MANIFEST, MANIFEST_SUM, Archive, refused, small_table
from model.tables import FRAME_KINDS, as_kind, assert_same_frame, assert_same_model, fitted, mixed

GOLDEN = Path(__file__).with_name("golden_v1.janus")
EXPECTED = Path(__file__).with_name("golden_v1.json")


# Round trips


@pytest.mark.parametrize("kind", FRAME_KINDS)
def test_a_model_comes_back_from_its_file(kind, tmp_path):
    frame = as_kind(mixed(200), kind)
    model = fitted(frame)
    model.save(tmp_path / "m.janus")
    loaded = Janus.load(tmp_path / "m.janus")
    assert_same_model(loaded.model_, model.model_)
    assert_same_frame(loaded.sample(300, random_state=4), model.sample(300, random_state=4))
    np.testing.assert_array_equal(loaded.log_prob(frame), model.log_prob(frame))
    for column in model.model_.codec.names:
        assert str(loaded.explain(column, tree=0)) == str(model.explain(column, tree=0))


@pytest.mark.parametrize("kind", FRAME_KINDS)
def test_times_of_day_come_back_in_every_kind_of_frame(kind, tmp_path):
    """A datetime may be learnt as a day and a hidden time of day, which no frame ever holds."""
    rng = np.random.default_rng(0)
    moment = np.datetime64("2024-03-01", "us") + rng.integers(0, 10**7, 200).astype("timedelta64[s]")
    model = Janus(n_trees=1, random_state=0).fit(as_kind(pd.DataFrame({"moment": moment}), kind))
    assert model.model_.hidden
    model.save(tmp_path / "m.janus")
    loaded = Janus.load(tmp_path / "m.janus")
    assert_same_frame(loaded.sample(50, random_state=1), model.sample(50, random_state=1))


def test_a_loaded_model_goes_on_learning(tmp_path):
    frame, more = mixed(150), mixed(80, seed=5)
    model = fitted(frame)
    model.save(str(tmp_path / "m.janus"))
    loaded = Janus.load(str(tmp_path / "m.janus")).update(more)
    assert_same_model(loaded.model_, model.update(more).model_)


def close_copies(n: int, *, close: float) -> pd.DataFrame:
    """A column that repeats another closely in most rows, so that residuals have heavy tails; or in none."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=n)
    return pd.DataFrame(
        {"a": a, "b": np.where(rng.random(n) < close, a + 0.01 * rng.normal(size=n), rng.normal(size=n))}
    )


@pytest.mark.parametrize(("close", "version"), [(0.8, 6), (0.0, 2)])
def test_bent_bins_of_residuals_come_back_and_need_a_new_version(close, version, tmp_path):
    frame, path = close_copies(600, close=close), tmp_path / "m.janus"
    model = Janus(n_trees=2, structure=[("a", "b")], leaves="trend", random_state=0).fit(frame)
    bend = model.model_.bags[1].trends.bend
    assert (bend > 0) == (version == 6)
    model.save(path)
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.read(MANIFEST))["version"] == version
    loaded = Janus.load(path)
    assert loaded.model_.bags[1].trends.bend == bend
    assert_same_frame(loaded.sample(100, random_state=1), model.sample(100, random_state=1))
    np.testing.assert_array_equal(loaded.log_prob(frame), model.log_prob(frame))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"structure": "forest", "prior": "flat", "within": "uniform", "equal_mass": True},
        {"n_trees": np.int64(2), "min_samples_leaf": np.int64(7), "prior_strength": np.float32(2.0)},
        {"tiers": [["level"], ["count"]], "forbidden": [("level", "number")], "required": (("level", "count"),)},
        {"tiers": ["level", "count"]},
        {"structure": {"number": ["level"]}},
        {"structure": Dag({"level": (), "count": (), "number": ("count",)})},
        {"schema": {"count": {"low": 0, "high": 99}}},
        {"random_state": np.random.default_rng(0)},
    ],
    ids=lambda settings: ", ".join(settings) or "defaults",
)
def test_settings_come_back_so_that_the_model_can_be_fitted_again(settings, tmp_path):
    model = fitted(small_table(80), **settings)
    model.save(tmp_path / "m.janus")
    loaded = Janus.load(tmp_path / "m.janus")
    again = loaded.fit(small_table(80))
    assert set(again.dag_.edges) >= set(model.dag_.edges) if "structure" in settings else again.dag_ is not None
    for name in ("n_trees", "prior", "within", "equal_mass", "min_samples_leaf", "prior_strength"):
        assert getattr(loaded, name) == getattr(model, name)


def test_a_file_can_be_saved_over_itself(tmp_path):
    path = tmp_path / "m.janus"
    fitted(mixed(100)).save(path)
    loaded = Janus.load(path).update(mixed(50, seed=3))
    loaded.save(path)
    assert_same_model(Janus.load(path).model_, loaded.model_)
    assert [item.name for item in tmp_path.iterdir()] == ["m.janus"]


def test_a_file_may_be_saved_under_the_name_alone(tmp_path, monkeypatch, model):
    monkeypatch.chdir(tmp_path)
    model.save("here.janus")
    assert_same_model(Janus.load("here.janus").model_, model.model_)


def test_equal_models_have_equal_arrays_in_their_files(tmp_path, model, parts):
    model.save(tmp_path / "again.janus")
    again = Archive.read(tmp_path / "again.janus")
    assert again.members == parts.members
    assert again.manifest == parts.manifest


def test_a_file_holds_text_and_numbers_only(saved):
    with zipfile.ZipFile(saved) as file:
        for name in file.namelist():
            assert name in (MANIFEST, MANIFEST_SUM) or file.read(name).startswith(b"\x93NUMPY\x01\x00")


def test_a_repacked_file_is_still_the_model(parts, model, tmp_path):
    # Control for the tests of errors below: the unmodified file loads.
    assert_same_model(Janus.load(parts.write(tmp_path / "m.janus")).model_, model.model_)


@pytest.mark.skipif(os.name == "nt", reason="no umask")
def test_a_file_has_the_usual_permissions(tmp_path, model):
    before = os.umask(0o027)
    try:
        model.save(tmp_path / "m.janus")
    finally:
        os.umask(before)
    assert (tmp_path / "m.janus").stat().st_mode & 0o777 == 0o640


# The golden file: models of earlier versions stay readable


def golden_rows(rows: pd.DataFrame) -> dict[str, list]:
    """Some columns of every kind, as JSON can hold them."""
    shown = rows[["applicant_id", "age", "education", "commute_km", "remote", "offered_salary", "end_date"]]
    return json.loads(shown.to_json(orient="columns", date_format="iso", double_precision=12))


def write_golden() -> None:
    """Make the golden file anew: JANUS_REWRITE_GOLDEN=1 pytest tests/model/test_file.py -k golden."""
    Janus(random_state=0, n_trees=2, n_bins=20).fit(datasets.hiring(400, random_state=0)).save(GOLDEN)
    model = Janus.load(GOLDEN)
    rows = model.sample(5, random_state=1)
    expected = {"rows": golden_rows(rows), "log_prob": model.log_prob(rows[:3]).tolist()}
    EXPECTED.write_text(json.dumps(expected, indent=1) + "\n")


def test_the_golden_file_is_read_as_ever():
    if os.environ.get("JANUS_REWRITE_GOLDEN"):
        write_golden()
    model, expected = Janus.load(GOLDEN), json.loads(EXPECTED.read_text())
    rows = model.sample(5, random_state=1)
    assert golden_rows(rows) == expected["rows"]
    np.testing.assert_allclose(model.log_prob(rows[:3]), expected["log_prob"], rtol=1e-6)


def test_the_golden_file_is_small():
    assert GOLDEN.stat().st_size < 300_000


# Manifests with holes


HOLES = [
    *((key, "missing") for key in ("schema", "graph", "graph_given", "n_rows", "settings", "columns", "members")),
    *((key, 7) for key in ("schema", "graph", "settings", "columns", "members")),
    *((key, []) for key in ("schema", "graph", "n_rows", "columns", "members")),
]


@pytest.mark.parametrize(("key", "value"), HOLES, ids=str)
def test_a_manifest_with_a_hole_is_refused(key, value, parts, tmp_path):
    path = parts.write(tmp_path / "m.janus")
    if value == "missing":
        del parts.manifest[key]
    else:
        parts.manifest[key] = value
    refused(parts.write(path, relist=False))


@pytest.mark.parametrize(("kind", "dtype"), [("pandas", "nonsense"), ("polars", "category"), ("pyarrow", "category")])
@pytest.mark.parametrize("name", ["key", "group", "member", "amount", "day"])
def test_a_schema_whose_dtype_cannot_hold_the_column_is_refused(name, kind, dtype, tmp_path):
    fitted(as_kind(mixed(150), kind)).save(tmp_path / "m.janus")
    parts = Archive.read(tmp_path / "m.janus")
    next(column for column in parts.manifest["schema"]["columns"] if column["name"] == name)["dtype"] = dtype
    parts.write(tmp_path / "m.janus")
    with pytest.raises(ModelFileError, match=f"column '{name}' is .*, and its values cannot be written as '{dtype}'"):
        Janus.load(tmp_path / "m.janus")


SAVED = """
import sys
from janus_synth import Janus, datasets
frame = datasets.hiring(200, random_state=0)
frame["mail"] = [f"p{i}@firm.example" for i in range(200)]
rules = ["fixed_combinations(education, remote)", "experience <= age - 18"]
Janus(random_state=3, n_trees=2, n_jobs=int(sys.argv[1]), rules=rules).fit(frame).save(sys.argv[2])
"""


def test_equal_models_are_equal_files_in_any_process(tmp_path):
    """Another seed of Python's hashes, another number of threads, another time."""
    for seed, n_jobs in (("1", "1"), ("77", "2")):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        subprocess.run([sys.executable, "-c", SAVED, n_jobs, str(tmp_path / seed)], check=True, env=environment)
    assert (tmp_path / "1").read_bytes() == (tmp_path / "77").read_bytes()
