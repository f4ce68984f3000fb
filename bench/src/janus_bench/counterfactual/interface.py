"""What the benchmark asks of a method that answers counterfactual questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from janus_bench.arrays import Floats
from janus_bench.counterfactual.models import Parents

if TYPE_CHECKING:
    import pandas as pd


class Counterfactuals(Protocol):
    """What the benchmark needs to know of a method."""

    def fit(self, frame: pd.DataFrame, parents: Parents, seed: int) -> Counterfactuals:
        """Learn a table whose graph is given."""
        ...

    def counterfactual(self, frame: pd.DataFrame, do: Mapping[str, Floats]) -> pd.DataFrame:
        """What each row would have been, had the columns of ``do`` had these values, one per row."""
        ...


@dataclass(frozen=True, slots=True)
class Method:
    """A method before it has learnt anything.

    Attributes
    ----------
    word, name : str
        What a command line and what tables call it.
    make : callable
        Makes it for a share of the full training effort. A function of the module that holds the method, or a partial
        of one: processes get it by name, and its module's code decides whether a measurement still holds.
    libraries : tuple of str
        Packages that decide its answers; one that is absent is told, and one that is new is measured.
    """

    word: str
    name: str
    make: Callable[[float], Counterfactuals]
    libraries: tuple[str, ...]

    @property
    def module(self) -> str:
        """Where its code is."""
        return str(self._function.__module__)

    @property
    def settings(self) -> dict[str, Any]:
        """How it is made, as plain values."""
        return {"made by": self._function.__qualname__, **getattr(self.make, "keywords", {})}

    @property
    def _function(self) -> Any:
        return getattr(self.make, "func", self.make)
