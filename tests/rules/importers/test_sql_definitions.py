"""Keys and columns without nulls in statements of SQL, compared with what SQLite refuses."""

import itertools
import sqlite3

import pandas as pd
import pytest

from janus_synth.rules import holds
from janus_synth.rules.importers import from_sql
from janus_synth.rules.importers.sql_definitions import columns_not_null, keys_of

pytest.importorskip("sqlglot")

FRAME = pd.DataFrame(list(itertools.product([1, 2], repeat=3)), columns=["a", "b", "c"])
STATEMENTS = [
    "CREATE TABLE x (a INT UNIQUE, b INT, c INT)",
    "CREATE TABLE x (a INT, b INT, c INT, UNIQUE (b, c))",
    "CREATE TABLE x (a INT, b INT, c INT, CONSTRAINT k PRIMARY KEY (a, \"c\" DESC))",
    "CREATE TABLE IF NOT EXISTS x ([a] INT CHECK (a < 9) PRIMARY KEY, `b` NUMERIC(10, 2), c INT /* UNIQUE */)",
    "CREATE TABLE x (a INT, b INT DEFAULT 3 UNIQUE CHECK (b IN (1, 2)), c INT); CREATE UNIQUE INDEX i ON x (a, c)",
    "CREATE TABLE x (a INT, b TEXT DEFAULT 'UNIQUE', c INT) -- UNIQUE (a)",
]  # fmt: skip


@pytest.mark.parametrize("statements", STATEMENTS)
def test_rows_that_a_database_refuses_break_a_key(statements):
    base = sqlite3.connect(":memory:")
    base.executescript(statements)
    found, kept = from_sql(statements), []
    assert not found.skipped
    for i, row in enumerate(FRAME.itertuples(index=False)):
        try:
            base.execute("INSERT INTO x VALUES (?, ?, ?)", [int(cell) for cell in row])
        except sqlite3.IntegrityError:
            assert not all(holds(rule, FRAME.iloc[[*kept, i]]).all() for rule in found.rules)
        else:
            kept.append(i)
            assert all(holds(rule, FRAME.iloc[kept]).all() for rule in found.rules)
    assert kept


def test_nulls_count_as_values_where_a_database_lets_them_repeat():
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE x (a INT UNIQUE)")
    base.executemany("INSERT INTO x VALUES (?)", [(None,), (None,), (1,)])
    (rule,) = from_sql("CREATE TABLE x (a INT UNIQUE)").rules
    assert holds(rule, pd.DataFrame({"a": [None, None, 1]}, dtype="Int64")).tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("ALTER TABLE x ADD CONSTRAINT k UNIQUE NULLS NOT DISTINCT (a, b), ADD PRIMARY KEY (c)",
         ["unique(a, b)", "unique(c)"]),
        ("ALTER TABLE x ADD COLUMN a INT UNIQUE", ["unique(a)"]),
        ("CREATE TABLE x (id INT, CONSTRAINT [pk] PRIMARY KEY CLUSTERED ([id] ASC, [line no] ASC) WITH (FILL = 1))",
         ["unique(id, `line no`)"]),
        ("CREATE TABLE x (a INT, UNIQUE KEY by_a (a), KEY by_b (b))", ["unique(a)"]),
        ("CREATE TABLE x (a INT UNIQUE); CREATE TABLE y (b INT, FOREIGN KEY (b) REFERENCES x (a), UNIQUE (b))",
         ["unique(a)", "unique(b)"]),
        ("CREATE TABLE x (a INT CHECK (a <> 'PRIMARY'))", []),
        ("SELECT 1", []),
        ("", []),
    ],
)  # fmt: skip
def test_keys_of_several_dialects(text, keys):
    assert [str(rule()) for _, rule in keys_of(text)] == keys


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("CREATE TABLE x (a TEXT, UNIQUE (lower(a)))", "'lower ( a )' is not a column"),
        ("CREATE UNIQUE INDEX i ON x USING btree (a) WHERE b > 3", "some rows only"),
        ("CREATE TABLE x (a INT, UNIQUE (a, a))", "different columns"),
    ],
)
def test_keys_of_expressions_and_of_some_rows_are_skipped(text, reason):
    found = from_sql(text)
    assert not found.rules
    assert [reason in skipped.reason for skipped in found.skipped] == [True]


def test_columns_of_primary_keys_are_never_null():
    text = "CREATE TABLE x (a INT, b INT NOT NULL, c INT NULL, d INT PRIMARY KEY, CONSTRAINT k PRIMARY KEY (a, b))"
    assert columns_not_null(text) == ("b", "d", "a")
    assert columns_not_null("ALTER TABLE x ADD PRIMARY KEY (c)") == ("c",)
    assert columns_not_null("a < b") == ()
