"""Rows under conditions: a plan in; exactly the rows asked for out, each keeping every rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from janus_synth.inference.cells import physical
from janus_synth.inference.completion import fill
from janus_synth.inference.filtering import run_forward
from janus_synth.inference.forward import Physical, empty_columns, in_blocks
from janus_synth.inference.particles import Particles, new_particles
from janus_synth.inference.plan import Plan
from janus_synth.inference.rejuvenation import sweep
from janus_synth.inference.request import Request

LEAST_PARTICLES = 1024
"""Particles of a block, however few rows are asked for."""
SWEEPS = 3
EQUAL = 1e-4
"""What an effective sample may lack where rows weigh all but the same: picked by weight, they need no sweeps."""
WITNESS_SWEEPS = 30


def sample_conditional(
    plan: Plan,
    n: int,
    *,
    seed: int,
    first_block: int = 0,
    n_jobs: int | None = None,
    on_rows: Callable[[int], None] | None = None,
) -> Physical:
    """Draw ``n`` rows that keep every rule, distributed as the model's conditional."""
    request = plan.request
    out = empty_columns(request.model, n)

    def draw(part: slice, rng: np.random.Generator) -> None:
        for name, values in _draw_block(plan, part.stop - part.start, rng).items():
            out[name][part] = values

    _prepare(request)
    in_blocks(n, draw, seed=seed, purpose=1, first_block=first_block, n_jobs=n_jobs, on_rows=on_rows)
    return out


def _prepare(request: Request) -> None:
    """Make what threads then only read."""
    for i, bag in enumerate(request.model.bags):
        if i not in request.order:
            bag.prepare()


def _draw_block(plan: Plan, n: int, rng: np.random.Generator) -> Physical:
    rows, sweeps = _first_rows(plan, n, rng)
    for _ in range(sweeps):
        sweep(plan.request, rows, rng)
    return finish(plan.request, rows, rng)


def _first_rows(plan: Plan, n: int, rng: np.random.Generator) -> tuple[Particles, int]:
    """Rows that satisfy the rules, and how many sweeps they need: the more, the fewer different ones there are."""
    for more in (1, 4, 16):
        rows = run_forward(plan.request, plan.lookahead, more * max(n, LEAST_PARTICLES), rng)
        if rows.weights().any():
            fewest = min(rows.effective, default=1.0)
            sweeps = SWEEPS if fewest > 0.1 else 3 * SWEEPS
            return rows.take(rows.drawn_rows(n, rng)), 0 if fewest > 1 - EQUAL else sweeps
    return from_witness(plan.request, plan.witness, n, rng), WITNESS_SWEEPS


def from_witness(request: Request, witness: Mapping[str, float | None], n: int, rng: np.random.Generator) -> Particles:
    """Rows with the witness's cells, the other columns of the request drawn around them."""
    rows = new_particles(request, n)
    for name, value in witness.items():
        column = request.footing.index(name)
        rows.values[column] = np.nan if value is None else value
        codec = request.codec(column)
        rows.x[column] = codec.encode(physical(codec, rows.values[column]))
    return fill(request, rows, rng)


def finish(request: Request, rows: Particles, rng: np.random.Generator) -> Physical:
    """Draw the columns that no condition depends on, and turn codes into values."""
    columns: Physical = {}
    for name in request.model.dag.order:
        i = request.footing.index(name)
        codec = request.model.codec.columns[name]
        if i in request.constrained:
            columns[name] = physical(codec, rows.values[i])
            continue
        u: NDArray[np.float64] = rng.random(rows.n)
        if i not in request.order:
            rows.x[i] = 0
            request.model.bags[i].draw(rows.x, u)
        columns[name] = codec.decode(rows.x[i], u)
    return columns
