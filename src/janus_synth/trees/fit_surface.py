"""Fit a surface: places of codes, rows of codes and scores of the target in, a `Surface` out.

Mean and log spread are fitted in turn, each block of coefficients (all single parents, then pair by pair) given the
others (backfitting). Smoothing parameters maximise the marginal likelihood, by the fixed-point iteration of Wood and
Fasiolo (2017, "A generalized Fellner–Schall method for smoothing parameter optimization"). Rows enter as tables of
sums by code, so that the time depends little on their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from janus_synth.arrays import Codes, Floats, Ints, LongInts
from janus_synth.kernels.dtypes import INDEX
from janus_synth.trees.splines import DEGREE, roughness, roughness_values, tensor_roughness, tilt
from janus_synth.trees.surface import FEW_PARENTS, Surface, code_splines
from janus_synth.trees.surface_posterior import MOST_ROWS, covariance_factor

N_SINGLE = (20, 12)
"""Intervals between the knots of a single parent, with few parents and with many,"""
N_JOINT = (12, 7)
"""most intervals of either parent of a pair, likewise,"""
JOINT_PER_ROWS = 0.7
"""and those per cube root of the number of rows."""
MOST_PAIRS = 6
"""Most pairs of parents with a joint effect."""
MOST_JOINT_CODES = 512
"""A parent with more levels has no joint effects, whose tables would be large."""
SCREENING_CELLS = 8
"""Cells of either parent in the table that screens pairs."""
CHANCE = 4.0
"""A pair is kept if its table explains more than chance does, by this many standard deviations."""
RIDGE = 1e-3
"""Prior precision of all coefficients, for what roughness and rows leave open."""
LEAST_RIDGE = 1e-10
"""Least of it relative to the precision of the rows, so that every solution is well conditioned."""
LEAST_VARIANCE = 1e-8
"""Least variance of residuals: a spread of 1/10,000 of that of the scores, much finer than codes."""
FIRST_SMOOTHING = 10.0
"""Smoothing parameters at the start, and their bounds."""
SMOOTHING_BOUNDS = (1e-6, 1e8)
CYCLES = (4, 3, 3, 2)
"""Cycles of backfitting: mean, log spread, weighted mean, and log spread again."""
LARGEST_SURPRISE = 6.0
"""Bound on a squared standardised residual, less 1, in the regression of log spreads."""


def fit_surface(place: Floats, codes: Codes, z: Floats, *, posterior: bool = False) -> Surface:
    """Fit mean and log spread of scores ``z`` (rows,) to rows of the parents' codes (p, rows).

    A parent has no effect if no row's code of it has a place. With ``posterior`` the surface knows how well rows
    determine it.
    """
    return fit_to_rows(SurfaceRows(place, codes), z, posterior=posterior)


def fit_to_rows(rows: SurfaceRows, z: Floats, *, posterior: bool = False) -> Surface:
    """`fit_surface`, for several scores of the same rows."""
    place, used = rows.place, rows.used
    if not len(used):
        return _flat(place, z)
    found = _fit_used(rows, z, posterior)
    n, n_used = found.single.shape[2], len(used) * found.single.shape[2]
    single, factor = np.zeros((2, len(place), n)), found.factor
    single[:, used] = found.single
    if posterior:
        own = np.zeros((*factor.shape[:2], len(place), n))
        own[:, :, used] = factor[:, :, 1 : 1 + n_used].reshape(*factor.shape[:2], len(used), n)
        own = own.reshape(*factor.shape[:2], len(place) * n)
        factor = np.concatenate([factor[:, :, :1], own, factor[:, :, 1 + n_used :]], axis=2)
    return Surface(place, found.constant, single, used[found.pairs].astype(INDEX), found.joint, factor)


def _flat(place: Floats, z: Floats) -> Surface:
    """Surface without effects."""
    constant = np.array([z.mean(), 0.5 * np.log(max(float(z.var()), LEAST_VARIANCE))])
    n = N_JOINT[0] + DEGREE
    single = np.zeros((2, len(place), N_SINGLE[0] + DEGREE))
    return Surface(place, constant, single, np.zeros((0, 2), INDEX), np.zeros((2, 0, n, n)))


def _fit_used(rows: SurfaceRows, z: Floats, posterior: bool) -> Surface:
    mean = rows.start()
    mean.fit(z, 1.0, CYCLES[0])
    mean.add_pairs(rows.screen_pairs(z - mean.fitted))
    mean.fit(z, 1.0, CYCLES[0])
    spread = rows.start()
    for n_mean, n_spread in ((0, CYCLES[1]), (CYCLES[2], CYCLES[3])):
        if n_mean:
            weight = np.exp(-2 * spread.fitted)
            mean.fit(z, weight / weight.mean(), n_mean)
        lost = len(z) / max(len(z) - mean.freedom, 0.1 * len(z))
        squares = np.maximum((z - mean.fitted) ** 2 * lost, LEAST_VARIANCE)
        spread.fit_log_spread(squares, n_spread)
        if not n_mean:
            surprise = np.minimum(squares * np.exp(-2 * spread.fitted) - 1, LARGEST_SURPRISE)
            spread.add_pairs(rows.screen_pairs(surprise, mean.pairs))
            spread.fit_log_spread(squares, n_spread)
    return Surface(
        rows.place[rows.used],
        np.array([mean.constant, spread.constant]),
        np.stack([mean.blocks[0].coef, spread.blocks[0].coef]),
        mean.pairs,
        np.stack([part.joint_coef(mean.pairs) for part in (mean, spread)]),
        _stack_factors([part.covariance_factor(mean.pairs) for part in (mean, spread)])
        if posterior
        else np.zeros((2, 0, 0)),
    )


def _stack_factors(factors: Sequence[Floats]) -> Floats:
    """Factors of equal width, padded with zeros to the same number of directions."""
    most = max(len(one) for one in factors)
    return np.stack([np.pad(one, ((0, most - len(one)), (0, 0))) for one in factors])


class SurfaceRows:
    """Rows of the parents' codes, and the splines at each code; what depends on them alone is computed once."""

    def __init__(self, place: Floats, codes: Codes) -> None:
        self.place = place
        self.used = np.flatnonzero([not np.isnan(one[own]).all() for one, own in zip(place, codes, strict=True)])
        """Parents that have an effect; all that follows is of these."""
        place, codes = place[self.used], codes[self.used]
        known = [int(np.flatnonzero(~np.isnan(one))[-1]) + 1 for one in place]
        cut = [np.minimum(own, n) for own, n in zip(codes.astype(np.int64), known, strict=True)]
        self.codes: LongInts = np.array(cut, np.int64).reshape(codes.shape)
        self.widths = [n + 1 for n in known]  # the last code stands for all without a place
        self.places = [np.append(one[:n], np.nan) for one, n in zip(place, known, strict=True)]
        many = len(place) > FEW_PARENTS
        n_joint = int(np.clip(round(JOINT_PER_ROWS * codes.shape[1] ** (1 / 3)), 3, N_JOINT[many]))
        self.narrow = [code_splines(one, N_SINGLE[many] + DEGREE) for one in self.places]
        self.wide = [code_splines(one, n_joint + DEGREE) for one in self.places]
        self._even_grams: dict[tuple[int, int] | None, Floats] = {}

    @cached_property
    def _cells(self) -> list[LongInts]:
        """Cells of the table that screens pairs, row by row, of each parent."""
        cells, n = [], SCREENING_CELLS
        for one, own in zip(self.places, self.codes, strict=True):
            known = one[own]
            edges = np.nanquantile(known, np.arange(1, n) / n)
            cells.append(np.where(np.isnan(known), 0, np.searchsorted(edges, known)))
        return cells

    def screen_pairs(self, residual: Floats, among: Ints | None = None) -> Ints:
        """Pairs of parents whose joint cells explain more of the residuals than chance does, strongest first."""
        cells, n, variance = self._cells, SCREENING_CELLS, float(residual.var())
        found, small = [], [int((~np.isnan(one)).sum()) <= MOST_JOINT_CODES for one in self.places]
        for a, b in combinations(range(len(cells)), 2) if among is None else among:
            if not (small[a] and small[b]):
                continue
            key = cells[a] * n + cells[b]
            count, total = np.bincount(key, minlength=n * n), np.bincount(key, residual, n * n)
            used = count > 0
            gain, chance = float((total[used] ** 2 / count[used]).sum()) / max(variance, 1e-12), used.sum()
            found.append(((gain - chance) / np.sqrt(2 * chance), a, b))
        kept = sorted((one for one in found if one[0] > CHANCE), reverse=True)[:MOST_PAIRS]
        return np.array([one[1:] for one in kept], INDEX).reshape(-1, 2)

    def gram(self, pair: tuple[int, int] | None, weight: Floats | float) -> Floats:
        """Gram matrix of the products of a pair's splines, or of those of all single parents."""
        if not isinstance(weight, float):
            return self.single_gram(weight) if pair is None else self.joint_gram(*pair, weight)
        if pair not in self._even_grams:
            self._even_grams[pair] = self.gram(pair, np.ones(self.codes.shape[1]))
        return weight * self._even_grams[pair]

    def start(self, pairs: Ints | None = None) -> _Function:
        """A function that is 0, with effects of single parents and of the given pairs."""
        found = _Function(self)
        if pairs is not None:
            found.add_pairs(pairs)
        return found

    def table(self, a: int, b: int, weight: Floats) -> Floats:
        """(codes, codes) sums of weights by the codes of two parents."""
        shape = self.widths[a], self.widths[b]
        sums = np.bincount(self.codes[a] * shape[1] + self.codes[b], weight, shape[0] * shape[1])
        return sums.reshape(shape).astype(float)

    def sums(self, weight: Floats) -> list[Floats]:
        """Sums of weights by the codes of each parent."""
        both = zip(self.codes, self.widths, strict=True)
        return [np.bincount(codes, weight, n).astype(float) for codes, n in both]

    def single_gram(self, weight: Floats) -> Floats:
        """Gram matrix of the splines of all single parents."""
        p, n = len(self.narrow), self.narrow[0].shape[1]
        gram, counts = np.empty((p, n, p, n)), self.sums(weight)
        for a in range(p):
            gram[a, :, a] = (self.narrow[a] * counts[a][:, None]).T @ self.narrow[a]
            for b in range(a):
                gram[a, :, b] = self.narrow[a].T @ self.table(a, b, weight) @ self.narrow[b]
                gram[b, :, a] = gram[a, :, b].T
        return gram.reshape(p * n, p * n)

    def joint_gram(self, a: int, b: int, weight: Floats) -> Floats:
        """Gram matrix of the products of two parents' splines."""
        n = self.wide[a].shape[1]
        squares = [np.einsum("ki,kj->kij", part, part).reshape(-1, n * n) for part in (self.wide[a], self.wide[b])]
        gram = (squares[0].T @ self.table(a, b, weight) @ squares[1]).reshape(n, n, n, n)
        return np.ascontiguousarray(gram.transpose(0, 2, 1, 3)).reshape(n * n, n * n)


@dataclass
class _Block:
    """Coefficients that are solved together, with their Gram matrix, penalties and smoothing parameters."""

    pair: tuple[int, int] | None
    coef: Floats
    penalties: Sequence[tuple[slice, Floats]]
    """Which of the coefficients, and the matrix of their penalty."""
    smoothing: Floats
    gram: Floats
    own: Floats
    """(rows,) effect of the block."""
    freedom: float = 0.0
    """Effective number of parameters."""

    def solve(self, cross: Floats, variance: float) -> None:
        """Solve for the coefficients, then take one step towards the likeliest smoothing parameters."""
        matrix = self.gram / variance
        matrix += self.prior(float(np.trace(matrix)))
        inverse = np.linalg.inv(matrix)
        coef = inverse @ (cross.ravel() / variance)
        self.freedom = float(np.vdot(inverse, self.gram) / variance)
        for i, (prior, (at, penalty)) in enumerate(zip(self._prior_traces(), self.penalties, strict=True)):
            left = max(prior - float((inverse[at, at] * penalty).sum()), 1e-12)
            rough = float(coef[at] @ penalty @ coef[at])
            self.smoothing[i] = np.clip(self.smoothing[i] * left / max(rough, 1e-12), *SMOOTHING_BOUNDS)
        self.coef = coef.reshape(self.coef.shape)

    def prior(self, trace: float) -> Floats:
        """Prior precision of the coefficients, given the trace of the rows' precision."""
        n = self.coef.size
        matrix = np.zeros((n, n))
        for strength, (at, penalty) in zip(self.smoothing, self.penalties, strict=True):
            matrix[at, at] += strength * penalty
        matrix[np.diag_indices(n)] += max(RIDGE, LEAST_RIDGE * trace / n)
        return matrix

    def _prior_traces(self) -> Floats:
        """Trace of each penalty times the pseudo-inverse of their weighted sum."""
        values = roughness_values(self.coef.shape[1])
        if self.pair is None:
            p = len(self.smoothing) // 2
            return np.asarray(np.repeat([len(values) - 2.0, 1.0], p) / self.smoothing)
        total = self.smoothing[0] * values[:, None] + self.smoothing[1] * values
        inverse = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
        return np.array([(values[:, None] * inverse).sum(), (values * inverse).sum()])


class _Function:
    """A sum of blocks and a constant that is fitted to the rows."""

    def __init__(self, rows: SurfaceRows) -> None:
        self.rows, self.constant = rows, 0.0
        self.precision = np.ones(rows.codes.shape[1])  # of each row, as in the last cycle
        p, n, n_rows = len(rows.narrow), rows.narrow[0].shape[1], rows.codes.shape[1]
        each = [(slice(j * n, (j + 1) * n), part) for part in (roughness(n), tilt(n)) for j in range(p)]
        empty = np.zeros((0, 0))
        start = np.repeat([FIRST_SMOOTHING, RIDGE], p)
        self.blocks = [_Block(None, np.zeros((p, n)), each, start, empty, np.zeros(n_rows))]

    @property
    def pairs(self) -> Ints:
        """(q, 2) pairs with a joint effect."""
        return np.array([block.pair for block in self.blocks[1:]], INDEX).reshape(-1, 2)

    @property
    def fitted(self) -> Floats:
        """(rows,) value of the function."""
        return np.asarray(self.constant + sum(block.own for block in self.blocks))

    @property
    def freedom(self) -> float:
        """Effective number of parameters."""
        return 1.0 + sum(block.freedom for block in self.blocks)

    def joint_coef(self, pairs: Ints) -> Floats:
        """(q, splines, splines) coefficients of pairs, 0 for those without an effect."""
        n = self.rows.wide[0].shape[1]
        own = {block.pair: block.coef for block in self.blocks}
        return np.array([own.get((int(a), int(b)), np.zeros((n, n))) for a, b in pairs]).reshape(-1, n, n)

    def covariance_factor(self, pairs: Ints) -> Floats:
        """(directions, coefficients) factor of the covariance of the constant, single effects, and those of pairs."""
        from scipy.linalg import block_diag  # slow to import

        rows, n_rows = self.rows, self.rows.codes.shape[1]
        some = np.arange(0, n_rows, -(-n_rows // MOST_ROWS))
        codes, weight = rows.codes[:, some], self.precision[some] * (n_rows / len(some))
        parts = [np.ones((len(some), 1)), *(basis[own] for basis, own in zip(rows.narrow, codes, strict=True))]
        for block in self.blocks[1:]:
            assert block.pair is not None
            a, b = block.pair
            parts.append(np.einsum("ri,rj->rij", rows.wide[a][codes[a]], rows.wide[b][codes[b]]).reshape(len(some), -1))
        prior = [np.full((1, 1), LEAST_VARIANCE), *(block.prior(float(np.trace(block.gram))) for block in self.blocks)]
        factor = covariance_factor(np.column_stack(parts), weight, block_diag(*prior))
        n_single, n_pair = 1 + self.blocks[0].coef.size, rows.wide[0].shape[1] ** 2
        own = {block.pair: n_single + i * n_pair for i, block in enumerate(self.blocks[1:])}
        found = [factor[:, :n_single]]
        for a, b in pairs:
            at = own.get((int(a), int(b)))
            found.append(np.zeros((len(factor), n_pair)) if at is None else factor[:, at : at + n_pair])
        return np.column_stack(found)

    def add_pairs(self, pairs: Ints) -> None:
        """Add blocks for pairs of parents."""
        n, n_rows = self.rows.wide[0].shape[1], self.rows.codes.shape[1]
        for a, b in pairs:
            smoothing, empty = np.full(2, FIRST_SMOOTHING), np.zeros((0, 0))
            both = [(slice(None), part) for part in tensor_roughness(n)]
            block = _Block((int(a), int(b)), np.zeros((n, n)), both, smoothing, empty, np.zeros(n_rows))
            self.blocks.append(block)

    def fit(self, y: Floats, weight: Floats | float, n_cycles: int) -> None:
        """Least squares with weights; the variance of the residuals is estimated along the way."""
        weight = self._use_weights(weight)
        for _ in range(n_cycles):
            squares = float((weight * (y - self.fitted) ** 2).sum())
            left = max(len(y) - self.freedom, 0.1 * len(y))
            self._cycle(y, weight, max(squares / left, LEAST_VARIANCE))

    def fit_log_spread(self, squares: Floats, n_cycles: int) -> None:
        """Fit half the log of the variance to squared residuals, by Fisher scoring with a normal likelihood."""
        if not self.constant:
            self.constant = 0.5 * float(np.log(squares.mean()))
        weight = self._use_weights(2.0)  # Fisher information of a log spread
        for _ in range(n_cycles):
            now = self.fitted
            surprise = np.minimum(squares * np.exp(-2 * now) - 1, LARGEST_SURPRISE)
            self._cycle(now + surprise / 2, weight, max(float(surprise.var()) / 2, 1.0))

    def _use_weights(self, weight: Floats | float) -> Floats:
        """Compute the blocks' Gram matrices; returns the weight of each row."""
        for block in self.blocks:
            block.gram = self.rows.gram(block.pair, weight)
        return np.full(self.rows.codes.shape[1], weight) if isinstance(weight, float) else weight

    def _cycle(self, y: Floats, weight: Floats, variance: float) -> None:
        """Solve every block given the others."""
        rows = self.rows
        self.precision = weight / variance
        left = y - self.fitted
        for block in self.blocks:
            left += block.own
            if block.pair is None:
                sums = rows.sums(weight * left)
                block.solve(np.stack([one @ basis for one, basis in zip(sums, rows.narrow, strict=True)]), variance)
                effects = [basis @ coef for basis, coef in zip(rows.narrow, block.coef, strict=True)]
                block.own = np.asarray(sum(one[codes] for one, codes in zip(effects, rows.codes, strict=True)))
            else:
                a, b = block.pair
                block.solve(rows.wide[a].T @ rows.table(a, b, weight * left) @ rows.wide[b], variance)
                block.own = (rows.wide[a] @ block.coef @ rows.wide[b].T)[rows.codes[a], rows.codes[b]]
            left -= block.own
        shift = float(np.average(left, weights=weight))
        self.constant += shift
