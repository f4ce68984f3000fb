"""Causal methods of ``Janus``: interventions, average treatment effects and counterfactuals."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from janus_synth.errors import LearntGraphWarning
from janus_synth.janus.arguments import Seed, check_integer, check_number, make_seed
from janus_synth.janus.parameters import Parameters
from janus_synth.model import Model, read_rows, visible_table
from janus_synth.progress import progress_bar
from janus_synth.rules import Where, as_rules, bind
from janus_synth.table import rewrite_frame

if TYPE_CHECKING:
    from janus_synth.questions import Effect, Mediation


class CausalMethods(Parameters):
    """Causal questions to a fitted `Janus`; the answers are correct only if its graph is."""

    def do(self, settings: Mapping[str, Any]) -> Self:
        """Return the model of the world in which some columns are set by intervention.

        The result is a ``Janus`` like any other: it can draw rows, estimate probabilities and be intervened on again.
        A column that is set loses its parents (graph mutilation); all other columns keep their conditionals.

        Parameters
        ----------
        settings : mapping of str to value
            What to set each column to. A value is assigned in every row. A range ``(low, high)`` or a list restricts
            the column to these values, distributed as its own marginal there. A linear expression of other columns,
            as text or with ``col``, is computed row by row. ``None`` makes the column null.

        Returns
        -------
        Janus
            A new model; this one does not change.

        Raises
        ------
        InfeasibleError
            If no row can satisfy the model's rules once the columns are set.

        Warns
        -----
        LearntGraphWarning
            Once per model, if the graph was learnt and ``trust_graph`` is false.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> model = Janus(random_state=0, trust_graph=True).fit(datasets.hiring(500, random_state=0))
        >>> world = model.do({"education": "master", "age": (30, 40)})
        >>> bool(world.sample(100)["age"].between(30, 40).all())
        True
        """
        from janus_synth.questions import intervene

        model = self._model()
        self._warn_if_learnt()
        return self._with_model(intervene(model, settings))

    def effect(
        self,
        treatment: str,
        outcome: str,
        values: Sequence[Any] | None = None,
        where: Where = None,
        *,
        data: Any = None,
        confounded: Sequence[tuple[str, str]] = (),
        n: int = 10_000,
        level: float = 0.95,
        random_state: Seed = 0,
        progress: bool | None = None,
    ) -> Effect:
        """Estimate the average treatment effect: mean outcomes under interventions, and their differences.

        With ``data``, effects are estimated from these rows: the graph says which columns to adjust for, and
        cross-fitted regressions on them make the estimate doubly robust. Without, they are simulated from the model,
        and the intervals include its smoothing bias; they are wider. Neither covers a wrong graph, or unobserved
        confounders that are not stated; a model with a set of graphs (``structure="bootstrap"``) averages effects
        over them, and their intervals include the variance between graphs. Rules that mention the treatment or
        its descendants are ignored: they would select units by their outcome.

        Parameters
        ----------
        treatment : str
            Column to set.
        outcome : str
            Numeric or boolean column, or a condition such as ``"loan == 'Approved'"``, whose probability is estimated.
        values : sequence, optional
            Values or ranges to set the treatment to, as for ``do``. Effects are relative to the first. By default all
            levels of the treatment, or five quantiles.
        where : str, Rule or list of them, optional
            Subpopulation: conditions on columns that are not descendants of the treatment.
        data : DataFrame, optional
            Rows to estimate from, best those of the fit. Null treatments and outcomes are taken to be missing at random
            given the columns that are adjusted for.
        confounded : sequence of pairs of str
            Columns with an unobserved common cause. What they leave unidentified is refused.
        n : int
            Number of simulated units to average over, without ``data``.
        level : float
            Coverage of the intervals.
        random_state : int or Generator, optional
            The same seed gives the same answer.
        progress : bool, optional
            Show a progress bar on standard error; by default only if that is a terminal.

        Returns
        -------
        Effect
            ``means`` under each value and ``effects`` relative to the first, with intervals; how they were estimated,
            what was adjusted for, and whether overlap is weak.

        Raises
        ------
        NotIdentifiedError
            If the graph does not identify the effect, as where the treatment comes after the outcome.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> rows = datasets.hiring(500, random_state=0)
        >>> model = Janus(structure=datasets.hiring_graph(), random_state=0).fit(rows)
        >>> found = model.effect("experience", "offered_salary", [2, 20], n=1_000)
        >>> found.effects[1].value > 0
        True
        >>> measured = model.effect("experience", "offered_salary", [2, 20], data=rows)
        >>> measured.estimator, measured.effects[1].low > 0
        ('partialling out along a spline', True)
        """
        from janus_synth.questions import average_effect, effect_from_rows, usual_values
        from janus_synth.questions.effect import N_ANSWERS
        from janus_synth.questions.graph_average import effect_over_graphs, rows_effect_over_graphs

        model = self._model()
        n = check_integer("n", n, low=100)
        check_number("level", level, low=0.5, high=0.9999)
        values = _check_values(treatment, usual_values(model, treatment) if values is None else values)
        self._warn_if_learnt()
        seed = make_seed(random_state)
        if data is not None:
            from_rows = effect_from_rows if model.graphs is None else rows_effect_over_graphs
            return from_rows(
                model, data, treatment, outcome, values, where, level=level, seed=seed, confounded=confounded
            )
        n_graphs = 1 if model.graphs is None else len(model.graphs.dags)
        estimate = average_effect if model.graphs is None else effect_over_graphs
        with progress_bar("drawing models from the posterior", n_graphs * N_ANSWERS, shown=progress) as advance:
            return estimate(
                model, treatment, outcome, values, where, n=n, level=level, seed=seed, confounded=confounded,
                growth=self._fit_settings().growth, n_jobs=self.n_jobs, on_draw=advance,
            )  # fmt: skip

    def mediation(
        self,
        treatment: str,
        outcome: str,
        values: Sequence[Any] | None = None,
        through: str | Sequence[str] | None = None,
        where: Where = None,
        *,
        data: Any = None,
        n: int = 10_000,
        level: float = 0.95,
        random_state: Seed = 0,
        progress: bool | None = None,
    ) -> Mediation:
        """Divide an average effect into natural direct and indirect effects: what mediators carry, and the rest.

        The direct effect changes the treatment and holds mediators at what they would have been; the indirect effect
        changes the mediators alone. Together they are the total effect.

        Parameters
        ----------
        treatment, outcome, where, data, n, level, random_state, progress
            As for ``effect``. From ``data``, the treatment must have levels or few numbers.
        values : sequence of two values, optional
            What the treatment is changed from and to; by default its first and its last usual value.
        through : str or sequence of str, optional
            The mediators; by default all columns on directed paths between treatment and outcome.

        Returns
        -------
        Mediation
            ``total``, ``direct`` and ``indirect`` with intervals.

        Raises
        ------
        NotIdentifiedError
            If a column that the treatment changes causes both a mediator and the outcome and is no mediator itself.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> rows = datasets.hiring(800, random_state=0)
        >>> model = Janus(structure=datasets.hiring_graph(), random_state=0).fit(rows)
        >>> found = model.mediation("education", "requested_salary", ["school", "phd"], n=1_000)
        >>> round(found.total.value - found.direct.value - found.indirect.value, 6)
        0.0
        """
        from janus_synth.questions import mediated_effect, mediation_from_rows, usual_values
        from janus_synth.questions.effect import N_ANSWERS

        model = self._model()
        n = check_integer("n", n, low=100)
        check_number("level", level, low=0.5, high=0.9999)
        usual = usual_values(model, treatment) if values is None else values
        values = _check_values(treatment, [usual[0], usual[-1]] if values is None else usual)
        if len(values) != 2:
            raise ValueError(f"values holds {len(values)} values; mediation compares two, such as [0, 1].")
        mediators = (through,) if isinstance(through, str) else None if through is None else tuple(through)
        self._warn_if_learnt()
        seed = make_seed(random_state)
        if data is not None:
            return mediation_from_rows(
                model, data, treatment, outcome, values, mediators, where, level=level, seed=seed
            )  # fmt: skip
        with progress_bar("drawing models from the posterior", N_ANSWERS, shown=progress) as advance:
            return mediated_effect(
                model, treatment, outcome, values, mediators, where, n=n, level=level, seed=seed,
                growth=self._fit_settings().growth, n_jobs=self.n_jobs, on_draw=advance,
            )  # fmt: skip

    def counterfactual(
        self,
        frame: Any,
        do: Mapping[str, Any],
        where: Where = None,
        *,
        n_draws: int | None = None,
        keep_rules: bool = True,
        random_state: Seed = 0,
        progress: bool | None = None,
    ) -> Any:
        """Return each row as it would have been had columns been set: abduction, action, prediction.

        *Abduction* infers each row's noise from its values, *action* sets columns, *prediction* recomputes their
        descendants with the same noise. An ordered value keeps its conditional quantile rank. A category follows the
        Gumbel-max model: it changes only if another one became relatively likelier. Columns that are not descendants
        keep their values, and a row that already has the values comes back unchanged. Noise that a value does not
        determine (categories, integers, null) is drawn from its posterior.

        Parameters
        ----------
        frame : DataFrame
            Observed rows, with all columns.
        do : mapping of str to value
            As for ``do``. In addition, an array or a series gives each row its own value, and an expression may name
            the column itself: ``{"age": "age + 5"}``. A row that already lies in a range or a list keeps its value.
        where : str, Rule or list of them, optional
            Further conditions to preserve, besides the model's rules: a row that satisfies one now still does after.
        n_draws : int, optional
            Return a list of this many frames, each with its own draw of the undetermined noise and of the model: the
            parameters of its mechanisms from their posterior, and one of its graphs if it has several. How frames
            differ shows how uncertain an answer is. Without, the answer is that of the posterior mean.
        keep_rules : bool
            Redraw the descendants of rows that would violate a rule, so that all rules hold.
        random_state : int or Generator, optional
            The same seed gives the same answer.
        progress : bool, optional
            Show a progress bar on standard error; by default only if that is a terminal.

        Returns
        -------
        DataFrame or list of DataFrame
            Rows in the order and the kind of ``frame``.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> rows = datasets.hiring(500, random_state=0)
        >>> model = Janus(random_state=0, trust_graph=True).fit(rows)
        >>> model.counterfactual(rows.head(3), do={"education": "master"})["education"].tolist()
        ['master', 'master', 'master']
        """
        from janus_synth.questions import assigned_values, counterfactual_rows, draw_mechanisms, repair_rules

        model = self._model()
        n_frames = 1 if n_draws is None else check_integer("n_draws", n_draws, low=1)
        self._warn_if_learnt()
        before = read_rows(model, frame)
        seed = make_seed(random_state)
        rules = [bind(rule, model.schema) for rule in (*(model.all_rules if keep_rules else ()), *as_rules(where))]
        frames = []
        with progress_bar("computing counterfactuals", n_frames * before.n_rows, shown=progress) as advance:
            for number in range(n_frames):
                own = seed if number == 0 else int(np.random.SeedSequence([seed, number]).generate_state(1)[0])
                settings = assigned_values(model, before, do, seed=own)
                mechanisms = model if n_draws is None else draw_mechanisms(model, settings, seed=own)
                after = counterfactual_rows(
                    mechanisms, before, settings, seed=own, n_jobs=self.n_jobs, on_rows=advance
                )  # fmt: skip
                after = repair_rules(mechanisms, before, after, settings, rules, seed=own)
                frames.append(rewrite_frame(frame, visible_table(model, before), visible_table(model, after)))
        return frames[0] if n_draws is None else frames

    def _warn_if_learnt(self) -> None:
        """Warn once that a learnt graph makes no causal claim."""
        if self._has_warned or self.trust_graph or self._model().graph_given:
            return
        self._has_warned = True
        warnings.warn(
            "this graph was learnt from the rows, and rows alone cannot tell cause from correlation: answers are "
            "causal only if its edges are. Give the graph you believe in with structure=[(cause, effect), ...], or "
            "accept this one with trust_graph=True.",
            LearntGraphWarning,
            stacklevel=3,
        )


def _check_values(treatment: str, values: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray) or not len(values):
        raise ValueError(f"values is {values!r}; give a list of what to set {treatment!r} to, such as [0, 1].")
    return list(values)


def causal_model(janus: CausalMethods) -> Model:
    """Return the fitted model for a causal question; warn if its graph was learnt and ``trust_graph`` is false."""
    model = janus._model()
    janus._warn_if_learnt()
    return model
