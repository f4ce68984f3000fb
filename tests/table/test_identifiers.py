"""Identifiers are learnt as a template and generated afresh: unique, new and in the same style."""

import re
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from janus_synth.errors import SchemaError
from janus_synth.table import Column, Schema, Table, write_table
from janus_synth.table.identifiers import CLASSES, fresh_numbers, fresh_texts, parse_template, template_of_texts


def rng():
    return np.random.default_rng(7)


def random_texts(picture, n):
    generator = rng()
    rows = [[generator.choice(list(CLASSES.get(c, c))) for c in picture] for _ in range(n)]
    return sorted({"".join(row) for row in rows})


@pytest.mark.parametrize(
    ("texts", "template"),
    [
        (["EMP-00017", "EMP-00123"], "EMP-{00124}"),
        (["A1", "A10", "A7"], "A{11}"),
        (["2024-07/x", "2024-19/x"], "2024-{20}/x"),
        (["007", "012"], "{013}"),
        (["7", "12"], "{13}"),
        (["{1}", "{9}"], "{{{10}}}"),
        (["a[1]", "a[2]"], "a[[{3}]]"),
        (["Ada Lovelace", "Kurt Gödel"], "guest_{000001}"),
        (["guest_000041", "Kurt"], "guest_{000042}"),
        (["x"], "guest_{000001}"),
        ([], "guest_{000001}"),
        ([str(uuid.UUID(int=i)) for i in range(30)], "uuid4"),
        ([f"{i:02d}" for i in range(100)], "[99]"),
        (random_texts("K-AAA-999", 60), "K-[AAA]-[999]"),
        (random_texts("aa9", 60), "[aa9]"),
        (random_texts("xxxxxxxx", 60), "[xxxxxxxx]"),
        (random_texts("Z*z@", 400), "[Z*z@]"),
    ],
)
def test_templates_are_learnt_from_text_identifiers(texts, template):
    assert template_of_texts("guest", texts) == template


def test_few_values_share_no_characters_beyond_a_number():
    assert template_of_texts("x", ["JOHN SMITH", "JOHN SMYTH"]) == "x_{000001}"


@pytest.mark.parametrize("template", ["EMP-{00124}", "{{{10}}}", "uuid4", "KZ-[AAA]-[999]", "[xxxxxxxx]", "a[[[99*]]]"])
def test_fresh_texts_are_distinct_and_fit_the_template(template):
    texts = fresh_texts(template, 200, rng())
    assert len(set(texts)) == 200
    assert texts == fresh_texts(template, 200, rng())
    pattern = {
        "EMP-{00124}": r"EMP-\d{5}",
        "{{{10}}}": r"\{\d+\}",
        "uuid4": r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
        "KZ-[AAA]-[999]": r"KZ-[A-Z]{3}-\d{3}",
        "[xxxxxxxx]": r"[0-9a-f]{8}",
        "a[[[99*]]]": r"a\[\d\d[A-Za-z0-9]\]",
    }[template]
    assert all(re.fullmatch(pattern, text) for text in texts)


def test_numbered_texts_continue_after_the_last_block():
    first, second = fresh_texts("K{08}", 3, rng()), fresh_texts("K{08}", 3, rng(), first=3)
    assert first + second == ["K08", "K09", "K10", "K11", "K12", "K13"]


def test_numbers_and_random_characters_can_be_mixed():
    assert re.fullmatch(r"[A-Z]{2}-005", fresh_texts("[AA]-{005}", 1, rng())[0])


def test_random_texts_stay_distinct_when_there_are_too_few():
    texts = fresh_texts("[9]x", 25, rng())
    assert len(set(texts)) == 25
    assert sorted(texts)[:2] == ["0x", "0x-1"]
    assert fresh_texts("[9]", 0, rng()) == []
    assert fresh_texts("uuid4", 0, rng()) == []


def test_text_that_is_a_bare_number_stays_text():
    frame = pd.DataFrame({"key": [str(i) for i in range(5, 30)]})
    result = write_table(Table(Schema.detect(frame), {}, 2))
    pd.testing.assert_frame_equal(result, pd.DataFrame({"key": ["30", "31"]}))


def test_bare_numbers_are_numbers_and_padded_ones_are_not():
    np.testing.assert_array_equal(fresh_numbers("{124}", 2, first=10), [134, 135])
    assert fresh_numbers("{0124}", 2) is None
    assert fresh_numbers("x{124}", 2) is None
    assert fresh_numbers("{9223372036854775807}", 2).tolist() == [2**63 - 1, 2**63]


@pytest.mark.parametrize("build", [pd.DataFrame, pl.DataFrame, pa.table])
def test_written_identifiers_are_new_unique_and_of_the_same_dtype(build):
    frame = build(
        {
            "key": [f"EMP-{i:05d}" for i in range(40)],
            "row": list(range(1000, 1040)),
            "uuid": [str(uuid.UUID(int=i)) for i in range(40)],
        }
    )
    schema = Schema.detect(frame)
    assert {column.kind for column in schema} == {"identifier"}
    first = write_table(Table(schema, {}, 50), rng=rng())
    second = write_table(Table(schema, {}, 50), rng=np.random.default_rng(8), first_identifier=50)
    assert list(first.schema if build is not pd.DataFrame else first.dtypes) == list(
        frame.schema if build is not pd.DataFrame else frame.dtypes
    )
    for name in schema.names:
        made = [*np.asarray(first[name]), *np.asarray(second[name])]
        assert len(set(made)) == 100
        assert not set(made) & set(np.asarray(frame[name]))


def test_the_same_generator_gives_the_same_identifiers():
    schema = Schema((Column("u", "identifier", "object", template="uuid4"),))
    same = [write_table(Table(schema, {}, 5), rng=rng())["u"].tolist() for _ in range(2)]
    assert same[0] == same[1]
    assert write_table(Table(schema, {}, 5))["u"].is_unique


def test_integer_identifiers_keep_their_dtype_while_it_can_hold_them():
    frame = pd.DataFrame({"id": pd.Series(range(100, 120), dtype="int8")})
    schema = Schema.detect(frame)
    assert write_table(Table(schema, {}, 8))["id"].dtype == "int8"
    wide = write_table(Table(schema, {}, 20))["id"]
    assert wide.dtype == "int64"
    assert wide.tolist() == list(range(120, 140))


@pytest.mark.parametrize("build", [pl.DataFrame, pa.table])
def test_integer_identifiers_never_repeat_in_other_frames_either(build):
    frame = build({"id": pa.array(range(100, 120), pa.int8())})
    assert np.asarray(write_table(Table(Schema.detect(frame), {}, 20))["id"]).tolist() == list(range(120, 140))


def test_any_text_or_number_can_be_declared_an_identifier():
    frame = pd.DataFrame(
        {"name": ["Ann", "Bob", "Ann"], "level": pd.Categorical(["x1", "x2", "x2"]), "n": [1.0, 2.0, 2.0]}
    )
    schema = Schema.detect(frame, {name: {"kind": "identifier"} for name in frame})
    result = write_table(Table(schema, {}, 2))
    assert result["name"].tolist() == ["name_000001", "name_000002"]
    assert result["level"].tolist() == ["x3", "x4"]
    assert result["level"].dtype == "category"
    assert result["n"].tolist() == [3.0, 4.0]


def test_datetimes_and_booleans_cannot_be_identifiers():
    frame = pd.DataFrame({"x": [True, False]})
    with pytest.raises(SchemaError, match="column 'x': boolean values cannot be read as identifier"):
        Schema.detect(frame, {"x": {"kind": "identifier"}})


def test_a_template_by_hand_is_used():
    frame = pd.DataFrame({"key": ["a", "b"]})
    schema = Schema.detect(frame, {"key": {"kind": "identifier", "template": "K-{001}"}})
    assert write_table(Table(schema, {}, 2))["key"].tolist() == ["K-001", "K-002"]
    assert Schema.from_json(schema.to_json()) == schema


def test_an_identifier_without_a_template_is_numbered_by_its_name():
    schema = Schema((Column("key", "identifier", "object"),))
    assert write_table(Table(schema, {}, 1))["key"].tolist() == ["key_000001"]


def test_templates_are_read_piece_by_piece():
    assert [part.role for part in parse_template("a[[{01}]][Aa9]")] == [
        "text",
        "text",
        "count",
        "text",
        "random",
    ]
