"""What every relation must satisfy, computed with pandas and the rule language alone."""

from __future__ import annotations

import numpy as np
import pandas as pd

from janus_synth import Schema, discover, holds
from janus_synth.relations import Relation, Relations
from janus_synth.rules import as_rule, bind
from janus_synth.table import read_table


def found(frame: pd.DataFrame, kind: str | None = None, **options: object) -> list[Relation]:
    """Relations of one kind, or all, after checking each of them."""
    relations = discover(frame, **options)
    check(relations, frame)
    return [relation for relation in relations if kind in (None, relation.kind)]


def check(relations: Relations, frame: pd.DataFrame) -> None:
    """Rules parse, bind and agree with support and exceptions; examples are rows; the table fits 100 columns."""
    schema = Schema.detect(frame)
    for relation in relations:
        assert 0 <= relation.exceptions < relation.support <= len(frame)
        assert set(relation.example) <= set(frame.columns)
        assert set(relation.columns) == set(relation.example)
        if relation.rule:
            rule = as_rule(relation.rule)
            assert set(rule.columns) == set(relation.columns)
            bind(rule, schema, read_table(frame))
            if "fixed_combinations" not in relation.rule:
                assert int((~holds(relation.rule, frame, schema)).sum()) == relation.exceptions, relation.rule
    assert max(map(len, str(relations).splitlines())) <= 100
    assert relations.rules == tuple(dict.fromkeys(r.rule for r in relations if r.rule and r.exceptions == 0))


def complete(frame: pd.DataFrame, *names: str) -> pd.DataFrame:
    """Rows without nulls in these columns."""
    return frame[list(names)].dropna()


def with_nulls(frame: pd.DataFrame, names: list[str], share: float, random: np.random.Generator) -> pd.DataFrame:
    """The same rows, some cells of these columns missing."""
    frame = frame.copy()
    for name in names:
        frame[name] = frame[name].mask(random.random(len(frame)) < share)
    return frame
