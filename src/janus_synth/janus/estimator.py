"""The public class ``Janus``: checks arguments, calls the layer below, and returns frames.

Its other methods are mixins: ``rows`` (samples, imputed cells), ``answers`` (feasibility, probability, likelihood),
``requests`` (mixes of rows), ``uncertainty``, ``causal``, ``graphs``, ``large_tables``.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from janus_synth.alerts import (
    Alert,
    alerts_from,
    check_silence,
    find_alerts,
    plain_alerts,
    warn_if_serious,
    without_computed,
    without_silenced,
)
from janus_synth.coordinates import Link
from janus_synth.encoding import BinSettings
from janus_synth.graph import Dag
from janus_synth.identities import least_rows
from janus_synth.janus.answers import AnswerMethods
from janus_synth.janus.arguments import Seed, check_choice, check_integer, check_number, make_seed
from janus_synth.janus.causal import CausalMethods
from janus_synth.janus.contract import EstimatorContract
from janus_synth.janus.display import DisplayMethods
from janus_synth.janus.found_rules import find_rules, plan_without_conflicts, split_rules
from janus_synth.janus.graphs import GraphMethods
from janus_synth.janus.large_tables import LargeTableMethods
from janus_synth.janus.requests import RequestMethods
from janus_synth.janus.rows import RowMethods
from janus_synth.janus.uncertainty import UncertaintyMethods
from janus_synth.model import (
    FitSettings,
    Model,
    check_training_rows,
    choose_for_fit,
    domain_rules,
    fit_model,
    load_model,
    merge_models,
    protect_rows,
    read_rows,
    save_model,
    update_model,
    without_rare_keys,
)
from janus_synth.model.graph_set import MAX_GRAPHS
from janus_synth.progress import progress_bar
from janus_synth.rules import Rule, Where
from janus_synth.sampling import (
    Glance,
    plan_for,
    warn_if_rules_distort,
)
from janus_synth.table import Schema, Table, read_table
from janus_synth.table.nulls import with_null_columns, without_null_columns
from janus_synth.table.sources import SAMPLE_ROWS, is_source
from janus_synth.trees import GrowthSettings

STRUCTURES = ("auto", "chain", "forest", "pc", "ges", "notears", "bootstrap")
GRAPH_LEARNERS = ("pc", "ges", "forest", "notears")
"""Names of learners for ``structure``, and those that can learn the graphs of ``"bootstrap"``."""
MOST_SMOOTH = 3
"""Most possible parents of a column with a smooth surface, where all earlier columns are possible parents: with more,
surfaces gain little and double or triple the time of a fit (docs/defaults.md)."""
MOST_NAMED = 6
"""Computed columns that the progress bar names."""


class Janus(
    RequestMethods,
    UncertaintyMethods,
    RowMethods,
    AnswerMethods,
    CausalMethods,
    GraphMethods,
    LargeTableMethods,
    EstimatorContract,
    DisplayMethods,
):
    """Generative model of a table: a directed acyclic graph with bags of Bayesian decision trees as conditionals.

    The constructor only stores its arguments. ``fit`` does the work and sets attributes that end in ``_``.

    Parameters
    ----------
    structure : str, edge list, dict, Dag or networkx.DiGraph
        The graph, or how to learn it. ``"auto"``: every column may depend on all columns before it, unordered columns
        first; ``"chain"``: the same in the table's order; ``"forest"``: a sparse graph chosen by small forests;
        ``"pc"``, ``"ges"``: causal discovery (extra ``causal``); ``"notears"``: a linear model found by continuous
        optimisation; ``"bootstrap"``: graphs of resamples of the rows, which effects average over, with their
        consensus for everything else.
    n_trees : int
        Trees per column; each generated row follows one of them, drawn at random.
    n_bins : int or "auto"
        Maximum number of bins of an ordered column.
    rules : str, Rule or list of them
        Constraints on every generated row: ``["offered >= requested", "experience <= age - 18"]``. The word
        ``"discover"``, alone or in the list, adds the rules that ``janus_synth.discover`` finds and that all training
        rows keep.
    on_violation : {"warn", "drop", "error"}
        What to do with training rows that violate a rule.
    schema : Schema or dict, optional
        Declared kinds and domains of columns: ``{"age": {"low": 0, "high": 120}}``; the rest is inferred.
    min_samples_leaf : int
        Minimum number of training rows in a leaf. Tables of more than 25 numeric columns and few rows have more, in
        proportion to the number of columns, so that rows cannot be linked; not with ``keep_rare``, nor where a graph
        is given or learnt.
    lambda_unsup, lambda_div : float
        Weights of the unsupervised and the diversity term of the split score.
    prior_strength : float
        Strength of the shrinkage of a leaf towards its parent node, in pseudo-rows.
    required, forbidden : list of (parent, child)
        Background knowledge: edges that the graph must have, or must not have.
    tiers : list of lists of str
        Background knowledge: columns of a later tier never cause columns of an earlier one.
    leaves : {"auto", "histogram", "trend"}
        Distribution in the leaves of numeric and datetime columns: a histogram over the column's bins, or a linear
        trend over the parents with a histogram of its residuals. ``"auto"`` mixes both in each leaf, weighted by their
        likelihood on rows that the tree was not grown on.
    within : {"smooth", "knots", "uniform"}
        Distribution inside a bin: a smooth quantile function where the column allows it, the empirical quantiles, or
        uniform.
    prior : {"hierarchical", "flat"}
        Pólya-tree evidence and hierarchical shrinkage of the leaves, or the paper's flat Dirichlet prior for both.
    equal_mass : bool
        Use equal-mass bins without separate bins for repeated values (atoms), as in the paper.
    n_jobs : int, optional
        Number of threads; all cores by default. Results do not depend on it.
    random_state : int, numpy.random.Generator, optional
        Seed of ``fit``, and of samples for which no seed is given.
    trust_graph : bool
        Treat a learnt graph as causal: causal questions then come without a warning.
    links : {"auto", "rules", "off"}
        Columns that are computed from others: sums, parts of a timestamp, looked-up values, an end as a start plus a
        gap, values that repeat another column. ``"auto"`` finds such links in the training rows, ``"rules"`` uses only
        those that ``rules`` state, ``"off"`` learns every column by itself.
    graph_learner : {"pc", "ges", "forest", "notears"}
        How ``structure="bootstrap"`` learns each of its graphs. PC points most edges the right way
        (docs/graphs.md).
    n_graphs : int
        Number of resamples of ``structure="bootstrap"``.
    silence : list of str
        Alerts that are not wanted: kinds such as ``"constant"``, kinds with a column such as ``"constant:age"``, or
        ``"all"``.
    keep_rare : bool
        Learn and write levels that few training rows have, and the exact smallest and largest values. By default
        values of fewer than five rows are merged and smoothed, since they may identify a person (docs/privacy.md).

    Attributes
    ----------
    dag_ : Dag
        The graph.
    schema_ : Schema
        Kinds, dtypes and domains of the columns.
    rules_ : tuple of Rule
        Rules that hold in every generated row.
    links_ : tuple of Link
        Columns that are computed from others, and how.
    n_rows_ : int
        Number of training rows.
    alerts_ : tuple of Alert
        What a person should know about the training rows, such as dates stored as text; each with a remedy.
    skipped_files_ : tuple of SkippedFile
        Files of a source that were left out, and why; after a fit with ``bad_files="skip"``.

    Examples
    --------
    >>> from janus_synth import Janus, datasets
    >>> model = Janus(random_state=0).fit(datasets.hiring(500, random_state=0))
    >>> model.sample(3, random_state=7).shape
    (3, 15)
    """

    alerts_: tuple[Alert, ...]

    def __init__(
        self,
        *,
        structure: Any = "auto",
        n_trees: int = 8,
        n_bins: int | str = "auto",
        rules: Where = None,
        on_violation: str = "warn",
        schema: Schema | Mapping[str, Mapping[str, object]] | None = None,
        min_samples_leaf: int = 10,
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
        links: Any = "auto",
        graph_learner: str = "pc",
        n_graphs: int = 20,
        silence: Iterable[str] | str = (),
        keep_rare: bool = False,
    ) -> None:
        self.graph_learner = graph_learner
        self.n_graphs = n_graphs
        self.links = links
        self.silence = silence
        self.keep_rare = keep_rare
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
        """Return a model with the paper's configuration: one tree, 50 equal-mass bins, flat priors, forest graph.

        Parameters
        ----------
        **changes
            Constructor arguments that replace those of the paper.

        Returns
        -------
        Janus
            A model that is not fitted.

        Examples
        --------
        >>> Janus.paper(random_state=0).n_bins
        50
        """
        settings: dict[str, Any] = {
            "structure": "forest",
            "links": "off",
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

    def fit(
        self,
        frame: Any,
        y: Any = None,
        *,
        client: Any = None,
        sample_rows: int = SAMPLE_ROWS,
        bad_files: str = "error",
        progress: bool | None = None,
    ) -> Self:
        """Learn the graph and the conditional distributions from a table.

        A source that is larger than memory is read partition by partition: trees are grown on a random sample of
        ``sample_rows`` rows, and all rows are counted into their leaves.

        Parameters
        ----------
        frame : DataFrame, or a source
            Training rows as a pandas or polars DataFrame, a pyarrow Table, or a 2-d array, whose columns are called
            ``x0``, ``x1``, …; not modified. Or a source: a path or pattern such as ``"data/*.parquet"``, a list of
            paths, a ``pyarrow.dataset``, a polars LazyFrame, a DuckDB relation, a Dask frame, or a list of frames.
        y : None
            Ignored; scikit-learn's pipelines pass it. A target is a column of ``frame``.
        client : distributed.Client or address, optional
            Dask cluster that reads the partitions of a source; by default threads of this process.
        sample_rows : int
            Rows of a source that trees are grown on.
        bad_files : {"error", "skip"}
            Files of a source that cannot be read, or have other columns or types than the others: an error that names
            the file, or leave them out and list them in ``skipped_files_`` and ``alerts_``.
        progress : bool, optional
            Show a progress bar on standard error; by default only if that is a terminal.

        Returns
        -------
        Janus
            This model, fitted.

        Examples
        --------
        >>> from janus_synth import datasets
        >>> Janus(random_state=0).fit(datasets.hiring(200, random_state=0)).n_rows_
        200
        """
        settings, seed = self._fit_settings(), make_seed(self.random_state)
        check_silence(self.silence)
        if is_source(frame):
            model, found, table, sampled, about_files = self._fit_source(
                frame,
                settings,
                seed,
                client=client,
                sample_rows=sample_rows,
                bad_files=bad_files,
                progress=progress,
            )
            alerts = find_alerts(sampled, table, schema=self.schema, silence=self.silence)
            alerts = without_silenced((*alerts, *about_files), self.silence)
        else:
            self.skipped_files_ = ()
            with progress_bar("reading columns", None, shown=progress):
                table = read_table(frame, self.schema)
                alerts = find_alerts(frame, table, schema=self.schema, silence=self.silence)
                rows = with_null_columns(table, frame, least=1 if self.keep_rare else least_rows(table.n_rows))
            model, found = self._grow(rows, settings, seed, progress)
        alerts = without_computed(alerts, {link.column for link in model.links if link.source is None})
        warn_if_serious(alerts)
        self.model_, self.alerts_ = model, alerts
        self._reset()
        if self.model_.rules:
            self.model_, self._plans[()] = plan_without_conflicts(self.model_, found, plan_for)
            warn_if_rules_distort(self._plan(()), table, n_jobs=self.n_jobs)
        return self

    def _grow(
        self,
        table: Table,
        settings: FitSettings,
        seed: int,
        progress: bool | None,
        *,
        barred: Sequence[str] = (),
        report: bool = True,
    ) -> tuple[Model, tuple[Rule, ...]]:
        """Return a model of a table, and the rules that were found in it; columns in ``barred`` have no links.

        Without ``report`` the rows are a sample, and violations are reported once all rows are counted.
        """
        written, finds_rules = split_rules(self.rules)
        on_violation = self.on_violation if report or self.on_violation == "drop" else "warn"
        least = 1 if self.keep_rare else least_rows(table.n_rows)
        settings = replace(settings, bins=replace(settings.bins, least=least))
        with progress_bar("looking for links", None, shown=progress):
            table = protect_rows(table, least, self.schema)
            rules, table = check_training_rows(written, table, on_violation=on_violation, report=report, least=least)
            found = find_rules(without_null_columns(table), rules) if finds_rules else ()
            rules += found
            links = tuple(link for link in self._choose_links(table, rules, settings) if link.column not in barred)
        rules += domain_rules(links, table.schema, self.schema)
        note = f"{_name_computed(links)}; links_ says how, links='off' learns each by itself" if links else ""
        n_columns = len(table.schema.learnt) + sum(len(link.hidden) for link in links)
        with progress_bar("growing trees", n_columns * self.n_trees, shown=progress, note=note) as advance:
            model = fit_model(
                table,
                settings,
                seed=seed,
                rules=rules,
                links=links,
                n_jobs=self.n_jobs,
                on_tree=lambda name, n_trees: advance(n_trees),
            )
        return model, found

    def update(self, frame: Any, *, forget: bool = False) -> Self:
        """Add rows to the counts in the leaves; graph, splits and bins do not change.

        The order of updates does not matter: the leaves hold the counts of all rows together.

        Parameters
        ----------
        frame : DataFrame, or a source
            Additional rows, with all columns; a source larger than memory is read batch by batch.
        forget : bool
            Drop all earlier counts first. The fitted model then serves as a fixed structure whose counts can be
            collected partition by partition and merged.

        Returns
        -------
        Janus
            This model, updated.

        Examples
        --------
        >>> from janus_synth import datasets
        >>> rows = datasets.hiring(300, random_state=0)
        >>> Janus(random_state=0).fit(rows[:200]).update(rows[200:]).n_rows_
        300
        """
        model = self._model()
        if is_source(frame):
            self.model_ = self._update_from(frame, forget=forget)
        else:
            self.model_ = update_model(model, read_rows(model, frame), forget=forget)
        self._plans.clear()
        self._glance = Glance(self.model_)
        return self

    def merge(self, other: Janus) -> Self:
        """Add the counts of two models with the same graph, splits and bins.

        Parameters
        ----------
        other : Janus
            A model that came from the same fit.

        Returns
        -------
        Janus
            A new model; both originals stay unchanged.

        Examples
        --------
        >>> from janus_synth import datasets
        >>> import copy
        >>> rows = datasets.hiring(300, random_state=0)
        >>> first = Janus(random_state=0).fit(rows[:200])
        >>> second = copy.deepcopy(first).update(rows[200:], forget=True)
        >>> first.merge(second).n_rows_
        300
        """
        if not isinstance(other, Janus):
            raise TypeError(f"merge takes another Janus, not a {type(other).__name__}.")
        return self._with_model(merge_models(self._model(), other._model()))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file.

        The file holds arrays and JSON, no code. It is written atomically: after an error an older file is unchanged.

        Parameters
        ----------
        path : path
            The file.

        Examples
        --------
        >>> import tempfile
        >>> from janus_synth import datasets
        >>> model = Janus(random_state=0).fit(datasets.hiring(200, random_state=0))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/model.janus")
        ...     again = Janus.load(f"{folder}/model.janus")
        >>> again.sample(5, random_state=1).equals(model.sample(5, random_state=1))
        True
        """
        alerts = plain_alerts(getattr(self, "alerts_", ()))
        save_model(self._model(), path, settings=self._settings() | ({"alerts_": alerts} if alerts else {}))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model from a file; no code is executed.

        Parameters
        ----------
        path : path
            A file written by ``save``.

        Returns
        -------
        Janus
            The fitted model.

        Raises
        ------
        ModelFileError
            If the file is damaged, not a model file, or written by a later version.

        Examples
        --------
        See ``save``.
        """
        model, settings = load_model(path)
        known = cls._parameter_names()
        loaded = cls(**{name: value for name, value in settings.items() if name in known})
        loaded.model_ = model
        loaded.alerts_ = alerts_from(settings.get("alerts_"))
        loaded.skipped_files_ = ()
        loaded.rules = model.rules or None
        loaded._reset()
        return loaded

    @property
    def dag_(self) -> Dag:
        """The graph; for ``"auto"`` and ``"chain"`` reduced to the parents that the trees split on."""
        return self._model().dag

    @property
    def schema_(self) -> Schema:
        """Kinds, dtypes and domains of the columns."""
        return self._model().visible_schema

    @property
    def rules_(self) -> tuple[Rule, ...]:
        """Rules that hold in every generated row, interventions and observed combinations included."""
        return self._model().all_rules

    @property
    def links_(self) -> tuple[Link, ...]:
        """Columns that are computed from others, and how."""
        model = self._model()
        return tuple(link.with_units(model.schema) for link in model.computed.values())

    @property
    def n_rows_(self) -> int:
        """Number of training rows counted so far."""
        return self._model().n_rows

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor arguments (scikit-learn's protocol)."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **changes: Any) -> Self:
        """Change constructor arguments (scikit-learn's protocol)."""
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

    def _with_model(self, model: Model) -> Self:
        """Return a copy with the same parameters and another model; it does not repeat the warning."""
        copy = type(self)(**self.get_params())
        copy.model_ = model
        copy.alerts_ = getattr(self, "alerts_", ())
        copy.skipped_files_ = getattr(self, "skipped_files_", ())
        copy._reset()
        copy._has_warned = True
        return copy

    def _choose_links(self, table: Table, rules: tuple[Rule, ...], settings: FitSettings) -> tuple[Link, ...]:
        """Return the links to learn a table with, as the parameter ``links`` says."""
        if not isinstance(self.links, str):
            return tuple(self.links)
        check_choice("links", self.links, ("auto", "rules", "off"))
        if self.links == "off":
            return ()
        table = without_null_columns(table)
        links = choose_for_fit(table, rules, settings, find=self.links == "auto")
        return without_rare_keys(links, table, settings.bins.least)

    def _fit_settings(self) -> FitSettings:
        """Check the constructor arguments and gather them for ``fit_model``."""
        check_integer("n_trees", self.n_trees, low=1)
        check_integer("min_samples_leaf", self.min_samples_leaf, low=1)
        check_number("lambda_unsup", self.lambda_unsup, low=0)
        check_number("lambda_div", self.lambda_div, low=0)
        check_number("prior_strength", self.prior_strength, low=1e-6)
        if self.n_bins != "auto":
            check_integer("n_bins", self.n_bins, low=2, high=4096)
        check_choice("on_violation", self.on_violation, ("warn", "drop", "error"))
        check_choice("leaves", self.leaves, ("auto", "histogram", "trend"))
        check_choice("within", self.within, ("smooth", "knots", "uniform"))
        check_choice("prior", self.prior, ("hierarchical", "flat"))
        if isinstance(self.structure, str):
            check_choice("structure", self.structure, STRUCTURES)
        check_choice("graph_learner", self.graph_learner, GRAPH_LEARNERS)
        check_integer("n_graphs", self.n_graphs, low=2, high=MAX_GRAPHS)
        structure = self.structure.tolist() if isinstance(self.structure, np.ndarray) else self.structure
        return FitSettings(
            structure=structure,
            required=tuple(self.required),
            forbidden=tuple(self.forbidden),
            tiers=tuple(self.tiers),
            graph_learner=self.graph_learner,
            n_graphs=int(self.n_graphs),
            bins=BinSettings(self.n_bins, self.within, self.equal_mass),
            growth=GrowthSettings(
                n_trees=int(self.n_trees),
                min_samples_leaf=int(self.min_samples_leaf),
                lambda_unsup=float(self.lambda_unsup),
                lambda_div=float(self.lambda_div),
                prior_strength=float(self.prior_strength),
                flat_prior=self.prior == "flat",
                leaves=self.leaves,
                most_smooth_parents=MOST_SMOOTH
                if isinstance(structure, str) and structure in ("auto", "chain")
                else None,
            ),
        )

    def _settings(self) -> dict[str, Any]:
        """Constructor arguments as plain JSON; a graph object becomes its edges, a generator is not kept."""
        settings = self.get_params()
        if not isinstance(self.structure, str):
            settings["structure"] = [list(edge) for edge in self.dag_.edges]
        settings["silence"] = list(check_silence(self.silence))
        settings["n_jobs"] = None  # a choice of the machine, which changes no result
        for name in ("required", "forbidden", "tiers"):
            settings[name] = [item if isinstance(item, str) else list(item) for item in settings[name]]
        settings["schema"] = settings["rules"] = None  # the model holds them
        if not isinstance(self.links, str):
            settings["links"] = "off"  # the model holds those that were given
        if not isinstance(self.random_state, int | np.integer):
            settings["random_state"] = None
        return settings


def _name_computed(links: Sequence[Link]) -> str:
    """Name the columns that are computed, a few if there are many."""
    names = [link.column for link in links]
    shown = ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")
    return f"computed from other columns: {shown}"
