"""Bad partitions: every kind is an error that names the file, or is left out and reported, as told."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from janus_synth import Janus
from janus_synth.errors import DataError
from janus_synth.partitions.bad_files import BadFiles, BadPartitionError, SkippedFile, file_alerts

KINDS = {
    "lacking": "lacks 'city'",
    "further": "also has 'extra'",
    "types": "has other types",
    "zones": "has other types",
    "nothing": "is empty",
    "head": "cannot be read",
    "body": "cannot be read",
    "levels": "has 'Ulm' in column 'city', which is not among its declared levels",
}
LEVELS = {"city": {"levels": ["Bonn", "Oslo", "Rome"]}}


def rows(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    times = pd.Timestamp("2024-01-01", tz="UTC") + pd.to_timedelta(rng.integers(0, 10**6, 300), "s")
    return pd.DataFrame({"x": rng.normal(size=300), "city": rng.choice(["Bonn", "Oslo", "Rome"], 300), "t": times})


def write_bad(path, kind: str) -> None:
    frame = rows(9)
    match kind:
        case "lacking":
            frame = frame.drop(columns="city")
        case "further":
            frame["extra"] = 1
        case "types":
            frame["x"] = [[1.0]] * 300
        case "zones":
            frame["t"] = frame["t"].dt.tz_localize(None)
        case "levels":
            frame.loc[:2, "city"] = "Ulm"
    frame.to_parquet(path, index=False)
    whole = path.read_bytes()
    match kind:
        case "nothing":
            path.write_bytes(b"")
        case "head":
            path.write_bytes(whole[: len(whole) // 2])
        case "body":  # the footer is whole, so that only reading the rows shows the damage
            path.write_bytes(whole[:4] + bytes(len(whole) // 2) + whole[4 + len(whole) // 2 :])


@pytest.fixture
def folder(tmp_path):
    """Two good files; the bad one comes first, so that it is the one which others are compared with."""
    for number in (1, 2):
        rows(number).to_parquet(tmp_path / f"good{number}.parquet", index=False)
    return tmp_path


def model() -> Janus:
    return Janus(random_state=0, n_trees=1, schema=LEVELS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["bad.parquet", "late.parquet"])
def test_a_bad_file_is_an_error_by_default(folder, kind, name):
    write_bad(folder / name, kind)
    names_first = name == "bad.parquet" and KINDS[kind].startswith(("lacks", "also", "has other"))
    with pytest.raises(DataError, match=r"\w+\.parquet") as error:
        model().fit(folder)
    assert name in str(error.value)
    assert names_first or KINDS[kind] in str(error.value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["bad.parquet", "late.parquet"])
def test_a_bad_file_is_left_out_and_reported_if_told_so(folder, kind, name, tmp_path):
    with_good = model().fit([folder / "good1.parquet", folder / "good2.parquet"])
    write_bad(folder / name, kind)
    with pytest.warns(UserWarning, match=f"left out 1 file: .*{name} {KINDS[kind][:12]}"):
        fitted = model().fit(folder, bad_files="skip")
    assert fitted.n_rows_ == 600
    assert [(file.name, KINDS[kind] in file.reason) for file in fitted.skipped_files_] == [(str(folder / name), True)]
    assert name in next(alert.message for alert in fitted.alerts_ if alert.kind == "skipped-files")
    kept, alone = fitted.model_.bags[1].leaves.forward, with_good.model_.bags[1].leaves.forward
    np.testing.assert_array_equal(kept.sum(axis=0), alone.sum(axis=0))


def test_rows_of_a_file_that_breaks_off_are_not_counted_in_part(tmp_path):
    """The text that is no number comes after thousands of good rows."""
    lines = "\n".join(f"{i % 50},{i % 7}" for i in range(400))
    (tmp_path / "good.csv").write_text(f"x,y\n{lines}\n")
    (tmp_path / "torn.csv").write_text(f"x,y\n{lines}\n1,2,3\n")
    with pytest.raises(DataError, match=r"torn\.csv cannot be read"):
        Janus(random_state=0, n_trees=1).fit(tmp_path)
    with pytest.warns(UserWarning, match=r"torn\.csv cannot be read"):
        assert Janus(random_state=0, n_trees=1).fit(tmp_path, bad_files="skip").n_rows_ == 400


@pytest.mark.parametrize("choice", ["error", "skip"])
def test_files_without_rows_and_files_of_nulls_are_reported_and_nulls_are_counted(folder, choice):
    rows(3).head(0).to_parquet(folder / "none.parquet", index=False)
    schema = pq.read_schema(folder / "good1.parquet")
    pq.write_table(pa.table({field.name: pa.nulls(300, field.type) for field in schema}), folder / "void.parquet")
    with pytest.warns(UserWarning, match=r"without rows: .*none\.parquet"):
        fitted = model().fit(folder, bad_files=choice)
    assert fitted.n_rows_ == 900
    assert fitted.schema_["city"].nullable
    messages = {alert.kind: alert.message for alert in fitted.alerts_}
    assert "none.parquet" in messages["empty-files"]
    assert "void.parquet" in messages["null-files"]
    assert fitted.skipped_files_ == ()


@pytest.mark.parametrize("bad", [{"x": "other"}, {"t": None}], ids=["columns", "zones"])
def test_frames_are_named_too(bad):
    wrong = rows(3).rename(columns=bad) if bad.get("x") else rows(3).assign(t=lambda rows: rows.t.dt.tz_localize(None))
    with pytest.raises(DataError, match="frame 2"):
        model().fit([rows(1), rows(2), wrong])
    with pytest.warns(UserWarning, match="left out 1 file: frame 2"):
        assert model().fit([rows(1), rows(2), wrong], bad_files="skip").n_rows_ == 600


def test_a_damaged_part_of_a_large_file_is_left_out_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("janus_synth.partitions.files.PARTITION_ROWS", 100)
    path = tmp_path / "large.parquet"
    rows(1).to_parquet(path, index=False, row_group_size=100)
    whole = path.read_bytes()
    path.write_bytes(whole[:4] + bytes(500) + whole[504:])
    with pytest.warns(UserWarning, match=r"large\.parquet \(row groups 0 to 0\) cannot be read"):
        assert model().fit(tmp_path, bad_files="skip").n_rows_ == 200


@pytest.mark.parametrize("together", [1, 3])
def test_values_that_only_the_last_pass_rejects_are_left_out_as_a_whole(folder, together, monkeypatch):
    monkeypatch.setattr("janus_synth.partitions.executors.LocalExecutor.together", lambda executor, n: together)
    frame = rows(5)
    frame.loc[299, "x"] = np.inf
    frame.to_parquet(folder / "late.parquet", index=False)
    with pytest.raises(DataError, match=r"late\.parquet does not go with the others: .*infinite"):
        model().fit(folder, sample_rows=20)
    with pytest.warns(UserWarning, match=r"late\.parquet"):
        assert model().fit(folder, sample_rows=20, bad_files="skip").n_rows_ == 600


def test_if_no_file_is_good_that_is_an_error(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.parquet").write_bytes(b"no table")
    with pytest.raises(DataError, match=r"none of 2 files can be read: .*a\.parquet"):
        model().fit(tmp_path, bad_files="skip")


def test_broken_rules_are_no_bad_files(folder):
    with pytest.raises(DataError, match="break the rule"):
        Janus(random_state=0, rules="x > 0", on_violation="error").fit(folder, bad_files="skip")


def test_other_choices_are_rejected(folder):
    with pytest.raises(ValueError, match="bad_files"):
        model().fit(folder, bad_files="ignore")


def test_a_frame_in_memory_has_no_skipped_files(folder):
    write_bad(folder / "bad.parquet", "head")
    fitted = model()
    with pytest.warns(UserWarning, match="left out"):
        fitted.fit(folder, bad_files="skip")
    assert fitted.fit(rows(1)).skipped_files_ == ()


def test_errors_travel_between_processes_and_long_lists_are_shortened():
    error = pickle.loads(pickle.dumps(BadPartitionError("a.csv", "is torn")))
    assert (str(error), error.label) == ("a.csv is torn. Correct or remove the file.", "a.csv")
    bad = BadFiles("skip")
    for number in range(7):
        bad.handle(BadPartitionError(f"{number}.csv", "is torn"))
    assert bad.skipped[0] == SkippedFile("0.csv", "is torn")
    (alert,) = file_alerts(bad.skipped)
    assert alert.message.startswith("7 of the files cannot be used: 0.csv is torn; 1.csv")
    assert alert.message.endswith("and 2 more")
