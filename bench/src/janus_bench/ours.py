"""JANUS with the same interface as its rivals: a table in, synthetic rows out."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Self

from janus_synth.errors import DataError, NotFittedError

if TYPE_CHECKING:
    import pandas as pd

    from janus_bench.tables import NamedTable
    from janus_synth import Janus

GIVEN = "given"
"""Value of ``structure`` that is replaced by the true graph of each table."""


class JanusSynthesizer:
    """JANUS with given settings, under a given name.

    Parameters
    ----------
    name : str
        What result tables call it.
    **arguments
        Arguments of `Janus`, except ``random_state``, which the benchmark sets.

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
        from janus_synth import Janus

        arguments = Janus.paper().get_params()
        del arguments["random_state"]
        return cls("JANUS paper", **arguments)

    @property
    def settings(self) -> str:
        """Its settings as text."""
        return ", ".join(f"{key}={value!r}" for key, value in self.arguments.items()) or "defaults"

    @property
    def needs_graph(self) -> bool:
        """Whether it needs the true graph of each table."""
        return bool(self.arguments.get("structure") == GIVEN)

    def on(self, table: NamedTable) -> JanusSynthesizer:
        """The method for a table: ``structure="given"`` becomes the table's true graph."""
        if not self.needs_graph:
            return self
        if not table.graph:
            raise DataError(f"the graph of the table {table.name!r} is not known, so it cannot be given.")
        return JanusSynthesizer(self.name, **{**self.arguments, "structure": list(table.graph)})

    def fit(self, frame: pd.DataFrame, *, seed: int) -> Self:
        """Learn a table."""
        from janus_synth import Janus

        self._model = Janus(**self.arguments, random_state=seed).fit(frame, progress=False)
        return self

    def sample(self, n: int, *, seed: int, **request: Any) -> pd.DataFrame:
        """Draw rows; ``request`` may hold ``where`` and ``method`` of `Janus.sample`."""
        rows: pd.DataFrame = self._fitted().sample(n, random_state=seed, progress=False, **request)
        return rows

    def parents(self, column: str) -> tuple[str, ...]:
        """Parents of ``column`` in the fitted graph; an identifier has none.

        Hidden columns are not in any table. Those that the column is computed from stand for their own parents, others
        for the columns that they are measured from.
        """
        from janus_synth.model import visible_columns

        model = self._fitted().model_
        if not model.schema[column].is_learnt:
            return ()
        own = set(model.computed[column].hidden) if column in model.computed else set()
        direct = {parent for name in (column, *own) for parent in model.dag.parents[name]} - own
        return tuple(name for name in visible_columns(model, tuple(direct)) if name != column)

    def redraw(self, frame: pd.DataFrame, column: str, *, seed: int) -> pd.Series[Any]:
        """Redraw a learnt column for rows that hold at least its parents; rules of the model are ignored.

        Parents outside the training range are clipped to it, and levels that training rows lack are treated as rare
        ones.

        Examples
        --------
        >>> from janus_bench.tables.drawn import SMOOTH
        >>> train, new = SMOOTH["ring"].table(200), SMOOTH["ring"].table(5, seed=1)
        >>> JanusSynthesizer().fit(train, seed=0).redraw(new[["x", "y"]], "wave", seed=1).shape
        (5,)
        """
        from janus_synth.coordinates import measure_hidden
        from janus_synth.sampling import redraw_column
        from janus_synth.table import Table, read_partial, write_table

        model = self._fitted().model_
        if lacking := [name for name in self.parents(column) if name not in frame]:
            raise DataError(f"{column!r} cannot be drawn without its parents {', '.join(map(repr, lacking))}.")
        table = read_partial(frame.drop(columns=column, errors="ignore"), model.schema)
        if model.hidden:
            table = measure_hidden(table, model.schema, model.links)
        values = redraw_column(model, table, column, seed=seed)
        written = write_table(Table.from_columns(model.schema.select((column,)), {column: values}))
        drawn: pd.Series[Any] = written[column].set_axis(frame.index)
        return drawn

    def _fitted(self) -> Janus:
        if self._model is None:
            raise NotFittedError(f"{self.name} has not seen data. Call fit first.")
        return self._model


def _check_arguments(name: str, arguments: dict[str, Any]) -> None:
    from janus_synth import Janus

    known = [argument for argument in Janus().get_params() if argument != "random_state"]
    for argument in arguments:
        if argument not in known:
            close = difflib.get_close_matches(argument, known, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"Choose from {', '.join(known)}."
            raise DataError(f"the setting {name!r} names {argument!r}, which a benchmark cannot set. {hint}")
