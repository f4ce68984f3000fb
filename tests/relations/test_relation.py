from __future__ import annotations

import pandas as pd
import pytest

from janus_synth.relations.details import Copy, Lookup, Ordering, Sum
from janus_synth.relations.relation import WIDTH, Relation, Relations, wrap_text

TOTAL = Relation(
    "sum", ("c", "a", "b"), "c == a + b", 90, 0, {"c": 3, "a": 1, "b": 2}, Sum("c", (("a", 1.0), ("b", 1.0)), 0.0)
)
COPY = Relation("copy", ("y", "x"), "y == x", 100, 60, {"y": 1, "x": 1}, Copy("y", "x", 1.0, 0.4), "y == x in 40%")
ORDER = Relation("ordering", ("e", "s"), "e >= s", 100, 0, {"e": 2, "s": 1}, Ordering("e", "s", (0.0,) * 5, 0.0, True))
LOOKUP = Relation("lookup", ("k", "l"), "", 80, 0, {"k": 1, "l": "<b>"}, Lookup("k", ("l",)), "k is determined by l")


def test_structural_relations_come_first_and_partial_copies_last():
    found = Relations([COPY, ORDER, LOOKUP, TOTAL], 100)
    assert [relation.kind for relation in found] == ["sum", "lookup", "ordering", "copy"]
    assert found.rules == ("c == a + b", "e >= s")
    assert found.of_kind("copy") == (COPY,)


def test_relations_are_a_sequence():
    found = Relations([ORDER, TOTAL], 100)
    assert len(found) == 2
    assert found[0] is TOTAL
    assert found[-1] is ORDER
    assert found[:1] == Relations([TOTAL], 100)
    assert found != Relations([TOTAL], 100)
    assert TOTAL in found


def test_the_table_says_what_was_found():
    lines = str(Relations([COPY, TOTAL], 1234)).splitlines()
    assert lines[0] == "2 relations in 1,234 rows"
    assert lines[2].split() == ["kind", "relation", "rows", "exceptions"]
    assert lines[3].split() == ["sum", "c", "==", "a", "+", "b", "90", "0"]
    assert lines[4].endswith("  100          60")
    assert str(Relations([], 1)) == "no relations in 1 row"


def test_long_relations_are_wrapped_and_nothing_is_lost():
    names = tuple(f"a_rather_long_name_of_column_{i}" for i in range(6))
    text = f"{names[0]} == " + " + ".join(names[1:])
    long = Relation("sum", names, text, 10**6, 0, {}, Sum(names[0], (), 0.0))
    wide = Relation("sum", ("x" * 300,), "x" * 300, 10**6, 0, {}, Sum("x", (), 0.0))
    shown = str(Relations([long, wide], 10**6))
    assert max(map(len, shown.splitlines())) <= WIDTH
    assert shown.count("x") == 300 + 1  # one x in the heading
    assert all(name in shown for name in names)


def test_text_is_wrapped_at_spaces():
    assert wrap_text("one two three", 7) == ["one two", "  three"]
    assert wrap_text("abcdef", 4) == ["abcd", "  ef"]


def test_as_a_frame():
    frame = Relations([TOTAL, LOOKUP], 100).to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame.kind.tolist() == ["sum", "lookup"]
    assert frame.support.tolist() == [90, 80]
    assert frame.example[0] == {"c": 3, "a": 1, "b": 2}
    assert frame.detail[1] == Lookup("k", ("l",))
    assert Relations([], 3).to_frame().shape[0] == 0


def test_html_is_escaped():
    relation = Relation("lookup", ("k", "<i>"), "", 8, 0, {}, Lookup("k", ("<i>",)), "k is determined by <i>")
    page = Relations([relation], 8)._repr_html_()
    assert "<i>" not in page
    assert "&lt;i&gt;" in page
    assert page.count("<tr>") == 2


def test_relations_cannot_be_hashed():
    with pytest.raises(TypeError):
        hash(Relations([], 1))
