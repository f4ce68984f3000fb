"""JANUS behind the interface of its rivals."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Self

from janus_synth.errors import DataError, NotFittedError

if TYPE_CHECKING:
    import pandas as pd

    from janus_synth.api import Janus


class JanusSynthesizer:
    """One setting of JANUS under a name of its own.

    Parameters
    ----------
    name : str
        What result tables call it.
    **arguments
        Arguments of `Janus`, all but ``random_state``, which a benchmark sets.

    Examples
    --------
    >>> from janus_synth import datasets
    >>> method = JanusSynthesizer("one tree", n_trees=1)
    >>> method.fit(datasets.hiring(300), seed=0).sample(5, seed=1).shape
    (5, 15)
    """

    def __init__(self, name: str = "JANUS", **arguments: Any) -> None:
        self.name = name
        self.arguments = arguments
        self._model: Janus | None = None
        _check_arguments(name, arguments)

    @classmethod
    def paper(cls) -> Self:
        """The paper's own configuration."""
        from janus_synth.api import Janus

        arguments = Janus.paper().get_params()
        del arguments["random_state"]
        return cls("JANUS paper", **arguments)

    def fit(self, frame: pd.DataFrame, *, seed: int) -> Self:
        """Learn a table."""
        from janus_synth.api import Janus

        self._model = Janus(**self.arguments, random_state=seed).fit(frame, progress=False)
        return self

    def sample(self, n: int, *, seed: int, **request: Any) -> pd.DataFrame:
        """Draw rows; ``request`` may hold ``where`` and ``method`` of `Janus.sample`."""
        if self._model is None:
            raise NotFittedError(f"{self.name} has not seen data. Call fit first.")
        rows: pd.DataFrame = self._model.sample(n, random_state=seed, progress=False, **request)
        return rows


def _check_arguments(name: str, arguments: dict[str, Any]) -> None:
    from janus_synth.api import Janus

    known = [argument for argument in Janus().get_params() if argument != "random_state"]
    for argument in arguments:
        if argument not in known:
            close = difflib.get_close_matches(argument, known, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"Choose from {', '.join(known)}."
            raise DataError(f"the setting {name!r} names {argument!r}, which a benchmark cannot set. {hint}")
