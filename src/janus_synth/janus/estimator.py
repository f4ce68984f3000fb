"""The public class ``Janus``: checks arguments, calls the layer below, and returns frames.

Its arguments are handled in ``parameters``, the steps of a fit in ``learning``. Its other methods are mixins: ``rows``
(samples, imputed cells), ``answers`` (feasibility, probability, likelihood), ``requests`` (mixes of rows),
``uncertainty``, ``causal``, ``graphs``, ``large_tables``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Self

from janus_synth.alerts import (
    alerts_from,
    check_silence,
    find_alerts,
    plain_alerts,
    warn_if_serious,
    without_computed,
    without_silenced,
)
from janus_synth.coordinates import Link
from janus_synth.graph import Dag
from janus_synth.identities import least_rows
from janus_synth.janus.answers import AnswerMethods
from janus_synth.janus.arguments import Seed, make_seed
from janus_synth.janus.causal import CausalMethods
from janus_synth.janus.contract import EstimatorContract
from janus_synth.janus.display import DisplayMethods
from janus_synth.janus.found_rules import plan_without_conflicts
from janus_synth.janus.graphs import GraphMethods
from janus_synth.janus.large_tables import LargeTableMethods
from janus_synth.janus.requests import RequestMethods
from janus_synth.janus.rows import RowMethods
from janus_synth.janus.uncertainty import UncertaintyMethods
from janus_synth.model import (
    load_model,
    merge_models,
    read_rows,
    save_model,
    update_model,
)
from janus_synth.progress import progress_bar
from janus_synth.rules import Rule, Where
from janus_synth.sampling import (
    Glance,
    plan_for,
    warn_if_rules_distort,
)
from janus_synth.table import Schema, read_table
from janus_synth.table.nulls import with_null_columns
from janus_synth.table.sources import SAMPLE_ROWS, is_source


class Janus(
    LargeTableMethods,
    RequestMethods,
    UncertaintyMethods,
    RowMethods,
    AnswerMethods,
    CausalMethods,
    GraphMethods,
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
        Minimum number of training rows in a leaf; half of it in the trees of a numeric or datetime column that become
        deep because they then predict unseen rows better, in tables of 2,048 rows and more. Tables of more than 25
        numeric columns and few rows have more, in proportion to the number of columns, so that rows cannot be linked;
        not with ``keep_rare``, nor where a graph is given or learnt.
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
        gap, values that repeat another column. ``"auto"`` finds such links in the training rows, and keeps timestamps
        in the order that all rows have. ``"rules"`` uses only those that ``rules`` state, ``"off"`` learns every
        column by itself.
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
