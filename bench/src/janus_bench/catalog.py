"""List of all benchmarks, in the order in which they run and appear on the page of results."""

from __future__ import annotations

from collections.abc import Sequence

from janus_bench.ablation import ABLATION
from janus_bench.benchmark import Benchmark
from janus_bench.collapse import MODE_COLLAPSE
from janus_bench.constrained import CONSTRAINED
from janus_bench.counterfactual import COUNTERFACTUAL
from janus_bench.disclosure import DISCLOSURE
from janus_bench.effects import EFFECTS
from janus_bench.exact import EXACT
from janus_bench.fairness import FAIRNESS
from janus_bench.fidelity import BY_COLUMN, FIDELITY
from janus_bench.links import LINKS
from janus_bench.options import choose
from janus_bench.scalability import LARGE_TABLES, SCALABILITY
from janus_bench.speed import SPEED
from janus_bench.structure import STRUCTURE
from janus_bench.uncertainty import UNCERTAINTY

BENCHMARKS: tuple[Benchmark, ...] = (
    FIDELITY,
    MODE_COLLAPSE,
    DISCLOSURE,
    CONSTRAINED,
    EXACT,
    LINKS,
    COUNTERFACTUAL,
    EFFECTS,
    UNCERTAINTY,
    FAIRNESS,
    SCALABILITY,
    LARGE_TABLES,
    SPEED,
    STRUCTURE,
    ABLATION,
    BY_COLUMN,
)
BY_NAME = {benchmark.name: benchmark for benchmark in BENCHMARKS}


def with_command(names: Sequence[str] | None = None) -> list[Benchmark]:
    """Benchmarks that have a command, by name, in their order; by default all.

    Examples
    --------
    >>> [benchmark.name for benchmark in with_command(["exact", "fidelity"])]
    ['fidelity', 'exact']
    """
    found = {benchmark.name: benchmark for benchmark in BENCHMARKS if benchmark.run is not None}
    return [found[name] for name in choose(names, found, "benchmark")]
