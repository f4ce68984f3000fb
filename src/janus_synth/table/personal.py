"""Cells of a personal column in, its role and recipe out; and made-up cells for rows that are written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from janus_synth.arrays import Array
from janus_synth.errors import SchemaError
from janus_synth.identities import (
    FEW_NAMES,
    MOST_RARE,
    STRONG_ROLES,
    PersonalColumn,
    Recipe,
    find_role,
    generate,
    holds_codes,
    learn_recipe,
    least_rows,
    looks_like_text,
    points_to_accounts,
    pool_of,
)
from janus_synth.identities.column_words import role_by_name
from janus_synth.table.columns import Column
from janus_synth.table.identifiers import is_irregular
from janus_synth.table.output_columns import OutputColumn
from janus_synth.table.raw_columns import RawColumn, cells_as_levels

MIN_ROWS = 20
"""Among fewer rows only values with a shape of their own are taken for personal, such as e-mail addresses."""
FEW_RARE = 0.05
"""Largest share of rows with rare names of a column of few names that is a category all the same."""
LEAST_DIGITS = 7
"""Integers with fewer digits are no telephone or account numbers."""
NUMBER_ROLES = ("phone", "card", "national_id")
"""Roles that integers can have, if the column's name says so."""


def detect_role(raw: RawColumn) -> str | None:
    """Role of a column whose values must not be learnt; None for all others.

    Values that point to a person or account each are never learnt. Names are, if they are few and many rows share each.
    Other text is not learnt if hardly any value is shared: it is free text, or has a format at best.
    """
    if raw.is_integer:
        return _role_of_numbers(raw)
    if raw.kind != "categorical" or raw.ordered or raw.is_null or not all(isinstance(v, str) for v in raw.levels):
        return None
    counts = np.bincount(raw.present(), minlength=len(raw.levels))
    texts = [str(level) for level, count in zip(raw.levels, counts, strict=True) if count]
    role, counts = find_role(raw.name, texts), counts[counts > 0]
    if role in STRONG_ROLES and (len(counts) > 1 or role == "email"):
        return role
    least = least_rows(len(raw.values))
    if len(raw.present()) < MIN_ROWS or least < 2:
        return None
    if role is not None:
        few_rare = counts[counts < least].sum() <= FEW_RARE * counts.sum()  # they are merged with the others
        return None if len(counts) <= FEW_NAMES and few_rare else role
    if len(counts) > FEW_NAMES and counts.max() > 1 and points_to_accounts(texts):
        return _plain_role(texts)
    if counts[counts < least].sum() <= MOST_RARE * counts.sum() or (counts.max() == 1 and not is_irregular(texts)):
        return None
    if holds_codes(raw.name, texts):
        return None  # learnt as groups of codes
    return "text" if looks_like_text(texts) else "format"


def _role_of_numbers(raw: RawColumn) -> str | None:
    role = role_by_name(raw.name)
    present = raw.present()
    if role not in NUMBER_ROLES or len(present) < MIN_ROWS:
        return None
    return role if np.median(np.abs(present)) >= 10.0 ** (LEAST_DIGITS - 1) else None


def learn_person(raw: RawColumn, column: Column) -> Column:
    """The column with a role and a recipe, where it has none yet; raise SchemaError for values that are no text."""
    if column.recipe is not None and column.role is not None:
        return column
    if raw.kind not in ("categorical", "numeric") or raw.duration or (raw.kind == "numeric" and not raw.is_integer):
        raise SchemaError(
            f"column {raw.name!r}: {raw.kind} values cannot be regenerated as personal. Those are text or integers.",
            column=raw.name,
        )
    texts = [str(cell) for cell in cells_as_levels(raw) if cell is not None]
    role = column.role or detect_role(raw) or find_role(raw.name, list(dict.fromkeys(texts))) or _plain_role(texts)
    pool_of(column.locale)  # raises an error for a locale that does not exist
    recipe = learn_recipe(role, texts, missing=float(raw.missing.mean()), least=least_rows(len(raw.values)))
    if raw.is_integer:
        recipe = _without_leading_zero(recipe)
    keep_equal = column.keep_equal
    if keep_equal is None:
        keep_equal = role in (*STRONG_ROLES, "format") and len(texts) >= 2 * len(set(texts))
    if not keep_equal:
        recipe = replace(recipe, repeats=())
    return replace(column, role=role, recipe=recipe, keep_equal=keep_equal, nullable=bool(raw.missing.any()))


def _plain_role(texts: Sequence[str]) -> str:
    return "text" if looks_like_text(texts) else "format"


def _without_leading_zero(recipe: Recipe) -> Recipe:
    """Recipe for integers: the first digit of a format is not 0."""
    formats = []
    for each in recipe.formats:
        found = re.match(r"\{9:(\d+)(?:-(\d+))?\}", each.text)
        low, high = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        head = f"{{1:1}}{{9:{low - 1}-{high - 1}}}"
        formats.append(each._replace(text=head + each.text[found.end() :]) if found and low else each)
    return replace(recipe, formats=tuple(formats))


def write_people(
    columns: Sequence[Column],
    n_rows: int,
    rng: np.random.Generator,
    *,
    first: int = 0,
    nulls: Mapping[str, Array] | None = None,
) -> dict[str, OutputColumn]:
    """Made-up cells of all personal columns, by name; where ``nulls`` do not say so, cells are null at random."""
    personal = [column for column in columns if column.kind == "personal"]
    if not personal:
        return {}
    seed = int(rng.integers(2**63))
    wanted = [
        PersonalColumn(c.name, c.role or "format", c.recipe or Recipe(), c.locale, bool(c.keep_equal)) for c in personal
    ]
    made = generate(wanted, n_rows, seed=seed, first=first)
    found = {}
    for column in personal:
        cells = made[column.name]
        place = {text: i for i, text in enumerate(dict.fromkeys(cells.texts))}
        at = np.fromiter(map(place.__getitem__, cells.texts), np.int64, n_rows)
        numbers = "int" in column.dtype.lower() and all(map(str.isdecimal, place))
        levels = tuple(map(int, place)) if numbers else tuple(place)
        marks = (nulls or {}).get(column.name, np.full(n_rows, -1))
        gone = np.where(marks < 0, cells.missing, marks > 0)
        found[column.name] = OutputColumn(column, np.where(gone, -1, at), levels)
    return found
