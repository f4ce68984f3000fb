"""Surfaces: a smooth mean and spread of a column given its parents' codes, which the trends of all leaves start from.

A surface is additive in single parents and in pairs of them,

    m(x) = m₀ + Σ_j f_j(x_j) + Σ_(a, b) f_ab(x_a, x_b),    log s(x) likewise,

with cubic splines f over the parents' coordinates (a functional ANOVA decomposition). The target's score z then has the
standardised score (z − m(x)) / s(x), and regressions, residuals and weights of the leaves are about that one. Mean and
spread depend on codes alone, so that everything that is exact for trends stays exact.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from janus_synth.arrays import Codes, Floats, Ints
from janus_synth.kernels.dtypes import INDEX
from janus_synth.trees.splines import DEGREE, spline_values

if TYPE_CHECKING:
    from janus_synth.kernels.views import Surface as SurfaceArrays

FEW_PARENTS = 3
"""Up to so many parents, rows resolve a surface well: its effects are finer, and the leaves' regressions add little."""
MEAN, LOG_SPREAD = 0, 1
"""The two functions of a surface."""


@dataclass(frozen=True)
class Surface:
    """Coefficients of the splines; the first axis of each array is mean and log spread."""

    place: Floats
    """(p, most codes) coordinate of every code of every parent, from 0 to 1; NaN for a code without a coordinate."""
    constant: Floats
    """(2,)"""
    single: Floats
    """(2, p, splines) coefficients of the splines of one parent."""
    pairs: Ints
    """(q, 2) places of two parents among the p."""
    joint: Floats
    """(2, q, splines, splines) coefficients of the products of splines of two parents."""
    factor: Floats = field(default_factory=lambda: np.zeros((2, 0, 0)))
    """(2, directions, coefficients) factor of the posterior covariance of all coefficients: constant, single parents,
    pairs. Without directions the surface counts as known."""

    @property
    def tables(self) -> SurfaceArrays:
        """Effects of single codes and of pairs of codes, for the kernels."""
        return self._tables

    @cached_property
    def _tables(self) -> SurfaceArrays:
        from janus_synth.kernels.views import Surface as View

        narrow = [code_splines(place, self.single.shape[2]) for place in self.place]
        single = [[basis @ coef for basis, coef in zip(narrow, part, strict=True)] for part in self.single]
        paired = ~np.isnan(self.place[self.pairs.ravel()]).all(axis=0)
        width = int(np.flatnonzero(paired)[-1]) + 1 if paired.any() else 0
        wide = [code_splines(place[:width], self.joint.shape[2]) for place in self.place]
        joint = np.zeros((2, len(self.pairs), width, width))
        for i in range(2):
            for q, (a, b) in enumerate(self.pairs):
                joint[i, q] = wide[a] @ self.joint[i, q] @ wide[b].T
        return View(self.constant, np.array(single), self.pairs, joint)

    def at_places(self, place: Floats) -> tuple[Floats, Floats]:
        """Mean and spread of rows whose parents have any coordinates: ``place`` is (p, rows)."""
        narrow = [code_splines(one, self.single.shape[2]) for one in place]
        wide = [code_splines(one, self.joint.shape[2]) for one in place] if len(self.pairs) else []
        total = np.repeat(self.constant[:, None], place.shape[1], axis=1)
        for i in range(2):
            for basis, coef in zip(narrow, self.single[i], strict=True):
                total[i] += basis @ coef
            for (a, b), coef in zip(self.pairs, self.joint[i], strict=True):
                total[i] += ((wide[a] @ coef) * wide[b]).sum(axis=1)
        return total[MEAN], np.exp(total[LOG_SPREAD])

    def variances(self, codes: Codes) -> Floats:
        """(2, rows) posterior variance of mean and log spread at rows of the parents' codes (p, rows): |R φ|²."""
        out = np.zeros((2, codes.shape[1]))
        if not self.factor.shape[1]:
            return out
        p, n, m = len(self.place), self.single.shape[2], self.joint.shape[2]
        narrow, wide = self._code_splines
        for i, factor in enumerate(self.factor):
            along = np.repeat(factor[:, :1].T, codes.shape[1], axis=0)
            for j in range(p):
                along += (narrow[j] @ factor[:, 1 + j * n : 1 + (j + 1) * n].T)[codes[j]]
            for q, (a, b) in enumerate(self.pairs):
                at = 1 + p * n + q * m * m
                both = wide[a][codes[a], :, None] * wide[b][codes[b], None, :]
                along += both.reshape(-1, m * m) @ factor[:, at : at + m * m].T
            out[i] = (along**2).sum(axis=1)
        return out

    @cached_property
    def _code_splines(self) -> tuple[list[Floats], list[Floats]]:
        """Splines at all codes of each parent: of single effects, and of pairs."""
        n, m = self.single.shape[2], self.joint.shape[2]
        return [code_splines(place, n) for place in self.place], [code_splines(place, m) for place in self.place]

    def drawn(self, rng: np.random.Generator) -> Surface:
        """A surface with coefficients drawn from their posterior, which is then known."""
        p, n, m = len(self.place), self.single.shape[2], self.joint.shape[2]
        noise = np.stack([rng.normal(size=len(factor)) @ factor for factor in self.factor])
        if not self.factor.shape[1]:
            return self
        at = 1 + p * n
        return replace(
            self,
            constant=self.constant + noise[:, 0],
            single=self.single + noise[:, 1:at].reshape(2, p, n),
            joint=self.joint + noise[:, at:].reshape(2, len(self.pairs), m, m),
            factor=np.zeros((2, 0, 0)),
        )

    def at_codes(self, codes: Codes) -> tuple[Floats, Floats]:
        """Mean and spread of rows of the parents' codes (p, rows)."""
        from janus_synth.kernels.surfacing import surface_of_rows

        mean, log_spread = np.empty(codes.shape[1]), np.empty(codes.shape[1])
        surface_of_rows(self.tables, np.arange(len(codes), dtype=INDEX), codes, -1, mean, log_spread)
        return mean, np.exp(log_spread)


def code_splines(place: Floats, n_splines: int) -> Floats:
    """(places, splines) values of splines; 0 where there is no place."""
    known = ~np.isnan(place)
    out = spline_values(np.where(known, place, 0.0), n_splines - DEGREE)
    out[~known] = 0.0
    return out
