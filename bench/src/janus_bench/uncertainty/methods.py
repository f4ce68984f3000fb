"""Methods that learn labelled rows and quantify their uncertainty: JANUS and rivals behind one interface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from janus_bench.options import choose
from janus_bench.uncertainty.measures import Uncertainty
from janus_bench.uncertainty.rivals import fit_dropout, fit_ensemble, fit_evidential
from janus_bench.uncertainty.scenarios import LABEL

if TYPE_CHECKING:
    import pandas as pd


class Fitted(Protocol):
    """A fitted method."""

    def prepare(self, features: pd.DataFrame) -> Any:
        """Convert rows to the method's input; not timed."""

    def ask(self, inputs: Any) -> Uncertainty:
        """Uncertainty of the label of prepared rows; timed."""


class Fit(Protocol):
    """A function that fits a method."""

    def __call__(self, frame: pd.DataFrame, *, seed: int) -> Fitted:
        """Learn to predict `LABEL` from all other columns of a frame."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method: its name in tables, how to fit it, and the library it needs."""

    name: str
    fit: Fit
    library: str | None = None

    @property
    def is_installed(self) -> bool:
        """Whether its library is installed."""
        return self.library is None or find_spec(self.library) is not None


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """A fitted `Janus`."""

    model: Any

    def prepare(self, features: pd.DataFrame) -> pd.DataFrame:
        """Return the frame as it is."""
        return features

    def ask(self, inputs: pd.DataFrame) -> Uncertainty:
        """Call the public method ``uncertainty``."""
        found = self.model.uncertainty(inputs, columns=[LABEL])[LABEL]
        return Uncertainty(*(found[part].to_numpy(dtype=np.float64) for part in Uncertainty._fields))


def fit_janus(frame: pd.DataFrame, *, seed: int, paper: bool = False) -> Trees:
    """Fit JANUS with every feature as a parent of the label, on one thread like the rivals."""
    from janus_synth import Janus

    structure = [(feature, LABEL) for feature in frame.columns if feature != LABEL]
    make = Janus.paper if paper else Janus
    return Trees(make(structure=structure, random_state=seed, n_jobs=1).fit(frame, progress=False))


JANUS, PAPER, DROPOUT, ENSEMBLE, EVIDENTIAL = "JANUS", "JANUS paper", "MC dropout", "deep ensemble", "evidential"
WORDS = {"janus": JANUS, "paper": PAPER, "dropout": DROPOUT, "ensemble": ENSEMBLE, "evidential": EVIDENTIAL}
"""Words of the command line, and names in tables."""


def make_methods(words: Sequence[str] | None = None) -> list[Method]:
    """Make methods by their command-line words, in the order of tables; by default all.

    Parameters
    ----------
    words : sequence of str, optional
        Of janus, paper, dropout, ensemble, evidential.

    Examples
    --------
    >>> [method.name for method in make_methods(["dropout", "janus"])]
    ['JANUS', 'MC dropout']
    """
    known = {
        JANUS: Method(JANUS, fit_janus),
        PAPER: Method(PAPER, partial(fit_janus, paper=True)),
        DROPOUT: Method(DROPOUT, fit_dropout, "torch"),
        ENSEMBLE: Method(ENSEMBLE, fit_ensemble, "torch"),
        EVIDENTIAL: Method(EVIDENTIAL, fit_evidential, "torch"),
    }
    return [known[WORDS[word]] for word in choose(words, WORDS, "method")]
