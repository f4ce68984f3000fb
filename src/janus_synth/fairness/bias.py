"""A bias in words: who is hit, of what, by how much, and along which path."""

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
    """A bias of known size along a known path.

    Of those outcomes of the unprivileged group that are favourable, the share ``magnitude`` is turned: a row that would
    have been favoured is not. A negative magnitude reverses the bias: that share of the group's unfavourable outcomes
    becomes favourable. Zero plants nothing, but still removes what was learnt.

    Parameters
    ----------
    protected : str or sequence of str
        Column by which people are told apart. With several, those are hit who are unprivileged by all of them.
    privileged : value, list or (low, high)
        Who is privileged: a value of the column, several, or a range. With several protected columns, a mapping
        from column to that, or a sequence in their order.
    outcome : str
        Column that is to be biased.
    favourable : value, list or (low, high)
        What of it is favourable. A single value is enough for a column with two values; otherwise list the favourable
        values or give their range.
    magnitude : float
        From −1 to 1.
    path : str
        ``"direct"``: the outcome itself is turned. The name of a column: that mediator is moved to worse values, and
        the outcome follows as it follows for anybody.
    subgroup : str or Rule, optional
        Only unprivileged rows that meet this condition are hit: ``"age >= 50 and department == 'sales'"``.

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
        object.__setattr__(self, "privileged", _one_each(self.protected, self.privileged))
        object.__setattr__(self, "privileged", tuple(_settled(spec) for spec in self.privileged))
        object.__setattr__(self, "favourable", _settled(self.favourable))
        self._check_magnitude()
        for what, name in (("outcome", self.outcome), ("path", self.path)):
            if not isinstance(name, str) or not name:
                raise BiasError(f"the {what} of a bias is {name!r}; give the name of a column.")
        if self.outcome in self.protected:
            raise BiasError(f"{self.outcome!r} is protected and the outcome at once; a bias needs two columns.")
        if self.favourable is None:
            raise BiasError("null is no favourable outcome; give a value, a list of values or a range (low, high).")
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
        """Whether the outcome itself is turned."""
        return self.path == DIRECT

    @property
    def bites(self) -> str:
        """The column that is changed first: the outcome, or the mediator."""
        return self.outcome if self.is_direct else self.path

    def of(self, magnitude: float) -> Self:
        """The same bias at another size."""
        return replace(self, magnitude=magnitude)

    def to_dict(self) -> dict[str, Any]:
        """As plain values, which ``from_dict`` reads."""
        privileged = {name: _plain(spec) for name, spec in zip(self.protected, self.privileged, strict=True)}
        lone = len(self.protected) == 1
        written = {
            "protected": self.protected[0] if lone else list(self.protected),
            "privileged": privileged[self.protected[0]] if lone else privileged,
            "outcome": self.outcome,
            "favourable": _plain(self.favourable),
            "magnitude": self.magnitude,
            "path": self.path,
        }
        return written if self.subgroup is None else {**written, "subgroup": str(self.subgroup)}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        """Read what ``to_dict`` wrote, or what a user did: a range is ``{"low": …, "high": …}``."""
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
            read["privileged"] = {name: _range_or(spec) for name, spec in privileged.items()}
        elif several and isinstance(privileged, list | tuple):
            read["privileged"] = [_range_or(spec) for spec in privileged]
        elif not several:
            read["privileged"] = _range_or(privileged)
        return cls(**{**read, "favourable": _range_or(read["favourable"])})

    def __str__(self) -> str:
        who = " nor ".join(f"{n} = {_shown(p)}" for n, p in zip(self.protected, self.privileged, strict=True))
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


def _one_each(protected: Sequence[str], privileged: Any) -> tuple[Any, ...]:
    """Who is privileged, for each protected column."""
    if isinstance(privileged, tuple) and len(protected) == 1 and len(privileged) == 1:
        return privileged  # as it was stored
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


def _settled(spec: Any) -> Any:
    """A value, a list of values or a range, of what JSON can hold."""
    if isinstance(spec, tuple):
        return tuple(_settled(one) for one in spec)
    if isinstance(spec, list | set | frozenset | np.ndarray):
        listed = [_settled(one) for one in spec]
        return sorted(listed, key=str) if isinstance(spec, set | frozenset) else listed
    if isinstance(spec, np.generic):
        return spec.item()
    return spec.isoformat(sep=" ") if isinstance(spec, datetime) else str(spec) if isinstance(spec, date) else spec


def _plain(spec: Any) -> Any:
    """What json can write: a range as an object."""
    return {"low": spec[0], "high": spec[1]} if isinstance(spec, tuple) and len(spec) == 2 else spec


def _range_or(spec: Any) -> Any:
    if isinstance(spec, Mapping):
        if set(spec) != {"low", "high"}:
            raise BiasError(f"{dict(spec)!r} is no range; write it as {{'low': …, 'high': …}}.")
        return (spec["low"], spec["high"])
    return spec


def _shown(spec: Any) -> str:
    return f"{spec[0]} to {spec[1]}" if isinstance(spec, tuple) else str(spec)


def as_biases(biases: Bias | Sequence[Bias]) -> tuple[Bias, ...]:
    """One bias or several."""
    if not isinstance(biases, Bias | Sequence) or isinstance(biases, str):
        raise BiasError(f"{biases!r} is no Bias, nor a list of them.")
    several = (biases,) if isinstance(biases, Bias) else tuple(biases)
    if not several:
        raise BiasError("no bias is given; to remove what was learnt, plant one of magnitude 0.")
    for bias in several:
        if not isinstance(bias, Bias):
            raise BiasError(f"{bias!r} is no Bias.")
    return several
