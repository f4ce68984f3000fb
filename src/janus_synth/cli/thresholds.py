"""Thresholds of ``--fail-if``, such as ``detection > 0.7``, in; those that a report breaks out."""

from __future__ import annotations

import difflib
import math
import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from janus_synth.metrics import Report

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
FORM = re.compile(r"\s*(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)\s*(?P<sign>[<>]=?)\s*(?P<limit>[^\s<>=]+)\s*")
OPTION = "--fail-if"


@dataclass(frozen=True, slots=True)
class Threshold:
    """A score or the number of an attack, a comparison, and a limit; a report fails where the comparison holds."""

    name: str
    sign: str
    limit: float

    def __str__(self) -> str:
        return f"{self.name} {self.sign} {self.limit:g}"

    def is_broken(self, value: float) -> bool:
        """Whether a value fails."""
        return OPERATORS[self.sign](value, self.limit)


def parse_threshold(text: str) -> Threshold:
    """Read a name, a comparison and a number.

    Examples
    --------
    >>> parse_threshold("singling_out.risk > 0.05")
    Threshold(name='singling_out.risk', sign='>', limit=0.05)
    """
    found = FORM.fullmatch(text)
    limit = _finite_number(found["limit"]) if found else None
    if found is None or limit is None:
        raise typer.BadParameter(
            f"{text!r} is not a threshold. Write a name, one of > >= < <=, and a number, such as 'detection > 0.7'.",
            param_hint=OPTION,
        )
    return Threshold(found["name"], found["sign"], limit)


def check_names(thresholds: Sequence[Threshold], known: Collection[str], computed: Collection[str]) -> None:
    """Raise unless every name exists and is about to be computed."""
    for threshold in thresholds:
        if threshold.name not in known:
            near = [name for name in known if name.startswith(f"{threshold.name}.")]
            close = near[:1] or difflib.get_close_matches(threshold.name, known, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else "See janus evaluate --help for the names."
            raise typer.BadParameter(f"no score is called {threshold.name!r}. {hint}", param_hint=OPTION)
        if threshold.name not in computed:
            raise typer.BadParameter(
                f"{threshold.name!r} is not computed. Add {_score_of(threshold.name)!r} to --metrics.",
                param_hint=OPTION,
            )


def broken_thresholds(thresholds: Sequence[Threshold], values: Mapping[str, float]) -> list[str]:
    """Describe the thresholds that values break.

    Raises
    ------
    ValueError
        If a value is not defined: a threshold that cannot be checked must not pass.
    """
    for threshold in thresholds:
        if math.isnan(values.get(threshold.name, math.nan)):
            raise ValueError(f"{threshold} cannot be checked: {threshold.name} is not defined for these tables.")
    return [
        f"{threshold.name} is {values[threshold.name]:.4g}, and must not be {threshold.sign} {threshold.limit:g}."
        for threshold in thresholds
        if threshold.is_broken(values[threshold.name])
    ]


def threshold_values(report: Report) -> dict[str, float]:
    """Numbers that a threshold can be about: scores, and numbers of attacks as ``attack.number``."""
    from janus_synth.metrics.disclosure import NUMBERS

    attacks = {} if report.disclosure is None else report.disclosure.attacks
    of_attacks = {f"{name}.{number}": getattr(attack, number) for name, attack in attacks.items() for number in NUMBERS}
    return {**report, **of_attacks}


def _score_of(name: str) -> str:
    """What --metrics calls the source of a number."""
    return "disclosure" if "." in name else name


def _finite_number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
