"""A share of the full training effort to a plan for a network."""

from __future__ import annotations

from dataclasses import replace

from janus_bench.counterfactual.training import Plan


def plan_for(share: float) -> Plan:
    """The usual plan with a share of its epochs, at least one.

    Examples
    --------
    >>> plan_for(0.1).epochs, plan_for(0.0).epochs
    (40, 1)
    """
    return replace(Plan(), epochs=max(1, round(Plan().epochs * share)))
