"""Parts and methods to a `Result`: noise in a region, training size, noise in iris, step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib import import_module
from importlib.metadata import version

from janus_synth.bench.parts import parts_named, records_of
from janus_synth.bench.results import Result
from janus_synth.bench.uncertainty.experiments import (
    Absent,
    Found,
    attempt,
    detect,
    disturb_iris,
    grow_clouds,
    grow_wine,
)
from janus_synth.bench.uncertainty.methods import Method, make_methods
from janus_synth.progress import progress_bar

PARTS = ("A", "B", "C")
Step = Callable[[], list[Found]]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many seeds, rows and repeats."""

    seeds: int = 5
    n_train: int = 4_000
    n_test: int = 10_000
    repeats: int = 5
    fractions: tuple[float, ...] = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    grown: tuple[int, ...] = (250, 500, 1_000, 2_000, 4_000, 8_000, 16_000)
    grown_test: int = 4_000


FULL = Sizes()
QUICK = Sizes(
    seeds=1,
    n_train=2_000,
    n_test=2_000,
    repeats=3,
    fractions=(0.4, 0.7, 1.0),
    grown=(250, 500, 1_000),
    grown_test=1_000,
)


def run_uncertainty(
    parts: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    *,
    seeds: int | None = None,
    sizes: Sizes = FULL,
    progress: bool | None = None,
) -> Result:
    """Ask methods how sure they are where the answer is known: noisy labels, and few or many rows.

    Parameters
    ----------
    parts : sequence of str, optional
        Of A (noise in a region, and speed), B (training size), C (noise in iris); by default all.
    methods : sequence of str, optional
        Of janus, paper, dropout, ensemble, evidential; by default all. The last three need torch.
    seeds : int, optional
        Repetitions of everything, if not as many as ``sizes`` says.
    sizes : Sizes
        How many rows.
    progress : bool, optional
        Show a bar on standard error; by default only where that is a terminal.

    Returns
    -------
    Result
        A record per method, seed and size, and per method that failed or is not installed.
    """
    chosen = parts_named(parts, PARTS)
    sizes = replace(sizes, seeds=sizes.seeds if seeds is None else seeds)
    asked = make_methods(methods)
    able = [method for method in asked if method.is_installed]
    found: list[Found] = [Absent(method.name, str(method.library)) for method in asked if not method.is_installed]
    steps = [step for part in chosen for step in steps_of(part, able, sizes)]
    _warm_up(able)
    with progress_bar("learning and asking", len(steps), shown=progress) as advance:
        for step in steps:
            found += step()
            advance(1)
    options = {"parts": chosen, "methods": [m.name for m in asked], **_torch_facts(able), "sizes": asdict(sizes)}
    return Result.of("uncertainty", options=options, records=records_of(found))


def steps_of(part: str, methods: Sequence[Method], sizes: Sizes) -> list[Step]:
    """What a part consists of, a step per seed, and per method too where methods are not timed in turns."""
    seeds = range(sizes.seeds)
    if part == "A":
        shape = {"n_train": sizes.n_train, "n_test": sizes.n_test, "repeats": sizes.repeats}
        return [partial(detect, methods, seed=seed, **shape) for seed in seeds]
    on_wine = partial(grow_wine, fractions=sizes.fractions)
    on_clouds = partial(grow_clouds, sizes=sizes.grown, n_test=sizes.grown_test)
    trials = [on_wine, on_clouds] if part == "B" else [disturb_iris]
    return [
        partial(attempt, part, method, partial(trial, method, seed=seed))
        for trial in trials
        for seed in seeds
        for method in methods
    ]


def _warm_up(methods: Sequence[Method]) -> None:
    """Load compiled kernels and libraries before anything is timed; errors show up again where they are recorded."""
    detect(methods, seed=0, n_train=300, n_test=300, repeats=0)


def _torch_facts(methods: Sequence[Method]) -> dict[str, object]:
    """Version and threads of the rivals' library, where one of them ran."""
    if not any(method.library == "torch" for method in methods):
        return {}
    return {"torch": version("torch"), "torch threads": int(import_module("torch").get_num_threads())}
