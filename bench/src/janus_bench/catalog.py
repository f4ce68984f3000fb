"""All benchmarks, in the order of the page of results and of a run of all."""

from __future__ import annotations

from collections.abc import Sequence

from janus_bench.ablation.benchmark import ABLATION
from janus_bench.benchmark import Benchmark
from janus_bench.collapse.benchmark import MODE_COLLAPSE
from janus_bench.constrained.benchmark import CONSTRAINED
from janus_bench.counterfactual.benchmark import COUNTERFACTUAL
from janus_bench.exact.benchmark import EXACT
from janus_bench.fairness.benchmark import FAIRNESS
from janus_bench.fidelity.benchmark import BY_COLUMN, FIDELITY
from janus_bench.parts import hint
from janus_bench.scalability.benchmark import SCALABILITY
from janus_bench.speed.benchmark import SPEED
from janus_bench.structure.benchmark import STRUCTURE
from janus_bench.uncertainty.benchmark import UNCERTAINTY
from janus_synth.errors import DataError

BENCHMARKS: tuple[Benchmark, ...] = (
    FIDELITY,
    MODE_COLLAPSE,
    CONSTRAINED,
    EXACT,
    COUNTERFACTUAL,
    UNCERTAINTY,
    FAIRNESS,
    SCALABILITY,
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
    found = [benchmark for benchmark in BENCHMARKS if benchmark.run is not None]
    known = [benchmark.name for benchmark in found]
    for name in names or ():
        if name not in known:
            raise DataError(f"no benchmark is called {name!r}. {hint(name, known)}")
    return [benchmark for benchmark in found if names is None or benchmark.name in names]
