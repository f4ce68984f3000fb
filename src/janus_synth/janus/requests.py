"""Methods of ``Janus`` for rows in a mix of the user's choice, and for rows of a table of conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from janus_synth.arrays import LongInts
from janus_synth.errors import UnknownColumnError
from janus_synth.janus.arguments import Seed, check_integer
from janus_synth.janus.fitted import Fitted
from janus_synth.model import read_partial_rows, write_rows
from janus_synth.progress import progress_bar
from janus_synth.rules import Rule, Where, as_rules, bind
from janus_synth.rules.language import IsNull, split_keys
from janus_synth.sampling import (
    Mix,
    Plan,
    RowLimit,
    Sources,
    Wish,
    draw_mix,
    plan_for,
    read_axes,
    read_keys,
    read_means,
    redraw_repeated,
    sample_for_rows,
)
from janus_synth.streams import Stream, generator
from janus_synth.table import Table


class RequestMethods(Fitted):
    """Mixes of rows, drawn from a fitted `Janus`."""

    def _sample_mix(
        self,
        n: int,
        where: Where,
        mix: Sequence[Any],
        *,
        verify: bool | None,
        random_state: Seed,
        max_seconds: float | str | None,
        progress: bool | None,
    ) -> tuple[Any, Mix]:
        """Draw rows with given shares, balanced columns, means and keys; returns a report, too."""
        model = self._model()
        shares, balance, means, unique = mix
        rules, keys = split_keys(as_rules(where))
        wish = Wish(read_axes(shares, balance, model), read_means(means, model), read_keys(unique, model, keys))
        seed = self._sample_seed(random_state)
        sources = Sources(model, rules, self._plans_of(rules), seed, self.n_jobs, verify)
        limit = RowLimit(max_seconds, n, model, rules)
        with progress_bar("drawing rows", None, shown=progress), limit.running():
            rows, report = draw_mix(sources, wish, n)
        return write_rows(model, rows, rng=np.random.default_rng(seed)), report

    def sample_for(
        self,
        conditions: Any,
        n_each: int | str | Sequence[int] = 1,
        *,
        where: Where = None,
        index: str | None = None,
        random_state: Seed = None,
        max_seconds: float | str | None = "auto",
        progress: bool | None = None,
    ) -> Any:
        """Draw rows for each row of a table of conditions.

        The rows drawn for a condition have its cells; their other cells follow the model's conditional distribution
        given them, the rules and ``where``. A null cell and a column that the table lacks are open: they are drawn as
        the model has them, nulls included.

        Parameters
        ----------
        conditions : DataFrame
            Values of some columns, one condition per row.
        n_each : int, str or list of int
            Rows for each condition: a number, the name of a column of ``conditions`` that holds numbers, or a list.
        where : str, Rule or list of them, optional
            Conditions on all rows.
        index : str, optional
            Name of a column to add that holds the number of each row's condition, from 0 on.
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
            The rows in the order of their conditions.

        Raises
        ------
        DataError
            If a cell has a value that no row of the model can have, with the row's number.
        InfeasibleError
            If no row can satisfy the rules and a condition, with its number.
        TimeLimitError
            If the rows were not drawn within ``max_seconds``.

        Examples
        --------
        >>> import pandas as pd
        >>> from janus_synth import Janus, datasets
        >>> model = Janus(random_state=0).fit(datasets.hiring(300, random_state=0))
        >>> wanted = pd.DataFrame({"sex": ["female", "male"], "hired": [True, False]})
        >>> rows = model.sample_for(wanted, 2, index="condition", random_state=1)
        >>> rows[["condition", "sex", "hired"]]
           condition     sex  hired
        0          0  female   True
        1          0  female   True
        2          1    male  False
        3          1    male  False
        """
        import narwhals as nw

        model, frame = self._model(), nw.from_native(conditions, eager_only=True)
        counts = _read_counts(frame, n_each)
        if isinstance(n_each, str):
            frame = frame.drop(n_each)
        for name in frame.columns:
            bind(IsNull(name), model.visible_schema)  # raises for unknown columns and identifiers
        known, _ = read_partial_rows(model, frame.to_native())
        rules, wanted_keys = split_keys(as_rules(where))
        seed, keys = self._sample_seed(random_state), read_keys(None, model, wanted_keys)
        limit = RowLimit(max_seconds, int(counts.sum()), model, rules)
        with progress_bar("drawing rows", int(counts.sum()), shown=progress) as advance, limit.running():

            def count(n_rows: int) -> None:
                advance(n_rows)
                limit.count(n_rows)

            plan_of = self._plans_of(rules)
            rows = sample_for_rows(
                model, known, counts, rules, plan_of=plan_of, seed=seed, n_jobs=self.n_jobs, on_rows=count
            )
            if keys is not None:
                given = known.take(np.repeat(np.arange(known.n_rows), counts))

                def draw(at: LongInts, number: int) -> Table:
                    once, own = np.ones(len(at), np.int64), seed_of_round(seed, number)
                    return sample_for_rows(
                        model, given.take(at), once, rules, plan_of=plan_of, seed=own, n_jobs=self.n_jobs
                    )

                rows = redraw_repeated(keys, rows, draw)
        written = write_rows(model, rows, rng=np.random.default_rng(seed))
        return written if index is None else _add_column(written, index, np.repeat(np.arange(len(counts)), counts))

    def _plans_of(self, where: tuple[Rule, ...]) -> Any:
        """Plans of a mix; only the one for the request itself is kept for later."""
        made: dict[tuple[Rule, ...], Plan] = {}

        def plan_of(wanted: tuple[Rule, ...], *, reasons: bool = True) -> Plan:
            if wanted == where:
                return self._plan(wanted)
            if wanted not in made:
                made[wanted] = plan_for(self._model(), wanted, reasons=reasons, seen=self._glance)
            return made[wanted]

        return plan_of


def seed_of_round(seed: int, number: int) -> int:
    """Seed of rows that are drawn again because their keys repeat."""
    return int(generator(seed, Stream.REPEATED, number).integers(2**63))


def _read_counts(frame: Any, n_each: Any) -> LongInts:
    """Rows to draw for each row of a frame."""
    if isinstance(n_each, str):
        if n_each not in frame.columns:
            raise UnknownColumnError(n_each, frame.columns, where="the table of conditions")
        n_each = frame[n_each].to_list()
    if isinstance(n_each, Sequence | np.ndarray):
        counts = [check_integer("n_each", count, low=0, what="numbers of rows") for count in n_each]
    else:
        counts = [check_integer("n_each", n_each, low=0, what="a number of rows")] * len(frame)
    if len(counts) != len(frame):
        raise ValueError(f"n_each has {len(counts)} numbers for {len(frame)} conditions; give one for each.")
    return np.array(counts, np.int64)


def _add_column(frame: Any, name: str, values: LongInts) -> Any:
    """Frame with one more column, the first."""
    import narwhals as nw

    rows = nw.from_native(frame, eager_only=True)
    if name in rows.columns:
        raise ValueError(f"index is {name!r}, which is a column of the rows. Give another name.")
    column = nw.new_series(name, values, nw.Int64, backend=rows.implementation)
    return rows.with_columns(column).select(name, *rows.columns).to_native()
