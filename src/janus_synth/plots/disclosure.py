"""Attacks on synthetic rows in; a dot with its confidence interval for the risk of each out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from janus_synth.errors import DataError
from janus_synth.pages import SYNTHETIC
from janus_synth.plots.theme import MUTED, Chart, altair, apply_theme, inline

if TYPE_CHECKING:
    from janus_synth.metrics import Disclosure

WIDTH, PER_ATTACK = 460, 30
LEAST = 0.1
"""Smallest end of the axis, so that small risks look small."""


def disclosure_picture(disclosure: Disclosure) -> Chart:
    """Draw the risk of every attack with its interval; dashed at 0, where training rows are as safe as unseen ones.

    Parameters
    ----------
    disclosure : Disclosure
        Result of ``metrics.disclosure``.

    Returns
    -------
    altair.LayerChart

    Examples
    --------
    >>> from janus_synth.metrics import Attack, Disclosure
    >>> attack = Attack("linkability", 0.3, 0.1, 0.0, 0.22, 0.2, 0.25, 900, 900, 1e-9)
    >>> result = Disclosure({"linkability": attack}, {}, {"train": 900, "test": 900, "synthetic": 900})
    >>> disclosure_picture(result).to_dict()["title"]["text"]
    'Risk of each attack'
    """
    alt = altair()
    drawn = [attack for attack in disclosure.attacks.values() if math.isfinite(attack.low + attack.high)]
    if not drawn:
        raise DataError("no attack has a risk to draw.")
    rows = [
        {"attack": attack.name.replace("_", " "), "risk": attack.risk, "low": attack.low, "high": attack.high}
        for attack in drawn
    ]
    low, high = min(attack.low for attack in drawn), max(attack.high for attack in drawn)
    scale = alt.Scale(domain=[max(min(low, 0.0), -1.0) - 0.01, max(high, LEAST) + 0.01], nice=False)
    x = alt.X("risk:Q", title="(success − control) / (1 − control)", scale=scale, axis=alt.Axis(tickCount=6))
    y = alt.Y("attack:N", title=None, sort=[row["attack"] for row in rows], axis=alt.Axis(labelLimit=220))
    chart = alt.Chart(inline(rows)).properties(width=WIDTH, height=PER_ATTACK * len(rows))
    zero = alt.Chart(inline([{"risk": 0.0}])).mark_rule(color=MUTED, strokeDash=[5, 4]).encode(x)
    whiskers = chart.mark_rule(color=SYNTHETIC, strokeWidth=2, clip=True).encode(
        alt.X("low:Q", title="", scale=scale), y, alt.X2("high:Q")
    )
    dots = chart.mark_point(color=SYNTHETIC, filled=True, opacity=1, size=70).encode(x, y)
    note = f"Lines: {disclosure.confidence:.0%} confidence intervals. Dashed: no more than on unseen rows."
    return apply_theme(alt.layer(zero, whiskers, dots), "Risk of each attack", [note.replace("%", " %")])
