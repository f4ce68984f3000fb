"""What a user gives besides tables and models: bins, edges, graphs, schemas and tiers, in words or in small files."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import typer

LEARNERS = ("auto", "chain", "forest", "pc", "ges")
EDGE_HEADERS = (("parent", "child"), ("from", "to"), ("source", "target"))


def bins(text: str) -> int | str:
    """A number of bins, or ``auto``."""
    if text == "auto":
        return text
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 2 <= number <= 4096:
        raise typer.BadParameter(f"{text!r} is no number from 2 to 4096, nor 'auto'.")
    return number


def edges_of(texts: list[str] | None, option: str) -> list[tuple[str, str]] | None:
    """Pairs from ``A:B``, or ``A->B`` where a name has a colon."""
    return [_edge(text, option) for text in texts] if texts else None


def _edge(text: str, option: str) -> tuple[str, str]:
    ends = text.split("->" if "->" in text else ":")
    if len(ends) != 2 or not all(ends):
        raise typer.BadParameter(
            f"{text!r} is no edge. Write A:B for an edge from A to B, or 'A->B' where a name has a colon.",
            param_hint=option,
        )
    return ends[0].strip(), ends[1].strip()


def structure_of(text: str) -> Any:
    """Name of a learner, or the graph in a file."""
    if text in LEARNERS:
        return text
    if not os.path.exists(text):
        raise typer.BadParameter(
            f"{text!r} is neither a learner ({', '.join(LEARNERS)}) nor a file of edges.", param_hint="--structure"
        )
    return _edges_in_csv(text) if text.lower().endswith(".csv") else _graph_in_json(text)


def _graph_in_json(path: str) -> Any:
    """Edges ``[["a", "b"], …]``, parents ``{"b": ["a"]}``, or an object that holds one of them."""
    graph = json_in(path)
    if isinstance(graph, dict):
        for key in ("edges", "parents"):
            if set(graph) == {key}:
                graph = graph[key]
                break
    if not isinstance(graph, dict | list):
        raise ValueError(f'{path} holds no graph. Write edges [["parent", "child"], …] or {{"child": ["parents"]}}.')
    return graph


def _edges_in_csv(path: str) -> list[tuple[str, str]]:
    """Read lines ``parent,child``, with or without a header that says so."""
    lines = list(csv.reader(text_in(path).splitlines()))
    pairs = [tuple(cell.strip() for cell in line) for line in lines if line]
    for number, pair in enumerate(pairs, 1):
        if len(pair) != 2:
            raise ValueError(f"{path}, line {number}: {','.join(pair)!r} is no edge. Write parent,child.")
    edges = [(parent, child) for parent, child in pairs]
    return edges[1:] if edges and tuple(name.lower() for name in edges[0]) in EDGE_HEADERS else edges


def overrides_in(path: str) -> Any:
    """A whole ``Schema``, or changes per column."""
    from janus_synth.table import Schema

    values = json_in(path)
    if not isinstance(values, dict):
        raise ValueError(f'{path} holds no schema. Write an object such as {{"age": {{"low": 0, "high": 120}}}}.')
    return Schema.from_dict(values) if isinstance(values.get("columns"), list) else values


def tiers_in(path: str) -> Any:
    """Lists of columns, earlier causes first."""
    tiers = json_in(path)
    if not isinstance(tiers, list):
        raise ValueError(f'{path} holds no tiers. Write lists of columns, causes first: [["age"], ["pay", "loan"]].')
    return tiers


def json_in(path: str) -> Any:
    """What a JSON file holds."""
    text = text_in(path)
    try:
        return json.loads(text)
    except ValueError as error:
        raise ValueError(f"{path} is not JSON: {error}. Correct it.") from error


def text_in(path: str) -> str:
    """Text of a small file."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise FileNotFoundError(f"there is no file {path}. Check the name.") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text. Save it as UTF-8.") from error
