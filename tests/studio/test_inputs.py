"""Bodies of requests: only values of the expected shape get further."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette")

from janus_synth.studio.inputs import read_columns, read_edges, read_number, read_texts


@pytest.mark.parametrize("given", ["age > 1", [1], [None], {"a": 1}, [["a"]]])
def test_texts_are_a_list_of_texts(given):
    with pytest.raises(ValueError, match="list of texts"):
        read_texts({"where": given}, "where")


def test_texts_are_bounded():
    with pytest.raises(ValueError, match="at most"):
        read_texts({"where": ["a" * 5000]}, "where")
    with pytest.raises(ValueError, match="at most"):
        read_texts({"where": ["a"] * 500}, "where")


@pytest.mark.parametrize("given", [True, "5", 1.5, None, 0, 11, float("nan"), [5]])
def test_numbers_are_whole_and_within_bounds(given):
    with pytest.raises(ValueError, match="whole number from 1 to 10"):
        read_number({"n": given}, "n", low=1, high=10)


def test_a_number_that_is_not_given_is_the_lowest():
    assert read_number({}, "seed", low=0, high=10) == 0
    assert read_number({"seed": 10}, "seed", low=0, high=10) == 10


@pytest.mark.parametrize("given", ["ab", [["a"]], [["a", "b", "c"]], [["a", 1]], ["ab"], {"a": "b"}])
def test_edges_are_pairs_of_names(given):
    with pytest.raises(ValueError, match="pairs of columns"):
        read_edges({"required": given}, "required")


def test_edges_come_back_as_pairs():
    assert read_edges({"required": [["a", "b"]]}, "required") == (("a", "b"),)


@pytest.mark.parametrize("given", [[], "x", {"age": 3}])
def test_columns_are_objects(given):
    with pytest.raises(ValueError, match="object of objects"):
        read_columns({"columns": given})


@pytest.mark.parametrize("body", [b"{", b"[]", b"3", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_object_is_refused(fitted, body):
    found = fitted.client.ask("POST", "/api/check", body)
    assert found.status == 400
    assert "JSON" in found.json["error"]


def test_a_body_that_is_too_large_is_refused(fitted):
    assert fitted.client.ask("POST", "/api/check", b" " * 300_000).status == 413
