"""Files with valid checksums and invalid values are refused: nothing that a kernel cannot walk is loaded."""

from __future__ import annotations

import numpy as np
import pytest

from model.archives import Archive, npy, refused


def first_split(parts: Archive, column: str) -> int:
    return int(np.flatnonzero(parts.array(column, "bag/splits/left") >= 0)[0])


def put(column: str, part: str, value: int):
    """Set what the first node that splits has in an array."""

    def edit(parts: Archive) -> None:
        node = first_split(parts, column)

        def with_value(array):
            array[node] = value
            return array

        parts.change(column, part, with_value)

    return edit


def mapped(column: str, part: str, change):
    return lambda parts: parts.change(column, part, change)


def set_node_of_the_last_tree(parts: Archive) -> None:
    """Let the first tree's root send its rows into the last tree."""
    last = len(parts.array("number", "bag/splits/left")) - 1
    put("number", "bag/splits/right", last)(parts)


def turned(array):
    return array[:, None]


UNSAFE = {
    "left child before its parent": put("number", "bag/splits/left", 0),
    "right child before its parent": put("number", "bag/splits/right", 0),
    "left child beyond the nodes": put("number", "bag/splits/left", 10**6),
    "right child beyond the nodes": put("number", "bag/splits/right", 10**6),
    "right child missing": put("number", "bag/splits/right", -1),
    "child in another tree": set_node_of_the_last_tree,
    "feature beyond the columns": put("number", "bag/splits/feature", 99),
    "feature below zero": put("number", "bag/splits/feature", -1),
    "feature is the column itself": put("number", "bag/splits/feature", 2),
    "level sets beyond their array": mapped("number", "bag/splits/left_levels", lambda sets: sets[:1]),
    "level sets other than 0 and 1": mapped("number", "bag/splits/left_levels", lambda sets: sets + 200),
    "level sets turned": mapped("number", "bag/splits/left_levels", turned),
    "roots beyond the nodes": mapped("number", "bag/splits/roots", lambda roots: roots + 10**6),
    "roots turned": mapped("number", "bag/splits/roots", turned),
    "no roots": mapped("number", "bag/splits/roots", lambda roots: roots[:0]),
    "nodes turned": mapped("number", "bag/splits/left", turned),
    "leaves numbered wrongly": mapped("number", "bag/splits/leaf_of_node", lambda leaves: leaves + 5),
    "forward codes out of range": mapped("number", "bag/forward/indices", lambda codes: codes + 200),
    "backward codes out of range": mapped("number", "bag/backward/indices", lambda codes: codes + 200),
    "rows of counts in disorder": mapped("number", "bag/forward/indptr", lambda starts: starts[::-1]),
    "counts too few": mapped("number", "bag/forward/data", lambda counts: counts[:-1]),
    "counts turned": mapped("number", "bag/forward/data", turned),
    "paths beyond the slots": mapped("number", "bag/tree/path_slot", lambda slots: slots + 1_000),
    "paths turned": mapped("number", "bag/tree/path_slot", turned),
    "paths that end too late": mapped("number", "bag/tree/path_start", lambda starts: starts + 1),
    "slots above themselves": mapped("number", "bag/tree/slot_up", lambda up: np.arange(len(up))),
    "allowed codes too few": mapped("number", "bag/allowed", lambda allowed: allowed[:-1]),
    "allowed codes turned": mapped("number", "bag/allowed", turned),
    "levels beyond the schema": mapped("level", "codec/own", lambda own: own + 99),
    "levels below zero": mapped("level", "codec/own", lambda own: own - 1),
    "levels twice": mapped("level", "codec/own", np.zeros_like),
    "levels turned": mapped("level", "codec/own", turned),
    "bins turned": mapped("count", "codec/upper", turned),
    "bins too few": mapped("count", "codec/upper", lambda upper: upper[:-1]),
}


@pytest.mark.parametrize("edit", UNSAFE.values(), ids=UNSAFE)
def test_arrays_that_kernels_cannot_walk_safely_are_refused(edit, parts, tmp_path):
    edit(parts)
    refused(parts.write(tmp_path / "m.janus"), "damaged")


def noted(column: str, section: str, key: str, value):
    return lambda parts: parts.entry(column)[section].update({key: value})


def narrowed(parts: Archive) -> None:
    for part in ("knot", "level"):
        parts.members[parts.name("number", f"codec/{part}")] = npy(
            np.ascontiguousarray(parts.array("number", f"codec/{part}")[:, [0, -1]])
        )


INVALID = {
    "levels of knots are no numbers": mapped("number", "codec/level", lambda level: level * np.nan),
    "levels of knots beyond 1": mapped("number", "codec/level", lambda level: level * 5),
    "levels of knots descend": mapped("number", "codec/level", lambda level: level[:, ::-1]),
    "knots are no numbers": mapped("number", "codec/knot", lambda knot: knot * np.nan),
    "knots descend": mapped("number", "codec/knot", lambda knot: -knot),
    "two knots per bin": narrowed,
    "boundaries are no numbers": mapped("number", "codec/upper", lambda upper: upper * np.nan),
    "boundaries descend": mapped("number", "codec/upper", lambda upper: -upper),
    "weights are no numbers": mapped("level", "codec/weight", lambda weight: weight * np.nan),
    "weights below zero": mapped("level", "codec/weight", lambda weight: -weight),
    "lattice without a step": noted("count", "codec", "lattice", [0, 0, 1]),
    "lattice without a scale": noted("count", "codec", "lattice", [0, 1, 0]),
    "lattice beyond floats": noted("count", "codec", "lattice", [10**400, 1, 1]),
    "lattice of two": noted("count", "codec", "lattice", [0, 1]),
    "codec of another kind": noted("count", "codec", "kind", "neural"),
    "leaves of another kind": noted("count", "leaves", "family", "neural"),
    "prior without strength": noted("number", "leaves", "prior_strength", 0),
    "prior below zero": noted("number", "leaves", "prior_strength", -5.0),
    "prior is no number": noted("number", "leaves", "prior_strength", float("nan")),
    "rows below zero": lambda parts: parts.manifest.update(n_rows=-1),
    "graph with a loop": lambda parts: parts.manifest["graph"].update(level=["number"]),
    "graph without the edges that trees use": lambda parts: parts.manifest["graph"].update(number=[]),
    "graph with a stranger": lambda parts: parts.manifest["graph"].update(level=["nobody"]),
    "graph without a column": lambda parts: parts.manifest["graph"].pop("level"),
    "column listed twice": lambda parts: parts.manifest["columns"].append(parts.manifest["columns"][0]),
    "column not listed": lambda parts: parts.manifest["columns"].pop(),
    "schema with fewer levels": lambda parts: parts.manifest["schema"]["columns"][0].update(levels=["a"]),
    "settings that are a list": lambda parts: parts.manifest.update(settings=[1]),
}


@pytest.mark.parametrize("edit", INVALID.values(), ids=INVALID)
def test_numbers_that_make_no_sense_are_refused(edit, parts, tmp_path):
    edit(parts)
    refused(parts.write(tmp_path / "m.janus"))
