"""A table with planted bias beside the same rows without it: two frames and a certificate in, masks and files out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import narwhals as nw
import numpy as np

from janus_synth.arrays import Bools
from janus_synth.errors import BiasError
from janus_synth.fairness.certificate import Certificate
from janus_synth.fairness.records import Record
from janus_synth.rules import as_rule, holds
from janus_synth.table import column_names_of, read_table

FAIR = "fair_"
"""Prefix of columns with the values of the fair world."""
TURNED = "turned"
"""Column that marks rows with a flipped outcome."""


@dataclass(frozen=True)
class Planted:
    """A table with bias of known size, the same rows without it, and a certificate.

    Attributes
    ----------
    frame : DataFrame
        The biased rows, as an auditor would get them.
    fair : DataFrame
        The same rows in the fair world (counterfactual twins).
    certificate : Certificate
        Ground truth about the planted biases.
    """

    frame: Any
    fair: Any
    certificate: Certificate

    def favoured(self, outcome: str | None = None, *, fair: bool = False) -> Bools:
        """Mask of rows with a favourable outcome; by default of the outcome of the last bias."""
        return self._where(self._record(outcome).favourable, fair=fair)

    def privileged(self, outcome: str | None = None, *, fair: bool = False) -> Bools:
        """Mask of rows in the privileged group."""
        return self._where(self._record(outcome).privileged, fair=fair)

    def hit(self, outcome: str | None = None, *, fair: bool = False) -> Bools:
        """Mask of rows that the bias applies to: unprivileged and in the subgroup."""
        return self._where(self._record(outcome).hit, fair=fair)

    def _record(self, outcome: str | None) -> Record:
        return self.certificate.record_of(outcome or self.certificate.outcome)

    def _where(self, rule: str, *, fair: bool) -> Bools:
        return holds(rule, self.fair if fair else self.frame, self.certificate.schema)

    @cached_property
    def turned(self) -> Bools:
        """Mask of rows with a flipped outcome."""
        changed = np.zeros(self.certificate.n_rows, bool)
        for rule in dict.fromkeys(record.favourable for record in self.certificate.records):
            changed |= self._where(rule, fair=False) != self._where(rule, fair=True)
        return changed

    def to_frame(self) -> Any:
        """Return the biased rows with a column ``turned`` (flipped outcome) and the fair values of changed columns."""
        biased, fair = (nw.from_native(frame, eager_only=True) for frame in (self.frame, self.fair))
        added = [fair[name].alias(f"{FAIR}{name}") for name in self.certificate.changed]
        turned = nw.new_series(TURNED, self.turned, nw.Boolean, backend=biased.implementation)
        taken = [series.name for series in (turned, *added) if series.name in biased.columns]
        if taken:
            raise BiasError(f"the table has a column {taken[0]!r} already; rename it before you plant.")
        return biased.with_columns(turned, *added).to_native()

    @classmethod
    def from_frame(cls, frame: Any, certificate: Certificate) -> Self:
        """Restore from the result of ``to_frame``, for example read from a file, and its certificate."""
        both = nw.from_native(frame, eager_only=True)
        names = column_names_of(frame)
        if TURNED not in names:
            raise BiasError(f"this table has no column {TURNED!r}: `janus fairness plant` did not write it.")
        if len(both) != certificate.n_rows:
            raise BiasError(
                f"the table has {len(both):,} rows, but its certificate is about {certificate.n_rows:,}; they do not "
                "belong together."
            )
        before = {name: f"{FAIR}{name}" for name in certificate.changed}
        if missing := [name for name in (*certificate.schema.names, *before.values()) if name not in names]:
            raise BiasError(f"this table has no column {missing[0]!r}, which its certificate mentions.")
        biased = both.drop(TURNED, *before.values())
        fair = biased.with_columns(*(both[of].alias(name) for name, of in before.items())) if before else biased
        planted = cls(biased.to_native(), fair.to_native(), certificate)
        _check_levels(planted.frame, certificate)
        if (n_turned := int(planted.turned.sum())) != certificate.n_turned:
            raise BiasError(
                f"the table has {n_turned:,} rows with a flipped outcome, but its certificate is about "
                f"{certificate.n_turned:,}; they do not belong together."
            )
        return planted


def _check_levels(frame: Any, certificate: Certificate) -> None:
    """Raise if a file format changed levels that the rules mention, such as the text 'true' to a boolean."""
    rules = {rule for one in certificate.records for rule in (one.privileged, one.hit, one.favourable, one.better)}
    names = tuple(dict.fromkeys(name for rule in sorted(filter(None, rules)) for name in as_rule(rule).columns))
    found = read_table(frame, certificate.schema, columns=names).schema
    for name in names:
        if new := found[name].levels[len(certificate.schema[name].levels) :]:
            raise BiasError(
                f"column {name!r} has the level {new[0]!r}, which its certificate does not have: the file format did "
                "not keep what is text. Plant to a .parquet or .arrow file."
            )
