"""A learnt column and its array in; alerts about its values out: keys, codes, labels, missing codes, rare levels."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from janus_synth.alerts.alert import Alert, make_alert, option_of
from janus_synth.alerts.dates import (
    TIMES,
    counted_dates,
    digits_of_dates,
    form_of_digits,
    other_calendar,
    unit_of_dates,
)
from janus_synth.alerts.levels import alike_levels, people_in_levels
from janus_synth.alerts.missing_codes import missing_codes, missing_dates
from janus_synth.alerts.scales import order_of_labels
from janus_synth.arrays import Array
from janus_synth.identities import MANY_RARE, holds_codes, is_hierarchy, least_rows
from janus_synth.table import Column
from janus_synth.table.detect import KEY_NAME
from janus_synth.table.texts.words import are_no_answers

CODE_NAME = re.compile(
    r"(?:^|[_\s.-])(?:(?:country|dept|department|region|state|county|district|branch|product|diag|company|plant|hs)_?code"
    r"|ean|gtin|upc|isbn|sachkonto|kostenstelle|gl_?account|cost_?cent(?:er|re)|mcc|sic|nace|cpt|drg|cbsa)$"
)
"""Names of columns whose numbers are codes, beside those of hierarchies such as postal codes."""
NEARLY = 0.9
MANY_LEVELS = 200
MIN_ROWS = 20
KEY_DIGITS = 5
"""Distinct integers with this many digits, the same number in every row, look like keys."""


def value_alerts(column: Column, cells: Array) -> Iterator[Alert]:
    """Alerts about one learnt column; ``cells`` are those that are not missing."""
    if not len(cells):
        effect, remedy = "generated rows have nulls there as well", "drop the column, or check how it was exported"
        yield make_alert(column.name, "constant", "all cells are empty", effect, remedy=remedy)
    if len(cells) < 2:
        return
    distinct, counts = np.unique(cells, return_counts=True)
    checks: Sequence[Callable[[Column, Array, Array], Iterator[Alert]]]
    if len(distinct) == 1:
        checks = (_constant,)
    elif column.kind == "categorical":
        checks = (_many_levels, people_in_levels, alike_levels, _labels, _rare_levels)
    elif column.kind == "datetime":
        checks = (missing_dates, other_calendar)
    else:
        checks = (counted_dates, digits_of_dates, _codes, missing_codes) if column.kind == "numeric" else ()
    for find in checks:
        yield from find(column, distinct, counts)


def _constant(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    message, effect = "all cells have the same value", "every generated row has it too"
    remedy = "drop the column, or check how it was exported"
    if column.nullable:
        message, effect = "all cells but nulls have the same value", "only whether it is there is learnt"
        remedy = "if null means no, write a word for it, such as df.fillna('no')"
    yield make_alert(column.name, "constant", message, effect, remedy=remedy)


def _many_levels(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    n_rows, n_levels = int(counts.sum()), len(distinct)
    if _is_grouped(column, counts):
        message = f"{n_levels:,} codes in {n_rows:,} rows"
        effect = "codes of few rows are learnt as groups with the same start, and the rest of them is made up"
        remedy = "if it is no secret, keep_rare=True; or a column with the start of the code alone"
        yield make_alert(column.name, "many-levels", message, effect, remedy=remedy, option="--keep-rare")
    elif n_rows >= MIN_ROWS and n_levels > NEARLY * n_rows:
        message = f"{n_levels:,} different texts in {n_rows:,} rows"
        effect = "little of it is learnt, and texts of very few rows are merged into others or reappear"
        yield make_alert(column.name, "nearly-unique", message, effect, changes={"kind": "identifier"})
    elif n_levels > MANY_LEVELS:
        message = f"{n_levels:,} levels in {n_rows:,} rows"
        effect = "levels of few rows are merged into others, so how they depend on other columns is not learnt"
        remedy = f'group levels; or schema={{"{column.name}": {{"kind": "personal"}}}} makes all of them up'
        option = option_of(column.name, {"kind": "personal"})
        yield make_alert(column.name, "many-levels", message, effect, remedy=remedy, option=option)


def _is_grouped(column: Column, counts: Array) -> bool:
    """Whether a column holds codes, so many of them rare that they are learnt as groups."""
    n_rows = int(counts.sum())
    if n_rows < MIN_ROWS or counts[counts < least_rows(n_rows)].sum() <= MANY_RARE * n_rows:
        return False
    texts = [level for level in column.levels if isinstance(level, str)]
    return len(texts) == len(column.levels) and column.generalised is not False and holds_codes(column.name, texts)


def _labels(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    others = [str(level) for level in column.levels if are_no_answers([str(level)])]
    levels = [str(level) for level in column.levels if str(level) not in others]
    order = None if column.ordered else order_of_labels(levels)
    if order is not None:
        shown = " < ".join(order[:6]) + (" < …" if len(order) > 6 else "")
        message, effect = (
            f"labels look ordered: {shown}",
            "their order is not used, and rules such as < are not possible",
        )
        rare = counts.min() < least_rows(int(counts.sum()))
        quoted = (shown, "<".join(order), json.dumps(order, ensure_ascii=False)[1:-1]) if rare else ()
        changes = {"ordered": True, "levels": order, **({"missing": others} if others else {})}
        yield make_alert(column.name, "unordered-labels", message, effect, changes=changes, quoted=quoted)


def _rare_levels(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    once, n_rows = int((counts == 1).sum()), int(counts.sum())
    if n_rows >= MIN_ROWS and once > 0 and len(distinct) <= NEARLY * n_rows:
        if _is_grouped(column, counts):
            return
        noun, they = ("1 level occurs", "it") if once == 1 else (f"{once:,} levels occur", "they")
        noun += " in a single row" + " each" * (once > 1)
        effect = f"{they} could point to a real row, so such rows take a more frequent level of a similar row"
        remedy = f"keep_rare=True if {they} {'is' if once == 1 else 'are'} no secret; or list all levels in the schema"
        yield make_alert(column.name, "rare-levels", noun, effect, remedy=remedy, option="--keep-rare")


def _codes(column: Column, distinct: Array, counts: Array) -> Iterator[Alert]:
    """Integers that are codes or keys by their name or shape."""
    if not re.search(r"int", column.dtype, re.IGNORECASE):
        return
    n_rows, name = int(counts.sum()), column.name
    if unit_of_dates(name, column.dtype, distinct) is not None or form_of_digits(distinct) is not None:
        return
    effect = "values between the real ones are generated"
    if is_hierarchy(name, [f"{number:.0f}" for number in distinct[:MIN_ROWS]]) or CODE_NAME.search(name.lower()):
        yield make_alert(
            name, "code", "postal or other codes are read as numbers", effect, changes={"kind": "categorical"}
        )
    elif (KEY_NAME.search(name) or KEY_NAME.search(name.lower())) and len(distinct) > MIN_ROWS:
        message = f"looks like a key, with {len(distinct):,} values in {n_rows:,} rows"
        yield make_alert(name, "key", message, effect, changes={"kind": "categorical"})
    elif len(distinct) == n_rows >= 5 * MIN_ROWS and _same_digits(distinct) and not TIMES.search(name.lower()):
        message = f"{n_rows:,} distinct integers with the same number of digits look like a key"
        yield make_alert(name, "key", message, effect, changes={"kind": "identifier"})


def _same_digits(distinct: Array) -> bool:
    low, high = float(distinct[0]), float(distinct[-1])
    return low > 0 and len(f"{low:.0f}") == len(f"{high:.0f}") >= KEY_DIGITS
