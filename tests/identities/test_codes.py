"""Codes are grouped by the longest prefix that enough rows share, and drawn at random inside their groups."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.identities.codes import are_codes, draw_codes, find_group, group_codes, holds_codes, is_hierarchy

CODES = {
    "us": ["02138", "02139", "90210"],
    "uk": ["SW1A 1AA", "LS1 4DY", "M1 1AE"],
    "de": ["10115", "80331"],
    "icd": ["E11.9", "I10", "J45.909"],
    "part": ["AX-1700", "AX-1701"],
}


def words(n: int, seed: int = 0):
    return np.random.default_rng(seed).integers(2**64, size=(n, 16), dtype=np.uint64)


def pattern(group: str) -> str:
    """Regular expression of a group, by hand."""
    classes = {"9": "[0-9]", "1": "[1-9]", "A": "[A-Z]", "a": "[a-z]"}
    parts = re.split(r"(\{[91Aa]:?\d+\})", group)
    found = [re.fullmatch(r"\{([91Aa]):?(\d+)\}", part) for part in parts]
    return "".join(f"{classes[m[1]]}{{{m[2]}}}" if m else re.escape(part) for m, part in zip(found, parts, strict=True))


@pytest.mark.parametrize("texts", CODES.values(), ids=CODES)
def test_codes_have_the_shape_of_codes(texts):
    assert are_codes(texts)


@pytest.mark.parametrize("texts", [["Rome", "Oslo"], ["12 High Street, Leeds LS1"], ["red"], []])
def test_other_texts_do_not(texts):
    assert not are_codes(texts)


def test_hierarchies_are_recognised_by_name_or_content():
    for name in ("zip", "Zip Code", "PLZ", "home_postcode", "icd10", "naics", "area_code"):
        assert is_hierarchy(name, CODES["us"]), name
    assert is_hierarchy("x", CODES["uk"])
    assert is_hierarchy("x", CODES["icd"])
    assert not is_hierarchy("booking", CODES["part"])
    assert holds_codes("product_code", CODES["part"])
    assert not holds_codes("booking", CODES["part"])


@given(
    st.dictionaries(st.from_regex(r"[A-B]{0,1}[0-9]{2,4}(-[0-9])?", fullmatch=True), st.integers(1, 6), max_size=40),
    st.integers(2, 6),
)
def test_every_group_has_enough_rows_and_describes_its_codes(counts, least):
    groups = group_codes(counts, least)
    rows = Counter()
    for code, group in groups.items():
        assert re.fullmatch(pattern(group), code)
        rows[group] += counts[code]
    assert all(n >= least for n in rows.values())
    left = [code for code in counts if code not in groups]
    shapes = Counter()
    for code in left:
        shapes[re.sub("[0-9]", "9", re.sub("[A-Z]", "A", code))] += counts[code]
    assert all(n < least for n in shapes.values())  # what is left has not even its shape in common with enough rows
    frequent = {code for code, n in counts.items() if n >= least}
    assert {code for code, group in groups.items() if code == group} == frequent


def test_groups_have_the_longest_prefix():
    counts = dict.fromkeys(["02138", "02139", "02141", "02142", "90210", "90211", "10115"], 1)
    groups = group_codes(counts, 2)
    assert groups["02138"] == groups["02139"] == "0213{9:1}"
    assert groups["02141"] == "0214{9:1}"
    assert groups["90210"] == "9021{9:1}"
    assert "10115" not in groups


def test_a_larger_size_makes_larger_groups():
    counts = {f"021{i:02d}": 1 for i in range(100)}
    assert set(group_codes(counts, 5).values()) == {f"021{i}{{9:1}}" for i in range(10)}
    assert set(group_codes(counts, 5, size=50).values()) == {"021{9:2}"}


def test_numbers_do_not_start_with_zero():
    counts = {str(code): 1 for code in (12345, 23456, 34567, 45678, 56789)}
    groups = group_codes(counts, 5, numbers=True)
    assert set(groups.values()) == {"{1:1}{9:4}"}
    assert all(code[0] != "0" for code in draw_codes("{1:1}{9:4}", words(500)))


def test_a_code_finds_the_group_with_the_longest_prefix():
    groups = {"02{9:3}": 0, "021{9:2}": 1, "02138": 2, "SW1 {9:1}{A2}": 3}
    assert [find_group(code, groups) for code in ("02138", "02139", "02239", "SW1 4AB")] == [2, 1, 0, 3]
    assert find_group("9", groups) is None
    assert find_group("SW1 44B", groups) is None


@pytest.mark.statistical
def test_codes_of_a_group_are_equally_likely():
    """Chi-squared with 99 degrees of freedom: a false alarm of 1e-6 is at 177."""
    counts = Counter(draw_codes("021{9:2}", words(20_000)))
    assert len(counts) == 100
    assert sum((n - 200) ** 2 / 200 for n in counts.values()) < 177


def test_drawn_codes_have_the_form_of_their_group():
    for group in ("SW1A {9:1}{A2}", "E11.{9:2}", "x{{{a1}}}", "{A1}{9:4}"):
        for code in draw_codes(group, words(20)):
            assert re.fullmatch(
                pattern(group.replace("{{", "<").replace("}}}", "}>")), code.replace("{", "<").replace("}", ">")
            )
