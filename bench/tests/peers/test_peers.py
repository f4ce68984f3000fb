import pickle
import sys

import numpy as np
import pandas as pd
import pytest

from janus_bench.fidelity.run import run_fidelity
from janus_bench.methods import GROUPS, make_method, make_methods
from janus_bench.peers.coding import TableCoder
from janus_bench.peers.forest import AdversarialForest
from janus_bench.peers.network import WIDE, BayesianNetwork
from janus_bench.rendering import to_markdown
from janus_bench.tables import NamedTable
from janus_bench.versions import method_settings, method_version
from janus_synth import Schema
from janus_synth.datasets import hiring
from janus_synth.errors import DataError, NotFittedError

LIBRARIES = {
    "uniform": (),
    "BN": ("pgmpy",),
    "ARF": (),
    "CTGAN": ("torch", "ctgan"),
    "TVAE": ("torch", "ctgan"),
    "diffusion": ("torch",),
    "flow": ("torch",),
}
FRAME = hiring(200)


def installed(name):
    for library in LIBRARIES[name]:
        pytest.importorskip(library, exc_type=ImportError)
    return make_method(name, epochs=2)


@pytest.fixture(scope="module", params=LIBRARIES)
def peer(request):
    return installed(request.param).fit(FRAME, seed=0)


def test_rows_have_the_columns_and_kinds_of_the_table(peer):
    rows = peer.sample(200, seed=1)
    assert rows.shape == FRAME.shape
    pd.testing.assert_series_equal(rows.dtypes, FRAME.dtypes)
    pd.testing.assert_index_equal(rows.columns, FRAME.columns)
    assert list(rows.index) == list(range(200))
    schema = Schema.detect(FRAME)
    found = Schema.detect(rows)
    assert [found[name].kind for name in FRAME if name != "applicant_id"] == [
        schema[name].kind for name in FRAME if name != "applicant_id"
    ]


def test_nulls_are_where_the_table_has_nulls(peer):
    rows = peer.sample(400, seed=1)
    has_nulls = FRAME.isna().any()
    assert not rows.loc[:, ~has_nulls].isna().any().any()
    assert rows.loc[:, has_nulls].isna().any().any()
    assert rows.notna().any().all()


def test_values_keep_to_ranges_levels_and_steps(peer):
    rows = peer.sample(400, seed=1)
    for name in ("age", "commute_km", "test_score", "offered_salary", "start_date"):
        assert rows[name].dropna().between(FRAME[name].min(), FRAME[name].max()).all()
    for name in ("sex", "department", "education"):
        assert set(rows[name].dropna()) <= set(FRAME[name].dropna())
    assert (rows["start_date"].dropna() == rows["start_date"].dropna().dt.normalize()).all()


def test_the_seed_of_a_sample_decides_the_rows(peer):
    pd.testing.assert_frame_equal(peer.sample(50, seed=5), peer.sample(50, seed=5))
    assert not peer.sample(50, seed=5).equals(peer.sample(50, seed=6))
    assert peer.sample(0, seed=5).shape == (0, FRAME.shape[1])


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_seed_of_a_fit_decides_the_model(name):
    one, other = (installed(name).fit(FRAME.iloc[:120, :8], seed=3).sample(40, seed=1) for _ in range(2))
    pd.testing.assert_frame_equal(one, other)


@pytest.mark.parametrize("name", ["CTGAN", "TVAE"])
def test_the_seed_decides_for_tables_that_are_prepared_in_parallel(name):
    frame = hiring(700)[["age", "experience", "requested_salary", "sex", "hired"]]
    one, other = (installed(name).fit(frame, seed=3).sample(40, seed=1) for _ in range(2))
    pd.testing.assert_frame_equal(one, other)


@pytest.mark.parametrize("name", LIBRARIES)
def test_tables_of_one_kind_of_column_are_no_exception(name):
    rng = np.random.default_rng(0)
    numbers = pd.DataFrame({"x": rng.normal(size=150), "y": rng.normal(size=150)})
    levels = pd.DataFrame({"a": rng.choice(["u", "v"], 150), "b": rng.choice([None, "w", "z"], 150)})
    for frame in (numbers, levels):
        rows = installed(name).fit(frame, seed=0).sample(30, seed=1)
        pd.testing.assert_series_equal(rows.dtypes, frame.dtypes)
        assert len(rows) == 30


@pytest.mark.parametrize("name", LIBRARIES)
def test_misuse_is_explained(name):
    with pytest.raises(NotFittedError, match="Call fit first"):
        make_method(name).sample(1, seed=0)
    installed(name)
    with pytest.raises(DataError, match="0 rows"):
        make_method(name).fit(FRAME.iloc[:0], seed=0)


@pytest.mark.parametrize("name", GROUPS["peers"])
def test_methods_travel_to_other_processes_and_have_a_version(name):
    method = make_method(name)
    again = pickle.loads(pickle.dumps(method))
    assert method_settings(again) == method_settings(method)
    assert method_version(again) == method_version(method)


def test_peers_are_ours_and_everybody_else():
    names = [method.name for method in make_methods(["peers"])]
    assert names[:2] == ["JANUS", "JANUS paper"]
    assert {"CTGAN", "TVAE", "BN", "ARF (own)", "diffusion (own)", "flow (own)", "uniform", "CART"} <= set(names)
    assert len(make_methods(["CART", "peers"])) == len(names)


def test_epochs_reach_those_that_train():
    assert {method.epochs for method in make_methods(["CTGAN", "TVAE", "flow", "diffusion"], epochs=7)} == {7}
    assert make_method("CTGAN").epochs == 300
    assert make_method("CTGAN", epochs=7).brief().epochs == 1


@pytest.mark.parametrize(("name", "library"), [("CTGAN", "ctgan"), ("BN", "pgmpy"), ("flow", "torch")])
def test_a_library_that_is_absent_is_reported_and_the_others_run(name, library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    table = NamedTable("small", FRAME[["age", "sex", "hired"]], "hired")
    result = run_fidelity([table], make_methods(["independent", name]), detector="boosting")
    errors = {record["method"]: record["error"] for record in result.records}
    absent = errors.pop(make_method(name).name)
    assert absent == f"not installed: pip install {library}"
    assert not any(errors.values())
    assert absent in to_markdown(result)


def test_versions_of_libraries_are_part_of_a_peers_version(monkeypatch):
    from janus_bench import versions

    before = method_version(make_method("CTGAN"))
    monkeypatch.setattr(versions, "version", lambda library: "99.0")
    assert method_version(make_method("CTGAN")) != before


def mixed() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=300),
            "cents": rng.integers(1_000, size=300) / 100,
            "whole": pd.array(rng.integers(10_000, size=300), dtype="Int64"),
            "small": rng.integers(100, size=300).astype(np.int16),
            "single": rng.normal(size=300).astype(np.float32),
            "flag": rng.random(300) < 0.5,
            "maybe": pd.array(rng.random(300) < 0.5, dtype="boolean"),
            "grade": pd.Categorical(rng.choice(list("abc"), 300), ordered=True),
            "day": np.datetime64("2020-01-01") + rng.integers(900, size=300).astype("timedelta64[D]"),
            "zoned": pd.Series(pd.date_range("2024-01-01", periods=300, freq="h", tz="Europe/Paris")),
            "lasted": pd.to_timedelta(rng.integers(9_000, size=300), unit="s"),
            "key": [f"K{i}" for i in range(300)],
            "constant": 7,
            "empty": np.full(300, np.nan),
        }
    )
    for position, name in enumerate(["x", "whole", "maybe", "grade", "day", "zoned", "lasted"]):
        frame.loc[position::17, name] = None
    return frame


def test_decoding_gives_back_what_was_encoded():
    frame = mixed()
    coder, coded = TableCoder.learn(frame)
    rows = coder.decode(coded, seed=0)
    pd.testing.assert_frame_equal(rows.drop(columns="key"), frame.drop(columns="key"))
    assert set(rows["key"]) <= set(frame["key"])
    assert not np.isnan(coded.numbers).any()
    assert (coded.codes < np.array(coder.n_levels)).all()


@pytest.mark.parametrize("name", ["uniform", "ARF", "BN", "flow"])
def test_every_kind_of_column_comes_back(name):
    frame = mixed()
    rows = installed(name).fit(frame, seed=0).sample(60, seed=1)
    pd.testing.assert_series_equal(rows.dtypes, frame.dtypes)
    assert (rows["constant"] == 7).all()
    assert rows["empty"].isna().all()


def dependent(n: int = 1_500) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    return pd.DataFrame({"x": x, "y": x + 0.3 * rng.normal(size=n), "sign": np.where(x > 0, "up", "down")})


@pytest.mark.statistical
@pytest.mark.parametrize("name", ["ARF", "BN", "diffusion", "flow"])
def test_dependence_is_learnt(name):
    installed(name)
    rows = make_method(name, epochs=15).fit(dependent(), seed=0).sample(1_500, seed=1)
    # Independent columns have 0 and 0.5, with standard errors of 0.03 and 0.013; the table has 0.96 and 1.
    assert rows["x"].corr(rows["y"]) > 0.75
    assert (rows["sign"] == np.where(rows["x"] > 0, "up", "down")).mean() > 0.8


def test_a_forest_does_not_depend_on_the_number_of_threads():
    one, two = (AdversarialForest(n_jobs=jobs).fit(FRAME, seed=0).sample(50, seed=1) for jobs in (1, 2))
    pd.testing.assert_frame_equal(one, two)


def test_a_network_can_be_a_tree():
    installed("BN")
    rows = BayesianNetwork(structure="tree").fit(dependent(500), seed=0).sample(300, seed=1)
    assert rows["x"].corr(rows["y"]) > 0.7


def test_a_network_of_a_wide_table_is_a_tree():
    installed("BN")
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.normal(size=(60, WIDE)).cumsum(axis=1).round(2), columns=[f"c{i}" for i in range(WIDE)])
    rows = BayesianNetwork(n_bins=3).fit(wide, seed=0).sample(300, seed=1)
    # A climb of this many steps takes minutes; neighbours of the walk correlate by 0.98 and more.
    assert rows[f"c{WIDE - 2}"].corr(rows[f"c{WIDE - 1}"]) > 0.6
