"""How a ``Janus`` shows itself: a table in notebooks, and its graph as a chart."""

from __future__ import annotations

from collections import Counter
from typing import Any

from janus_synth.janus.fitted import Fitted
from janus_synth.model import Model
from janus_synth.shortcuts import shortcut

MOST_PARENTS = 6
"""Parents that a line of the table names."""


class DisplayMethods(Fitted):
    """Pictures of a `Janus` for notebooks."""

    def plot_graph(self, *, most_parents: int = 3, title: str | None = None) -> Any:
        """Draw the graph as a chart, arrows thicker where the trees use them for more rows (extra ``plots``).

        Parameters
        ----------
        most_parents : int
            Parents drawn per column of a dense graph; the line below the title says what is left out.
        title : str, optional
            Heading of the chart.

        Returns
        -------
        altair.LayerChart
            A notebook shows it; ``chart.save("graph.svg")`` writes a file.

        Examples
        --------
        >>> from janus_synth import Janus, datasets
        >>> model = Janus(n_trees=2, random_state=0).fit(datasets.hiring(200, random_state=0))
        >>> model.plot_graph().to_dict()["title"]["text"]
        'Each column is drawn given the columns that point to it'
        """
        return shortcut("graph_of_model")(self._model(), most_parents=most_parents, title=title)

    def _repr_html_(self) -> str:
        """Render as a table for notebooks: columns, their values and their parents."""
        from janus_synth.pages import render

        if not hasattr(self, "model_"):
            return render("table.html.j2", caption=f"{repr(self)[1:-1]}, not fitted", headings=(), rows=())
        model = self.model_
        rows = [(*column.cells(), _parents(model, column.name)) for column in model.visible_schema]
        headings = ("column", "kind", "dtype", "missing", "values", "drawn given")
        return render("table.html.j2", caption=_caption(model), headings=headings, rows=rows)


def _caption(model: Model) -> str:
    kinds = Counter(column.kind for column in model.visible_schema)
    counts = {
        "rows": model.n_rows, "columns": sum(kinds.values()), "edges": len(model.dag.edges),
        "rules": len(model.all_rules), "computed columns": len(model.computed),
    }  # fmt: skip
    shown = ", ".join(f"{n:,} {what if n != 1 else what[:-1]}" for what, n in counts.items() if n)
    return f"Janus, fitted: {shown}"


def _parents(model: Model, column: str) -> str:
    if column not in model.dag.parents:
        return "generated anew"
    if column in model.computed:
        return f"computed: {model.computed[column]}"
    parents = model.dag.parents[column]
    more = f" and {len(parents) - MOST_PARENTS} more" if len(parents) > MOST_PARENTS else ""
    return ", ".join(parents[:MOST_PARENTS]) + more
