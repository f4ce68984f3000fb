"""Updates and merges: a model and rows, or two models, in; a model with the added counts out.

Splits, bins and regressions stay as they are, so both are exact.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from janus_synth.arrays import Codes, Floats
from janus_synth.coordinates import Link, Lookup, as_floats
from janus_synth.encoding import Codec, LevelCodec, OrderedCodec
from janus_synth.encoding.codec import ColumnCodec
from janus_synth.encoding.gaps import find_gaps, gaps_without, shared_gaps
from janus_synth.errors import StructureError
from janus_synth.model.graph_set import GraphSet
from janus_synth.model.model import Model
from janus_synth.model.protection import protect_update
from janus_synth.table import Column, Schema, Table
from janus_synth.table.columns import level_key
from janus_synth.trees import Bag, Surface, Trends
from janus_synth.trees.trend import FIXED_PARTS


def update_model(model: Model, table: Table, *, forget: bool = False) -> Model:
    """The model with the rows of ``table`` counted as well, or with ``forget`` in place of all earlier rows.

    Levels that the model has not seen join the shared code of their column; values beyond the bins count in the
    nearest bin. New levels and looked-up keys of very few of these rows are merged, unless the model keeps all.
    """
    _require_observational(model)
    table = protect_update(table, model.least, model.schema)
    codec = _count_levels(model.codec, table, forget=forget)
    x = codec.encode(table)
    bags = [_count_rows(bag, x, codec, forget=forget) for bag in model.every_bag]
    schema = _extend_schema(model.schema, table.schema)
    n_rows = table.n_rows + (0 if forget else model.n_rows)
    links = tuple(_extend_link(link, table, model.least) for link in model.links)
    _warn_of_broken_links(links, table)
    return replace(model, schema=schema, codec=codec, n_rows=n_rows, links=links).with_every_bag(bags)


def _extend_link(link: Link, table: Table, least: int) -> Link:
    """A link that also knows the keys of new rows, if it looks values up."""
    if not isinstance(link.formula, Lookup):
        return link
    keys, first, counts = np.unique(as_floats(table[link.formula.key]), return_index=True, return_counts=True)
    values = as_floats(table[link.column])[first]
    return replace(link, formula=link.formula.extended(keys[counts >= least], values[counts >= least]))


def _warn_of_broken_links(links: Sequence[Link], table: Table) -> None:
    """Warn of rows in which a column is not what its link computes: rows will not be like that."""
    for link in links:
        broken = link.contradicts({name: as_floats(table[name]) for name in (link.column, *link.visible_inputs)})
        if broken.any():
            warnings.warn(
                f"{broken.sum():,} of {table.n_rows:,} rows contradict '{link}', which all earlier rows keep. "
                "Generated rows will keep it, too. If it is no law, fit anew with links='off'.",
                stacklevel=4,
            )


def merge_models(one: Model, other: Model) -> Model:
    """A model with the counts of both; their trees, bins and regressions must be the same."""
    _require_observational(one, other)
    _require_same_structure(one, other)
    _require_same_graphs(one.graphs, other.graphs)
    schema = _extend_schema(one.schema, other.schema)
    columns: dict[str, ColumnCodec] = {}
    for name, mine in one.codec.columns.items():
        columns[name] = _merge_codecs(mine, other.codec.columns[name], one.schema[name], other.schema[name], schema)
    codec = Codec(columns)
    pairs = zip(one.every_bag, other.every_bag, strict=True)
    bags = [_allow_codes(bag.plus(same), codec) for bag, same in pairs]
    rules = tuple(dict.fromkeys(one.rules + other.rules))
    links = tuple(_merge_links(mine, other, schema) for mine in one.links)
    n_rows = one.n_rows + other.n_rows
    return replace(one, schema=schema, codec=codec, n_rows=n_rows, rules=rules, links=links).with_every_bag(bags)


def _require_same_graphs(mine: GraphSet | None, theirs: GraphSet | None) -> None:
    """Raise StructureError unless two models have the same set of graphs with the same trees, or none."""
    if mine is None or theirs is None:
        if mine is not theirs:
            raise StructureError("only one of the models has a set of graphs. Merge copies of one fitted model.")
        return
    same = mine.dags == theirs.dags and mine.places == theirs.places
    if not same or not all(_same_trees(one, other) for one, other in zip(mine.bags, theirs.bags, strict=True)):
        raise StructureError("the models do not share the same set of graphs. Merge copies of one fitted model.")


def _merge_links(link: Link, other: Model, schema: Schema) -> Link:
    """A link that also knows the keys of another model, whose levels may be numbered differently."""
    theirs = next((each.formula for each in other.links if each.column == link.column), None)
    if not isinstance(link.formula, Lookup) or not isinstance(theirs, Lookup):
        return link
    keys = _renumber_levels(np.array(theirs.known), other.schema[theirs.key], schema[theirs.key])
    found = np.array([np.nan if value is None else value for value in theirs.values])
    return replace(
        link,
        formula=link.formula.extended(keys, _renumber_levels(found, other.schema[link.column], schema[link.column])),
    )


def _renumber_levels(values: Floats, theirs: Column, mine: Column) -> Floats:
    """Indices of one column's levels as indices of another's; numbers stay as they are."""
    if not theirs.is_discrete:
        return values
    place = {level_key(level): i for i, level in enumerate(mine.levels)}
    return np.array([np.nan if np.isnan(v) else place[level_key(theirs.levels[int(v)])] for v in values])


def _require_observational(*models: Model) -> None:
    """Raise StructureError for models with interventions: rows are observed without them."""
    for model in models:
        if model.interventions:
            raise StructureError(
                f"this model has columns set by do ({', '.join(model.interventions)}), and cannot count rows. Update "
                "the model it came from, then set the columns again."
            )


def _count_rows(bag: Bag, x: Codes, codec: Codec, *, forget: bool) -> Bag:
    fresh = bag.counted(x, codec.n_codes)
    return _allow_codes(fresh if forget else bag.plus(fresh), codec)


def _allow_codes(bag: Bag, codec: Codec) -> Bag:
    """Let the column take every code that its codec allows by now."""
    column = codec.columns[codec.names[bag.target]]
    return bag.allowing(column.allowed)


def _count_levels(codec: Codec, table: Table, *, forget: bool) -> Codec:
    columns: dict[str, ColumnCodec] = {}
    for name, column in codec.columns.items():
        values = table[name]
        if isinstance(column, LevelCodec):
            base = replace(column, weight=np.zeros_like(column.weight)) if forget else column
            columns[name] = base.count_more(values, len(table.schema[name].levels))
        elif isinstance(column, OrderedCodec):
            missing = np.isnan(values)
            present = values[~missing]
            gaps = find_gaps(present, column.lattice) if forget else gaps_without(column.gaps, present)
            columns[name] = replace(column, nullable=column.nullable or bool(missing.any()), gaps=gaps)
    return Codec(columns)


def _extend_schema(known: Schema, found: Schema) -> Schema:
    """The known schema, extended by the levels and nulls that were found."""
    columns = []
    for column in known.columns:
        if column.is_learnt:
            seen = found[column.name]
            mine = {level_key(level) for level in column.levels}
            fresh = tuple(level for level in seen.levels if level_key(level) not in mine)
            column = replace(column, levels=column.levels + fresh, nullable=column.nullable or seen.nullable)
        columns.append(column)
    return replace(known, columns=tuple(columns))


def _merge_codecs(
    mine: ColumnCodec, theirs: ColumnCodec, my_column: Column, their_column: Column, schema: Schema
) -> ColumnCodec:
    if isinstance(mine, LevelCodec) and isinstance(theirs, LevelCodec):
        levels = schema[my_column.name].levels
        weight = np.zeros(len(levels))
        weight[: len(mine.weight)] += mine.weight
        at = {level_key(level): i for i, level in enumerate(levels)}
        for level, count in zip(their_column.levels, theirs.weight, strict=False):
            weight[at[level_key(level)]] += count
        return replace(mine, weight=weight, nullable=mine.nullable or theirs.nullable)
    assert isinstance(mine, OrderedCodec)
    assert isinstance(theirs, OrderedCodec)
    gaps = shared_gaps(mine.gaps, theirs.gaps)
    return replace(mine, nullable=mine.nullable or theirs.nullable, gaps=gaps)


def _require_same_structure(one: Model, other: Model) -> None:
    if one.codec.names != other.codec.names:
        different = sorted(set(one.codec.names) ^ set(other.codec.names)) or list(one.codec.names)
        raise StructureError(f"the models know different columns: {', '.join(different)}.")
    for name in one.codec.names:
        same_codes = _same_codes(one.codec.columns[name], other.codec.columns[name])
        if not (same_codes and _same_trees(one.bag(name), other.bag(name))):
            raise StructureError(
                f"the models do not share the same trees: column {name!r} differs. Merge copies of one "
                "fitted model that were updated with different rows: save it, load it twice, and give each copy "
                "its rows with update(rows, forget=True)."
            )


def _same_trees(mine: Bag, theirs: Bag) -> bool:
    same_splits = all(
        np.array_equal(getattr(mine.splits, part), getattr(theirs.splits, part))
        for part in ("roots", "feature", "cut", "left", "right", "set_start", "left_levels")
    )
    return same_splits and _same_lines(mine.trends, theirs.trends)


def _same_lines(mine: Trends | None, theirs: Trends | None) -> bool:
    if mine is None or theirs is None:
        return mine is theirs
    same_scale = np.array_equal(mine.scale.edge, theirs.scale.edge)
    same_parts = all(np.array_equal(getattr(mine, part), getattr(theirs, part)) for part in FIXED_PARTS)
    return same_scale and same_parts and _same_surface(mine.surface, theirs.surface)


def _same_surface(mine: Surface | None, theirs: Surface | None) -> bool:
    if mine is None or theirs is None:
        return mine is theirs
    return all(
        np.array_equal(getattr(mine, part.name), getattr(theirs, part.name), equal_nan=part.name == "place")
        for part in fields(Surface)
    )


def _same_codes(mine: ColumnCodec, theirs: ColumnCodec) -> bool:
    if isinstance(mine, OrderedCodec) and isinstance(theirs, OrderedCodec):
        return np.array_equal(mine.upper, theirs.upper) and np.array_equal(mine.knot, theirs.knot)
    if isinstance(mine, LevelCodec) and isinstance(theirs, LevelCodec):
        return np.array_equal(mine.own, theirs.own)
    return False
