"""Baseline worlds to plant bias in: a fitted model in, a model in which columns do not depend on protected ones out.

A column that must not depend on a protected column gets an *independent copy* of it as a parent instead: an additional
column, drawn from the protected column's marginal. Its conditional is then the learnt one averaged over the protected
column, and the result is an ordinary model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from janus_synth.encoding import Codec
from janus_synth.fairness.bias import Bias
from janus_synth.graph import Dag
from janus_synth.kernels.dtypes import INDEX
from janus_synth.model import Model
from janus_synth.questions.intervention import marginal_bag, without_parents
from janus_synth.table import Schema
from janus_synth.trees import Bag

BASELINES = ("fair", "neutral", "learnt")
"""Worlds to plant biases in; see ``plant``."""


def baseline_model(model: Model, biases: Sequence[Bias], baseline: str) -> Model:
    """Return the world that biases are planted in: ``"fair"``, ``"neutral"`` or ``"learnt"``."""
    if baseline == "neutral":
        return remove_dependence(model, tuple(dict.fromkeys(name for bias in biases for name in bias.protected)))
    if baseline == "fair":
        for bias in biases:
            model = ignore_protected(model, dict.fromkeys((bias.bites, bias.outcome)), bias.protected)
    return model


def ignore_protected(model: Model, columns: Iterable[str], protected: Sequence[str]) -> Model:
    """Return the model in which some columns do not depend directly on the protected ones."""
    for column in columns:
        for name in protected:
            if model.codec.names.index(name) in model.bag(column).parents:
                model = _with_independent_copy(model, column, name)
    return model


def remove_dependence(model: Model, protected: Sequence[str]) -> Model:
    """Return the model in which the protected columns are independent of all others."""
    children = [name for name in model.codec.names if set(model.dag.parents[name]) & set(protected)]
    mutilated = without_parents(model, protected)
    neutral = ignore_protected(mutilated, [name for name in children if name not in protected], protected)
    return replace(neutral, rules=model.rules, interventions=model.interventions)


def _with_independent_copy(model: Model, column: str, protected: str) -> Model:
    """Replace the protected column by an independent copy in all trees of a column."""
    i, old, new = model.codec.names.index(column), model.codec.names.index(protected), len(model.codec.names)
    name = _unused_name(model, f"independent copy of {protected} for {column}")
    n_codes = model.codec.columns[protected].n_codes
    bags = [_widen_bag(bag, n_codes) for bag in model.bags]
    bags[i] = _replace_parent(bags[i], old, new, int(model.codec.n_codes[:old].sum()), n_codes)
    copy = replace(marginal_bag(bags[old]), target=new)
    parents = {**model.dag.parents, name: ()}
    parents[column] = tuple(name if parent == protected else parent for parent in parents[column])
    return replace(
        model,
        schema=Schema((*model.schema.columns, replace(model.schema[protected], name=name)), model.schema.frame),
        codec=Codec({**model.codec.columns, name: model.codec.columns[protected]}),
        dag=Dag(parents),
        bags=(*bags, copy),
        graphs=None,
    )


def _unused_name(model: Model, name: str) -> str:
    while name in model.schema.names:
        name += "'"
    return name


def _widen_bag(bag: Bag, n_codes: int) -> Bag:
    """The same bag in a model with one more column: backward counts get room for its codes."""
    counts = bag.leaves.backward
    wide = csr_array((counts.data, counts.indices, counts.indptr), shape=(counts.shape[0], counts.shape[1] + n_codes))
    return replace(bag, leaves=replace(bag.leaves, backward=wide))


def _replace_parent(bag: Bag, old: int, new: int, offset: int, n_codes: int) -> Bag:
    """The same bag with one parent replaced by another; backward counts move with it."""
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
