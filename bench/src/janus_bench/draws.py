"""Sampling for benchmarks: a table, a method and a seed in, synthetic rows and their times out.

Rows are stored, so that benchmarks that evaluate the same rows share them.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from janus_bench.cells import Cell
from janus_bench.ours import JanusSynthesizer
from janus_bench.stopwatch import warm_up
from janus_bench.tables import NamedTable, split
from janus_bench.versions import method_settings, method_version, table_fingerprint

if TYPE_CHECKING:
    import pandas as pd

    from janus_bench.peers import Synthesizer
    from janus_bench.store import Store

KIND = "rows"
FEW_ROWS = 2_000
"""With fewer held-out rows one sample is too noisy; scores are then means over several samples."""
N_SAMPLES = 4


@dataclass(frozen=True, slots=True)
class Half:
    """A split of a table into a training half and a held-out half, the same for all methods.

    Attributes
    ----------
    table : NamedTable
        The table.
    seed : int
        Seed of the split, of the fit and of the samples.
    max_rows : int
        Most rows of the table that are used.
    store : Store, optional
        Where rows are written and looked up; by default nothing is stored.
    fresh : bool
        Draw again even if the store has the rows.
    """

    table: NamedTable
    seed: int
    max_rows: int = 40_000
    store: Store | None = None
    fresh: bool = False

    def halves(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Training rows and held-out rows."""
        return split(self.table, self.seed, max_rows=self.max_rows)


@dataclass(frozen=True, slots=True)
class Drawn:
    """Samples of one fit, each with as many rows as the training half, and their times.

    CPU seconds are those of all threads, for the fit and one sample.
    """

    samples: tuple[pd.DataFrame, ...]
    fit_seconds: float
    sample_seconds: float
    cpu_seconds: float


def draw(half: Half, method: Synthesizer) -> Drawn:
    """Fit a method to the training half and sample, or read what an earlier run has stored.

    Examples
    --------
    >>> from janus_bench.peers import IndependentColumns
    >>> from janus_bench.tables import read_named
    >>> drawn = draw(Half(read_named("ring"), 0, max_rows=400), IndependentColumns())
    >>> [len(sample) for sample in drawn.samples]
    [200, 200, 200, 200]
    """
    if half.store is None:
        return _make(half, method)
    cell = _cell(half, method)
    kept = None if half.fresh else _read(half.store, cell.key)
    if kept is not None:
        return kept
    drawn = _make(half, method)
    for i, sample in enumerate(drawn.samples):
        half.store.write_rows(KIND, f"{cell.key}-{i}", sample)
    half.store.write(KIND, cell.key, _times(drawn), about=cell.about)
    return drawn


def fit_on(table: NamedTable, method: Synthesizer, train: pd.DataFrame, *, seed: int) -> Synthesizer:
    """Fit a method to rows of a table; a method that needs the true graph is given it."""
    return (method.on(table) if isinstance(method, JanusSynthesizer) else method).fit(train, seed=seed)


def _make(half: Half, method: Synthesizer) -> Drawn:
    """Fit once and sample; a small table is sampled several times."""
    _warm_up(method)
    train, test = half.halves()
    start, cpu = perf_counter(), process_time()
    fitted = fit_on(half.table, method, train, seed=half.seed)
    fit_seconds, fit_cpu = perf_counter() - start, process_time() - cpu
    n_samples = N_SAMPLES if len(test) < FEW_ROWS else 1
    start, cpu = perf_counter(), process_time()
    samples = tuple(fitted.sample(len(train), seed=1_000 * (half.seed + 1) + i) for i in range(n_samples))
    sample_cpu = (process_time() - cpu) / n_samples
    return Drawn(samples, fit_seconds, (perf_counter() - start) / n_samples, fit_cpu + sample_cpu)


def _cell(half: Half, method: Synthesizer) -> Cell:
    """Everything that identifies these rows."""
    return Cell(
        kind=KIND,
        table=half.table.name,
        data=table_fingerprint(half.table),
        method=type(method).__name__,
        settings=method_settings(method),
        seed=half.seed,
        sizes={"max_rows": half.max_rows, "samples": N_SAMPLES, "few": FEW_ROWS},
        version=method_version(method),
    )


def _times(drawn: Drawn) -> dict[str, Any]:
    names = ("fit_seconds", "sample_seconds", "cpu_seconds")
    return {"samples": len(drawn.samples), **{name: getattr(drawn, name) for name in names}}


def _read(store: Store, key: str) -> Drawn | None:
    """Rows and times of an earlier run, if all of them are there."""
    times = store.read(KIND, key)
    if times is None:
        return None
    samples = [store.read_rows(KIND, f"{key}-{i}") for i in range(times.pop("samples"))]
    there = tuple(sample for sample in samples if sample is not None)
    return Drawn(there, **times) if len(there) == len(samples) else None


def _warm_up(method: Synthesizer) -> None:
    """Import libraries and load kernels before anything is timed; slow methods have a fast version, `brief`."""
    if isinstance(method, JanusSynthesizer) and method.needs_graph:
        return
    from janus_synth.datasets import hiring

    brief = getattr(method, "brief", lambda: method)
    warm_up((type(method), method.name), lambda: brief().fit(hiring(200), seed=0).sample(10, seed=0))
