"""A model as a ``.janus`` file and back; one reader per format version."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from janus_synth.encoding import Codec, LevelCodec, OrderedCodec
from janus_synth.encoding.codec import ColumnCodec
from janus_synth.encoding.lattice import Lattice
from janus_synth.errors import JanusError, ModelFileError
from janus_synth.kernels.dtypes import COUNT, INDEX, REAL
from janus_synth.model.archive import read_archive, write_archive
from janus_synth.model.model import Model
from janus_synth.structure import Dag
from janus_synth.table import Schema
from janus_synth.trees import Bag, HistogramLeaves, Splits
from janus_synth.trees.code_tree import CodeTree

VERSION = 1
Arrays = dict[str, NDArray[Any]]


def save_model(model: Model, path: str | os.PathLike[str], *, settings: Mapping[str, Any]) -> None:
    """Write a model and the settings it was made with."""
    from janus_synth import __version__

    arrays: Arrays = {}
    columns = []
    for i, (name, codec) in enumerate(model.codec.columns.items()):
        entry = {"name": name, "codec": _put_codec(codec, f"{i}/codec", arrays)}
        entry["leaves"] = _put_bag(model.bags[i], f"{i}/bag", arrays)
        columns.append(entry)
    manifest = {
        "version": VERSION,
        "written_by": f"janus-synth {__version__}",
        "schema": model.schema.to_dict(),
        "graph": {column: list(its) for column, its in model.dag.parents.items()},
        "graph_given": model.graph_given,
        "n_rows": model.n_rows,
        "settings": dict(settings),
        "columns": columns,
    }
    write_archive(path, manifest, {f"{name}.npy": array for name, array in arrays.items()})


def load_model(path: str | os.PathLike[str]) -> tuple[Model, dict[str, Any]]:
    """Read a model and its settings; anything odd is a ``ModelFileError``."""
    manifest, members = read_archive(path, version=VERSION)
    arrays = {name.removesuffix(".npy"): array for name, array in members.items()}
    try:
        return _read_version_1(manifest, arrays)
    except (JanusError, KeyError, ValueError, TypeError, IndexError, AttributeError, OverflowError) as error:
        raise ModelFileError(f"{os.fspath(path)} is damaged: {type(error).__name__}: {error}.") from error


def _read_version_1(manifest: dict[str, Any], arrays: Arrays) -> tuple[Model, dict[str, Any]]:
    schema = Schema.from_dict(manifest["schema"])
    names = [entry["name"] for entry in manifest["columns"]]
    _require(names == [column.name for column in schema.learnt], "columns and schema disagree")
    dag = Dag({column: tuple(its) for column, its in manifest["graph"].items()})
    _require(list(dag.columns) == names, "graph and schema disagree")
    codec = Codec(
        {entry["name"]: _get_codec(entry["codec"], f"{i}/codec", arrays) for i, entry in enumerate(manifest["columns"])}
    )
    for name, column in codec.columns.items():
        if isinstance(column, LevelCodec):
            _require(len(column.weight) == len(schema[name].levels), f"levels of {name}")
    bags = tuple(_get_bag(entry["leaves"], f"{i}/bag", arrays, i, codec) for i, entry in enumerate(manifest["columns"]))
    model = Model(schema, codec, dag, bags, int(manifest["n_rows"]), bool(manifest["graph_given"]))
    return model, dict(manifest["settings"])


def _put_codec(codec: ColumnCodec, at: str, arrays: Arrays) -> dict[str, Any]:
    if isinstance(codec, OrderedCodec):
        for part in ("upper", "knot", "level"):
            arrays[f"{at}/{part}"] = getattr(codec, part)
        lattice = codec.lattice.to_list() if codec.lattice else None
        return {"kind": "ordered", "lattice": lattice, "nullable": codec.nullable}
    assert isinstance(codec, LevelCodec)
    arrays[f"{at}/own"], arrays[f"{at}/weight"] = codec.own, codec.weight
    return {"kind": "levels", "ordered": codec.ordered, "nullable": codec.nullable}


def _get_codec(entry: Mapping[str, Any], at: str, arrays: Arrays) -> ColumnCodec:
    match entry["kind"]:
        case "ordered":
            upper, knot, level = (_typed(arrays[f"{at}/{part}"], REAL) for part in ("upper", "knot", "level"))
            _require(knot.ndim == 2 and knot.shape == level.shape and len(upper) == len(knot) - 1, "bins")
            _require(knot.shape[1] >= 2 and bool(np.all(np.diff(upper) >= 0)), "bins")
            _require(bool(np.all(np.isfinite(knot)) and np.all(np.diff(knot) >= 0)), "bins")
            lattice = Lattice(*map(int, entry["lattice"])) if entry["lattice"] else None
            return OrderedCodec(upper, knot, level, lattice, bool(entry["nullable"]))
        case "levels":
            own, weight = _typed(arrays[f"{at}/own"], np.int32), _typed(arrays[f"{at}/weight"], REAL)
            _require(_within(own, len(weight)) and len(np.unique(own)) == len(own), "levels")
            _require(bool(np.all(weight >= 0)), "levels")
            return LevelCodec(own, weight, bool(entry["ordered"]), bool(entry["nullable"]))
        case kind:
            raise ValueError(f"unknown codec {kind!r}")


def _put_bag(bag: Bag, at: str, arrays: Arrays) -> dict[str, Any]:
    for part in fields(Splits):
        arrays[f"{at}/splits/{part.name}"] = getattr(bag.splits, part.name)
    leaves = bag.leaves
    for way, counts in (("forward", leaves.forward), ("backward", leaves.backward)):
        for part_name in ("indptr", "indices", "data"):
            arrays[f"{at}/{way}/{part_name}"] = _narrowest(getattr(counts, part_name))
    for part_name in ("path_start", "path_slot", "slot_up", "mass"):
        arrays[f"{at}/tree/{part_name}"] = getattr(leaves.tree, part_name)
    arrays[f"{at}/allowed"] = leaves.allowed
    return {
        "family": "histogram",
        "prior_strength": leaves.prior_strength,
        "hierarchical": leaves.hierarchical,
    }


def _get_bag(entry: Mapping[str, Any], at: str, arrays: Arrays, target: int, codec: Codec) -> Bag:
    _require(entry["family"] == "histogram", "leaf family")
    n_codes = codec.n_codes
    types = {"left_levels": np.uint8}
    splits = Splits(
        **{
            part.name: _typed(arrays[f"{at}/splits/{part.name}"], types.get(part.name, INDEX))
            for part in fields(Splits)
        }
    )
    inner = splits.left >= 0
    _require(_within(splits.feature[inner], len(n_codes)), "splits")
    sets = inner & (splits.set_start >= 0)
    ends = splits.set_start[sets] + n_codes[splits.feature[sets]]
    _require(bool(np.all(ends <= len(splits.left_levels))), "splits")
    path_start, path_slot, slot_up = (
        _typed(arrays[f"{at}/tree/{part}"], INDEX) for part in ("path_start", "path_slot", "slot_up")
    )
    tree = CodeTree(path_start, path_slot, slot_up, _typed(arrays[f"{at}/tree/mass"], REAL))
    own = int(n_codes[target])
    _require(len(tree.path_start) == own + 1 and bool(np.all(np.diff(tree.path_start) >= 1)), "code tree")
    _require(tree.path_start[0] == 0 and tree.path_start[-1] == len(tree.path_slot), "code tree")
    _require(_within(tree.path_slot, tree.n_slots) and len(tree.mass) == tree.n_slots, "code tree")
    _require(
        bool(np.all(tree.slot_up[1:] < np.arange(1, tree.n_slots))) and _within(tree.slot_up, tree.n_slots),
        "code tree",
    )
    allowed = _typed(arrays[f"{at}/allowed"], np.bool_)
    _require(len(allowed) == own, "allowed codes")
    leaves = HistogramLeaves(
        _get_counts(arrays, f"{at}/forward", (splits.n_leaves, own)),
        _get_counts(arrays, f"{at}/backward", (splits.n_leaves, int(n_codes.sum()))),
        tree,
        allowed,
        float(entry["prior_strength"]),
        bool(entry["hierarchical"]),
    )
    return Bag(target, splits, leaves)


def _get_counts(arrays: Arrays, at: str, shape: tuple[int, int]) -> Any:
    start, key, count = (arrays[f"{at}/{part}"] for part in ("indptr", "indices", "data"))
    start, key, count = start.astype(INDEX), key.astype(INDEX), count.astype(COUNT)
    _require(len(start) == shape[0] + 1 and len(key) == len(count) == start[-1] and start[0] == 0, "counts")
    _require(bool(np.all(np.diff(start) >= 0)) and _within(key, shape[1]) and bool(np.all(count >= 0)), "counts")
    return csr_array((count, key, start), shape=shape)


def _narrowest(whole: NDArray[Any]) -> NDArray[Any]:
    """The smallest unsigned type that holds these counts or positions."""
    return whole.astype(np.min_scalar_type(int(whole.max(initial=0))))


def _typed(array: NDArray[Any], dtype: Any) -> NDArray[Any]:
    _require(array.dtype == dtype, f"an array of {array.dtype} where {np.dtype(dtype)} belongs")
    return array


def _within(indices: NDArray[Any], n: int) -> bool:
    return bool(indices.size == 0 or (indices.min() >= 0 and indices.max() < n))


def _require(sound: bool, what: str) -> None:
    if not sound:
        raise ValueError(f"{what} do not fit together")
