"""Pictures of tables and answers in one line each; every function returns an altair chart (extra ``plots``).

>>> from janus_synth import Janus, datasets, plot
>>> rows = datasets.hiring(200, random_state=0)
>>> model = Janus(n_trees=2, random_state=0).fit(rows)
>>> chart = plot.compare(rows, model.sample(200))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from janus_synth.janus import Janus
    from janus_synth.questions import Effect, Uncertainty

__all__ = ["associations", "compare", "effect", "graph", "pairs", "uncertainty"]


def compare(real: Any, synthetic: Any, columns: Sequence[str] | None = None, *, n_across: int = 4) -> Any:
    """Draw the distribution of every column in real and synthetic rows.

    Parameters
    ----------
    real, synthetic : DataFrame
        Tables with the same columns; pandas, polars or pyarrow.
    columns : sequence of str, optional
        Columns to draw; by default all but identifiers.
    n_across : int
        Charts in a row.

    Returns
    -------
    altair.ConcatChart
        ``chart.save("columns.svg")`` writes a file.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [31, 45, 60]})
    >>> compare(frame, frame).to_dict()["title"]["text"]
    'Real and synthetic rows, one column at a time'
    """
    from janus_synth.plots import marginals_picture

    return marginals_picture(real, synthetic, columns, n_across=n_across)


def pairs(real: Any, synthetic: Any, columns: Sequence[str] | None = None, *, max_points: int = 400) -> Any:
    """Draw columns of real and synthetic rows against each other.

    Parameters
    ----------
    real, synthetic : DataFrame
        Tables with the same columns; pandas, polars or pyarrow.
    columns : sequence of str, optional
        Up to six columns; by default the first ones with few levels.
    max_points : int
        Rows of each table that are drawn.

    Returns
    -------
    altair.ConcatChart
        Points below the diagonal, distributions on it, associations above it.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [31, 45, 60], "pay": [3, 5, 9]})
    >>> pairs(frame, frame).to_dict()["title"]["text"]
    'Columns against each other'
    """
    from janus_synth.plots import pairs_picture

    return pairs_picture(real, synthetic, columns, max_points=max_points)


def associations(real: Any, synthetic: Any) -> Any:
    """Draw the associations between all columns: real, synthetic, and their difference.

    Parameters
    ----------
    real, synthetic : DataFrame
        Tables with the same columns; pandas, polars or pyarrow.

    Returns
    -------
    altair.HConcatChart
        Three heat maps.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [31, 45, 60], "pay": [3, 5, 9]})
    >>> len(associations(frame, frame).to_dict()["hconcat"])
    3
    """
    from janus_synth.plots import association_picture

    return association_picture(real, synthetic)


def graph(model: Janus, *, most_parents: int = 3, title: str | None = None) -> Any:
    """Draw the graph of a fitted model; the same as ``model.plot_graph()``.

    Parameters
    ----------
    model : Janus
        A fitted model.
    most_parents : int
        Parents drawn per column of a dense graph.
    title : str, optional
        Heading of the chart.

    Returns
    -------
    altair.LayerChart
        Boxes in layers, with arrows from parents to children.

    Examples
    --------
    >>> from janus_synth import Janus, datasets
    >>> model = Janus(n_trees=1, random_state=0).fit(datasets.hiring(100, random_state=0))
    >>> graph(model, title="People").to_dict()["title"]["text"]
    'People'
    """
    return model.plot_graph(most_parents=most_parents, title=title)


def uncertainty(found: Uncertainty, *, share: bool = False) -> Any:
    """Draw the aleatoric and epistemic uncertainty of each column.

    Parameters
    ----------
    found : Uncertainty
        Result of ``Janus.uncertainty``.
    share : bool
        Divide by the entropy of the column itself, instead of nats.

    Returns
    -------
    altair.Chart
        A bar in two parts per column, the least certain first.

    Examples
    --------
    >>> from janus_synth import Janus, datasets
    >>> rows = datasets.hiring(100, random_state=0)
    >>> chart = uncertainty(Janus(n_trees=1, random_state=0).fit(rows).uncertainty(rows, ["hired", "age"]))
    >>> chart.to_dict()["title"]["text"]
    'Uncertainty of each column given its parents'
    """
    from janus_synth.plots import uncertainty_picture

    return uncertainty_picture(found, share=share)


def effect(found: Effect, *, measure: str = "mean", beside: Mapping[str, Sequence[float]] | None = None) -> Any:
    """Draw an outcome under each setting of a treatment, with intervals.

    Parameters
    ----------
    found : Effect
        Result of ``Janus.effect``.
    measure : {"mean", "effect"}
        Means, or their differences to the first one.
    beside : mapping of str to sequence of float, optional
        Up to three lines to compare with, by name, one number per setting: ``{"truth": [...]}``.

    Returns
    -------
    altair.LayerChart
        A line in a band for numbers, dots with whiskers for levels.

    Examples
    --------
    >>> from janus_synth import Janus, datasets
    >>> model = Janus(structure=datasets.hiring_graph(), n_trees=1, random_state=0)
    >>> found = model.fit(datasets.hiring(200, random_state=0)).effect("experience", "offered_salary", [2, 20], n=200)
    >>> effect(found).to_dict()["title"]["text"]
    'offered_salary as experience is set'
    """
    from janus_synth.plots import effect_curve

    return effect_curve(found.to_frame(), outcome=found.outcome, measure=measure, beside=beside)
