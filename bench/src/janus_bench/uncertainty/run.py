"""Run the uncertainty benchmark: parts, methods and sizes in, a `Result` out, one stored cell per measurement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Final

from janus_bench.cells import IN_THIS_PROCESS, Cell, RunSettings
from janus_bench.options import choose
from janus_bench.results import Result
from janus_bench.running import measure_calls, records_of
from janus_bench.uncertainty import experiments, off_data, terrain
from janus_bench.uncertainty.experiments import (
    CLOUDS,
    IRIS,
    NOISY_CLOUDS,
    WINE,
    Absent,
    Failure,
    Found,
    detect_warm,
    disturb_iris,
    grow_clouds,
    grow_wine,
)
from janus_bench.uncertainty.methods import JANUS, Method, make_methods
from janus_bench.versions import OUR_LIBRARIES, adapter_fingerprint, library_versions, package_fingerprint

KIND: Final = "uncertainty"
PARTS = ("A", "B", "C", "D", "E")
TOGETHER = "all methods"
"""Method name of cells that hold all methods, which are timed in turns."""


@dataclass(frozen=True, slots=True)
class UncertaintySizes:
    """Numbers of seeds, rows and repeats."""

    seeds: int = 5
    n_train: int = 4_000
    n_test: int = 10_000
    repeats: int = 5
    fractions: tuple[float, ...] = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    grown: tuple[int, ...] = (250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000)
    grown_test: int = 4_000
    off_columns: tuple[int, ...] = (2, 5, 10)
    off_train: int = 2_000
    off_test: int = 500
    terrain_train: int = 2_000
    terrain_cells: int = 48


FULL = UncertaintySizes()
QUICK = UncertaintySizes(
    seeds=1,
    n_train=2_000,
    n_test=2_000,
    repeats=3,
    fractions=(0.4, 0.7, 1.0),
    grown=(250, 500, 1_000),
    grown_test=1_000,
    off_columns=(2,),
    off_train=500,
    off_test=200,
    terrain_train=500,
    terrain_cells=20,
)


def run_uncertainty(
    parts: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    *,
    seeds: int | None = None,
    sizes: UncertaintySizes = FULL,
    run: RunSettings = IN_THIS_PROCESS,
) -> Result:
    """Measure the uncertainty that methods report where the truth is known: noisy labels, and few or many rows.

    Parameters
    ----------
    parts : sequence of str, optional
        Of A (noise in a region, and speed), B (training size), C (noise in iris), D (rows off the data), E (a map
        of uncertainty); by default all.
    methods : sequence of str, optional
        Of janus, paper, dropout, ensemble, evidential; by default all. The last three need torch.
    seeds : int, optional
        Repetitions of every part; replaces the number in ``sizes``.
    sizes : UncertaintySizes
        Numbers of seeds, rows and repeats.
    run : RunSettings
        Store, processes and time limit.

    Returns
    -------
    Result
        A record per method, seed and size, and per method that failed or is not installed.
    """
    chosen = choose(parts, PARTS, "part")
    sizes = replace(sizes, seeds=sizes.seeds if seeds is None else seeds)
    asked = make_methods(methods)
    able = [method for method in asked if method.is_installed]
    absent = [Absent(method.name, str(method.library)) for method in asked if not method.is_installed]
    cells = [cell for part in chosen for cell in cells_of(part, able, sizes)]
    found = measure_calls(cells, _failure, run)
    options = {"parts": chosen, "methods": [m.name for m in asked], "threads": 1, "sizes": asdict(sizes)}
    return Result.of(KIND, options=options, records=[*records_of(absent), *found])


def cells_of(part: str, methods: Sequence[Method], sizes: UncertaintySizes) -> list[Cell]:
    """List the cells of a part: one per seed, and also per method unless methods are timed in turns."""
    seeds = range(sizes.seeds)
    if part == "D":
        return off_data_cells(sizes)
    if part == "E":
        return [terrain_cell(sizes)]
    if part == "A":
        shape = {"n_train": sizes.n_train, "n_test": sizes.n_test, "repeats": sizes.repeats}
        settings = {"part": part, "methods": [method.name for method in methods]}
        facts: dict[str, Any] = {"settings": settings, "sizes": shape, "version": version_of(methods)}
        return [
            Cell(KIND, NOISY_CLOUDS, TOGETHER, seed, **facts, task=partial(detect_warm, methods, seed=seed, **shape))
            for seed in seeds
        ]
    trials: list[tuple[str, Callable[..., list[Found]], dict[str, Any]]] = [(IRIS, disturb_iris, {})]
    if part == "B":
        on_clouds = {"sizes": sizes.grown, "n_test": sizes.grown_test}
        trials = [(WINE, grow_wine, {"fractions": sizes.fractions}), (CLOUDS, grow_clouds, on_clouds)]
    return [
        Cell(
            KIND,
            table,
            method.name,
            seed,
            settings={"part": part},
            sizes=shape,
            version=version_of([method]),
            task=partial(trial, method, seed=seed, **shape),
        )
        for table, trial, shape in trials
        for seed in seeds
        for method in methods
    ]


def off_data_cells(sizes: UncertaintySizes) -> list[Cell]:
    """List the cells of part D, which holds its own methods: one per kind of table, number of columns and seed."""
    shape = {"n_train": sizes.off_train, "n_test": sizes.off_test}
    version = _own_version(off_data.__name__)
    return [
        Cell(
            KIND,
            kind,
            TOGETHER,
            seed,
            settings={"part": "D", "columns": n_columns},
            sizes=shape,
            version=version,
            task=partial(off_data.separate, kind, n_columns=n_columns, seed=seed, **shape),
        )
        for kind in off_data.KINDS
        for n_columns in sizes.off_columns
        for seed in range(sizes.seeds)
    ]


def terrain_cell(sizes: UncertaintySizes) -> Cell:
    """The cell of part E: one map of JANUS."""
    shape = {"n_train": sizes.terrain_train, "n_cells": sizes.terrain_cells}
    return Cell(
        KIND,
        NOISY_CLOUDS,
        JANUS,
        0,
        settings={"part": "E"},
        sizes=shape,
        version=_own_version(terrain.__name__),
        task=partial(terrain.survey, seed=0, **shape),
    )


def _own_version(module: str) -> str:
    """Version of a part that fits its own methods in one module."""
    libraries = library_versions((*OUR_LIBRARIES, "numpy", "scipy", "scikit-learn"))
    return " ".join([adapter_fingerprint(module), package_fingerprint(), libraries])


def version_of(methods: Sequence[Method]) -> str:
    """Version of the code that decides the results: the experiments, and the package or library of each method."""
    ours = f"{package_fingerprint()} {library_versions(OUR_LIBRARIES)}"
    behind = {ours if method.library is None else library_versions([method.library]) for method in methods}
    judging = library_versions(("numpy", "scipy", "scikit-learn"))
    return " ".join([adapter_fingerprint(experiments.__name__), judging, *sorted(behind)])


def _failure(cell: Cell, error: str) -> Failure:
    return Failure(cell.settings["part"], cell.method, error)
