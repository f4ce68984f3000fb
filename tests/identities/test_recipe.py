"""Recipes: learnt from texts, written and read, and checked when read."""

from __future__ import annotations

import json

import numpy as np
import pytest

from janus_synth.identities.formats import Weighted
from janus_synth.identities.recipe import Recipe, learn_recipe


def test_a_recipe_holds_none_of_the_values():
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("bcdfghjk"), 9)).capitalize() for _ in range(300)]
    written = json.dumps(learn_recipe("last_name", texts, missing=0.1, least=5).to_dict())
    assert not [text for text in texts if text in written]


def test_repeats_are_numbers_of_rows():
    recipe = learn_recipe("format", ["aa"] * 6 + ["bb"] * 3 + ["cc"] * 3, missing=0.0, least=5)
    assert recipe.repeats == ((6, 1), (3, 2))
    assert recipe.shares.tolist() == [0.5, 0.25, 0.25]
    assert not recipe.distinct


def test_check_digits_are_remembered():
    assert learn_recipe("card", ["4111 1111 1111 1111"] * 20, missing=0.0, least=5).check == "luhn"


def test_words_of_free_text_are_deciles():
    recipe = learn_recipe("text", ["one two three"] * 50 + [" ".join("x" * 400)], missing=0.0, least=5)
    assert recipe.words == (3,) * 9


def test_a_column_without_values_has_a_recipe():
    assert learn_recipe("name", [], missing=1.0, least=5).missing == 1.0


def test_marks_are_looked_for_among_separators():
    assert Recipe((Weighted("{a3}, {a3}", 3), Weighted("{a3}", 1))).has(",")
    assert not Recipe((Weighted("{9:3}", 1),)).has(":")


def test_recipes_survive_writing_and_reading():
    recipe = learn_recipe("phone", ["+49 30 1234"] * 20, missing=0.25, least=5)
    assert Recipe.from_dict(json.loads(json.dumps(recipe.to_dict()))) == recipe


@pytest.mark.parametrize(
    "damage",
    [
        {"formats": []},
        {"formats": [["plain", 1]]},
        {"formats": [["{a3}", 0]]},
        {"formats": 3},
        {"check": "magic"},
        {"missing": 2.0},
        {"missing": float("nan")},
        {"repeats": [[0, 1]]},
        {"repeats": [[1, 10**12]]},
        {"words": [-1]},
        {"distinct": "yes"},
        {"surprise": 1},
    ],
    ids=str,
)
def test_damaged_recipes_are_refused(damage):
    good = Recipe().to_dict()
    with pytest.raises(ValueError, match="recipe|format|check digits|missing|number"):
        Recipe.from_dict({**good, **damage})
