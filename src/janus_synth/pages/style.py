"""What pages and plots share: the two colours of real and synthetic rows, and how a share is written."""

from __future__ import annotations

REAL = "#0072B2"
"""Blue of the Okabe–Ito palette: real rows, in every picture."""
SYNTHETIC = "#D55E00"
"""Vermilion of the same palette, which colour-blind readers tell from the blue: synthetic rows."""


def percent(share: float) -> str:
    """A share as a reader writes it; small ones are not rounded away."""
    if share != share:  # NaN: no rows to take a share of
        return "–"
    if 0 < share < 0.001:
        return "< 0.1 %"
    if 0.999 < share < 1:
        return "> 99.9 %"
    return f"{share:.1%}".replace("%", " %").replace(".0 %", " %")
