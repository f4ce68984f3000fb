"""Real people in tables: which columns hold them, and made-up values in their place.

``roles`` recognises personal columns, ``recipe`` remembers their formats and none of their values, and ``generate``
makes new values. ``codes`` groups codes by prefix, and ``thresholds`` says how many rows a value must have before it
may be kept.
"""

from janus_synth.identities.codes import (
    are_codes,
    draw_codes,
    find_group,
    group_codes,
    holds_codes,
    is_hierarchy,
    runs_of_group,
)
from janus_synth.identities.generate import Cells, PersonalColumn, generate, random_words
from janus_synth.identities.pools import has_faker, pool_of
from janus_synth.identities.recipe import KNOWN_SHAPES, Recipe, learn_recipe
from janus_synth.identities.roles import (
    FEW_NAMES,
    NAME_ROLES,
    ROLES,
    STRONG_ROLES,
    find_role,
    is_unknown,
    looks_like_text,
    points_to_accounts,
)
from janus_synth.identities.thresholds import LEAST_ROWS, MANY_RARE, MOST_RARE, least_rows

__all__ = [
    "FEW_NAMES",
    "KNOWN_SHAPES",
    "LEAST_ROWS",
    "MANY_RARE",
    "MOST_RARE",
    "NAME_ROLES",
    "ROLES",
    "STRONG_ROLES",
    "Cells",
    "PersonalColumn",
    "Recipe",
    "are_codes",
    "draw_codes",
    "find_group",
    "find_role",
    "generate",
    "group_codes",
    "has_faker",
    "holds_codes",
    "is_hierarchy",
    "is_unknown",
    "learn_recipe",
    "least_rows",
    "looks_like_text",
    "points_to_accounts",
    "pool_of",
    "random_words",
    "runs_of_group",
]
