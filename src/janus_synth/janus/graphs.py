"""Questions of ``Janus`` about its graph: does it fit rows, and how sure is it."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.errors import StructureError
from janus_synth.graph import edge_confidences
from janus_synth.janus.arguments import Seed, check_integer, check_number, make_seed
from janus_synth.janus.fitted import Fitted
from janus_synth.model import Model, read_rows
from janus_synth.progress import progress_bar
from janus_synth.table import plain_frame

if TYPE_CHECKING:
    from janus_synth.questions.falsification import Falsification


class GraphMethods(Fitted):
    """Questions about the graph of a fitted `Janus`."""

    def falsify(
        self,
        frame: Any,
        *,
        alpha: float = 0.05,
        n_permutations: int = 40,
        max_rows: int = 2_000,
        random_state: Seed = 0,
        progress: bool | None = None,
    ) -> Falsification:
        """Test on rows whether the graph fits: its conditional independences, and the dependence along its edges.

        Every column should be independent of its non-descendants given its parents, and every edge should carry
        dependence given the other parents. Each is tested by the generalised covariance measure, for columns of any
        kind, with nulls. The share of independences that fail is compared with that of graphs of the same shape whose
        columns are permuted. Rows that the graph was not learnt from give an honest test. A graph that passes may still
        be wrong: Markov equivalent graphs imply the same independences.

        Parameters
        ----------
        frame : DataFrame
            Rows with all columns.
        alpha : float
            Level of the tests. Single tests are adjusted for their number by Holm's method.
        n_permutations : int
            Permuted graphs to compare with, at least 1 / alpha − 1: their number bounds the p-value from below.
        max_rows : int
            Rows to test on at most; larger tables are subsampled.
        random_state : int or Generator, optional
            The same seed gives the same answer.
        progress : bool, optional
            Show a progress bar on standard error; by default only if that is a terminal.

        Returns
        -------
        Falsification
            Prints as a verdict with the independences and edges that do worst.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> rows = datasets.hiring(600, random_state=0)[["age", "sex", "experience"]]
        >>> model = Janus(structure=[("age", "experience")], random_state=0).fit(rows)
        >>> found = model.falsify(rows, n_permutations=20)
        >>> [str(pair) for pair in found.independences]
        ['age ⟂ sex', 'sex ⟂ age', 'sex ⟂ experience', 'experience ⟂ sex | age']
        """
        from janus_synth.questions.falsification import falsify_graph

        model = self._model()
        check_number("alpha", alpha, low=1e-6, high=0.5)
        n_permutations = check_integer("n_permutations", n_permutations, low=1)
        if (least := ceil(1 / alpha - 1e-9) - 1) > n_permutations:
            raise ValueError(f"n_permutations is {n_permutations}; the level alpha={alpha:g} needs at least {least}.")
        max_rows = check_integer("max_rows", max_rows, low=100)
        table = read_rows(model, frame)
        ordered = {name: column.ordered for name, column in model.codec.columns.items()}
        with progress_bar("testing permuted graphs", n_permutations, shown=progress) as advance:
            return falsify_graph(
                model.dag, table, ordered, alpha=alpha, n_permutations=n_permutations, max_rows=max_rows,
                seed=make_seed(random_state), on_graph=advance,
            )  # fmt: skip

    @property
    def edge_confidence_(self) -> Any:
        """Edges of all graphs of ``structure="bootstrap"``, as a frame with their confidence.

        ``confidence`` is the weight of the graphs that have the edge, ``either_way`` that of the graphs with an edge
        between the two columns, in whichever direction; ``consensus`` says whether the consensus graph has the edge.
        """
        model = self._with_graph_set()
        assert model.graphs is not None
        found = edge_confidences(model.graphs.dags, model.graphs.weights)
        chosen = set(model.dag.edges)
        columns: dict[str, Any] = {
            "parent": np.array([parent for parent, _ in found], object),
            "child": np.array([child for _, child in found], object),
            "confidence": np.array([*found.values()]),
            "either_way": np.array([weight + found.get((b, a), 0.0) for (a, b), weight in found.items()]),
            "consensus": np.array([edge in chosen for edge in found], bool),
        }
        return plain_frame(columns, model.schema.frame)

    def structural_uncertainty(self, frame: Any, target: str) -> Floats:
        """Measure how far the graphs of ``structure="bootstrap"`` disagree about a cell, given the rest of its row.

        The mutual information between the cell and the graph: the entropy of the mixture of their predictions minus
        the mean of their entropies. It is 0 where all graphs predict the same. ``uncertainty`` uses the consensus
        graph and leaves this part out.

        Parameters
        ----------
        frame : DataFrame
            Rows with all columns; those of ``target`` are not used.
        target : str
            Column to predict.

        Returns
        -------
        array of float
            Nats, one value per row.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> rows = datasets.hiring(300, random_state=0)[["age", "sex", "experience", "hired"]]
        >>> model = Janus(structure="bootstrap", graph_learner="forest", n_graphs=5, random_state=0).fit(rows)
        >>> bool((model.structural_uncertainty(rows.head(3), "hired") >= 0).all())
        True
        """
        from janus_synth.questions.graph_average import structural_uncertainty

        model = self._with_graph_set()
        if target not in model.visible_schema.names or target in model.computed:
            raise StructureError(f"{target!r} is not a column that the model learns. Name one of its learnt columns.")
        return structural_uncertainty(model, read_rows(model, frame), target, n_jobs=self.n_jobs)

    def _with_graph_set(self) -> Model:
        model = self._model()
        if model.graphs is None:
            raise StructureError("this model has one graph. Fit with structure='bootstrap' to learn a set of graphs.")
        return model
