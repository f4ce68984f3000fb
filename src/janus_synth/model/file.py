"""Model files: a `Model` and its settings to a ``.janus`` file and back; one reader per format version."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

import numpy as np

from janus_synth.arrays import Array, Floats, Ints
from janus_synth.coordinates import Link, Product
from janus_synth.coordinates.links import SOURCES
from janus_synth.coordinates.local_time import LocalTime
from janus_synth.coordinates.scaled import Scaled
from janus_synth.encoding import Codec, LevelCodec, OrderedCodec
from janus_synth.encoding.codec import ColumnCodec
from janus_synth.encoding.gaps import NO_GAPS
from janus_synth.encoding.lattice import Lattice
from janus_synth.encoding.ordered import N_KNOTS
from janus_synth.errors import JanusError, ModelFileError
from janus_synth.graph import Dag
from janus_synth.kernels.dtypes import COUNT, INDEX, N_RESIDUALS, REAL
from janus_synth.model.archive import ArchiveReader, open_archive, write_archive
from janus_synth.model.checks import (
    check_code_tree,
    check_codec,
    check_counts,
    check_row_starts,
    check_shared_code,
    check_splits,
    check_trends,
    require,
    require_bool,
    require_count,
    require_positive,
)
from janus_synth.model.dtype_check import check_dtypes
from janus_synth.model.graph_set import GraphSet
from janus_synth.model.model import Model
from janus_synth.rules import Rule, bind, from_json
from janus_synth.rules.language import split_keys
from janus_synth.table import Schema
from janus_synth.trees import Bag, HistogramLeaves, Splits, Surface, Trends
from janus_synth.trees.code_tree import CodeTree
from janus_synth.trees.scale import Scale
from janus_synth.trees.trend import FIXED_PARTS

VERSION = 7
"""Version 2 added the gaps of ordered columns; files of version 1 are read without any. Version 3 added sets of graphs;
models without one are written as version 2. Version 4 added personal columns, version 5 keys among the rules,
version 6 bent bins of residuals, and version 7 links of more forms; each is written for models with
them."""
COUNT_TYPES = (np.uint8, np.uint16, np.uint32, np.uint64)
"""Counts and positions are stored in the smallest of these that holds them."""
MALFORMED = (JanusError, KeyError, ValueError, TypeError, IndexError, AttributeError, OverflowError)
"""Errors that parsing a malformed manifest raises."""

Arrays = dict[str, Array]


def save_model(model: Model, path: str | os.PathLike[str], *, settings: Mapping[str, Any]) -> None:
    """Write a model and the settings it was fitted with."""
    from janus_synth import __version__

    arrays: Arrays = {}
    columns = []
    for i, (name, codec) in enumerate(model.codec.columns.items()):
        entry = {"name": name, "codec": _write_codec(codec, f"{i}/codec", arrays)}
        entry["leaves"] = _write_bag(model.bags[i], f"{i}/bag", arrays)
        columns.append(entry)
    manifest = {
        "version": _version_of(model),
        "written_by": f"janus-synth {__version__}",
        "schema": model.schema.to_dict(),
        "graph": {column: list(its) for column, its in model.dag.parents.items()},
        "graph_given": model.graph_given,
        "n_rows": model.n_rows,
        "rules": [rule.to_json() for rule in model.rules],
        **_write_interventions(model),
        **_write_links(model),
        **({"least": model.least} if model.least > 1 else {}),
        **_write_graphs(model.graphs, arrays),
        "settings": dict(settings),
        "columns": columns,
    }
    write_archive(path, manifest, {f"{name}.npy": array for name, array in arrays.items()})


def _version_of(model: Model) -> int:
    """Oldest version that can read a model."""
    if any(_is_of_version_7(link) for link in model.links):
        return 7
    if any(bag.trends is not None and bag.trends.bend > 0.0 for bag in model.bags):
        return 6
    if split_keys(model.rules)[1]:
        return 5
    if any(column.kind == "personal" for column in model.schema):
        return 4
    return 2 if model.graphs is None else 3


def _is_of_version_7(link: Link) -> bool:
    """Whether a link is null in part of the rows, has a local clock, or is a product with a constant or a sum."""
    if isinstance(link.formula, LocalTime):
        return True
    return link.is_absent_elsewhere or (isinstance(link.formula, Product) and not link.formula.is_plain)


def load_model(path: str | os.PathLike[str]) -> tuple[Model, dict[str, Any]]:
    """Read a model and its settings; raise ``ModelFileError`` for anything invalid."""
    with open_archive(path, version=VERSION) as archive:
        try:
            model, settings = _read_model(archive)
        except ModelFileError:
            raise
        except MALFORMED as error:
            raise ModelFileError(
                f"{os.fspath(path)} is damaged: {_describe_error(error)}. Save the model again."
            ) from error
        archive.require_all_read()
    return model, settings


def _read_model(archive: ArchiveReader) -> tuple[Model, dict[str, Any]]:
    manifest = archive.manifest
    schema = Schema.from_dict(manifest["schema"])
    entries = _as_list(manifest["columns"], "the columns")
    learnt = {column.name: column for column in schema.learnt}
    names = [_as_object(entry, "each column")["name"] for entry in entries]
    require(names == list(learnt), "the model's columns are not those of its schema")
    dag = _read_graph(manifest["graph"])
    require(list(dag.columns) == names, "the graph's columns are not those of the schema")
    codecs: dict[str, ColumnCodec] = {}
    for i, (name, entry) in enumerate(zip(names, entries, strict=True)):
        with _naming_column(name):
            codecs[name] = _read_codec(entry["codec"], f"{i}/codec", archive, has_gaps=manifest["version"] >= 2)
            check_codec(codecs[name], learnt[name])
    codec = Codec(codecs)
    place = {name: i for i, name in enumerate(names)}
    n_codes, bags = codec.n_codes, []
    for i, (name, entry) in enumerate(zip(names, entries, strict=True)):
        with _naming_column(name):
            bag = _read_bag(entry["leaves"], f"{i}/bag", archive, i, n_codes)
            parents = [place[parent] for parent in dag.parents[name]]
            check_splits(bag.splits, i, parents, n_codes)
            check_trends(bag.trends, i, parents, n_codes)
            check_shared_code(codecs[name], bag.leaves)
            bags.append(bag)
    n_rows, given = require_count(manifest["n_rows"], "n_rows"), require_bool(manifest["graph_given"], "graph_given")
    least = require_count(manifest.get("least", 1), "least")
    rules = _read_rules(manifest.get("rules", []), schema)
    interventions = _read_interventions(manifest.get("interventions", {}), schema, names)
    links, unlinked = _read_links(manifest, schema, names, dag)
    check_dtypes(schema, codec, {name for link in links for name in link.hidden})
    graphs = _read_graphs(manifest.get("graphs"), archive, names, n_codes, codec)
    model = Model(schema, codec, dag, tuple(bags), n_rows, given, rules, interventions, links, unlinked, graphs, least)
    return model, _as_object(manifest["settings"], "the settings")


def _write_interventions(model: Model) -> dict[str, Any]:
    """Nothing for a model without interventions."""
    if not model.interventions:
        return {}
    return {"interventions": {name: rule.to_json() for name, rule in model.interventions.items()}}


def _write_links(model: Model) -> dict[str, Any]:
    """Nothing for a model without links."""
    if not model.links:
        return {}
    return {"links": [link.to_json() for link in model.links], "unlinked": list(model.unlinked)}


def _read_links(
    manifest: Mapping[str, Any], schema: Schema, names: list[str], dag: Dag
) -> tuple[tuple[Link, ...], tuple[str, ...]]:
    """Links whose columns exist and whose inputs are drawn before them."""
    links = tuple(Link.from_json(entry) for entry in _as_list(manifest.get("links", []), "the links"))
    unlinked = tuple(map(str, _as_list(manifest.get("unlinked", []), "the unlinked columns")))
    for link in links:
        require({link.column, *link.inputs} <= set(names), f"the link of {link.column!r} names an unknown column")
        if link.source is not None:
            require(schema[link.source].levels == SOURCES, f"{link.source!r} does not say where values come from")
        if isinstance(link.formula, Scaled):
            same = schema[link.formula.factor].levels == link.formula.levels
            require(same, f"{link.formula.factor!r} does not list the factors of {link.column!r}")
        if link.column not in unlinked:
            known = set(link.inputs) == set(dag.parents[link.column])
            require(known, f"the inputs of {link.column!r} are not its parents in the graph")
    require(len({link.column for link in links}) == len(links), "a column has two links")
    hidden = [name for link in links for name in link.hidden]
    require(len(set(hidden)) == len(hidden), "a hidden column belongs to two links")
    require(set(unlinked) <= {link.column for link in links}, "a column without a link is named as unlinked")
    return links, unlinked


def _write_graphs(graphs: GraphSet | None, arrays: Arrays) -> dict[str, Any]:
    """Nothing for a model of one graph."""
    if graphs is None:
        return {}
    bags = [{"column": b.target, "leaves": _write_bag(b, f"set/{i}", arrays)} for i, b in enumerate(graphs.bags)]
    members = [
        {"weight": weight, "graph": {column: list(its) for column, its in dag.parents.items()}, "bags": list(places)}
        for dag, weight, places in zip(graphs.dags, graphs.weights, graphs.places, strict=True)
    ]
    return {"graphs": {"members": members, "bags": bags}}


def _read_graphs(entry: Any, archive: ArchiveReader, names: list[str], n_codes: Ints, codec: Codec) -> GraphSet | None:
    if entry is None:
        return None
    members = _as_list(_as_object(entry, "the set of graphs")["members"], "the graphs of the set")
    bags = []
    for i, one in enumerate(_as_list(entry["bags"], "the bags of the set")):
        target = require_count(one["column"], "the column of a bag")
        require(target < len(names), "a bag of the set belongs to no column")
        bags.append(_read_bag(one["leaves"], f"set/{i}", archive, target, n_codes))
        check_shared_code(codec.columns[names[target]], bags[-1].leaves)
    dags = tuple(_read_graph(member["graph"]) for member in members)
    require(all(list(dag.columns) == names for dag in dags), "the columns of a graph are not those of the schema")
    weights = tuple(require_positive(member["weight"], "the weight of a graph") for member in members)
    places = tuple(
        tuple(require_count(place, "the number of a bag") for place in _as_list(member["bags"], "the bags of a graph"))
        for member in members
    )
    graphs = GraphSet(dags, weights, tuple(bags), places)
    require({place for own in places for place in own} == set(range(len(bags))), "a bag of the set has no graph")
    for number, dag in enumerate(dags):
        for i, bag in enumerate(graphs.bags_of(number)):
            parents = [names.index(parent) for parent in dag.parents[names[i]]]
            check_splits(bag.splits, i, parents, n_codes)
            check_trends(bag.trends, i, parents, n_codes)
    return graphs


def _read_interventions(entries: Any, schema: Schema, names: list[str]) -> dict[str, Rule]:
    found = _as_object(entries, "the interventions")
    require(set(found) <= set(names), "an intervention sets a column that does not exist")
    return dict(zip(found, _read_rules([*found.values()], schema), strict=True))


def _read_rules(entries: Any, schema: Schema) -> tuple[Rule, ...]:
    rules = tuple(from_json(_as_object(entry, "each rule")) for entry in _as_list(entries, "the rules"))
    for rule in rules:
        bind(rule, schema)
    return rules


def _read_graph(graph: Any) -> Dag:
    parents = _as_object(graph, "the graph")
    return Dag({column: tuple(_as_list(its, f"the parents of {column!r}")) for column, its in parents.items()})


def _write_codec(codec: ColumnCodec, at: str, arrays: Arrays) -> dict[str, Any]:
    if isinstance(codec, OrderedCodec):
        for part in ("upper", "knot", "level", "gaps"):
            arrays[f"{at}/{part}"] = getattr(codec, part)
        lattice = codec.lattice.to_list() if codec.lattice else None
        return {"kind": "ordered", "lattice": lattice, "nullable": codec.nullable}
    assert isinstance(codec, LevelCodec)
    arrays[f"{at}/own"], arrays[f"{at}/weight"] = codec.own, codec.weight
    return {"kind": "levels", "ordered": codec.ordered, "nullable": codec.nullable}


def _read_codec(entry: Mapping[str, Any], at: str, archive: ArchiveReader, *, has_gaps: bool) -> ColumnCodec:
    nullable = require_bool(entry["nullable"], "nullable")
    match entry["kind"]:
        case "ordered":
            knot = archive.array(f"{at}/knot.npy", REAL, shape=(None, N_KNOTS))
            level = archive.array(f"{at}/level.npy", REAL, shape=knot.shape)
            upper = archive.array(f"{at}/upper.npy", REAL, shape=(max(0, len(knot) - 1),))
            gaps = archive.array(f"{at}/gaps.npy", REAL, shape=(None, 2)) if has_gaps else NO_GAPS
            lattice = None if entry["lattice"] is None else Lattice(*entry["lattice"])
            return OrderedCodec(upper, knot, level, lattice, nullable, gaps)
        case "levels":
            own = archive.array(f"{at}/own.npy", np.int32, shape=(None,))
            weight = archive.array(f"{at}/weight.npy", REAL, shape=(None,))
            return LevelCodec(own, weight, require_bool(entry["ordered"], "ordered"), nullable)
        case kind:
            raise ValueError(f"unknown codec {kind!r}")


def _write_bag(bag: Bag, at: str, arrays: Arrays) -> dict[str, Any]:
    for part in fields(Splits):
        arrays[f"{at}/splits/{part.name}"] = getattr(bag.splits, part.name)
    leaves = bag.leaves
    _write_counts(leaves.forward, f"{at}/forward", arrays)
    _write_counts(leaves.backward, f"{at}/backward", arrays)
    for part_name in ("path_start", "path_slot", "slot_up", "mass"):
        arrays[f"{at}/tree/{part_name}"] = getattr(leaves.tree, part_name)
    arrays[f"{at}/allowed"] = leaves.allowed
    entry = {
        "family": "histogram",
        "prior_strength": leaves.prior_strength,
        "root_strength": leaves.root_strength,
        "hierarchical": leaves.hierarchical,
    }
    if bag.trends is not None:
        entry["trend"] = _write_trends(bag.trends, f"{at}/trend", arrays)
    return entry


def _write_trends(trends: Trends, at: str, arrays: Arrays) -> dict[str, Any]:
    arrays[f"{at}/below"], arrays[f"{at}/apart"] = trends.scale.below, trends.scale.apart
    for part in FIXED_PARTS:
        arrays[f"{at}/{part}"] = getattr(trends, part)
    _write_counts(trends.residuals, f"{at}/residuals", arrays)
    entry: dict[str, Any] = {"strength": trends.strength}
    if trends.bend:
        entry["bend"] = trends.bend
    if trends.scale.values is not None:
        arrays[f"{at}/values"] = trends.scale.values
        entry["scale"] = "values"
    if trends.surface is not None:
        for one in fields(Surface):
            array = getattr(trends.surface, one.name)
            if not array.shape[-1]:  # a surface that counts as known
                continue
            arrays[f"{at}/surface/{one.name}"] = array.reshape(-1, array.shape[-1]) if array.ndim > 2 else array
        entry["surface"] = True
        entry["surface_directions"] = trends.surface.factor.shape[1]
    return entry


def _write_counts(counts: Any, at: str, arrays: Arrays) -> None:
    for part in ("indptr", "indices", "data"):
        arrays[f"{at}/{part}"] = _smallest_unsigned(getattr(counts, part))


def _read_bag(entry: Mapping[str, Any], at: str, archive: ArchiveReader, target: int, n_codes: Ints) -> Bag:
    require(entry["family"] == "histogram", f"unknown leaf family {entry['family']!r}")
    splits = _read_splits(f"{at}/splits", archive)
    own, n_leaves = int(n_codes[target]), splits.n_leaves
    leaves = HistogramLeaves(
        _read_counts(f"{at}/forward", archive, (n_leaves, own)),
        _read_counts(f"{at}/backward", archive, (n_leaves, int(n_codes.sum()))),
        _read_code_tree(f"{at}/tree", archive, own),
        archive.array(f"{at}/allowed.npy", np.bool_, shape=(own,)),
        require_positive(entry["prior_strength"], "prior_strength"),
        require_bool(entry["hierarchical"], "hierarchical"),
        require_positive(entry.get("root_strength", entry["prior_strength"]), "root_strength"),
    )
    trends = _read_trends(entry["trend"], f"{at}/trend", archive, n_leaves, own) if "trend" in entry else None
    return Bag(target, splits, leaves, trends)


def _read_trends(entry: Any, at: str, archive: ArchiveReader, n_leaves: int, n_codes: int) -> Trends:
    parents, entry = archive.array(f"{at}/parents.npy", INDEX, shape=(None,)), _as_object(entry, "the trend")
    p = len(parents)
    score = archive.array(f"{at}/score.npy", REAL, shape=(p, None))
    return Trends(
        _read_scale(entry, at, archive, n_codes),
        parents,
        score,
        coef=archive.array(f"{at}/coef.npy", REAL, shape=(n_leaves, p + 1)),
        spread=archive.array(f"{at}/spread.npy", REAL, shape=(n_leaves,)),
        low=archive.array(f"{at}/low.npy", REAL, shape=(n_leaves, p)),
        high=archive.array(f"{at}/high.npy", REAL, shape=(n_leaves, p)),
        weight=archive.array(f"{at}/weight.npy", REAL, shape=(n_leaves,)),
        residuals=_read_counts(f"{at}/residuals", archive, (n_leaves, N_RESIDUALS)),
        strength=require_positive(entry["strength"], "strength"),
        bend=require_positive(entry["bend"], "bend") if "bend" in entry else 0.0,
        surface=_read_surface(entry, f"{at}/surface", archive, score.shape) if entry.get("surface") else None,
    )


def _read_scale(entry: Mapping[str, Any], at: str, archive: ArchiveReader, n_codes: int) -> Scale:
    kind = entry.get("scale", "normal scores")
    require(kind in ("normal scores", "values"), f"unknown scale {kind!r}")
    return Scale(
        archive.array(f"{at}/below.npy", REAL, shape=(n_codes + 1,)),
        archive.array(f"{at}/apart.npy", np.bool_, shape=(n_codes,)),
        archive.array(f"{at}/values.npy", REAL, shape=(n_codes + 1,)) if kind == "values" else None,
    )


def _read_surface(entry: Mapping[str, Any], at: str, archive: ArchiveReader, shape: tuple[int, ...]) -> Surface:
    pairs = archive.array(f"{at}/pairs.npy", INDEX, shape=(None, 2))
    single = archive.array(f"{at}/single.npy", REAL, shape=(2 * shape[0], None))
    joint = archive.array(f"{at}/joint.npy", REAL, shape=(None, None))
    n = joint.shape[1]
    require(len(joint) == 2 * len(pairs) * n, "a surface has not a matrix of coefficients for every pair")
    return Surface(
        archive.array(f"{at}/place.npy", REAL, shape=shape),
        archive.array(f"{at}/constant.npy", REAL, shape=(2,)),
        single.reshape(2, shape[0], single.shape[1]),
        pairs,
        joint.reshape(2, len(pairs), n, n),
        _read_factor(entry, at, archive, 1 + shape[0] * single.shape[1] + len(pairs) * n * n),
    )


def _read_factor(entry: Mapping[str, Any], at: str, archive: ArchiveReader, n_coefficients: int) -> Floats:
    """Factor of a surface's covariance; files of earlier versions have none."""
    if not entry.get("surface_directions"):
        return np.zeros((2, 0, 0))
    factor = archive.array(f"{at}/factor.npy", REAL, shape=(None, n_coefficients))
    require(len(factor) % 2 == 0, "a surface has not as many directions of its spread as of its mean")
    return factor.reshape(2, -1, n_coefficients)


def _read_splits(at: str, archive: ArchiveReader) -> Splits:
    left = archive.array(f"{at}/left.npy", INDEX, shape=(None,))
    types = {"left_levels": np.uint8}
    lengths = {"roots": None, "left_levels": None}
    others = {
        part.name: archive.array(
            f"{at}/{part.name}.npy", types.get(part.name, INDEX), shape=(lengths.get(part.name, len(left)),)
        )
        for part in fields(Splits)
        if part.name != "left"
    }
    return Splits(left=left, **others)


def _read_code_tree(at: str, archive: ArchiveReader, n_codes: int) -> CodeTree:
    path_start = archive.array(f"{at}/path_start.npy", INDEX, shape=(n_codes + 1,))
    path_slot = archive.array(f"{at}/path_slot.npy", INDEX, shape=(int(path_start[-1]),))
    slot_up = archive.array(f"{at}/slot_up.npy", INDEX, shape=(None,))
    tree = CodeTree(path_start, path_slot, slot_up, archive.array(f"{at}/mass.npy", REAL, shape=slot_up.shape))
    check_code_tree(tree)
    return tree


def _read_counts(at: str, archive: ArchiveReader, shape: tuple[int, int]) -> Any:
    from scipy.sparse import csr_array

    start = archive.array(f"{at}/indptr.npy", *COUNT_TYPES, shape=(shape[0] + 1,))
    check_row_starts(start, shape[1])
    key, count = (
        archive.array(f"{at}/{part}.npy", *COUNT_TYPES, shape=(int(start[-1]),)) for part in ("indices", "data")
    )
    check_counts(start, key, count, shape[1])
    width = COUNT if int(count.max(initial=0)) <= np.iinfo(COUNT).max else np.int64
    return csr_array((count.astype(width), key.astype(INDEX), start.astype(INDEX)), shape=shape)


def _smallest_unsigned(whole: Array) -> Array:
    """The smallest unsigned type that holds these counts or positions."""
    return whole.astype(np.min_scalar_type(int(whole.max(initial=0))))


def _as_list(value: Any, what: str) -> list[Any]:
    require(isinstance(value, list), f"{what} should be a list in its manifest")
    return list(value)


def _as_object(value: Any, what: str) -> dict[str, Any]:
    require(isinstance(value, dict), f"{what} should be an object in its manifest")
    return dict(value)


@contextmanager
def _naming_column(column: str) -> Iterator[None]:
    """Prefix errors with the column that they concern."""
    try:
        yield
    except ModelFileError:
        raise
    except MALFORMED as error:
        raise ValueError(f"column {column!r}: {_describe_error(error)}") from error


def _describe_error(error: Exception) -> str:
    """Text of an error; Python's own errors are shown with their type."""
    if isinstance(error, KeyError) and not isinstance(error, JanusError):
        return f"its manifest lacks {error}"
    plain = isinstance(error, JanusError) or type(error) is ValueError
    return str(error).removesuffix(".") if plain else f"{type(error).__name__}: {error}"
