"""The name of a function of a higher package in; the function out, imported when it is called.

A few methods are shortcuts to packages above their own: ``Janus.plot_graph`` draws, ``Report.to_html`` writes a page,
``metrics.evaluate`` reads sources larger than memory.
Imports flow one way in this library, so such a method names its function here, and nothing else may.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

HOMES = {
    "evaluate_sources": "janus_synth.partitions",
    "graph_of_model": "janus_synth.plots",
    "write_report": "janus_synth.report",
}
"""Functions that lower packages offer as methods, by the package that has them."""


def shortcut(name: str) -> Callable[..., Any]:
    """Import a function of ``HOMES``.

    Examples
    --------
    >>> shortcut("write_report").__name__
    'write_report'
    """
    function: Callable[..., Any] = getattr(import_module(HOMES[name]), name)
    return function
