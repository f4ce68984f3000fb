"""Certificate of planted bias: requested and realised magnitudes, favourable rates, true effects; as text or JSON."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from janus_synth.errors import BiasError
from janus_synth.fairness.records import (
    WORLDS,
    EffectRecord,
    Rate,
    Record,
    kinds_of,
    rate_from_dict,
    record_from_dict,
)
from janus_synth.table import Schema

FORMAT = "janus fairness certificate"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Certificate:
    """Ground truth of a table with planted bias.

    Attributes
    ----------
    records : tuple of Record
        Each bias with its requested and realised magnitude, in the order of planting.
    rates : tuple of Rate
        Rates of favourable outcomes by group.
    effects : tuple of EffectRecord
        True direct, indirect and total effects, computed by intervention.
    n_rows, n_turned, n_changed : int
        Number of rows, of rows with a flipped outcome, and of rows in which any cell changed.
    baseline : str
        The world that the biases were planted in.
    rules, where : tuple of str
        Rules and conditions that hold in every row.
    graph : list of (parent, child)
        Edges of the causal graph that the effects assume.
    schema : Schema
        Columns of the table, so that the rules above can be evaluated on a file.
    changed : tuple of str
        Columns that the biases changed in some row.
    """

    records: tuple[Record, ...]
    rates: tuple[Rate, ...]
    effects: tuple[EffectRecord, ...]
    n_rows: int
    n_turned: int
    n_changed: int
    baseline: str
    seed: int
    version: str
    schema: Schema
    changed: tuple[str, ...]
    rules: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    graph: tuple[tuple[str, str], ...] = ()
    graph_given: bool = True
    features: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For each outcome, the columns that are not its descendants."""

    @property
    def outcome(self) -> str:
        """Outcome of the last bias."""
        return self.records[-1].bias.outcome

    def record_of(self, outcome: str) -> Record:
        """The record of the last bias on an outcome."""
        for record in reversed(self.records):
            if record.bias.outcome == outcome:
                return record
        known = ", ".join(repr(o) for o in dict.fromkeys(r.bias.outcome for r in self.records))
        raise BiasError(f"no bias on {outcome!r} was planted; there is one on {known}.")

    def effect_of(self, outcome: str) -> EffectRecord:
        """The effects on an outcome."""
        record = self.record_of(outcome)
        for effect in self.effects:
            same = effect.protected == tuple(record.bias.protected) and effect.favourable == record.favourable
            if effect.outcome == outcome and same:
                return effect
        raise BiasError("this certificate holds no effects; plant with effect_units=20_000.")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        written = asdict(replace(self, schema=Schema(())))
        for plain, record in zip(written["records"], self.records, strict=True):
            plain["bias"] = record.bias.to_dict()
        written["schema"] = self.schema.to_dict()
        return {"format": FORMAT, "format_version": VERSION, **written}

    def to_json(self) -> str:
        """Return JSON text that ``from_json`` reads."""
        return json.dumps(_without_nan(self.to_dict()), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a certificate from JSON; raise ``BiasError`` if the text is damaged or of a later version."""
        try:
            read = json.loads(text)
        except ValueError as error:
            raise BiasError(f"this is not a certificate: it is not JSON ({error}).") from error
        if not isinstance(read, dict) or read.pop("format", None) != FORMAT:
            raise BiasError("this is not a certificate of planted bias; `janus fairness plant` writes them.")
        if (version := read.pop("format_version", None)) != VERSION:
            raise BiasError(
                f"this certificate has format {version!r}; this release reads {VERSION}. Update janus-synth."
            )
        try:
            found = cls(**_parts(read))
        except (TypeError, KeyError, ValueError, AttributeError, LookupError) as error:
            raise BiasError(f"this certificate is damaged: {error}.") from error
        if not found.records:
            raise BiasError("this certificate is damaged: it has no records.")
        return found

    def to_html(self) -> str:
        """Return an HTML page to print."""
        from janus_synth.fairness.certificate_page import certificate_page  # Jinja is slow to import

        return certificate_page(self)

    def _repr_html_(self) -> str:
        """Render as a table for notebooks: requested and realised biases."""
        from janus_synth.pages import render  # Jinja is slow to import

        rows = [
            (str(one.bias), f"{one.asked:g}", f"{one.realised:.6g}", f"{one.n_turned:,}", f"{one.n_eligible:,}")
            for one in self.records
        ]
        caption = f"Certificate of planted bias: {self.n_rows:,} rows, {self.baseline} baseline"
        headings = ("bias", "requested", "realised", "flipped", "eligible")
        return render("table.html.j2", caption=caption, headings=headings, rows=rows, first_number=1)

    def __str__(self) -> str:
        lines = [f"{self.n_rows:,} rows, {self.n_turned:,} with a flipped outcome, {self.baseline} baseline"]
        for record in self.records:
            lines.append(f"  {record.bias}")
            lines.append(
                f"    requested {record.asked:g}, realised {record.realised:.6g}: {record.n_turned:,} of "
                f"{record.n_eligible:,}"
            )
        lines.append("  favourable rate" + "".join(f"{world:>10}" for world in WORLDS))
        for rate in self.rates:
            shares = "".join(f"{share:10.3f}" for share in (rate.learnt, rate.fair, rate.biased))
            lines.append(f"    {rate.outcome}, {rate.group} ({rate.n:,}):{shares}")
        for effect in self.effects:
            lines.append(f"  effect of {' and '.join(effect.protected)} on {effect.outcome}")
            for kind in kinds_of(effect):
                values = "".join(f"{effect.value(world, kind):+10.3f}" for world in WORLDS)
                lines.append(f"    {kind}:{values}")
        return "\n".join(lines)


def _parts(read: Mapping[str, Any]) -> dict[str, Any]:
    """Read the fields of a certificate from JSON values; wrong types raise."""
    parts = dict(read)
    parts["records"] = tuple(record_from_dict(one) for one in read["records"])
    parts["rates"] = tuple(rate_from_dict(one) for one in read["rates"])
    parts["effects"] = tuple(EffectRecord(**{**one, "protected": tuple(one["protected"])}) for one in read["effects"])
    parts["schema"] = Schema.from_dict(read["schema"])
    parts["graph"] = tuple((parent, child) for parent, child in read["graph"])
    parts["features"] = {name: tuple(columns) for name, columns in read["features"].items()}
    for name in ("rules", "where", "changed"):
        parts[name] = tuple(map(str, read[name]))
    for name in ("n_rows", "n_turned", "n_changed", "seed"):
        parts[name] = operator.index(read[name])
    return parts


def _without_nan(value: Any) -> Any:
    """Replace NaN by None, which JSON can hold."""
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value
