"""Questions of sureness: how sure the model is of cells, what it foretells, and which rows are odd or telling."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.errors import DataError, UnknownColumnError
from janus_synth.janus.arguments import whole
from janus_synth.model import Model
from janus_synth.questions import (
    Uncertainty,
    best_values,
    code_probabilities,
    columns_known,
    columns_needed,
    labelled_probabilities,
    oddity_by_column,
    possible_codes,
    uncertainty,
)
from janus_synth.table import (
    Schema,
    Table,
    column_names_of,
    count_rows,
    kind_and_index,
    plain_frame,
    read_table,
    take_rows,
    write_table,
)


class UncertaintyMethods:
    """What a fitted `Janus` answers about its own knowledge."""

    n_jobs: int | None

    def _model(self) -> Model:
        raise NotImplementedError

    def uncertainty(self, frame: Any, columns: str | Iterable[str] | None = None) -> Uncertainty:
        """How sure the model is of cells, given the columns that theirs depends on, in closed form.

        *Total* is the entropy of the cell's distribution, *aleatoric* the part that more rows would not take away,
        *epistemic* the part that they would. A cell's own value does not matter, and may be absent. Rules are left
        aside.

        Parameters
        ----------
        frame : DataFrame
            Rows with the columns that those asked about depend on.
        columns : str or list of str, optional
            Columns to ask about; all by default.

        Returns
        -------
        Uncertainty
            ``u["age"]`` has the measures per row, ``u.by_row`` those of whole rows, ``u.by_column`` means.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> rows = datasets.hiring(500, random_state=0)
        >>> u = Janus(random_state=0).fit(rows).uncertainty(rows, columns=["hired"])
        >>> bool((u["hired"]["epistemic"] >= 0).all())
        True
        """
        model = self._model()
        asked = _asked(model, columns)
        table = _read_some(model, frame, columns_needed(model, asked))
        cells = uncertainty(model, table, asked, n_jobs=self.n_jobs)
        return Uncertainty(cells, {name: possible_codes(model.bag(name)) for name in asked}, *kind_and_index(frame))

    def predict_proba(self, frame: Any, target: str) -> Any:
        """Probabilities of a column's levels, values or ranges given all other columns of each row.

        Parents count forward, children backward. The frame's own cells of the target are not looked at.

        Parameters
        ----------
        frame : DataFrame
            Rows with all other columns; those that nothing present depends on may be absent.
        target : str
            Column to foretell.

        Returns
        -------
        DataFrame
            A column per level, or per value or range of a numeric target; rows sum to 1.
        """
        model = self._model()
        by_code = self._by_code(frame, target)
        return plain_frame(labelled_probabilities(model, target, by_code), *kind_and_index(frame))

    def predict(self, frame: Any, target: str) -> Any:
        """The likeliest level of a column given all others, or the median of an ordered one, as a column.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> rows = datasets.hiring(500, random_state=0)
        >>> foretold = Janus(random_state=0).fit(rows).predict(rows, "hired")
        >>> bool((foretold == rows["hired"]).mean() > 0.6)
        True
        """
        model = self._model()
        values = best_values(model, target, self._by_code(frame, target))
        schema = Schema((model.schema[target],), model.schema.frame)
        written = write_table({target: values}, schema, n_rows=len(values))
        kind, index = kind_and_index(frame)
        if kind == "pandas" and schema.frame == "pandas":
            written.index = index
        return written[target]

    def suggest(self, frame: Any, n: int, target: str | None = None) -> Any:
        """The rows whose labels would teach most: those with the most epistemic uncertainty, most first.

        Parameters
        ----------
        frame : DataFrame
            Rows to choose from.
        n : int
            How many.
        target : str, optional
            Column whose value one would find out; the whole row by default.
        """
        model = self._model()
        n = whole("n", n, low=1)
        if target is not None and not len(model.bag(_asked(model, target)[0]).parents):
            raise DataError(
                f"column {target!r} depends on no other column in this graph, so all rows would teach alike. Fit with "
                f"a graph in which it comes last: tiers=[[other columns], [{target!r}]], or structure=edges."
            )
        found = self.uncertainty(frame, target)
        epistemic = found.rows.epistemic
        return take_rows(frame, np.argsort(-epistemic, kind="stable")[:n])

    def anomaly_score(self, frame: Any, *, by_column: bool = False) -> Any:
        """How odd rows are: 0 is as usual, more is odder, whatever the kinds of the columns.

        Each cell counts −log p − 1, with p the probability, given its parents, of all that is no likelier; the score is
        their sum.

        Parameters
        ----------
        frame : DataFrame
            Rows to judge, with all columns.
        by_column : bool
            Return a frame with each cell's part, which add up to the score.
        """
        model = self._model()
        parts = oddity_by_column(model, read_table(frame, model.schema, columns=model.codec.names))
        if by_column:
            return plain_frame(parts, *kind_and_index(frame))
        score: Floats = np.sum([*parts.values()], axis=0)
        return score

    def _by_code(self, frame: Any, target: str) -> Floats:
        model = self._model()
        if not isinstance(target, str):
            raise TypeError(f"target is {target!r}; name one column.")
        _asked(model, target)
        known = columns_known(model, target, column_names_of(frame))
        return code_probabilities(model, _read_some(model, frame, known), target, n_jobs=self.n_jobs)


def _asked(model: Model, columns: str | Iterable[str] | None) -> tuple[str, ...]:
    if columns is None:
        return model.codec.names
    if not isinstance(columns, str | Iterable):
        raise TypeError(f"columns is {columns!r}; name one column, or give a list of names.")
    asked = (columns,) if isinstance(columns, str) else tuple(columns)
    for name in asked:
        if name not in model.codec.names:
            raise UnknownColumnError(name, model.codec.names, where="the model")
    if not asked:
        raise DataError("no column was asked about. Name one, or leave columns out to ask about all.")
    return asked


def _read_some(model: Model, frame: Any, columns: tuple[str, ...]) -> Table:
    """Some columns of a frame; of none at all, still the number of rows."""
    if columns:
        return read_table(frame, model.schema, columns=columns)
    return Table(Schema((), model.schema.frame), {}, count_rows(frame))
