"""Worlds without bias: a model in; the model where columns do not see the protected ones out.

A column that is to ignore another gets a *stand-in* for it: a column of its own, drawn from the other's marginal and
from nothing else. Its trees ask the stand-in, so that its conditional is the learnt one averaged over the protected
column, and everything that works on models works there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from janus_synth.encoding import Codec
from janus_synth.graph import Dag
from janus_synth.kernels.dtypes import INDEX
from janus_synth.model import Model
from janus_synth.questions.intervention import cut_loose, marginal_bag
from janus_synth.table import Schema
from janus_synth.trees import Bag


def blind_to(model: Model, columns: Iterable[str], protected: Sequence[str]) -> Model:
    """The model where each of some columns ignores the protected ones, each by stand-ins of its own."""
    for column in columns:
        for name in protected:
            if model.codec.names.index(name) in model.bag(column).parents:
                model = _with_stand_in(model, column, name)
    return model


def neutral_to(model: Model, protected: Sequence[str]) -> Model:
    """The model where nothing depends on the protected columns, nor they on anything."""
    children = [name for name in model.codec.names if set(model.dag.parents[name]) & set(protected)]
    loose = cut_loose(model, protected)
    blind = blind_to(loose, [name for name in children if name not in protected], protected)
    return replace(blind, rules=model.rules, interventions=model.interventions)


def stand_ins(model: Model, of: Model) -> tuple[str, ...]:
    """Columns that a world has beyond those of the model it was made from."""
    return model.codec.names[len(of.codec.names) :]


def _with_stand_in(model: Model, column: str, protected: str) -> Model:
    """The column asks a stand-in wherever it asked the protected column."""
    i, old, new = model.codec.names.index(column), model.codec.names.index(protected), len(model.codec.names)
    name = _free_name(model, f"{protected} as {column} sees it")
    n_codes = model.codec.columns[protected].n_codes
    bags = [_widened(bag, n_codes) for bag in model.bags]
    bags[i] = _asking(bags[i], old, new, int(model.codec.n_codes[:old].sum()), n_codes)
    stand_in = replace(marginal_bag(bags[old]), target=new)
    parents = {**model.dag.parents, name: ()}
    parents[column] = tuple(name if parent == protected else parent for parent in parents[column])
    return replace(
        model,
        schema=Schema((*model.schema.columns, replace(model.schema[protected], name=name)), model.schema.frame),
        codec=Codec({**model.codec.columns, name: model.codec.columns[protected]}),
        dag=Dag(parents),
        bags=(*bags, stand_in),
    )


def _free_name(model: Model, name: str) -> str:
    while name in model.schema.names:
        name += "'"
    return name


def _widened(bag: Bag, n_codes: int) -> Bag:
    """The same bag in a model with one more column."""
    counts = bag.leaves.backward
    wide = csr_array((counts.data, counts.indices, counts.indptr), shape=(counts.shape[0], counts.shape[1] + n_codes))
    return replace(bag, leaves=replace(bag.leaves, backward=wide))


def _asking(bag: Bag, old: int, new: int, offset: int, n_codes: int) -> Bag:
    """The same bag with one parent in another's place; backward counts move with it."""
    splits = replace(bag.splits, feature=np.where(bag.splits.feature == old, new, bag.splits.feature).astype(INDEX))
    counts = bag.leaves.backward.tocoo()
    moved = (counts.col >= offset) & (counts.col < offset + n_codes)
    column = np.where(moved, counts.col - offset + counts.shape[1] - n_codes, counts.col)
    backward = csr_array((counts.data, (counts.row, column)), shape=counts.shape)
    leaves = replace(bag.leaves, backward=backward)
    trends = bag.trends
    if trends is not None:
        parents = np.where(trends.parents == old, new, trends.parents).astype(INDEX)
        trends = replace(trends, parents=parents)
    return replace(bag, splits=splits, leaves=leaves, trends=trends)
