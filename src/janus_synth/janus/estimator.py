"""The ``Janus`` class: one call here is one call to a layer below."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.encoding import BinSettings
from janus_synth.errors import InfeasibleError, NotFittedError
from janus_synth.graph import Dag
from janus_synth.janus.arguments import Seed, check_choice, check_number, seed_of, whole
from janus_synth.janus.causal import CausalMethods
from janus_synth.janus.uncertainty import UncertaintyMethods
from janus_synth.model import (
    Explanation,
    FitSettings,
    Model,
    check_training_rows,
    explain_column,
    fit_model,
    load_model,
    merge_models,
    save_model,
    update_model,
)
from janus_synth.progress import progress_bar
from janus_synth.rules import Rule
from janus_synth.sampling import (
    Check,
    Estimate,
    Plan,
    Where,
    blocks_of,
    check,
    complete_table,
    conditions,
    first_block_of,
    log_prob,
    log_prob_given,
    plan_for,
    probability,
    sample_columns,
    sample_conditional,
    sample_greedy,
    verify_rows,
)
from janus_synth.table import Schema, patch_frame, read_partial, read_table, write_table
from janus_synth.trees import GrowthSettings

MOST_PLANS = 8
"""Requests whose plans a model keeps at hand."""


class Janus(UncertaintyMethods, CausalMethods):
    """Learn a table with a graph of Bayesian decision trees, and draw rows from it.

    The constructor only stores its arguments; ``fit`` does the work and leaves attributes that end in ``_``.

    Parameters
    ----------
    structure : str, edge list, dict, Dag or networkx.DiGraph
        Who may speak to whom. ``"auto"``: every column may use all that come before it, unordered columns first;
        ``"chain"``: the same in the table's order; ``"forest"``: a sparse graph from small forests; ``"pc"``,
        ``"ges"``: causal discovery (extra ``causal``); or your own graph.
    n_trees : int
        Trees per column; each generated row picks one.
    n_bins : int or "auto"
        Most bins of an ordered column.
    rules : str, Rule or list of them
        What holds in everything the model emits: ``["offered >= requested", "experience <= age - 18"]``.
    on_violation : {"warn", "drop", "error"}
        What to do about training rows that break a rule.
    schema : Schema or dict, optional
        Kinds and domains you know better: ``{"age": {"low": 0, "high": 120}}``.
    min_samples_leaf : int
        Fewest rows in a leaf, as a tree grows.
    lambda_unsup, lambda_div : float
        Weights of the unsupervised and the diversity term of the split score.
    prior_strength : float
        How many rows' worth a leaf leans on the node above it.
    required, forbidden : list of (parent, child)
        Edges that the graph must have, or must not.
    tiers : list of lists of str
        Columns of a later tier never cause columns of an earlier one.
    leaves : {"auto", "histogram", "trend"}
        What the leaves of numbers and times hold: counts of the column's bins, or a line over the parents with counts
        of its residuals. ``"auto"`` mixes both, leaf by leaf, as rows that the tree has not seen demand.
    within : {"smooth", "knots", "uniform"}
        How values spread inside a bin: by quantiles of the values, made smooth where the column is; by the quantiles as
        they are; or evenly.
    prior : {"hierarchical", "flat"}
        Pólya evidence and leaves that lean on the nodes above, or the paper's flat Dirichlet for both.
    equal_mass : bool
        Cut bins of equal mass without atoms, as in the paper.
    n_jobs : int, optional
        Threads; all cores by default. The result does not depend on it.
    random_state : int, numpy.random.Generator, optional
        Seed of the fit, and of samples that are given none.
    trust_graph : bool
        Vouch for a learnt graph as causal, so that causal questions come without a warning.

    Examples
    --------
    >>> from janus_synth import Janus, datasets
    >>> model = Janus(random_state=0).fit(datasets.hiring(500, random_state=0))
    >>> model.sample(3, random_state=7).shape
    (3, 15)
    """

    def __init__(
        self,
        *,
        structure: Any = "auto",
        n_trees: int = 8,
        n_bins: int | str = "auto",
        rules: Where = None,
        on_violation: str = "warn",
        schema: Schema | Mapping[str, Mapping[str, object]] | None = None,
        min_samples_leaf: int = 5,
        lambda_unsup: float = 0.0,
        lambda_div: float = 0.0,
        prior_strength: float = 1.0,
        required: Iterable[tuple[str, str]] = (),
        forbidden: Iterable[tuple[str, str]] = (),
        tiers: Iterable[Iterable[str]] = (),
        leaves: str = "auto",
        within: str = "smooth",
        prior: str = "hierarchical",
        equal_mass: bool = False,
        n_jobs: int | None = None,
        random_state: Seed = None,
        trust_graph: bool = False,
    ) -> None:
        self.structure = structure
        self.n_trees = n_trees
        self.n_bins = n_bins
        self.rules = rules
        self.on_violation = on_violation
        self.schema = schema
        self.min_samples_leaf = min_samples_leaf
        self.lambda_unsup = lambda_unsup
        self.lambda_div = lambda_div
        self.prior_strength = prior_strength
        self.required = required
        self.forbidden = forbidden
        self.tiers = tiers
        self.leaves = leaves
        self.within = within
        self.prior = prior
        self.equal_mass = equal_mass
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.trust_graph = trust_graph

    @classmethod
    def paper(cls, **changes: Any) -> Self:
        """The paper's own configuration: one tree, 50 equal bins, flat priors, forest structure.

        Examples
        --------
        >>> Janus.paper(random_state=0).n_bins
        50
        """
        settings: dict[str, Any] = {
            "structure": "forest",
            "n_trees": 1,
            "n_bins": 50,
            "equal_mass": True,
            "within": "uniform",
            "leaves": "histogram",
            "prior": "flat",
            "prior_strength": 1.0,
            "min_samples_leaf": 10,
            "lambda_unsup": 0.5,
            "lambda_div": 0.1,
        }
        return cls(**{**settings, **changes})

    def fit(self, frame: Any, *, progress: bool | None = None) -> Self:
        """Learn a table.

        Parameters
        ----------
        frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
            Rows to learn; not modified.
        progress : bool, optional
            Show a bar on standard error; by default only where that is a terminal.
        """
        settings = self._fit_rules()
        table = read_table(frame, self.schema)
        rules, table = check_training_rows(conditions(self.rules), table, on_violation=self.on_violation)
        n_columns = len(table.schema.learnt)
        with progress_bar("learning columns", n_columns, shown=progress) as advance:
            self.model_ = fit_model(
                table,
                settings,
                seed=seed_of(self.random_state),
                rules=rules,
                n_jobs=self.n_jobs,
                on_column=lambda name: advance(1),
            )
        self._start()
        return self

    def sample(
        self,
        n: int,
        *,
        where: Where = None,
        method: str = "exact",
        with_uncertainty: bool = False,
        verify: bool | None = None,
        random_state: Seed = None,
        progress: bool | None = None,
    ) -> Any:
        """Draw rows, in the kind of frame and with the dtypes of the training table.

        Every row keeps the model's rules and meets ``where``; the rows are distributed as the model's own among
        those that do. Exactly ``n`` rows come back, however rare the request.

        Parameters
        ----------
        n : int
            How many rows.
        where : str, Rule or list of them, optional
            Conditions on these rows: ``"50_000 <= income <= 80_000 and loan == 'Approved'"``.
        method : {"exact", "greedy"}
            ``"greedy"`` is the paper's Algorithm 1 as printed, for comparison: its rows meet conditions on single
            columns, but are not distributed as the model's.
        with_uncertainty : bool
            Return the rows and the ``Uncertainty`` of their cells.
        verify : bool, optional
            Compare the rows with an independent estimate of the same distribution (the shares of the request's
            branches, and of random half spaces), and raise ``VerificationError`` if they differ clearly. By default
            rare requests with alternatives are verified, by what is at hand; ``True`` verifies every rare request,
            with further free rows. Common requests are met by rejection, which needs no verification.
        random_state : int or Generator, optional
            One seed, one table. Without it a model with a ``random_state`` of its own gives a repeatable
            series of different tables, any other model fresh ones.
        progress : bool, optional
            Show a bar on standard error; by default only where that is a terminal.
        """
        n = whole("n", n, low=0, what="the number of rows")
        pieces = self.sample_batches(
            n,
            where=where,
            method=method,
            batch_rows=max(1, n),
            verify=verify,
            random_state=random_state,
            progress=progress,
        )
        rows = next(pieces)
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
        progress: bool | None = None,
    ) -> Iterator[Any]:
        """Draw rows in pieces, for tables larger than memory; together they equal ``sample(n)``.

        Examples
        --------
        >>> from janus_synth import datasets
        >>> model = Janus(random_state=0).fit(datasets.hiring(200, random_state=0))
        >>> [len(piece) for piece in model.sample_batches(10_000, batch_rows=4_096)]
        [4096, 4096, 1808]
        """
        model = self._model()
        n, batch_rows = whole("n", n, low=0, what="the number of rows"), whole("batch_rows", batch_rows, low=1)
        check_choice("method", method, ("exact", "greedy"))
        seed = self._sample_seed(random_state)
        wanted = conditions(where)
        plan = self._plan(wanted) if wanted or model.all_rules else None
        greedy = method == "greedy"
        if plan is not None and not greedy:
            plan.prepare()
        return self._batches(plan or model, n, batch_rows, seed, progress, greedy=greedy, verify=verify and not greedy)

    def _batches(
        self,
        source: Plan | Model,
        n: int,
        batch_rows: int,
        seed: int,
        progress: bool | None,
        *,
        greedy: bool,
        verify: bool | None,
    ) -> Iterator[Any]:
        draw: Any = sample_columns
        if isinstance(source, Plan):
            draw = sample_greedy if greedy else sample_conditional
        model = source.request.model if isinstance(source, Plan) else source
        with progress_bar("drawing rows", n, shown=progress) as advance:
            for start, length in blocks_of(n, batch_rows):
                block = first_block_of(start)
                columns = draw(source, length, seed=seed, first_block=block, n_jobs=self.n_jobs, on_rows=advance)
                if isinstance(source, Plan) and (verify or (verify is None and start == 0 and not greedy)):
                    verify_rows(source, columns, seed=seed, thorough=bool(verify))
                rng = np.random.default_rng(seed)  # the same for every piece: identifiers go by row numbers
                yield write_table(columns, model.schema, n_rows=length, rng=rng, first_identifier=start)

    def check(self, where: Where = None) -> Check:
        """Whether some row keeps the model's rules and meets a request, before any row is drawn.

        Returns
        -------
        Check
            True or false in a condition; with a witness row, or the smallest set of rules that clash, in words.

        Examples
        --------
        >>> from janus_synth import datasets
        >>> model = Janus(rules="experience <= age - 18", random_state=0).fit(datasets.hiring(300, random_state=0))
        >>> bool(model.check("age < 30 and experience >= 20"))
        False
        """
        return check(self._model(), where)

    def probability(self, where: Where, *, level: float = 0.95, random_state: Seed = 0) -> Estimate:
        """Share of the model's rows that meet a request, however rare, with an interval.

        Parameters
        ----------
        where : str, Rule or list of them
            The request; the model's rules hold in all its rows anyway.
        level : float
            How often the interval holds the true share.
        random_state : int or Generator, optional
            One seed, one answer.

        Examples
        --------
        >>> from janus_synth import datasets
        >>> model = Janus(random_state=0).fit(datasets.hiring(300, random_state=0))
        >>> share = model.probability("age < 25 and hired")
        >>> share.low <= share.value <= share.high
        True
        """
        check_number("level", level, low=0.5, high=0.9999)
        model = self._model()
        try:
            plan = self._plan(conditions(where))
        except InfeasibleError:
            return Estimate(0.0, 0.0, 0.0)
        given = self._plan(()) if model.all_rules else None
        return probability(plan, given, level=level, seed=seed_of(random_state), n_jobs=self.n_jobs)

    def complete(
        self, frame: Any, where: Where = None, *, random_state: Seed = None, progress: bool | None = None
    ) -> Any:
        """Fill the missing cells of each row, drawn from the model given the row's present cells, rules kept.

        Present cells, further columns and the index stay as they are; columns that the frame lacks are added. A
        cell stays null only where the rules leave it nothing else.

        Parameters
        ----------
        frame : DataFrame
            Rows with holes, in the kind of frame that the model learnt from.
        where : str, Rule or list of them, optional
            Conditions that the filled rows must meet.
        """
        model = self._model()
        before = read_partial(frame, model.schema)
        seed = self._sample_seed(random_state)
        with progress_bar("filling rows", before.n_rows, shown=progress) as advance:
            filled = complete_table(model, before, where, seed=seed, n_jobs=self.n_jobs, on_rows=advance)
        return patch_frame(frame, before, filled, before.schema, np.random.default_rng(seed))

    def log_prob(self, frame: Any, where: Where = None, *, random_state: Seed = 0) -> Floats:
        """Log probability of each row: masses for discrete values, densities per unit for continuous ones.

        A value that the model cannot produce (outside the domain, an unknown level) gives −inf. With ``where``, or
        in a model with rules, it is the probability among the rows that meet them, and −inf for other rows; the
        share of such rows is estimated as in ``probability``.
        """
        model = self._model()
        table = read_table(frame, model.schema, columns=model.codec.names)
        wanted = conditions(where)
        if not wanted and not model.all_rules:
            return log_prob(model, table)
        return log_prob_given(self._plan(wanted), table, seed=seed_of(random_state), n_jobs=self.n_jobs)

    def explain(self, column: str, *, tree: int = 0, most: int | None = 20) -> Explanation:
        """Readable if–then rules of one tree of a column, largest leaves first."""
        return explain_column(self._model(), column, tree=tree, most=most)

    def update(self, frame: Any, *, forget: bool = False) -> Self:
        """Count further rows; splits and bins stay as they are.

        Fitting on A and updating with B equals counting A and B together. ``forget`` drops all earlier counts
        first, which turns a fitted model into a structure to count on, partition by partition.
        """
        model = self._model()
        self.model_ = update_model(model, read_table(frame, model.schema, columns=model.codec.names), forget=forget)
        self._plans.clear()
        return self

    def merge(self, other: Janus) -> Self:
        """A new model with the counts of both; they must have grown on the same structure."""
        if not isinstance(other, Janus):
            raise TypeError(f"merge takes another Janus, not a {type(other).__name__}.")
        return self._in_world(merge_models(self._model(), other._model()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file: numbers and text only, whole or not at all."""
        save_model(self._model(), path, settings=self._settings())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model from a file; damaged, foreign and future files are refused, nothing is executed."""
        model, settings = load_model(path)
        known = cls._parameter_names()
        loaded = cls(**{name: value for name, value in settings.items() if name in known})
        loaded.model_ = model
        loaded.rules = model.rules or None
        loaded._start()
        return loaded

    @property
    def dag_(self) -> Dag:
        """The graph; of a learnt chain, the parents that the trees picked."""
        return self._model().dag

    @property
    def schema_(self) -> Schema:
        """Kinds, dtypes and domains of the columns."""
        return self._model().schema

    @property
    def rules_(self) -> tuple[Rule, ...]:
        """What holds in everything the model emits, known combinations filled in."""
        return self._model().all_rules

    @property
    def n_rows_(self) -> int:
        """Rows counted so far."""
        return self._model().n_rows

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Constructor arguments, as scikit-learn asks for them."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **changes: Any) -> Self:
        """Change constructor arguments, as scikit-learn does."""
        for name, value in changes.items():
            if name not in self._parameter_names():
                raise ValueError(f"Janus has no parameter {name!r}; it has {', '.join(self._parameter_names())}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = {k: v for k, v in self.get_params().items() if v is not defaults[k].default}
        state = f" fitted on {self.model_.n_rows:,} rows" if hasattr(self, "model_") else ""
        return f"<Janus({', '.join(f'{k}={v!r}' for k, v in changed.items())}){state}>"

    @classmethod
    def _parameter_names(cls) -> tuple[str, ...]:
        return tuple(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def _model(self) -> Model:
        if not hasattr(self, "model_"):
            raise NotFittedError("this Janus has not seen data yet. Call fit(df) first, or Janus.load(path).")
        return self.model_

    def _in_world(self, model: Model) -> Self:
        """The same settings around another model, of which the user has been warned."""
        world = type(self)(**self.get_params())
        world.model_ = model
        world._start()
        world._has_warned = True
        return world

    def _start(self) -> None:
        """Forget what belongs to an earlier model."""
        self._n_sampled = 0
        self._has_warned = False
        self._plans: dict[tuple[Rule, ...], Plan] = {}

    def _plan(self, wanted: tuple[Rule, ...]) -> Plan:
        """Plan for a request; the last few are kept."""
        if wanted not in self._plans:
            while len(self._plans) >= MOST_PLANS:
                del self._plans[next(iter(self._plans))]
            self._plans[wanted] = plan_for(self._model(), wanted)
        return self._plans[wanted]

    def _sample_seed(self, random_state: Seed) -> int:
        if random_state is not None:
            return seed_of(random_state)
        if not isinstance(self.random_state, int | np.integer):
            return seed_of(self.random_state)
        self._n_sampled += 1
        own = np.random.SeedSequence([int(self.random_state), self._n_sampled])
        return int(own.generate_state(1, np.uint64)[0])

    def _fit_rules(self) -> FitSettings:
        check_number("n_trees", self.n_trees, whole=True, low=1)
        check_number("min_samples_leaf", self.min_samples_leaf, whole=True, low=1)
        check_number("lambda_unsup", self.lambda_unsup, low=0)
        check_number("lambda_div", self.lambda_div, low=0)
        check_number("prior_strength", self.prior_strength, low=1e-6)
        if self.n_bins != "auto":
            check_number("n_bins", self.n_bins, whole=True, low=2, high=4096)
        check_choice("on_violation", self.on_violation, ("warn", "drop", "error"))
        check_choice("leaves", self.leaves, ("auto", "histogram", "trend"))
        check_choice("within", self.within, ("smooth", "knots", "uniform"))
        check_choice("prior", self.prior, ("hierarchical", "flat"))
        if isinstance(self.structure, str):
            check_choice("structure", self.structure, ("auto", "chain", "forest", "pc", "ges"))
        structure = self.structure.tolist() if isinstance(self.structure, np.ndarray) else self.structure
        return FitSettings(
            structure=structure,
            required=tuple(self.required),
            forbidden=tuple(self.forbidden),
            tiers=tuple(self.tiers),
            bins=BinSettings(self.n_bins, self.within, self.equal_mass),
            growth=GrowthSettings(
                n_trees=int(self.n_trees),
                min_samples_leaf=int(self.min_samples_leaf),
                lambda_unsup=float(self.lambda_unsup),
                lambda_div=float(self.lambda_div),
                prior_strength=float(self.prior_strength),
                flat_prior=self.prior == "flat",
                leaves=self.leaves,
            ),
        )

    def _settings(self) -> dict[str, Any]:
        """Constructor arguments as plain JSON; a graph object becomes its edges, a generator is not kept."""
        settings = self.get_params()
        if not isinstance(self.structure, str):
            settings["structure"] = [list(edge) for edge in self.dag_.edges]
        for name in ("required", "forbidden", "tiers"):
            settings[name] = [item if isinstance(item, str) else list(item) for item in settings[name]]
        settings["schema"] = settings["rules"] = None  # the model's own say it all
        if not isinstance(self.random_state, int | np.integer):
            settings["random_state"] = None
        return settings
