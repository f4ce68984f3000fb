"""CHECK clauses: rules hold in exactly the rows that SQLite accepts into a table."""

import sqlite3

import pandas as pd
import pytest

from janus_synth.rules import holds
from janus_synth.rules.importers import from_sql

pytest.importorskip("sqlglot")

FRAME = pd.DataFrame({
    "a": [1, 2, 3, None, 5, -2], "b": [2, 2, 1, 4, None, 0], "t": ["ab", "b", None, "Abc", "xab", ""],
    "f": [True, False, None, True, False, True],
}).astype({"a": "Int64", "b": "Int64", "f": "boolean"})  # fmt: skip
CHECKS = [
    "a < b", "a <= b AND b > 1", "a < b OR t = 'b'", "NOT (a < b)", "NOT (a < b AND t = 'b')", "NOT (a < b OR t = 'b')",
    "a BETWEEN 1 AND 3", "a NOT BETWEEN 1 AND 2", "t IN ('ab', 'b')", "t NOT IN ('ab', 'b')", "t IS NULL",
    "t IS NOT NULL OR a > 2", "NOT (t IS NULL)", "f", "NOT f", "f = TRUE", "t LIKE 'a%' AND t <> 'Abc'",
    "2 * a - b / 2.0 >= 1", "abs(a - b) <= 1", "(a + 1) <> (b)", "a = -2", "a <> 2",
]  # fmt: skip


def accepted(check):
    """Whether SQLite lets each row into a table with the check."""
    base = sqlite3.connect(":memory:")
    base.execute("PRAGMA case_sensitive_like = ON")
    base.execute(f"CREATE TABLE x (a, b, t, f, CHECK ({check}))")
    found = []
    for row in FRAME.astype(object).where(FRAME.notna(), None).itertuples(index=False):
        try:
            base.execute("INSERT INTO x VALUES (?, ?, ?, ?)", row)
            found.append(True)
        except sqlite3.IntegrityError:
            found.append(False)
    return found


@pytest.mark.parametrize("check", CHECKS)
def test_rules_hold_in_the_rows_that_a_database_accepts(check):
    found = from_sql(f"CREATE TABLE x (a INT, CONSTRAINT c CHECK ({check}))")
    assert not found.skipped
    assert holds(found.rules[0], FRAME).tolist() == accepted(check)


def test_dates_durations_and_patterns():
    text = """
    -- CHECK (a = 1) is only a comment
    CREATE TABLE stays (
        id INT PRIMARY KEY, "check in" DATE NOT NULL, out DATE, code TEXT DEFAULT 'CHECK (x)',
        CHECK (out > "check in" + INTERVAL '3' DAY AND extract(month FROM out) IN (6, 7)),
        CHECK (out >= DATE '2020-01-01'), CHECK (code ~ '^A[0-9]+$'), UNIQUE (code),
        FOREIGN KEY (id) REFERENCES guests (id)
    );
    ALTER TABLE stays ADD CONSTRAINT late CHECK (greatest(a, b) < 3);
    """
    found = from_sql(text)
    assert [str(rule) for rule in found.rules] == [
        "id is not null",
        "`check in` is not null",
        "(out is null or out > `check in` + days(3)) and (out is null or month(out) in [6, 7])",
        "out is null or out >= '2020-01-01'",
        "code is null or code matches '(?:A[0-9]+)'",
        "a is null or b is null or max(a, b) < 3",
        "unique(id)",
        "unique(code)",
    ]
    assert [str(skipped) for skipped in found.skipped] == [
        "FOREIGN KEY: it is about another table.",
        "REFERENCES: it is about another table.",
    ]


def test_conditions_alone_are_read_too():
    assert [str(rule) for rule in from_sql("a < b; t = 'x'").rules] == [
        "a is null or b is null or a < b",
        "t is null or t == 'x'",
    ]


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        ("length(t) < 3", "do not know the function"),
        ("a * b > 3", "not linear"),
        ("a IN (SELECT b FROM y)", "no condition"),
        ("extract(dow FROM d) = 1", "no part 'dow'"),
        ("d > e + INTERVAL '1' MONTH", "no fixed length"),
        ("a < (", "cannot be parsed"),
        ("upper(t) IN ('A')", "need a column"),
    ],
)
def test_what_rules_do_not_know_is_skipped_with_the_reason(check, reason):
    found = from_sql(check)
    assert not found.rules
    assert reason in found.skipped[0].reason
