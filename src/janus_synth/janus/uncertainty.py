"""Predictive methods of ``Janus``: uncertainty of cells, predictions, active learning and anomaly scores."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.errors import DataError, UnknownColumnError
from janus_synth.janus.arguments import check_choice, check_integer
from janus_synth.janus.fitted import Fitted
from janus_synth.model import Model, read_partial_rows, read_rows
from janus_synth.table import (
    Schema,
    Table,
    column_names_of,
    count_rows,
    kind_and_index,
    plain_frame,
    take_rows,
    write_table,
)

if TYPE_CHECKING:
    from janus_synth.questions import Uncertainty


class UncertaintyMethods(Fitted):
    """Uncertainty, prediction and anomaly detection with a fitted `Janus`."""

    def uncertainty(self, frame: Any, columns: str | Iterable[str] | None = None) -> Uncertainty:
        """Decompose the predictive uncertainty of each cell given its parents, in closed form.

        *Total* uncertainty is the entropy of the cell's posterior predictive distribution, *aleatoric* its expected
        entropy under the posterior (noise that more data would not remove), *epistemic* the difference (the mutual
        information between the cell and the model's parameters, which more data would remove). *Support* says how far
        training rows like this one back the answer: 1 among them, towards 0 in gaps between them, beyond their range,
        for combinations and levels that none has; there the answer is that of rows about which less is known, and at
        last the column's marginal. The observed value of a cell is not used and may be absent. Rules are ignored.

        Parameters
        ----------
        frame : DataFrame
            Rows with the parents of ``columns``.
        columns : str or list of str, optional
            Columns whose cells to measure; all by default.

        Returns
        -------
        Uncertainty
            ``u["age"]`` has the measures per row, ``u.by_row`` sums over whole rows, ``u.by_column`` means over rows,
            ``u.unseen`` the levels that no training row has.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> rows = datasets.hiring(500, random_state=0)
        >>> u = Janus(random_state=0).fit(rows).uncertainty(rows, columns=["hired"])
        >>> bool((u["hired"]["epistemic"] >= 0).all())
        True
        """
        from janus_synth.questions import Uncertainty, marginal_entropy, parent_columns, uncertainty, unseen_levels
        from janus_synth.questions.hidden_columns import fold_hidden, with_hidden
        from janus_synth.questions.uncertainty import Cells

        model = self._model()
        chosen = _check_columns(model, columns)
        every = with_hidden(model, chosen)
        table = _read_columns(model, frame, parent_columns(model, every))
        cells = uncertainty(model, table, every, n_jobs=self.n_jobs)
        marginals = {name: 0.0 if name in model.computed else marginal_entropy(model, name) for name in every}
        cells, marginals = fold_hidden(model, cells, Cells.plus), fold_hidden(model, marginals, operator.add)
        return Uncertainty(cells, marginals, *kind_and_index(frame), unseen_levels(model, table))

    def predict_proba(self, frame: Any, target: str) -> Any:
        """Return the posterior predictive distribution of a column given all other columns of each row.

        By Bayes' rule over the column's Markov blanket: its own conditional given its parents, times the likelihood of
        its children. Values of the target in ``frame`` are ignored.

        Parameters
        ----------
        frame : DataFrame
            Rows with all other columns. A column may be absent if none of its descendants is present.
        target : str
            Column to predict.

        Returns
        -------
        DataFrame
            One column per level, or per value or range of a numeric target; each row sums to 1.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> rows = datasets.hiring(500, random_state=0)
        >>> found = Janus(random_state=0).fit(rows).predict_proba(rows.head(2), "hired")
        >>> list(found), found.sum(axis=1).round(6).tolist()
        (['False', 'True'], [1.0, 1.0])
        """
        from janus_synth.questions import labelled_probabilities

        model = self._model()
        by_code = self._by_code(frame, target)
        return plain_frame(labelled_probabilities(model, target, by_code), *kind_and_index(frame))

    def predict(self, frame: Any, target: str) -> Any:
        """Predict a column from all others: the most probable level, or the median of an ordered column.

        Parameters
        ----------
        frame : DataFrame
            Rows with all other columns, as for ``predict_proba``.
        target : str
            Column to predict.

        Returns
        -------
        Series
            A value per row, in the dtype of the training table. Null only where null has probability above ½.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> rows = datasets.hiring(500, random_state=0)
        >>> predicted = Janus(random_state=0).fit(rows).predict(rows, "hired")
        >>> bool((predicted == rows["hired"]).mean() > 0.6)
        True
        """
        from janus_synth.questions import point_predictions

        model = self._model()
        values = point_predictions(model, target, self._by_code(frame, target))
        schema = Schema((model.schema[target],), model.schema.frame)
        written = write_table(Table.from_columns(schema, {target: values}))
        kind, index = kind_and_index(frame)
        if kind == "pandas" and schema.frame == "pandas":
            written.index = index
        return written[target]

    def suggest(
        self,
        frame: Any,
        n: int,
        target: str | None = None,
        *,
        for_: str | None = None,
        protected: str | None = None,
        privileged: Any = None,
        outcome: str | None = None,
    ) -> Any:
        """Choose rows to label next (active learning).

        By default those with the highest epistemic uncertainty, highest first. With ``for_="gap"`` those whose labels
        together would reduce the posterior variance of a group gap most: the mean outcome of the privileged rows of
        ``frame`` minus that of the others. If the outcome is null in some rows and present in others, those where it is
        present belong to the groups but are not chosen.

        Parameters
        ----------
        frame : DataFrame
            Rows to choose from.
        n : int
            Number of rows to return.
        target : str, optional
            Column that would be observed; the whole row by default.
        for_ : {"gap"}, optional
            What the labels are for, if not for the model as a whole.
        protected : str, optional
            With ``for_="gap"``: the protected column. Rows in which it is null are not chosen.
        privileged : value, list or (low, high), optional
            With ``for_="gap"``: the privileged group, as values of the protected column.
        outcome : str, optional
            With ``for_="gap"``: the column that would be observed, if it is boolean, or a condition on it such as
            ``"loan == 'granted'"``.

        Returns
        -------
        DataFrame
            ``n`` rows of ``frame``.

        Raises
        ------
        DataError
            If the column to observe has no parents, so that every row would teach the same.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> rows = datasets.hiring(500, random_state=0)
        >>> len(Janus(random_state=0).fit(rows).suggest(rows, 10))
        10
        >>> model = Janus(structure=datasets.hiring_graph(), random_state=0).fit(rows[:100])
        >>> chosen = model.suggest(rows[100:], 10, for_="gap", protected="sex", privileged="male", outcome="hired")
        >>> len(chosen)
        10
        """
        model = self._model()
        n = check_integer("n", n, low=1)
        if for_ is not None or not (protected is privileged is outcome is None):
            return self._suggest_for_gap(frame, n, target, for_, protected, privileged, outcome)
        if target is not None and not len(model.bag(_check_columns(model, target)[0]).parents):
            if target in model.computed:
                inputs = ", ".join(map(repr, model.computed[target].visible_inputs))
                raise DataError(f"column {target!r} is computed from {inputs}, so that a label would teach nothing.")
            raise DataError(
                f"column {target!r} has no parents in this graph, so its uncertainty is the same in every row. Fit "
                f"with a graph in which it comes last: tiers=[[other columns], [{target!r}]], or structure=edges."
            )
        found = self.uncertainty(frame, target)
        epistemic = found.rows.epistemic
        return take_rows(frame, np.argsort(-epistemic, kind="stable")[:n])

    def _suggest_for_gap(
        self,
        frame: Any,
        n: int,
        target: str | None,
        for_: str | None,
        protected: str | None,
        privileged: Any,
        outcome: str | None,
    ) -> Any:
        """Check the arguments of a gap, and choose rows for it."""
        from janus_synth.questions.suggestion import columns_of_gap, suggest_for_gap

        check_choice("for_", for_, ("gap",))
        if protected is None or privileged is None or outcome is None or target is not None:
            raise ValueError(
                "for_='gap' needs protected=, privileged= and outcome=, and no target: the outcome is what is labelled."
            )
        model = self._model()
        column, needed = columns_of_gap(model, protected, outcome)
        table = _read_columns(model, frame, needed)
        labelled = np.zeros(table.n_rows, bool)
        if column in column_names_of(frame):
            labelled = ~read_partial_rows(model, frame, check=False).table.missing(column)
            labelled &= not labelled.all()
        rows = suggest_for_gap(
            model, table, n, protected=protected, privileged=privileged, outcome=outcome, labelled=labelled
        )
        return take_rows(frame, rows)

    def anomaly_score(self, frame: Any, *, by_column: bool = False) -> Any:
        """Score how anomalous each row is; 0 is as usual, the expected score of a row that follows the model.

        Each cell contributes −log p − 1, with p the probability, given the cell's parents, of all values that are less
        likely than the observed one, and of half of those that are as likely (a randomised p-value, averaged). Its mean
        is 0 for columns of any kind, so that scores add up. The score of a row is the sum over its cells.

        Parameters
        ----------
        frame : DataFrame
            Rows to score, with all columns.
        by_column : bool
            Return a frame with the contribution of each cell instead of the sum.

        Returns
        -------
        array of float or DataFrame
            Scores of the rows; higher is more anomalous.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> rows = datasets.hiring(500, random_state=0)
        >>> model = Janus(random_state=0).fit(rows)
        >>> usual, changed = model.anomaly_score(rows.head(1)), model.anomaly_score(rows.head(1).assign(age=140))
        >>> bool(changed[0] > usual[0])
        True
        """
        from janus_synth.questions import anomaly_by_column
        from janus_synth.questions.hidden_columns import fold_hidden

        model = self._model()
        parts = fold_hidden(model, anomaly_by_column(model, read_rows(model, frame)), operator.add)
        if by_column:
            return plain_frame(parts, *kind_and_index(frame))
        score: Floats = np.sum([*parts.values()], axis=0)
        return score

    def _by_code(self, frame: Any, target: str) -> Floats:
        from janus_synth.questions import code_probabilities, predictor_columns
        from janus_synth.questions.linked_prediction import is_linked, linked_probabilities

        model = self._model()
        if not isinstance(target, str):
            raise TypeError(f"target is {target!r}; name one column.")
        _check_columns(model, target)
        if is_linked(model, target):
            others = tuple(column.name for column in model.visible_schema.learnt if column.name != target)
            return linked_probabilities(model, _read_columns(model, frame, others), target)
        present = column_names_of(frame)
        measured = [n for link in model.links if {link.column, *link.visible_inputs} <= {*present} for n in link.hidden]
        predictors = predictor_columns(model, target, [*present, *measured])
        return code_probabilities(model, _read_columns(model, frame, predictors), target, n_jobs=self.n_jobs)


def _check_columns(model: Model, columns: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return the names of columns as a tuple; raise unless the model has all of them."""
    visible = tuple(name for name in model.codec.names if name not in model.hidden)
    if columns is None:
        return visible
    if not isinstance(columns, str | Iterable):
        raise TypeError(f"columns is {columns!r}; name one column, or give a list of names.")
    chosen = (columns,) if isinstance(columns, str) else tuple(columns)
    for name in chosen:
        if name not in visible:
            raise UnknownColumnError(name, visible, where="the model")
    if not chosen:
        raise DataError("columns is empty. Name at least one column, or leave the argument out for all.")
    return chosen


def _read_columns(model: Model, frame: Any, columns: tuple[str, ...]) -> Table:
    """Read some columns of a frame; without any, the table still has the number of rows."""
    if columns:
        return read_rows(model, frame, columns=columns)
    return Table(Schema((), model.schema.frame), {}, count_rows(frame))
