"""Answers by column in, answers by column of the user out: those of hidden columns belong to their linked column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from janus_synth.model import Model

T = TypeVar("T")


def with_hidden(model: Model, columns: Sequence[str]) -> tuple[str, ...]:
    """Columns, and the hidden ones of those that are linked."""
    hidden = (name for link in model.links if link.column in columns for name in link.hidden)
    return tuple(dict.fromkeys((*columns, *hidden)))


def fold_hidden(model: Model, parts: Mapping[str, T], add: Callable[[T, T], T]) -> dict[str, T]:
    """Answers of the columns that the user knows, with those of hidden columns added to their linked columns'."""
    folded = {name: part for name, part in parts.items() if name not in model.hidden}
    for link in model.links:
        for name in link.hidden:
            if name in parts and link.column in folded:
                folded[link.column] = add(folded[link.column], parts[name])
    return folded
