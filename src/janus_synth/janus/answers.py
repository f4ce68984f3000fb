"""Methods of ``Janus`` that answer without giving rows: feasibility, probability, likelihood, and trees to read."""

from __future__ import annotations

import operator
from collections.abc import Container
from typing import Any

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.errors import InfeasibleError
from janus_synth.janus.arguments import Seed, check_number, make_seed
from janus_synth.janus.fitted import Fitted
from janus_synth.model import Explanation, explain_column, read_rows
from janus_synth.progress import progress_bar
from janus_synth.rules import Where, as_rules
from janus_synth.sampling import Check, Estimate, check, log_prob_by_column, log_prob_given, probability
from janus_synth.table import kind_and_index, plain_frame

LEAST_TO_REFINE = 2.0
"""Seconds below which the probability of an event is estimated with first proposals: refining them takes longer."""


class AnswerMethods(Fitted):
    """What a fitted `Janus` says about conditions and rows."""

    def check(self, where: Where = None, *, witness: bool = True) -> Check:
        """Decide whether any row can satisfy the model's rules and some conditions, without drawing rows.

        Parameters
        ----------
        where : str, Rule or list of them, optional
            Conditions; without any, the rules alone are checked.
        witness : bool
            Whether to complete the solver's values to a whole row, which takes most of the time.

        Returns
        -------
        Check
            True or false as a condition. It holds a row that satisfies everything, or a smallest set of rules that
            contradict each other with an explanation.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> model = Janus(rules="experience <= age - 18", random_state=0).fit(datasets.hiring(300, random_state=0))
        >>> bool(model.check("age < 30 and experience >= 20"))
        False
        """
        return check(self._model(), where, witness=witness)

    def probability(
        self,
        where: Where,
        *,
        level: float = 0.95,
        random_state: Seed = 0,
        max_seconds: float | None = None,
        progress: bool | None = None,
    ) -> Estimate:
        """Estimate the probability of an event under the model, however rare, with a confidence interval.

        Parameters
        ----------
        where : str, Rule or list of them
            The event. The probability is conditional on the model's rules, which hold in all its rows.
        level : float
            Coverage of the interval.
        random_state : int or Generator, optional
            The same seed gives the same answer.
        max_seconds : float, optional
            Stop drawing after this time and return the interval reached so far, which then depends on the machine. In
            less than two seconds, rare events are drawn by first proposals, which gives wider intervals.
        progress : bool, optional
            Show on standard error that work is going on; by default only if that is a terminal.

        Returns
        -------
        Estimate
            ``value``, ``low`` and ``high``; all 0 for an impossible event.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> model = Janus(random_state=0).fit(datasets.hiring(300, random_state=0))
        >>> share = model.probability("age < 25 and hired")
        >>> share.low <= share.value <= share.high
        True
        """
        check_number("level", level, low=0.5, high=0.9999)
        if max_seconds is not None:
            check_number("max_seconds", max_seconds, low=0.0)
        model = self._model()
        with progress_bar("estimating a probability", None, shown=progress):
            try:
                plan = self._plan(as_rules(where))
            except InfeasibleError:
                return Estimate(0.0, 0.0, 0.0)
            if max_seconds is not None and max_seconds < LEAST_TO_REFINE:
                plan = plan.without_refinement()
            given = self._plan(()) if model.all_rules else None
            seed = make_seed(random_state)
            return probability(plan, given, level=level, seed=seed, n_jobs=self.n_jobs, max_seconds=max_seconds)

    def log_prob(self, frame: Any, where: Where = None, *, by_column: bool = False, random_state: Seed = 0) -> Any:
        """Log likelihood of each row: log masses of discrete values, log densities of continuous ones.

        A value that the model cannot produce (outside the domain, an unknown level) gives −inf; ``by_column`` says
        which cell it is. With ``where``, or in a model with rules, it is the log likelihood conditional on them, and
        −inf for rows that violate them; the normalising probability is estimated as in ``probability``.

        Parameters
        ----------
        frame : DataFrame
            Rows with all columns.
        where : str, Rule or list of them, optional
            Conditions to condition on.
        by_column : bool
            Return a frame with the term of each cell, given its parents, instead of the sum. Where there are conditions
            or rules, its last column ``conditions`` is minus the log of their probability, or −inf if the row violates
            them.
        random_state : int or Generator, optional
            Seed of the normalising probability.

        Returns
        -------
        array of float or DataFrame
            One value per row, or per cell.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> model = Janus(random_state=0).fit(datasets.hiring(300, random_state=0))
        >>> bool((model.log_prob(model.sample(50)) > float("-inf")).all())
        True
        >>> model.log_prob(model.sample(1, random_state=0).assign(age=140), by_column=True)["age"].tolist()
        [-inf]
        """
        from janus_synth.questions.hidden_columns import fold_hidden

        model = self._model()
        table = read_rows(model, frame)
        wanted = as_rules(where)
        parts = log_prob_by_column(model, table)
        if wanted or model.all_rules:
            seed = make_seed(random_state)
            given = log_prob_given(self._plan(wanted), table, seed=seed, n_jobs=self.n_jobs)
            parts |= {_fresh_name("conditions", parts): given}
        if not by_column:
            total: Floats = np.sum([*parts.values()], axis=0)
            return total
        return plain_frame(fold_hidden(model, parts, operator.add), *kind_and_index(frame))

    def explain(self, column: str, *, tree: int = 0, most: int | None = 20) -> Explanation:
        """Show one tree of a column as if–then statements, largest leaves first.

        Parameters
        ----------
        column : str
            Column whose tree to show.
        tree : int
            Which of its trees.
        most : int, optional
            Maximum number of leaves to show; all if None.

        Returns
        -------
        Explanation
            Prints as text.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> model = Janus(random_state=0).fit(datasets.hiring(300, random_state=0))
        >>> len(str(model.explain("hired", most=3)).splitlines()) > 1
        True
        """
        return explain_column(self._model(), column, tree=tree, most=most)


def _fresh_name(name: str, taken: Container[str]) -> str:
    while name in taken:
        name += "'"
    return name
