"""What was planted, in figures that can be checked: biases as asked and as realised, rates, effects."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from janus_synth.errors import BiasError
from janus_synth.fairness.bias import Bias
from janus_synth.table import Schema

FORMAT = "janus fairness certificate"
VERSION = 1
WORLDS = ("learnt", "fair", "biased")
THROUGH = "through "
"""Of a mediator alone, as a kind of effect."""


@dataclass(frozen=True, slots=True)
class Record:
    """One bias as it was planted."""

    bias: Bias
    realised: float
    """Outcomes turned, as a share of the eligible ones; the asked magnitude to one row."""
    n_hit: int
    n_eligible: int
    n_turned: int
    n_moved: int
    """Rows in which any cell changed: the outcome, the mediator, or what lies below."""
    depth: int
    """Of how many draws a moved mediator is the worst; 0 for a direct bias."""
    privileged: str
    hit: str
    favourable: str
    better: str | None
    """For a bias through a mediator: which of its values are the better half."""

    @property
    def asked(self) -> float:
        """The magnitude that was asked for."""
        return self.bias.magnitude


@dataclass(frozen=True, slots=True)
class Rate:
    """Share of favourable outcomes in a group, in each world."""

    outcome: str
    favourable: str
    group: str
    n: int
    learnt: float
    fair: float
    biased: float


@dataclass(frozen=True, slots=True)
class EffectRecord:
    """Effects of protected columns on an outcome in each world, as plain numbers."""

    protected: tuple[str, ...]
    outcome: str
    favourable: str
    worlds: Mapping[str, Mapping[str, Any]]
    """learnt, fair and biased: direct, indirect, total and ``through`` mediators, each with value, low and high."""

    def value(self, world: str, kind: str) -> float:
        """One effect."""
        return float(self.estimate(world, kind)["value"])

    def estimate(self, world: str, kind: str) -> Mapping[str, float]:
        """One effect with its interval."""
        found, mediator = self.worlds[world], kind.removeprefix(THROUGH)
        estimate: Mapping[str, float] = found[kind] if mediator == kind else found["through"][mediator]
        return estimate

    def planted(self, kind: str = "total") -> float:
        """What the biases added to an effect."""
        return self.value("biased", kind) - self.value("fair", kind)


@dataclass(frozen=True, slots=True)
class Certificate:
    """Proof of what was planted.

    Attributes
    ----------
    records : tuple of Record
        Each bias, asked and realised, in the order of planting.
    rates : tuple of Rate
        Shares of favourable outcomes by group.
    effects : tuple of EffectRecord
        True direct, indirect and total effects by intervention.
    n_rows, n_turned, n_changed : int
        Rows, those with an outcome turned, those with any cell changed.
    baseline : str
        The world that the biases were planted in.
    rules, where : tuple of str
        What holds in every row.
    graph : list of (parent, child)
        Arrows that the effects rest on.
    schema : Schema
        The table's columns, so that a file can be judged by the rules above.
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
    """For each outcome, the columns that do not come after it."""

    @property
    def outcome(self) -> str:
        """The last outcome that was biased."""
        return self.records[-1].bias.outcome

    def record_of(self, outcome: str) -> Record:
        """The last bias of an outcome."""
        for record in reversed(self.records):
            if record.bias.outcome == outcome:
                return record
        known = ", ".join(repr(o) for o in dict.fromkeys(r.bias.outcome for r in self.records))
        raise BiasError(f"no bias of {outcome!r} was planted; there is {known}.")

    def effect_of(self, outcome: str) -> EffectRecord:
        """Effects on an outcome."""
        record = self.record_of(outcome)
        for effect in self.effects:
            same = effect.protected == tuple(record.bias.protected) and effect.favourable == record.favourable
            if effect.outcome == outcome and same:
                return effect
        raise BiasError("this certificate holds no effects; plant with effect_units=20_000.")

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        written = asdict(replace(self, schema=Schema(())))
        for plain, record in zip(written["records"], self.records, strict=True):
            plain["bias"] = record.bias.to_dict()
        written["schema"] = self.schema.to_dict()
        return {"format": FORMAT, "format_version": VERSION, **written}

    def to_json(self) -> str:
        """As text that ``from_json`` reads."""
        return json.dumps(_without_nan(self.to_dict()), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a certificate."""
        try:
            read = json.loads(text)
        except ValueError as error:
            raise BiasError(f"this is no certificate: it is no JSON ({error}).") from error
        if not isinstance(read, dict) or read.pop("format", None) != FORMAT:
            raise BiasError("this is no certificate of planted bias; `janus fairness plant` writes them.")
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
        """As a page to print."""
        from janus_synth.fairness.certificate_page import certificate_page

        return certificate_page(self)

    def __str__(self) -> str:
        lines = [f"{self.n_rows:,} rows, {self.n_turned:,} with an outcome turned, {self.baseline} baseline"]
        for record in self.records:
            lines.append(f"  {record.bias}")
            lines.append(
                f"    asked {record.asked:g}, realised {record.realised:.6g}: {record.n_turned:,} of "
                f"{record.n_eligible:,}"
            )
        lines.append("  share favoured" + "".join(f"{world:>10}" for world in WORLDS))
        for rate in self.rates:
            shares = "".join(f"{share:10.3f}" for share in (rate.learnt, rate.fair, rate.biased))
            lines.append(f"    {rate.outcome}, {rate.group} ({rate.n:,}):{shares}")
        for effect in self.effects:
            lines.append(f"  effect of {' and '.join(effect.protected)} on {effect.outcome}")
            for kind in kinds_of(effect):
                values = "".join(f"{effect.value(world, kind):+10.3f}" for world in WORLDS)
                lines.append(f"    {kind}:{values}")
        return "\n".join(lines)


def kinds_of(effect: EffectRecord) -> Sequence[str]:
    """Names of an effect's parts."""
    return ("direct", "indirect", "total", *(f"{THROUGH}{name}" for name in effect.worlds["fair"]["through"]))


def _parts(read: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a certificate from what JSON gave; what is of a wrong type raises."""
    parts = dict(read)
    parts["records"] = tuple(_record(one) for one in read["records"])
    parts["rates"] = tuple(_rate(one) for one in read["rates"])
    parts["effects"] = tuple(EffectRecord(**{**one, "protected": tuple(one["protected"])}) for one in read["effects"])
    parts["schema"] = Schema.from_dict(read["schema"])
    parts["graph"] = tuple((parent, child) for parent, child in read["graph"])
    parts["features"] = {name: tuple(columns) for name, columns in read["features"].items()}
    for name in ("rules", "where", "changed"):
        parts[name] = tuple(map(str, read[name]))
    for name in ("n_rows", "n_turned", "n_changed", "seed"):
        parts[name] = operator.index(read[name])
    return parts


def _record(plain: Mapping[str, Any]) -> Record:
    counts = {name: operator.index(plain[name]) for name in ("n_hit", "n_eligible", "n_turned", "n_moved", "depth")}
    return Record(**{**plain, **counts, "bias": Bias.from_dict(plain["bias"]), "realised": float(plain["realised"])})


def _without_nan(value: Any) -> Any:
    """Plain values that JSON can hold: what is not known is null."""
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def _rate(plain: Mapping[str, Any]) -> Rate:
    known: dict[str, Any] = {name: math.nan if value is None else value for name, value in plain.items()}
    return Rate(**known)
