"""Values of few rows: neither in a model's file nor in its rows, unless the user wants them there."""

from __future__ import annotations

import zipfile

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, datasets
from janus_synth.errors import AlertWarning, RuleError
from janus_synth.model import list_literals
from janus_synth.model.protection import protect_rows, protect_update
from janus_synth.table import read_table
from janus_synth.table.files import read_frame, write_frames
from model.canaries import (
    Planted,
    found_in_file,
    found_in_rows,
    plant,
    plant_among_relations,
    plant_among_texts,
)

SETTINGS = {"random_state": 0, "n_trees": 2, "n_jobs": 1}


def test_no_canary_is_in_a_file_or_in_rows(tmp_path):
    planted = plant(2_000, 250)
    model = Janus(**SETTINGS).fit(planted.frame)
    model.save(tmp_path / "model.janus")
    assert found_in_file(tmp_path / "model.janus", planted) == set()
    assert found_in_rows(model.sample(20_000, random_state=1), planted) == set()


@pytest.mark.filterwarnings("ignore::janus_synth.errors.AlertWarning")
def test_no_canary_hides_in_relations_formats_or_alerts(tmp_path):
    planted = plant_among_relations(2_000, 200)
    assert len(planted.texts) + len(planted.numbers) == 200
    model = Janus(**SETTINGS).fit(planted.frame)
    model.save(tmp_path / "model.janus")
    assert found_in_file(tmp_path / "model.janus", planted) == set()
    assert found_in_rows(model.sample(10_000, random_state=1), planted) == set()
    assert found_in_rows(planted.frame, planted) == planted.texts | planted.numbers


@pytest.mark.filterwarnings("ignore::janus_synth.errors.AlertWarning")
def test_no_canary_of_a_text_file_is_in_what_a_model_tells(tmp_path):
    """Neither in its file and rows nor in its schema, its literal values, its links and its decision rules."""
    planted = plant_among_texts(2_000, 200)
    assert len(planted.texts) == 200
    planted.frame.to_csv(tmp_path / "rows.csv", index=False)
    model = Janus(**SETTINGS).fit(read_frame(tmp_path / "rows.csv"))
    model.save(tmp_path / "model.janus")
    assert found_in_file(tmp_path / "model.janus", planted) == set()
    write_frames([model.sample(10_000, random_state=1)], tmp_path / "drawn.csv", schema=model.schema_)
    told = [str(model.explain(column.name, most=500)) for column in model.schema_.learnt]
    told += [
        model.schema_.to_json(),
        *map(str, list_literals(model.model_)),
        *map(str, model.links_),
        str(model.rules_),
    ]
    told += [(tmp_path / "drawn.csv").read_text(encoding="utf-8")]
    assert {text for text in planted.texts if any(text in one for one in told)} == set()


def test_the_search_finds_canaries_that_are_kept(tmp_path):
    """The search itself can fail: with everything learnt as it is, canaries of each sort turn up."""
    planted = plant(2_000, 250)
    kinds = {"name": {"kind": "categorical"}, "note": {"kind": "categorical"}}
    model = Janus(**SETTINGS, keep_rare=True, schema=kinds).fit(planted.frame)
    model.save(tmp_path / "model.janus")
    kept = found_in_file(tmp_path / "model.janus", planted)
    assert planted.texts <= kept
    assert any(isinstance(canary, float) and abs(canary) < 1e8 for canary in kept)
    assert found_in_rows(planted.frame, planted) == planted.texts | planted.numbers


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::janus_synth.errors.AlertWarning")
@pytest.mark.parametrize("planting", [plant, plant_among_relations, plant_among_texts])
def test_none_of_a_thousand_canaries_is_in_a_million_rows(planting, tmp_path):
    planted = planting(20_000, 1_000)
    model = Janus(random_state=0).fit(planted.frame)
    model.save(tmp_path / "model.janus")
    assert found_in_file(tmp_path / "model.janus", planted) == set()
    for rows in model.sample_batches(1_000_000, random_state=1):
        assert found_in_rows(rows, planted) == set()


def test_alerts_in_a_file_quote_no_values(tmp_path):
    """An alert shows examples to whoever fits; the file, which others get, must not hold them."""
    n = 200
    numbers = [f"{i * 37 % 1000 / 8}" for i in range(n)]
    frame = pd.DataFrame({
        "visit": [f"{i % 28 + 1}º de marzo del 2{i:03d}, {'guide' if i % 3 else 'canary'}" for i in range(n)],
        "born": [f"{i % 28 + 1}th March {1900 + i % 100}" for i in range(n)],
        "pay": ["canary Lovelace", *numbers[1:]],
        "file": [f'{{"ssn": {i}, "note": "{"canary" * (i == 7)}{i}"}}' for i in range(n)],
        "place": [f"{47 + i / 1e4}, {8 + i / 1e4}" for i in range(n)],
        "town": ["Canary", "canary", *["Rome"] * (n - 2)],
        "age": ["80-84", *["18-24", "25-34"] * 99, "25-34"],
    })  # fmt: skip
    with pytest.warns(AlertWarning):
        model = Janus(**SETTINGS).fit(frame)
    assert {"number-text", "date-text", "nested-text", "spellings", "unordered-labels"} <= {
        alert.kind for alert in model.alerts_
    }
    assert "canary" in str(model.alerts_)
    model.save(tmp_path / "model.janus")
    kept = Janus.load(tmp_path / "model.janus").alerts_
    assert [alert.silence for alert in kept] == [alert.silence for alert in model.alerts_]
    with zipfile.ZipFile(tmp_path / "model.janus") as archive:
        texts = " ".join(archive.read(name).decode("latin-1") for name in archive.namelist())
    rare = ["canary", "Canary", "80-84", *frame["born"], *frame["place"]]
    assert [value for value in rare if value in texts] == []


def test_no_alert_tells_of_a_code_that_fewer_rows_have():
    """Three rows with one far number are too few for an alert that names it; ten are enough."""
    for n_codes, is_told in ((3, False), (10, True)):
        ages = np.random.default_rng(0).integers(18, 80, 400)
        ages[:n_codes] = 123_456
        model = Janus(**SETTINGS).fit(pd.DataFrame({"age": ages, "x": np.arange(400) % 7}))
        assert any("123456" in str(alert) for alert in model.alerts_) == is_told


def test_canaries_of_an_update_stay_out_too(tmp_path):
    model = Janus(**SETTINGS).fit(plant(1_000, 0).frame)
    planted = plant(600, 100, seed=1)
    model.update(planted.frame).save(tmp_path / "model.janus")
    assert found_in_file(tmp_path / "model.janus", planted) == set()
    assert found_in_rows(model.sample(5_000, random_state=1), planted) == set()


def test_declared_levels_and_ends_are_kept():
    frame = pd.DataFrame({"c": ["a"] * 50 + ["b"], "o": pd.Categorical(["x"] * 50 + ["y"], ordered=True)})
    frame["n"] = [0.5] * 50 + [7.25]
    declared = {"c": {"levels": ["a", "b", "never"]}, "n": {"high": 7.25}}
    table = protect_rows(read_table(frame, declared), 5, declared)
    assert table.schema["c"].levels == ("a", "b", "never")
    assert table.schema["o"].levels == ("x", "y")
    assert table.schema["n"].high == 7.25
    bare = protect_rows(read_table(frame), 5)
    assert bare.schema["c"].levels == ("a",)
    assert bare.schema["n"].high == 0.5


def test_a_whole_schema_keeps_its_levels_and_no_other_rare_ones():
    frame = pd.DataFrame({"c": ["a"] * 50 + ["b"] * 50 + ["rare"]})
    known = protect_rows(read_table(frame), 5).schema
    assert known["c"].levels == ("a", "b")
    assert protect_rows(read_table(frame, known), 5, known).schema["c"].levels == ("a", "b")
    listed = known.with_column("c", levels=["a", "b", "rare"])
    assert protect_rows(read_table(frame, listed), 5, listed).schema["c"].levels == ("a", "b", "rare")


def test_nothing_changes_where_everything_is_kept():
    table = read_table(datasets.hiring(100, random_state=0))
    assert protect_rows(table, 1) is table
    assert protect_update(table, 1, table.schema) is table


@pytest.fixture(scope="module")
def coded():
    """Postal codes, diagnoses and parts with twelve random digits, nearly all of them of a single row."""
    rng = np.random.default_rng(0)
    n = 800
    region = rng.choice(["east", "west"], n)
    digits = ["".join(map(str, rng.integers(10, size=12))) for _ in range(n)]
    return pd.DataFrame(
        {
            "region": region,
            "zip": [("1" if r == "east" else "9") + d for r, d in zip(region, digits, strict=True)],
            "icd": [f"{rng.choice(list('EIJ'))}{d[:2]}.{d[2:6]}" if rng.random() < 0.9 else None for d in digits],
            "part_code": [f"{'AX' if i % 4 < 2 else 'BK'}-{digits[i // 2][::-1]}" for i in range(n)],
            "plz": [10**12 + int(d) for d in digits],
        }
    )


def test_no_rare_code_is_in_a_file_or_in_rows(coded, tmp_path):
    model = Janus(**SETTINGS, schema={"plz": {"kind": "categorical"}}).fit(coded)
    model.save(tmp_path / "model.janus")
    names = ["zip", "part_code", "plz"]  # long enough that no code is drawn by chance
    planted = Planted(coded, frozenset(map(str, coded[names].to_numpy().ravel())), frozenset())
    assert found_in_file(tmp_path / "model.janus", planted) == set()
    rows = model.sample(20_000, random_state=1)
    assert found_in_rows(rows, planted) == set()
    assert not set(rows["plz"]) & set(coded["plz"])
    assert rows.dtypes.equals(coded.dtypes)


def test_codes_keep_their_form_their_nulls_and_what_depends_on_the_prefix(coded):
    model = Janus(**SETTINGS, schema={"plz": {"kind": "categorical"}}).fit(coded)
    rows = model.sample(4_000, random_state=1)
    assert rows["zip"].str.fullmatch(r"[19]\d{12}").all()
    assert rows["icd"].dropna().str.fullmatch(r"[EIJ]\d\d\.\d{4}").all()
    assert abs(rows["icd"].isna().mean() - coded["icd"].isna().mean()) < 0.03
    assert rows["part_code"].str.fullmatch(r"(AX|BK)-\d{12}").all()
    right = (rows["region"] == "east") == rows["zip"].str.startswith("1")
    assert right.mean() > 0.98
    with pytest.raises(RuleError, match="is one of"):
        model.sample(1, where=f"zip == '{coded['zip'][0]}'")


def test_everything_is_kept_on_request(coded):
    model = Janus(**SETTINGS, keep_rare=True).fit(coded)
    assert set(coded["zip"]) == set(model.schema_["zip"].levels)


def test_known_levels_of_an_update_stay_and_new_rare_ones_do_not():
    first = read_table(pd.DataFrame({"c": ["a", "b"] * 20}))
    later = read_table(pd.DataFrame({"c": ["a"] + ["new"] * 5 + ["rare"]}), first.schema)
    merged = protect_update(later, 5, first.schema)
    assert merged.schema["c"].levels == ("a", "b", "new")


def test_small_tables_are_learnt_as_they_are():
    frame = pd.DataFrame({"c": list("abcdefghij"), "x": range(10)})
    assert set(Janus(**SETTINGS).fit(frame).schema_["c"].levels) == set("abcdefghij")


def test_rows_without_new_levels_are_counted_as_they_are():
    known = datasets.hiring(300, random_state=0)
    schema = read_table(known).schema
    table = read_table(known.head(3), schema)  # every level has fewer rows than `least`
    assert protect_update(table, 100, schema) is table
    table = read_table(known.head(3).assign(department="new"), schema)
    assert "new" not in protect_update(table, 100, schema).schema["department"].levels
