"""Methods of ``Janus`` that give rows: samples, whole or in batches, and imputed cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from janus_synth.arrays import LongInts
from janus_synth.errors import RuleError
from janus_synth.janus.arguments import Seed, check_choice, check_integer
from janus_synth.janus.fitted import Fitted
from janus_synth.janus.requests import seed_of_round
from janus_synth.model import Model, read_partial_rows, visible_table, write_rows
from janus_synth.progress import progress_bar
from janus_synth.rules import Where, as_rules
from janus_synth.rules.language import split_keys
from janus_synth.sampling import (
    BLOCK_ROWS,
    Plan,
    RowLimit,
    blocks_of,
    first_block_of,
    impute_table,
    prepare_bags,
    read_keys,
    redraw_repeated,
    sample_conditional,
    sample_greedy,
    sample_rows,
    verify_rows,
)
from janus_synth.table import Table, patch_frame


class RowMethods(Fitted):
    """Rows drawn from a fitted `Janus`, and rows completed by it."""

    schema_: Any
    uncertainty: Callable[..., Any]
    _sample_mix: Callable[..., Any]

    def sample(
        self,
        n: int,
        *,
        where: Where = None,
        shares: Any = None,
        balance: str | list[Any] | tuple[str, ...] | None = None,
        means: Mapping[str, Any] | None = None,
        unique: str | Sequence[str] | None = None,
        method: str = "exact",
        with_uncertainty: bool = False,
        with_mix: bool = False,
        verify: bool | None = None,
        random_state: Seed = None,
        max_seconds: float | str | None = "auto",
        progress: bool | None = None,
    ) -> Any:
        """Draw rows from the model, conditional on its rules and on ``where``, in a mix of your choice.

        The rows follow the model's conditional distribution given the rules and conditions, and every row satisfies
        them. Exactly ``n`` rows come back, however rare the conditions. With shares or means, the rows follow the
        distribution closest to it that has them; they come in random order, and depend on ``n``.

        Parameters
        ----------
        n : int
            Number of rows.
        where : str, Rule or list of them, optional
            Conditions on these rows: ``"50_000 <= income <= 80_000 and loan == 'Approved'"``.
        shares : mapping, frame or list of them, optional
            Shares of rows, exact to one row: of the values or bands of a column, ``{"churn": {"Yes": 0.3}}`` and
            ``{"age": {"< 30": 0.5}}``; of combinations, ``{("churn", "sex"): {("Yes", "F"): 0.2}}`` or a frame with a
            column ``share``; of rows that meet a condition, ``{"age > bought_at": 0.1}``. The rest keeps the model's
            proportions, and several shares are margins.
        balance : str, tuple of str, or list of them, optional
            Columns whose values get equal shares, without nulls; a tuple means all combinations.
        means : mapping, optional
            Means of numeric or boolean columns: ``{"income": 52_000}``, or with a tolerance ``{"income": (52_000,
            500)}``. The default tolerance is the standard error of the mean of ``n`` independent rows.
        unique : str or list of str, optional
            Columns of a key that no two rows share.
        method : {"exact", "greedy"}
            ``"greedy"`` is Algorithm 1 of the paper as printed, for comparison: its rows satisfy conditions on single
            columns, but do not follow the conditional distribution.
        with_uncertainty : bool
            Return the rows and the ``Uncertainty`` of their cells.
        with_mix : bool
            Return the rows and a ``Mix``: counts and means reached, rows drawn, effective sample size.
        verify : bool, optional
            Compare the rows with an independent estimate of the same distribution (the probabilities of the
            alternatives in the condition, and of random half-spaces) and raise ``VerificationError`` on a significant
            difference. By default only rare conditions with alternatives are verified, without extra draws; ``True``
            verifies every rare condition, with additional unconditional draws. Common conditions are sampled by
            rejection, which needs no verification.
        random_state : int or Generator, optional
            The same seed gives the same table. Without a seed, a model with an integer ``random_state`` gives a
            reproducible sequence of different tables, and any other model uses fresh entropy.
        max_seconds : float or None
            Time limit; a request that takes longer is a ``TimeLimitError``, and rows never depend on the time. By
            default 120 s and 0.05 s for each row; None is no limit.
        progress : bool, optional
            Show a progress bar on standard error; by default only if that is a terminal.

        Returns
        -------
        DataFrame, or DataFrame and Uncertainty or Mix
            Rows in the kind of frame and with the dtypes of the training table.

        Raises
        ------
        InfeasibleError
            If no row can satisfy the rules and conditions together, or no table has the shares, means or keys.
        TimeLimitError
            If the rows were not drawn within ``max_seconds``.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> model = Janus(random_state=0).fit(datasets.hiring(300, random_state=0))
        >>> rows = model.sample(50, where="age >= 40 and hired", random_state=1)
        >>> len(rows), bool((rows["age"] >= 40).all())
        (50, True)
        >>> int(model.sample(50, shares={"hired": {True: 0.3}}, random_state=1)["hired"].sum())
        15
        """
        n = check_integer("n", n, low=0, what="a number of rows")
        where = as_rules(where)
        if with_mix or not (shares is None and balance is None and means is None) or self._has_keys(unique, where):
            check_choice("method", method, ("exact",))
            rows, mix = self._sample_mix(
                n,
                where,
                (shares, balance, means, unique),
                verify=verify,
                random_state=random_state,
                max_seconds=max_seconds,
                progress=progress,
            )
            extra = ((self.uncertainty(rows),) if with_uncertainty else ()) + ((mix,) if with_mix else ())
            return (rows, *extra) if extra else rows
        batches = self.sample_batches(
            n,
            where=where,
            method=method,
            batch_rows=max(1, n),
            verify=verify,
            random_state=random_state,
            max_seconds=max_seconds,
            progress=progress,
        )
        rows = next(batches)
        return (rows, self.uncertainty(rows)) if with_uncertainty else rows

    def sample_batches(
        self,
        n: int,
        *,
        where: Where = None,
        method: str = "exact",
        batch_rows: int = 262_144,
        verify: bool | None = None,
        random_state: Seed = None,
        max_seconds: float | str | None = "auto",
        progress: bool | None = None,
    ) -> Iterator[Any]:
        """Draw rows in batches, for tables larger than memory; together they equal ``sample(n)``.

        Parameters
        ----------
        n : int
            Total number of rows.
        where, method, verify, random_state, max_seconds, progress
            As for ``sample``; shares, means and keys are for whole tables only. Time between batches does not count.
        batch_rows : int
            Maximum number of rows of a batch.

        Returns
        -------
        iterator of DataFrame
            The batches in order.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> model = Janus(random_state=0).fit(datasets.hiring(200, random_state=0))
        >>> [len(batch) for batch in model.sample_batches(10_000, batch_rows=4_096)]
        [4096, 4096, 1808]
        """
        where = as_rules(where)
        self._require_no_keys(where)
        where = split_keys(where)[0]
        n = check_integer("n", n, low=0, what="a number of rows")
        batch_rows = check_integer("batch_rows", batch_rows, low=1)
        check_choice("method", method, ("exact", "greedy"))
        seed = self._sample_seed(random_state)
        greedy = method == "greedy"
        limit = RowLimit(max_seconds, n, self._model(), where)
        with limit.running():
            source = self._source_of_rows(where, greedy=greedy, progress=progress)
        return self._batches(source, n, batch_rows, seed, limit, progress, greedy=greedy, verify=verify and not greedy)

    def _has_keys(self, unique: Any, where: Where) -> bool:
        """Return whether rows of a request must differ in some columns, by its conditions or the model's rules."""
        return unique is not None or bool(split_keys((*self._model().all_rules, *as_rules(where)))[1])

    def _require_no_keys(self, where: Where) -> None:
        """Raise ``RuleError`` if rows must differ in columns that are learnt: pieces do not know of one another."""
        model = self._model()
        keys = read_keys(None, model, split_keys(as_rules(where))[1])
        if keys is not None:
            raise RuleError(
                f"rows must all differ in {keys}, which only a whole table can promise. Draw it with sample, or leave "
                "out the rule."
            )

    def _source_of_rows(self, where: Where, *, greedy: bool = False, progress: bool | None = None) -> Plan | Model:
        """Return the plan of a request, or the model itself if nothing constrains its rows."""
        model = self._model()
        wanted = as_rules(where)
        if wanted or model.all_rules:
            with progress_bar("planning", None, shown=progress):
                plan = self._plan(wanted, glance=not greedy)
                if plan.request.rules:  # otherwise links guarantee all rules
                    if not greedy:
                        plan.prepare()
                    return plan
        return model

    def _piece_drawer(self, n: int, where: Where, seed: int) -> Callable[[int, int], Any]:
        """Return a function that draws the rows of ``sample(n)`` from a first row on; it can be sent to a worker."""
        source = self._source_of_rows(where)
        if isinstance(source, Plan):
            verify_rows(
                source, sample_conditional(source, min(n, BLOCK_ROWS), seed=seed, n_jobs=self.n_jobs), seed=seed
            )
        return partial(_draw_piece, source, self._model(), seed)

    def _batches(
        self,
        source: Plan | Model,
        n: int,
        batch_rows: int,
        seed: int,
        limit: RowLimit,
        progress: bool | None,
        *,
        greedy: bool,
        verify: bool | None,
    ) -> Iterator[Any]:
        draw: Any = sample_rows
        if isinstance(source, Plan):
            draw = sample_greedy if greedy else sample_conditional
        if not greedy:
            missing = sum(not bag.is_prepared for bag in self._model().bags)
            with progress_bar("preparing trees", missing, shown=progress) as advance:
                prepare_bags(self._model(), n_jobs=self.n_jobs, on_bag=advance)
        with progress_bar("drawing rows", n, shown=progress) as advance:
            for start, length in blocks_of(n, batch_rows):
                block = first_block_of(start)

                def count(n_rows: int) -> None:
                    advance(n_rows)
                    limit.count(n_rows)

                with limit.running():
                    table = draw(source, length, seed=seed, first_block=block, n_jobs=self.n_jobs, on_rows=count)
                    if isinstance(source, Plan) and (verify or (verify is None and start == 0 and not greedy)):
                        verify_rows(source, table, seed=seed, thorough=bool(verify))
                rng = np.random.default_rng(seed)  # the same for every batch: identifiers depend on the row number
                yield write_rows(self._model(), table, rng=rng, first_identifier=start)

    def complete(
        self,
        frame: Any,
        where: Where = None,
        *,
        nulls: str = "absent",
        unknown: str = "error",
        random_state: Seed = None,
        max_seconds: float | str | None = "auto",
        progress: bool | None = None,
    ) -> Any:
        """Impute missing cells: draw them from the model given the observed cells of their row.

        Observed cells, additional columns and the index do not change; columns that the frame lacks are added. The
        completed rows satisfy the model's rules. A null cell is filled; it stays null only if the rules admit nothing
        else. A column that the frame lacks is drawn as the model has it, nulls included.

        Parameters
        ----------
        frame : DataFrame
            Rows with missing cells, in the kind of frame that the model was fitted on.
        where : str, Rule or list of them, optional
            Conditions on the completed rows.
        nulls : {"absent", "draw", "fill"}
            Where nulls may be drawn: in columns that the frame lacks; in all missing cells (``"draw"``); nowhere
            (``"fill"``).
        unknown : {"error", "keep"}
            What to do about values far outside a column's domain, levels that the model does not know, and columns
            whose names look misspelt. Such values can be kept: they count as the closest value, or as a rare level.
        random_state : int or Generator, optional
            Seed, as for ``sample``.
        max_seconds : float or None
            Time limit; a request that takes longer is a ``TimeLimitError``, and rows never depend on the time. By
            default 120 s and 0.05 s for each row; None is no limit.
        progress : bool, optional
            Show a progress bar on standard error; by default only if that is a terminal.

        Returns
        -------
        DataFrame
            The completed rows.

        Raises
        ------
        DataError
            If a cell has a value that no row of the model can have, with the row's number.
        UnknownColumnError
            If a column's name looks like a misspelling of one that the frame lacks.
        TimeLimitError
            If the rows were not completed within ``max_seconds``.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> rows = datasets.hiring(200, random_state=0)
        >>> model = Janus(random_state=0).fit(rows)
        >>> bool(model.complete(rows.head(3)[["age", "sex"]])["hired"].isna().any())
        False
        """
        model = self._model()
        check_choice("nulls", nulls, ("absent", "draw", "fill"))
        check_choice("unknown", unknown, ("error", "keep"))
        before, absent = read_partial_rows(model, frame, check=unknown == "error")
        seed = self._sample_seed(random_state)
        nulls_in = {"absent": absent, "draw": [c.name for c in self.schema_.learnt], "fill": ()}[nulls]
        rules, wanted_keys = split_keys(as_rules(where))
        limit, keys = RowLimit(max_seconds, before.n_rows, model, rules), read_keys(None, model, wanted_keys)
        with progress_bar("imputing rows", before.n_rows, shown=progress) as advance, limit.running():

            def count(n_rows: int) -> None:
                advance(n_rows)
                limit.count(n_rows)

            fill = partial(impute_table, model, nulls_in=nulls_in, n_jobs=self.n_jobs)
            filled = fill(before, rules, seed=seed, on_rows=count)
            if keys is not None:

                def draw(at: LongInts, number: int) -> Table:
                    return fill(before.take(at), rules, seed=seed_of_round(seed, number), numbers=at)

                filled = redraw_repeated(keys, filled, draw)
        rng = np.random.default_rng(seed)
        return patch_frame(frame, visible_table(model, before), visible_table(model, filled), rng)


def _draw_piece(source: Plan | Model, model: Model, seed: int, start: int, length: int) -> Any:
    """Rows of a request from a row on that begins a block."""
    draw: Any = sample_conditional if isinstance(source, Plan) else sample_rows
    table = draw(source, length, seed=seed, first_block=first_block_of(start), n_jobs=1)
    return write_rows(model, table, rng=np.random.default_rng(seed), first_identifier=start)
