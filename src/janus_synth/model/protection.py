"""Training rows in, the same rows without values that few of them have out: what `fit` and `update` learn from.

Codes are grouped and levels are merged here, before rules and links are learnt from the rows. The ends of ordered
columns are smoothed after that, in `fit_model`, so that sums still add up when links are looked for; here only the
domains change.
"""

from __future__ import annotations

from janus_synth.encoding.code_groups import generalise_codes
from janus_synth.encoding.extremes import Declared, smooth_domains
from janus_synth.encoding.rare_values import merge_rare_values
from janus_synth.table import Schema, Table


def protect_rows(table: Table, least: int, declared: Declared = None) -> Table:
    """Training rows whose levels and domains belong to at least ``least`` rows, unless the user declared them."""
    if least < 2:
        return table
    listed, known = _columns_with_levels(declared), declared if isinstance(declared, Schema) else None
    table = generalise_codes(table, least=least, declared=listed, known=known)
    return smooth_domains(merge_rare_values(table, least=least, declared=listed, known=known), least, declared)


def protect_update(table: Table, least: int, known: Schema) -> Table:
    """Further rows in which new levels of fewer than ``least`` rows are merged; known levels stay."""
    if least < 2 or not any(len(column.levels) > len(known[column.name].levels) for column in table.schema.learnt):
        return table  # without new levels there is nothing to merge
    return merge_rare_values(generalise_codes(table, least=least, known=known), least=least, known=known)


def _columns_with_levels(declared: Declared) -> tuple[str, ...]:
    """Columns whose levels the user listed; a whole schema lists levels, too, but rows may have others."""
    if isinstance(declared, Schema):
        return ()
    return tuple(name for name, fields in (declared or {}).items() if "levels" in fields)
