"""Questions of cause: what would happen if, and what would have happened."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from janus_synth.errors import LearntGraphWarning
from janus_synth.janus.arguments import Seed, check_number, seed_of, whole
from janus_synth.model import Model
from janus_synth.progress import progress_bar
from janus_synth.questions import Effect, average_effect, counterfactual_rows, intervene, mend_rules, settings_of
from janus_synth.questions.effect import DRAWS
from janus_synth.rules import bind
from janus_synth.sampling import Where, conditions
from janus_synth.table import read_table, rewrite_frame


class CausalMethods:
    """What a fitted `Janus` answers about causes; as right as its graph is."""

    n_jobs: int | None
    trust_graph: bool
    _has_warned: bool

    def _model(self) -> Model:
        raise NotImplementedError

    def _in_world(self, model: Model) -> Self:
        raise NotImplementedError

    def do(self, settings: Mapping[str, Any]) -> Self:
        """The model of the world where columns are set; everything works on it as on any other.

        Parameters
        ----------
        settings : mapping of str to value
            A value sets the column in every row; a range ``(low, high)`` or a list lets it follow its own marginal
            there; a sum of other columns, as text or with ``col``, makes it follow them; ``None`` makes it null.
            Columns that are set lose their parents.

        Returns
        -------
        Janus
            A new model; this one stays as it is.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> model = Janus(random_state=0, trust_graph=True).fit(datasets.hiring(500, random_state=0))
        >>> world = model.do({"education": "master", "age": (30, 40)})
        >>> bool(world.sample(100)["age"].between(30, 40).all())
        True
        """
        model = self._model()
        self._warn()
        return self._in_world(intervene(model, settings))

    def effect(
        self,
        treatment: str,
        outcome: str,
        values: Sequence[Any],
        where: Where = None,
        *,
        n: int = 10_000,
        level: float = 0.95,
        random_state: Seed = 0,
        progress: bool | None = None,
    ) -> Effect:
        """Mean outcome with a treatment set to each of some values, and the differences to the first, with intervals.

        The intervals cover the luck of the draw and the want of rows, not a wrong graph or causes that nobody recorded.
        Rules about the treatment and what comes after it are left aside: they would choose units by their outcome.

        Parameters
        ----------
        treatment : str
            Column to set.
        outcome : str
            Numeric or boolean column, or a condition such as ``"loan == 'Approved'"``, whose share is taken.
        values : sequence
            What to set the treatment to, as for ``do``: values or ranges. Effects are relative to the first.
        where : str, Rule or list of them, optional
            Whose effect: conditions on columns that the treatment does not move.
        n : int
            Units to average over.
        level : float
            How often the intervals are to hold the truth.
        """
        model = self._model()
        n = whole("n", n, low=100)
        check_number("level", level, low=0.5, high=0.9999)
        if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray) or not len(values):
            raise ValueError(f"values is {values!r}; give a list of what to set {treatment!r} to, such as [0, 1].")
        self._warn()
        with progress_bar("asking models of the posterior", DRAWS, shown=progress) as advance:
            return average_effect(
                model, treatment, outcome, list(values), where,
                n=n, level=level, seed=seed_of(random_state), n_jobs=self.n_jobs, on_draw=advance,
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
        """What each row would have been with columns set: its own noise kept, what lies below predicted anew.

        An ordered value keeps its rank among what its parents allow; an unordered one changes only if another became
        relatively likelier. Columns above and beside keep their values, and a row that has the values already comes
        back as it is. Where a value says less than all about its noise (categories, whole numbers, null), the rest is
        drawn.

        Parameters
        ----------
        frame : DataFrame
            Rows as they are, with all columns.
        do : mapping of str to value
            As for ``do``; besides, an array or a series with a value for each row, and sums may name the column
            itself: ``{"age": "age + 5"}``. A row that already is in a range or a list stays there.
        where : str, Rule or list of them, optional
            Conditions that the rows are to keep, besides the model's rules, if they keep them now.
        n_draws : int, optional
            Return a list of so many frames, with what is not known drawn anew in each.
        keep_rules : bool
            Rows that would break a rule have what lies below drawn anew so that they keep all of them.
        random_state : int or Generator, optional
            One seed, one answer.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> rows = datasets.hiring(500, random_state=0)
        >>> model = Janus(random_state=0, trust_graph=True).fit(rows)
        >>> model.counterfactual(rows.head(3), do={"education": "master"})["education"].tolist()
        ['master', 'master', 'master']
        """
        model = self._model()
        n_frames = 1 if n_draws is None else whole("n_draws", n_draws, low=1)
        self._warn()
        before = read_table(frame, model.schema, columns=model.codec.names)
        seed = seed_of(random_state)
        asked = (*(model.all_rules if keep_rules else ()), *conditions(where))
        rules = [bind(rule, model.schema) for rule in asked]
        frames = []
        with progress_bar("rewriting rows", n_frames * before.n_rows, shown=progress) as advance:
            for number in range(n_frames):
                own = seed if number == 0 else int(np.random.SeedSequence([seed, number]).generate_state(1)[0])
                settings = settings_of(model, before, do, seed=own)
                after = counterfactual_rows(model, before, settings, seed=own, n_jobs=self.n_jobs, on_rows=advance)
                after = mend_rules(model, before, after, settings, rules, seed=own)
                frames.append(rewrite_frame(frame, before, after))
        return frames[0] if n_draws is None else frames

    def _warn(self) -> None:
        """Say once that a learnt graph is no causal claim."""
        if self._has_warned or self.trust_graph or self._model().graph_given:
            return
        self._has_warned = True
        warnings.warn(
            "this graph was learnt from the rows, which cannot tell cause from correlation: answers are causal only if "
            "its arrows are. Give the graph you believe in with structure=[(cause, effect), ...], or vouch for this "
            "one with trust_graph=True.",
            LearntGraphWarning,
            stacklevel=3,
        )


def causal_model(of: CausalMethods) -> Model:
    """What a fitted `Janus` learnt, for questions of cause; warns where nobody vouches for the graph."""
    model = of._model()
    of._warn()
    return model
