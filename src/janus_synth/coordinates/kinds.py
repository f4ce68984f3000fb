"""Formulas of all kinds as JSON: a formula in, plain values out, and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from janus_synth.coordinates.clock import Clock
from janus_synth.coordinates.formulas import Band, CalendarPart, Formula, Lookup, Product, Sum
from janus_synth.coordinates.local_time import LocalTime
from janus_synth.coordinates.pair_lookup import PairLookup
from janus_synth.coordinates.scaled import Scaled
from janus_synth.errors import SchemaError

KINDS: dict[str, type[Any]] = {
    "band": Band,
    "sum": Sum,
    "lookup": Lookup,
    "pair lookup": PairLookup,
    "calendar": CalendarPart,
    "clock": Clock,
    "local time": LocalTime,
    "product": Product,
    "scaled": Scaled,
}
"""Formulas by the name that files give them."""


def formula_to_json(formula: Formula) -> dict[str, Any]:
    """Plain values of any formula, with its kind."""
    kind = next(name for name, its in KINDS.items() if isinstance(formula, its))
    return {"kind": kind, **formula.to_json()}


def formula_from_json(values: Mapping[str, Any]) -> Formula:
    """Inverse of ``formula_to_json``; raise SchemaError for anything else."""
    try:
        kind = KINDS[values["kind"]]
        plain = {key: _as_tuples(value) for key, value in values.items() if key != "kind"}
        formula: Formula = kind(**plain)
    except (KeyError, TypeError) as error:
        raise SchemaError(f"a link has a formula that this version does not know: {values!r}.") from error
    return formula


def _as_tuples(value: Any) -> Any:
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value
