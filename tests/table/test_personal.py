"""Personal columns of frames: recognised, remembered by format only, and written anew."""

from __future__ import annotations

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from janus_synth.errors import SchemaError
from janus_synth.identities.check_digits import correct, keeps
from janus_synth.table import Schema, Table, read_table, write_table

N = 60


def words(n, length, seed=0):
    letters = np.random.default_rng(seed).choice(list("bcdfghjklmnp"), (n, length))
    return ["".join(row).capitalize() for row in letters]


def people(n=N):
    rng = np.random.default_rng(0)
    return {
        "name": [f"{a} {b}" for a, b in zip(words(n, 5), words(n, 7, 1), strict=True)],
        "mail": [f"{a.lower()}@firm.example" for a in words(n, 8, 2)],
        "card": [correct("luhn", f"4{i:015d}") for i in rng.integers(10**14, 10**15, n).tolist()],
        "phone": (4_900_000_000 + rng.integers(0, 10**8, n)).tolist(),
        "note": [" ".join(words(5 + i % 4, 4, i)) for i in range(n)],
        "town": ["Rome", "Oslo"] * (n // 2),
    }


def written(frame, n=80, **overrides):
    table = read_table(frame, overrides or None)
    arrays = {name: np.resize(array, n) for name, array in table.columns.items()}
    return write_table(Table(table.schema, arrays, n), rng=np.random.default_rng(1))


@pytest.mark.parametrize("build", [pd.DataFrame, pl.DataFrame, pa.table])
def test_personal_columns_are_recognised_and_come_back_new_in_their_dtype(build):
    frame = build(people())
    schema = Schema.detect(frame)
    roles = {column.name: column.role for column in schema if column.kind == "personal"}
    assert roles == {"name": "name", "mail": "email", "card": "card", "phone": "phone", "note": "text"}
    rows = written(frame)
    assert list(rows.schema if build is not pd.DataFrame else rows.dtypes) == list(
        frame.schema if build is not pd.DataFrame else frame.dtypes
    )
    columns = {name: list(nw.from_native(rows, eager_only=True)[name].to_list()) for name in schema.names}
    for name in roles:
        assert not set(columns[name]) & set(people()[name])
    assert all(keeps("luhn", text) for text in columns["card"])
    assert all(len(str(number)) == 10 for number in columns["phone"])
    assert len(set(columns["mail"])) == len(set(columns["phone"])) == 80


def test_a_written_schema_holds_no_value_and_reads_back():
    frame = pd.DataFrame(people())
    schema = Schema.detect(frame)
    text = schema.to_json()
    for name in ("name", "mail", "card", "note"):
        assert not [value for value in frame[name] if value in text]
    assert not [number for number in frame["phone"] if str(number) in text]
    assert Schema.from_json(text) == schema


def test_few_names_that_many_rows_share_are_categories():
    schema = Schema.detect(pd.DataFrame({"first_name": ["Ada", "Kurt", "Emmy", "Alan", "Grace"] * 40}))
    assert schema["first_name"].kind == "categorical"


@pytest.mark.parametrize("n_rare", [1, 4, 40])
def test_a_street_of_two_kinds_is_a_category_though_one_is_rare(n_rare):
    """Houses on paved streets and a few on gravel: the rare kind is merged, and says nothing about where they are."""
    streets = read_table(pd.DataFrame({"Street": ["Pave"] * 700 + ["Grvl"] * n_rare}))
    assert streets.schema["Street"].kind == "categorical"
    mostly_rare = pd.DataFrame({"Street": ["Elm"] * 90 + [f"{name} Lane" for name in words(10, 5)]})
    assert read_table(mostly_rare).schema["Street"].role == "address"


def test_accounts_are_personal_even_if_they_repeat():
    column = Schema.detect(pd.DataFrame({"agent": ["a@firm.example", "b@firm.example"] * 50}))["agent"]
    assert (column.kind, column.role, column.keep_equal) == ("personal", "email", True)
    rows = written(pd.DataFrame({"agent": ["a@firm.example", "b@firm.example"] * 50}))
    assert rows["agent"].nunique() == 2


def test_foreign_keys_keep_their_format_and_their_repeats():
    keys = [f"C{i % 300:05d}" for i in np.random.default_rng(0).integers(0, 300, 700)]
    column = Schema.detect(pd.DataFrame({"customer": keys}))["customer"]
    assert (column.kind, column.role, column.keep_equal) == ("personal", "format", True)
    rows = written(pd.DataFrame({"customer": keys}), n=700)
    assert rows["customer"].str.fullmatch(r"[A-Z]\d{5}").all()
    assert 150 < rows["customer"].nunique() <= 300


def test_addresses_among_other_words_are_never_learnt():
    """Even where many rows share each, so that none is rare."""
    senders = [f"Person {i % 30} <p{i % 30}@firm.example>" for i in range(900)]
    column = Schema.detect(pd.DataFrame({"sender": senders}))["sender"]
    assert (column.kind, column.keep_equal) == ("personal", True)
    assert not set(written(pd.DataFrame({"sender": senders}), n=900)["sender"]) & set(senders)


def test_customers_with_names_are_people_and_customers_with_firms_are_categories():
    people = [f"{word} Smith" for word in words(30, 5)] * 10
    assert Schema.detect(pd.DataFrame({"customer": people}))["customer"].role == "name"
    firms = [f"{word} Ltd" for word in words(30, 5)] * 10
    assert Schema.detect(pd.DataFrame({"customer": firms}))["customer"].kind == "categorical"


def test_the_user_decides():
    frame = pd.DataFrame(people())
    schema = Schema.detect(frame, {"name": {"kind": "categorical"}, "town": {"kind": "personal", "role": "format"}})
    assert (schema["name"].kind, schema["town"].kind) == ("categorical", "personal")
    asked = {"name": {"kind": "personal", "role": "last_name", "locale": "de_DE", "keep_equal": True}}
    column = Schema.detect(frame, asked)["name"]
    assert (column.role, column.locale, column.keep_equal) == ("last_name", "de_DE", True)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": "personal", "role": "horse"}, "the role is 'horse'"),
        ({"kind": "personal", "locale": "German"}, "the locale is 'German'"),
        ({"kind": "personal", "keep_equal": "often"}, "keep_equal is 'often'"),
        ({"kind": "personal", "recipe": {"formats": [["x", 1]]}}, "cannot be used"),
        ({"kind": "personal", "recipe": 3}, "the recipe is 3"),
        ({"kind": "categorical", "role": "name"}, "role is given, but the column is categorical"),
    ],
)
def test_settings_that_cannot_be_are_refused(fields, message):
    with pytest.raises(SchemaError, match=message):
        Schema.detect(pd.DataFrame(people()), {"name": fields})


def test_measurements_cannot_be_personal():
    with pytest.raises(SchemaError, match="cannot be regenerated as personal"):
        Schema.detect(pd.DataFrame({"x": np.linspace(0, 1, 40)}), {"x": {"kind": "personal"}})


def test_nulls_come_back():
    frame = pd.DataFrame(people())
    frame.loc[::3, "mail"] = None
    assert 0.1 < written(frame, n=300)["mail"].isna().mean() < 0.6


def test_categories_of_text_are_personal_too():
    frame = pd.DataFrame({"mail": pd.Categorical(people()["mail"])})
    rows = written(frame)
    assert str(rows["mail"].dtype) == "category"
    assert not set(rows["mail"].cat.categories) & set(people()["mail"])


def test_small_tables_have_no_free_text_and_no_names():
    schema = Schema.detect(pd.DataFrame({"name": ["Ada Lovelace", "Kurt Gödel"], "note": ["a b c d e", "f g h i j"]}))
    assert {column.kind for column in schema} == {"categorical"}
