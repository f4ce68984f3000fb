from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.relations import Implication
from relations.agreement import found, with_nulls


@pytest.fixture
def random():
    return np.random.default_rng(14)


def details(frame, **options):
    return {relation.detail for relation in found(frame, "implication", **options)}


def test_a_husband_is_male(random):
    n = 1000
    frame = pd.DataFrame({"relationship": random.choice(["Husband", "Wife", "Child"], n)})
    sex = random.choice(["Male", "Female"], n)
    frame["sex"] = np.select([frame.relationship == "Husband", frame.relationship == "Wife"], ["Male", "Female"], sex)
    frame = with_nulls(frame, ["sex"], 0.1, random)
    assert details(frame) == {
        Implication("sex", "Male", "relationship", "Husband"),
        Implication("sex", "Female", "relationship", "Wife"),
    }
    husband = next(r for r in found(frame, "implication") if r.detail.value == "Husband")
    assert husband.rule == "sex is null or implies(relationship == 'Husband', sex == 'Male')"
    assert husband.support == ((frame.relationship == "Husband") & frame.sex.notna()).sum()


def test_a_few_exceptions_are_counted(random):
    n = 9000
    frame = pd.DataFrame({"kind": random.choice(list("abc"), n), "flag": random.random(n) < 0.5})
    frame.loc[frame.kind == "a", "flag"] = True
    frame.loc[frame.index[frame.kind == "a"][:2], "flag"] = False
    (relation,) = found(frame, "implication")
    assert relation.exceptions == 2
    assert relation.rule == "implies(kind == 'a', flag)"
    frame.loc[frame.index[frame.kind == "a"][:40], "flag"] = False
    assert details(frame) == set()


def test_atoms_of_numbers_both_ways(random):
    n = 2000
    never = random.random(n) < 0.6
    frame = pd.DataFrame({"days": np.where(never, -1, random.integers(1, 400, n))})
    frame["contacts"] = np.where(never, 0, random.integers(1, 40, n))
    frame["outcome"] = np.where(never, "unknown", random.choice(["won", "lost", "unknown"], n))
    found_details = details(frame)
    assert Implication("contacts", 0, "days", -1, both_ways=True) in found_details
    assert len(found_details) == 2
    assert any(detail.column == "outcome" and detail.result == "unknown" for detail in found_details)


def test_chains_list_neighbours_only(random):
    n = 3000
    a = random.choice(list("xyz"), n)
    b = np.where(a == "x", "p", random.choice(list("pqr"), n))
    c = np.where(b == "p", "u", random.choice(list("uvw"), n))
    frame = pd.DataFrame({"a": a, "b": b, "c": c})
    assert details(frame) == {Implication("b", "p", "a", "x"), Implication("c", "u", "b", "p")}


def test_a_contrapositive_is_the_same(random):
    first = random.random(800) < 0.5
    frame = pd.DataFrame({"first": first, "second": first & (random.random(800) < 0.5)})
    assert len(details(frame)) == 1


def test_lookups_and_one_hot_groups_say_it_already(random):
    level = random.integers(0, 3, 600)
    frame = pd.DataFrame({"level": np.array(list("abc"))[level], "is_a": level == 0, "is_b": level == 1})
    frame["is_c"] = level == 2
    assert details(frame) == set()


def test_rounded_numbers_that_depend_smoothly_imply_nothing():
    for seed in range(40):
        random = np.random.default_rng(seed)
        x = random.normal(size=(300, 1)) + 0.15 * random.normal(size=(300, 3))
        assert details(pd.DataFrame(x.round(), columns=list("abc"))) == set()
        assert details(pd.DataFrame(np.exp(2 * x - 1).round(), columns=list("abc"))) == set()


def test_rare_levels_are_no_evidence(random):
    frame = pd.DataFrame(
        {"kind": ["rare"] * 15 + ["a", "b"] * 300, "flag": [True] * 15 + [True, True, False, False] * 150}
    )
    assert details(frame) == set()
