"""Rows under conditions: a plan and a number of rows in; exactly that many rows out, each keeping every rule.

Common requests are met by rejection. For rare ones every branch contributes weighted particles (sequential Monte Carlo)
in proportion to its share; rows are resampled from all of them by weight, which corrects errors of the plan's shares,
and rejuvenated by Gibbs sweeps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.errors import InfeasibleError
from janus_synth.sampling.branches import Branch
from janus_synth.sampling.computing import compute_column, decoded_values, rows_that_hold
from janus_synth.sampling.forward import BLOCK_ROWS, Columns, empty_columns, in_chunks, prepare_bags
from janus_synth.sampling.gibbs import gibbs_sweep
from janus_synth.sampling.imputation import impute
from janus_synth.sampling.particles import Particles, concatenate, draw_remaining, new_particles
from janus_synth.sampling.plan import REJECTION_BOUNDS, Plan
from janus_synth.sampling.rejection import constrained_table, draw_accepted, most_drawn_at_once
from janus_synth.sampling.request import Request
from janus_synth.sampling.smc import run_smc
from janus_synth.sampling.truncation import as_cells
from janus_synth.streams import Stream
from janus_synth.table import Table
from janus_synth.threads import worker_count

MOST_DRAWN = int(8 * BLOCK_ROWS / REJECTION_BOUNDS[0])
"""Unconstrained rows drawn for a block before sequential Monte Carlo takes over: the acceptance rate is then below
an eighth of the smallest that rejection is used for."""
LEAST_PARTICLES = 1024
"""Minimum number of particles of a block, even if fewer rows are requested."""
PASS_PARTICLES = 4096
"""Maximum number of particles of one pass; more are drawn in several passes."""
MOST_PER_ROW = 4.0
"""Maximum number of particles per row: more particles compensate for uneven weights, until the effective sample size
equals the number of rows.

Beyond that, Gibbs sweeps improve the sample of one branch at a lower cost.
"""
MOST_PER_ROW_OF_SEVERAL = 64.0
"""The same where there are several branches: no sweep moves rows between them, so that only the weights decide the
branches' shares. With 4 per row and an effective sample size of 1 %, a branch of 23 % was given 33 % of 4,000 rows."""
SPARE = 1.4
"""Effective particles per row: with less than one, three sweeps are needed instead of one, which costs more."""
SPARE_OF_SEVERAL = 2.5
"""The same where there are several branches: shares then err less than those of independent rows."""
SWEEPS = ((1.0, 1), (0.1, 3), (1e-9, 9), (0.0, 30))
"""Sweeps by the number of effective particles per row, the last for rows that start from a witness.

With one or more per row the distribution needs no sweep; one of single columns makes copies of a particle differ.
"""


def sample_conditional(
    plan: Plan,
    n: int,
    *,
    seed: int,
    first_block: int = 0,
    n_jobs: int | None = None,
    on_rows: Callable[[int], None] | None = None,
    sweeps: bool = True,
) -> Table:
    """Draw ``n`` rows that keep every rule, distributed as the model's conditional.

    Without ``sweeps`` particles are left as they were resampled, for comparison.
    """
    request = plan.request
    out = empty_columns(request.model, n)

    def draw(parts: Sequence[slice], rngs: Sequence[np.random.Generator]) -> None:
        sizes = [part.stop - part.start for part in parts]
        for part, block in zip(parts, _draw_blocks(plan, sizes, rngs, sweeps=sweeps), strict=True):
            for name, values in block.items():
                out[name][part] = values

    plan.prepare()
    prepare_bags(request.model, n_jobs=n_jobs)
    workers, n_blocks = _divide(plan, n, n_jobs)
    in_chunks(
        n,
        draw,
        seed=seed,
        stream=Stream.CONDITIONAL,
        first_block=first_block,
        workers=workers,
        n_blocks=n_blocks,
        on_rows=on_rows,
    )
    return Table(request.model.schema, out, n)


def _divide(plan: Plan, n: int, n_jobs: int | None) -> tuple[int, int]:
    """Threads to use for ``n`` rows, and blocks that are drawn together: rejection is faster on more rows."""
    if not plan.by_rejection:
        return worker_count(n_jobs), 1
    share, n_columns = plan.acceptance.share, len(plan.request.names)
    workers = worker_count(n_jobs, n_cells=n / share * n_columns)
    fair = -(-n // (workers * BLOCK_ROWS))
    return workers, max(1, min(fair, int(most_drawn_at_once(n_columns) * share / BLOCK_ROWS)))


def _draw_blocks(
    plan: Plan, sizes: Sequence[int], rngs: Sequence[np.random.Generator], *, sweeps: bool
) -> Iterator[Columns]:
    """Rows by rejection if the plan says so, and by sequential Monte Carlo otherwise or if rejection falls short."""
    if not plan.by_rejection:
        yield from (_draw_by_smc(plan, n, rng, sweeps=sweeps) for n, rng in zip(sizes, rngs, strict=True))
        return
    share = plan.acceptance.share
    found = draw_accepted(plan.request, sizes, rngs, share=share, most_drawn=MOST_DRAWN)
    for n, rng, accepted in zip(sizes, rngs, found, strict=True):
        missing = n - len(accepted[plan.request.names[0]])
        rest = _draw_by_smc(plan, missing, rng, sweeps=sweeps) if missing else None
        yield {
            name: values if rest is None else np.concatenate([values, rest[name]]) for name, values in accepted.items()
        }


def _draw_by_smc(plan: Plan, n: int, rng: np.random.Generator, *, sweeps: bool) -> Columns:
    rows, per_row = _resampled_rows(plan, n, rng)
    if sweeps:  # all rows: heavy particles are copied, and moving only copies would move mass out of their region
        n_sweeps = next(number for least, number in SWEEPS if per_row >= least)
        for _ in range(n_sweeps):
            gibbs_sweep(plan.request, rows, rng, blocks=per_row < 1)
    return draw_remaining(plan.request, rows, rng)


def _resampled_rows(plan: Plan, n: int, rng: np.random.Generator) -> tuple[Particles, float]:
    """Rows that satisfy the rules, and the effective particles for each; from a witness if all weights are zero."""
    for more in (1, 4, 16):
        found = propose(plan, more * max(n, LEAST_PARTICLES), rng)
        if found.weights().any():
            fewest = min([*found.effective, found.effective_share()])
            chosen = rng.permutation(found.resample_indices(n, rng))  # particles are in the order of their branches
            return found.take(chosen), fewest * found.n / max(n, 1)
    return rows_from_witness(plan.request, plan.witness, n, rng), 0.0


def propose(plan: Plan, n: int, rng: np.random.Generator) -> Particles:
    """Weighted particles of all branches, enough for an effective sample of ``n``; weights are absolute.

    The mean weight over a branch's particles is an unbiased estimate of the branch's probability. A row that belongs
    to several branches counts a fraction in each.
    """
    log_mass = np.array([branch.log_mass for branch in plan.branches])
    shares = np.exp(log_mass - np.logaddexp.reduce(log_mass)) if log_mass.max() > -np.inf else np.ones(len(log_mass))
    spare, most = (SPARE, MOST_PER_ROW) if len(plan.branches) == 1 else (SPARE_OF_SEVERAL, MOST_PER_ROW_OF_SEVERAL)
    parts, effective = [], []
    for branch, share in zip(plan.branches, shares, strict=True):
        per_row = float(np.clip(spare / max(branch.effective, 1e-9), spare, most))
        passes = run_branch(plan, branch, int(np.ceil(max(share * per_row, 1.0 / 16) * n)), rng)
        kept = min(MOST_PER_ROW / per_row, 1.0)
        effective += [least / kept for each in passes for least in each.effective if share > 0.01]
        parts += [thin(each, kept, rng) for each in passes]
    found = concatenate(parts)
    found.effective = effective
    return found


def thin(rows: Particles, share: float, rng: np.random.Generator) -> Particles:
    """Resample particles to a share of their number; they divide the total weight equally."""
    if share >= 1 or not rows.weights().any():
        return rows
    log_total = float(np.logaddexp.reduce(rows.log_weight))
    kept = rows.take(rows.resample_indices(int(np.ceil(share * rows.n)), rng))
    kept.log_weight[:] = log_total - np.log(kept.n)
    kept.log_mass = 0.0
    return kept


def run_branch(
    plan: Plan, branch: Branch, n: int, rng: np.random.Generator, *, resample_below: float = 0.5
) -> list[Particles]:
    """Passes of a branch's proposal with ``n`` particles together, each with its absolute weight over ``n``."""
    n_passes = -(-n // PASS_PARTICLES)
    passes = []
    for size in np.diff(np.linspace(0, n, n_passes + 1).astype(int)):
        rows = run_smc(branch.request, branch.lookahead, int(size), rng, resample_below=resample_below)
        rows.log_weight += rows.log_mass - np.log(n) - _log_branch_counts(plan, branch, rows, rng)
        rows.log_mass = 0.0
        passes.append(rows)
    return passes


def _log_branch_counts(plan: Plan, branch: Branch, rows: Particles, rng: np.random.Generator) -> Floats:
    """Log of the number of branches that each row belongs to; values that the branch left open are drawn first."""
    if not rows.weights().any():  # all weights became zero, and later columns were not drawn
        return np.zeros(rows.n)
    for column in sorted(plan.request.constrained - branch.request.valued):
        rows.values[column] = decoded_values(plan.request, column, rows.x[column], rng.random(rows.n))
    if len(plan.branches) == 1:
        return np.zeros(rows.n)
    table = constrained_table(plan.request, rows)
    count = sum(rows_that_hold(each.request.rules, table).astype(int) for each in plan.branches)
    return np.log(np.maximum(count, 1))


def rows_from_witness(
    request: Request, witness: Mapping[str, float | None], n: int, rng: np.random.Generator
) -> Particles:
    """Rows with the witness's cells, the other columns of the request imputed around them.

    Raise InfeasibleError if none of them keeps the rules: a witness knows those definitions of computed columns that
    the rule language can express, and no others.
    """
    rows = new_particles(request, n)
    for name, value in witness.items():
        column = request.index(name)
        rows.values[column] = np.nan if value is None else value
        codec = request.codec(column)
        rows.x[column] = codec.encode(as_cells(codec, rows.values[column]))
    return _require_kept(request, impute(request, rows, rng))


def _require_kept(request: Request, rows: Particles) -> Particles:
    """Rows that keep all rules once linked columns are computed, repeated if some do not."""
    if not request.links:
        return rows
    for column in (column for column in request.order if column in request.links):
        compute_column(request, rows, column)
    kept = np.flatnonzero(rows_that_hold(request.rules, constrained_table(request, rows)))
    if not len(kept):
        links = "; ".join(str(request.links[column]) for column in request.order if column in request.links)
        kept_rules = ", ".join(dict.fromkeys(repr(str(rule)) for rule in request.rules))
        raise InfeasibleError(
            f"no row was found that keeps {kept_rules} and how columns are "
            f"computed ({links}). Drop one of the conditions, or fit with links='off'."
        )
    return rows.take(np.resize(kept, rows.n))
