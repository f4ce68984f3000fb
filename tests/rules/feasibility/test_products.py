"""Propagation of products: no value of a row that satisfies a bound is removed, and impossible bounds are found."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth.encoding.lattice import Lattice
from janus_synth.rules.feasibility.clauses import ProductBound
from janus_synth.rules.feasibility.domains import Domain, Grid
from janus_synth.rules.feasibility.products import narrow_products

GRIDS = (Grid(Lattice(0, 1, 1)), Grid(Lattice(0, 1, 10)), Grid(None))


def random_bound(rng):
    powers = [-2, -1, 1, 1, 2]
    terms = []
    for _ in range(int(rng.integers(1, 4))):
        columns = rng.permutation(3)[: int(rng.integers(1, 4))]
        terms.append((float(rng.integers(-3, 4)) or 1.0, tuple((int(i), int(rng.choice(powers))) for i in columns)))
    columns = tuple(sorted({i for _, factors in terms for i, _ in factors}))
    low, high = [(-np.inf, 2.0), (1.0, np.inf), (-0.5, 0.5)][int(rng.integers(3))]
    return ProductBound(columns, tuple(terms), low, high)


def domains_and_rows(rng):
    """Random domains as positions, and random rows in them."""
    domains, rows = {}, []
    for i, grid in enumerate(GRIDS):
        low, high = sorted(rng.integers(-4, 5, 2) * (10 if i == 1 else 1))
        domains[i] = Domain(np.array([[low, high]], float), False, grid.whole)
        rows.append(rng.integers(low, high + 1, 400) if grid.whole else rng.uniform(low, high, 400))
    return domains, np.array(rows, float)


@pytest.mark.parametrize("seed", range(150))
def test_no_row_that_satisfies_a_bound_is_lost(seed):
    rng = np.random.default_rng(seed)
    bound, (domains, rows) = random_bound(rng), domains_and_rows(rng)
    values = [grid.values(row) for grid, row in zip(GRIDS, rows, strict=True)]
    with np.errstate(all="ignore"):
        total = sum(
            size * np.prod([values[i] ** float(p) for i, p in factors], axis=0) for size, factors in bound.terms
        )
        good = (total >= bound.low) & (total <= bound.high) & np.isfinite(total)
    left = narrow_products(bound, domains, GRIDS)
    if left is None:
        assert not good.any()
        return
    for column, domain in left.items():
        assert domain.contains(rows[column][good]).all()


def test_a_square_leaves_two_intervals():
    domains = {0: Domain(np.array([[-9.0, 9.0]]), False, True)}
    left = narrow_products(ProductBound((0,), ((1.0, ((0, 2),)),), 20.0, 50.0), domains, GRIDS)
    assert left[0].intervals.tolist() == [[-7, -5], [5, 7]]


def test_products_of_the_same_columns_are_added_up_once_the_others_are_fixed():
    domains = {0: Domain(np.array([[1.0, 1.0]]), False, True), 2: Domain(np.array([[3.0, 99.0]]), False, False)}
    terms = ((1.0, ((0, 1), (2, 1))), (-1.0, ((2, 1), (0, -1))))  # z · 1 − z / 1 is 0
    assert narrow_products(ProductBound((0, 2), terms, 1.0, np.inf), domains, GRIDS) is None


def test_a_divisor_is_not_zero():
    domains = {0: Domain(np.array([[0.0, 4.0]]), False, True)}
    left = narrow_products(ProductBound((0,), ((1.0, ((0, -1),)),), -5.0, 5.0), domains, GRIDS)
    assert left[0].low == 1
