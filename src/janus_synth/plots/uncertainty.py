"""The uncertainty of cells in; bars of aleatoric and epistemic uncertainty per column out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from janus_synth.plots.theme import ALEATORIC, EPISTEMIC, Chart, altair, apply_theme, inline, shorten

if TYPE_CHECKING:
    from janus_synth.questions import Uncertainty

WIDTH, PER_COLUMN = 420, 22
PARTS = {"aleatoric": ALEATORIC, "epistemic": EPISTEMIC}
NOTE = "Aleatoric: noise that more rows would not remove. Epistemic: what more rows would tell."


def uncertainty_picture(found: Uncertainty, *, share: bool = False) -> Chart:
    """Draw the mean uncertainty of each column as a bar in two parts, the least certain column first.

    Parameters
    ----------
    found : Uncertainty
        Result of ``Janus.uncertainty``.
    share : bool
        Divide by the entropy of the column when nothing else is known of a row, instead of nats.

    Returns
    -------
    altair.Chart

    Examples
    --------
    >>> from janus_synth import Janus, datasets
    >>> rows = datasets.hiring(200, random_state=0)
    >>> chart = uncertainty_picture(Janus(n_trees=2, random_state=0).fit(rows).uncertainty(rows))
    >>> chart.to_dict()["title"]["text"]
    'Uncertainty of each column given its parents'
    """
    rows = _rows(found, share=share)
    order = list(dict.fromkeys(str(row["column"]) for row in rows))
    alt = altair()
    title = "share of the column's own entropy" if share else "mean entropy, nats"
    axis = alt.Axis(format="%") if share else alt.Axis()
    names = list(PARTS)
    bars = (
        alt.Chart(inline(rows))
        .mark_bar()
        .encode(
            x=alt.X("value:Q", title=title, axis=axis, stack="zero"),
            y=alt.Y(
                "column:N", sort=order, title=None, scale=alt.Scale(paddingInner=0.3),
                axis=alt.Axis(labelLimit=180, ticks=False, domain=False, labelFontSize=12),
            ),
            color=alt.Color(
                "part:N", scale=alt.Scale(domain=names, range=list(PARTS.values())),
                legend=alt.Legend(title=None, orient="top", symbolType="square", symbolSize=160),
            ),
            order=alt.Order("place:Q"),
        )
        .properties(width=WIDTH, height=max(60, PER_COLUMN * len(order)))
    )  # fmt: skip
    return apply_theme(bars, "Uncertainty of each column given its parents", [NOTE])


def _rows(found: Uncertainty, *, share: bool) -> list[dict[str, Any]]:
    """One row per column and part; columns by total uncertainty, the largest first."""
    means = {}
    for name, cells in found.cells.items():
        scale = found.marginals[name] if share and found.marginals[name] > 0 else 1.0
        means[name] = {"aleatoric": cells.aleatoric.mean() / scale, "epistemic": cells.epistemic.mean() / scale}
    ordered = sorted(means, key=lambda name: -sum(means[name].values()))
    short = [shorten(name) for name in ordered]
    labels = {
        name: text if short.count(text) == 1 else f"{text} #{i + 1}"
        for i, (name, text) in enumerate(zip(ordered, short, strict=True))
    }
    return [
        {"column": labels[name], "part": part, "value": float(means[name][part]), "place": place}
        for name in ordered
        for place, part in enumerate(PARTS)
    ]
