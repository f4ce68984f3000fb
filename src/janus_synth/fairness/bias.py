"""Specification of a bias: the affected group, the outcome, the magnitude and the causal path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, Self

import numpy as np

from janus_synth.errors import BiasError
from janus_synth.rules import Rule, as_rule

DIRECT = "direct"


@dataclass(frozen=True)
class Bias:
    """A bias of known magnitude along a known causal path.

    The share ``magnitude`` of the favourable outcomes of the unprivileged group is flipped to unfavourable. A negative
    magnitude reverses the bias: that share of the group's unfavourable outcomes is flipped to favourable. Zero flips
    nothing, but planting it still removes the learnt bias.

    Parameters
    ----------
    protected : str or sequence of str
        Protected column. With several, the bias affects rows that are unprivileged by all of them.
    privileged : value, list or (low, high)
        Privileged group: a value of the column, several, or a range. With several protected columns, a mapping from
        column to group, or a sequence in their order.
    outcome : str
        Column to bias.
    favourable : value, list or (low, high)
        Favourable outcomes. For a column with two values, one value is enough; otherwise list all favourable values or
        give their range.
    magnitude : float
        Share of eligible outcomes to flip, from −1 to 1.
    path : str
        ``"direct"``: the outcome itself is flipped. The name of a column: this mediator is changed to worse values, and
        the outcome follows by its learnt mechanism.
    subgroup : str or Rule, optional
        Restrict the bias to unprivileged rows that satisfy a condition: ``"age >= 50 and department == 'sales'"``.

    Examples
    --------
    >>> print(Bias("sex", "male", "hired", True, 0.2))
    0.2 of the favourable hired of those who are not sex = male, direct
    """

    protected: str | Sequence[str]
    privileged: Any
    outcome: str
    favourable: Any
    magnitude: float
    path: str = DIRECT
    subgroup: str | Rule | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "protected", _names(self.protected))
        object.__setattr__(self, "privileged", _one_per_column(self.protected, self.privileged))
        object.__setattr__(self, "privileged", tuple(_normalise(spec) for spec in self.privileged))
        object.__setattr__(self, "favourable", _normalise(self.favourable))
        self._check_magnitude()
        for what, name in (("outcome", self.outcome), ("path", self.path)):
            if not isinstance(name, str) or not name:
                raise BiasError(f"the {what} of a bias is {name!r}; give the name of a column.")
        if self.outcome in self.protected:
            raise BiasError(f"{self.outcome!r} is both protected and the outcome; a bias needs two columns.")
        if self.favourable is None:
            raise BiasError("null cannot be favourable; give a value, a list of values or a range (low, high).")
        if self.subgroup is not None:
            object.__setattr__(self, "subgroup", as_rule(self.subgroup))

    def _check_magnitude(self) -> None:
        value = self.magnitude
        if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
            raise BiasError(f"the magnitude of a bias is {value!r}; give a number from -1 to 1.")
        if not -1 <= value <= 1:
            raise BiasError(
                f"the magnitude of a bias is {value:g}; it is a share of outcomes, from -1 to 1, so that 0.2 is 20 %."
            )
        object.__setattr__(self, "magnitude", float(value))

    @property
    def is_direct(self) -> bool:
        """Whether the outcome itself is flipped."""
        return self.path == DIRECT

    @property
    def bites(self) -> str:
        """The column that the bias changes directly: the outcome, or the mediator."""
        return self.outcome if self.is_direct else self.path

    def of(self, magnitude: float) -> Self:
        """Return the same bias with another magnitude."""
        return replace(self, magnitude=magnitude)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, which ``from_dict`` reads."""
        privileged = {name: _range_to_dict(spec) for name, spec in zip(self.protected, self.privileged, strict=True)}
        single = len(self.protected) == 1
        written = {
            "protected": self.protected[0] if single else list(self.protected),
            "privileged": privileged[self.protected[0]] if single else privileged,
            "outcome": self.outcome,
            "favourable": _range_to_dict(self.favourable),
            "magnitude": self.magnitude,
            "path": self.path,
        }
        return written if self.subgroup is None else {**written, "subgroup": str(self.subgroup)}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        """Read a bias from plain values; a range is ``{"low": …, "high": …}``."""
        needed = ("protected", "privileged", "outcome", "favourable", "magnitude")
        if not isinstance(written, Mapping):
            raise BiasError(f"a bias is written as an object with {', '.join(needed)}, not as {written!r}.")
        if missing := [name for name in needed if name not in written]:
            raise BiasError(f"this bias lacks {', '.join(missing)}: {dict(written)!r}.")
        if unknown := [name for name in written if name not in (*needed, "path", "subgroup")]:
            raise BiasError(f"a bias has no {unknown[0]!r}. It has {', '.join(needed)}, path and subgroup.")
        read = dict(written)
        privileged, several = read["privileged"], not isinstance(read["protected"], str)
        if several and isinstance(privileged, Mapping):
            read["privileged"] = {name: _read_range(spec) for name, spec in privileged.items()}
        elif several and isinstance(privileged, list | tuple):
            read["privileged"] = [_read_range(spec) for spec in privileged]
        elif not several:
            read["privileged"] = _read_range(privileged)
        return cls(**{**read, "favourable": _read_range(read["favourable"])})

    def __str__(self) -> str:
        who = " nor ".join(f"{n} = {_format_spec(p)}" for n, p in zip(self.protected, self.privileged, strict=True))
        some = "" if self.subgroup is None else f" and where {self.subgroup}"
        what = "favourable" if self.magnitude >= 0 else "unfavourable"
        how = DIRECT if self.is_direct else f"through {self.path}"
        return f"{abs(self.magnitude):g} of the {what} {self.outcome} of those who are not {who}{some}, {how}"


def _names(protected: Any) -> tuple[str, ...]:
    names = (protected,) if isinstance(protected, str) else tuple(protected) if _is_several(protected) else ()
    if not names or not all(isinstance(name, str) and name for name in names):
        raise BiasError(f"protected is {protected!r}; give the name of a column, or a list of names.")
    if len(set(names)) < len(names):
        raise BiasError(f"protected is {protected!r}, which names a column twice.")
    return names


def _is_several(value: Any) -> bool:
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)


def _one_per_column(protected: Sequence[str], privileged: Any) -> tuple[Any, ...]:
    """The privileged group of each protected column."""
    if isinstance(privileged, tuple) and len(protected) == 1 and len(privileged) == 1:
        return privileged  # already in its stored form
    if len(protected) == 1:
        if isinstance(privileged, Mapping):
            privileged = _from_mapping(protected, privileged)[0]
        return (privileged,)
    if isinstance(privileged, Mapping):
        return _from_mapping(protected, privileged)
    if not _is_several(privileged) or len(privileged) != len(protected):
        raise BiasError(
            f"privileged is {privileged!r}, but {len(protected)} columns are protected; give one for each: "
            f"{{{', '.join(f'{name!r}: …' for name in protected)}}}."
        )
    return tuple(privileged)


def _from_mapping(protected: Sequence[str], privileged: Mapping[str, Any]) -> tuple[Any, ...]:
    if set(privileged) != set(protected):
        raise BiasError(
            f"privileged names {', '.join(map(repr, privileged))}, protected {', '.join(map(repr, protected))}; "
            "name the same columns."
        )
    return tuple(privileged[name] for name in protected)


def _normalise(spec: Any) -> Any:
    """Convert a value, a list or a range to types that JSON can hold."""
    if isinstance(spec, tuple):
        return tuple(_normalise(one) for one in spec)
    if isinstance(spec, list | set | frozenset | np.ndarray):
        listed = [_normalise(one) for one in spec]
        return sorted(listed, key=str) if isinstance(spec, set | frozenset) else listed
    if isinstance(spec, np.generic):
        return spec.item()
    return spec.isoformat(sep=" ") if isinstance(spec, datetime) else str(spec) if isinstance(spec, date) else spec


def _range_to_dict(spec: Any) -> Any:
    """Convert a range to a JSON object."""
    return {"low": spec[0], "high": spec[1]} if isinstance(spec, tuple) and len(spec) == 2 else spec


def _read_range(spec: Any) -> Any:
    if isinstance(spec, Mapping):
        if set(spec) != {"low", "high"}:
            raise BiasError(f"{dict(spec)!r} is not a range; write it as {{'low': …, 'high': …}}.")
        return (spec["low"], spec["high"])
    return spec


def _format_spec(spec: Any) -> str:
    return f"{spec[0]} to {spec[1]}" if isinstance(spec, tuple) else str(spec)


def as_biases(biases: Bias | Sequence[Bias]) -> tuple[Bias, ...]:
    """Return one bias or several as a tuple; raise ``BiasError`` for anything else."""
    if not isinstance(biases, Bias | Sequence) or isinstance(biases, str):
        raise BiasError(f"{biases!r} is not a Bias, nor a list of them.")
    several = (biases,) if isinstance(biases, Bias) else tuple(biases)
    if not several:
        raise BiasError("no bias is given; to remove the learnt bias, plant one of magnitude 0.")
    for bias in several:
        if not isinstance(bias, Bias):
            raise BiasError(f"{bias!r} is not a Bias.")
    return several
