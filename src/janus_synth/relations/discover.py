"""A frame in; the relations between its columns out."""

from __future__ import annotations

from typing import Any

from janus_synth.relations.calendar import find_calendar_parts
from janus_synth.relations.copies import find_copies
from janus_synth.relations.lookups import find_lookups
from janus_synth.relations.orderings import find_orderings
from janus_synth.relations.relation import Relations
from janus_synth.relations.sums import find_sums
from janus_synth.relations.view import View
from janus_synth.table import Schema, Table, read_table

MAX_ROWS = 20_000


def discover(
    frame: Any, *, schema: Schema | dict[str, Any] | None = None, max_rows: int = MAX_ROWS, random_state: int = 0
) -> Relations:
    """Find relations between the columns of a table, such as sums, orderings and lookups.

    Parameters
    ----------
    frame : DataFrame or Table
        pandas, polars, pyarrow or a JANUS table. Identifiers are left out.
    schema : Schema or mapping, optional
        How to read the frame: a Schema, or fields to set by hand, as for ``Janus(schema=…)``.
    max_rows : int
        Relations are proposed from a random sample of this many rows and verified on all.
    random_state : int
        Seed of the sample and of permutations.

    Returns
    -------
    Relations
        Ranked; prints as a table.

    Notes
    -----
    What could be chance is not reported. For each kind, the expected number of false relations in a table without
    any is at most 0.0001: a candidate is kept only if its probability under the null hypothesis that one of its columns
    is unrelated to the others, times the number of candidates that were tried, is below that (Bonferroni; see
    ``janus_synth.relations.chance``). Relations that follow from others are left out.

    Examples
    --------
    >>> import pandas as pd
    >>> from janus_synth import discover
    >>> city = ["Rome", "Oslo", "Bonn", "Oslo"] * 30
    >>> country = {"Rome": "Italy", "Oslo": "Norway", "Bonn": "Germany"}
    >>> print(discover(pd.DataFrame({"city": city, "country": [country[c] for c in city]})))
    1 relation in 120 rows
    <BLANKLINE>
    kind    relation                                rows  exceptions
    lookup  country and city determine one another   120           0
    """
    table = frame if isinstance(frame, Table) else read_table(frame, schema)
    view = View(table, max_rows, random_state)
    if len(view.columns) < 1:
        return Relations((), table.n_rows)
    sums = find_sums(view)
    parts = find_calendar_parts(view)
    structural = [*sums, *parts]
    known = {frozenset(relation.columns) for relation in structural}
    orderings = find_orderings(view, structural)
    lookups = find_lookups(view, known)
    copies = find_copies(view, known)
    return Relations([*structural, *orderings, *lookups, *copies], table.n_rows)
