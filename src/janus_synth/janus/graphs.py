"""Questions of ``Janus`` about its graph: does it fit rows, and how sure is it."""

from __future__ import annotations

from typing import Any

from janus_synth.janus.arguments import Seed, check_integer, check_number, make_seed
from janus_synth.model import Model, read_rows
from janus_synth.progress import progress_bar
from janus_synth.questions.falsification import Falsification, falsify_graph


class GraphMethods:
    """Questions about the graph of a fitted `Janus`."""

    n_jobs: int | None

    def _model(self) -> Model:
        raise NotImplementedError

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
            Permuted graphs to compare with.
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
        model = self._model()
        check_number("alpha", alpha, low=1e-6, high=0.5)
        n_permutations = check_integer("n_permutations", n_permutations, low=0)
        max_rows = check_integer("max_rows", max_rows, low=100)
        table = read_rows(model, frame)
        ordered = {name: column.ordered for name, column in model.codec.columns.items()}
        with progress_bar("testing permuted graphs", n_permutations, shown=progress) as advance:
            return falsify_graph(
                model.dag, table, ordered, alpha=alpha, n_permutations=n_permutations, max_rows=max_rows,
                seed=make_seed(random_state), on_graph=advance,
            )  # fmt: skip
