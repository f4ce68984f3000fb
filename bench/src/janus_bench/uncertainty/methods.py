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
    """A method that has learnt."""

    def prepare(self, features: pd.DataFrame) -> Any:
        """Rows as this method takes them; not timed."""

    def ask(self, inputs: Any) -> Uncertainty:
        """Uncertainty of the label of prepared rows; timed."""


class Fit(Protocol):
    """Learn features and a label."""

    def __call__(self, frame: pd.DataFrame, *, seed: int) -> Fitted:
        """Learn all columns of a frame but `LABEL`, to be asked about that."""


@dataclass(frozen=True, slots=True)
class Method:
    """A way to learn, its name in tables, and the library it needs."""

    name: str
    fit: Fit
    library: str | None = None

    @property
    def is_installed(self) -> bool:
        """Whether its library is at hand."""
        return self.library is None or find_spec(self.library) is not None


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """A fitted `Janus`."""

    model: Any

    def prepare(self, features: pd.DataFrame) -> pd.DataFrame:
        """A frame is what it takes."""
        return features

    def ask(self, inputs: pd.DataFrame) -> Uncertainty:
        """The public call, all of it."""
        found = self.model.uncertainty(inputs, columns=[LABEL])[LABEL]
        return Uncertainty(*(found[part].to_numpy(dtype=np.float64) for part in Uncertainty._fields))


def fit_janus(frame: pd.DataFrame, *, seed: int, paper: bool = False) -> Trees:
    """Learn with every feature a parent of the label, on one thread as the rivals do."""
    from janus_synth import Janus

    structure = [(feature, LABEL) for feature in frame.columns if feature != LABEL]
    make = Janus.paper if paper else Janus
    return Trees(make(structure=structure, random_state=seed, n_jobs=1).fit(frame, progress=False))


JANUS, PAPER, DROPOUT, ENSEMBLE, EVIDENTIAL = "JANUS", "JANUS paper", "MC dropout", "deep ensemble", "evidential"
WORDS = {"janus": JANUS, "paper": PAPER, "dropout": DROPOUT, "ensemble": ENSEMBLE, "evidential": EVIDENTIAL}
"""What a user types, and what tables say."""


def make_methods(words: Sequence[str] | None = None) -> list[Method]:
    """Methods by what a user calls them, in the order of tables; by default all.

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
