"""Errors say what, where and what next, carry the pieces as fields, and are the built-ins that a user expects."""

from __future__ import annotations

import inspect
import re

import pytest

from janus_synth import errors
from janus_synth.errors import (
    CycleError,
    InfeasibleError,
    JanusError,
    MissingExtraError,
    RuleError,
    StructureError,
    UnknownColumnError,
    require_extra,
)

CLASSES = [value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, JanusError)]


@pytest.mark.parametrize("error", [one for one in CLASSES if one is not JanusError], ids=lambda one: one.__name__)
def test_every_error_is_also_a_builtin_that_a_user_expects(error):
    """The tree at the top of the module names the built-ins; it is true."""
    (line,) = [text for text in errors.__doc__.splitlines() if re.search(rf"\b{error.__name__}\b", text)]
    named = re.search(r"Error\s+\(([^)]*)\)", line)
    bases = named[1].split(", ") if named else ["ValueError"]  # CycleError inherits that of StructureError
    assert all(issubclass(error, getattr(__builtins__, base, None) or __builtins__[base]) for base in bases)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("agee", "Did you mean 'age' or 'wage'?"),
        ("wages", "Did you mean 'wage' or 'age'?"),
        ("zzz", "It has 'age', 'wage'."),
    ],
)
def test_an_unknown_column_names_the_closest(name, hint):
    error = UnknownColumnError(name, ["age", "wage"], where="the model")
    assert str(error) == f"the model has no column {name!r}. {hint}"
    assert isinstance(error, KeyError)


def test_many_columns_are_listed_in_part():
    error = UnknownColumnError("zzz", [f"column {i}" for i in range(20)])
    assert str(error).endswith("'column 7' and 12 more.")


def test_a_loop_is_shown_as_a_path():
    error = CycleError(["a", "b", "c"])
    assert "a → b → c → a" in str(error)
    assert error.loop == ("a", "b", "c")
    assert isinstance(error, StructureError)


@pytest.mark.parametrize("position", [0, 7, 60, 119])
def test_a_rule_is_pointed_at_where_it_goes_wrong(position):
    rule = "".join(chr(33 + i % 90) for i in range(120))
    problem, shown, caret = str(RuleError("no.", rule=rule, position=position)).splitlines()
    assert problem == "no."
    assert shown[caret.index("^")] == rule[position]
    assert len(shown) <= 4 + 2 * 48 + 2


def test_an_error_without_a_rule_is_the_problem_alone():
    assert str(RuleError("no.")) == "no."
    assert str(RuleError("no.", rule="  ")).endswith("(empty)")


def test_clashing_rules_are_a_tuple():
    assert InfeasibleError("no row", conflict=["a", "b"]).conflict == ("a", "b")


def test_a_missing_library_names_its_extra():
    with pytest.raises(
        MissingExtraError, match=r"a plot needs no_such_library. Install it with: pip install 'janus-synth\[plots\]'"
    ):
        require_extra("no_such_library.part", "plots", purpose="a plot")
    assert require_extra("json", "plots", purpose="a plot").dumps([1]) == "[1]"
