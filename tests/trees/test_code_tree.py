"""Code trees (Pólya or flat): every code has one path, splits halve the mass, and evidence equals closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln

from janus_synth.trees.code_tree import flat_tree, likeliest_strength, log_tables, polya_tree
from reference import smoothing
from reference.gaining import code_groups, flat_evidence, polya_evidence
from strategies import count_tables, quick, seeds

MAKERS = st.sampled_from([flat_tree, polya_tree])


def path(tree, code):
    return tree.path_slot[tree.path_start[code] : tree.path_start[code + 1]].tolist()


def evidence_by_slots(tree, counts):
    """Log evidence of counts by slot: each slot adds a term as child and subtracts one as parent of a split."""
    total = np.zeros(tree.n_slots)
    for code, count in enumerate(counts):
        total[[0, *path(tree, code)]] += count
    inner = tree.split_mass > 0
    gained = gammaln(total + tree.mass) - gammaln(tree.mass)
    paid = gammaln((total + tree.split_mass)[inner]) - gammaln(tree.split_mass[inner])
    return gained[1:].sum() - paid.sum()


@quick
@given(count_tables(), MAKERS, st.booleans())
def test_every_kept_code_has_one_path_down_to_a_slot_of_its_own(counts, make, keep_empty):
    tree = make(counts, keep_empty=keep_empty)
    kept = [code for code in range(len(counts)) if keep_empty or counts[code] > 0]
    assert tree.n_codes == len(counts)
    assert (tree.slot_up[1:] < np.arange(1, tree.n_slots)).all()  # a slot comes after the one above it
    for code in range(len(counts)):
        slots = path(tree, code)
        assert bool(slots) == (code in kept)
        assert [int(tree.slot_up[slot]) for slot in slots] == [0, *slots][: len(slots)]
        assert [int(tree.level[slot]) for slot in slots] == list(range(1, len(slots) + 1))
    ends = [path(tree, code)[-1] for code in kept]
    assert sorted(ends) == np.flatnonzero(tree.split_mass == 0).tolist()


@quick
@given(count_tables(), st.booleans())
def test_a_polya_tree_halves_the_mass_in_order_after_splitting_off_missing(counts, keep_empty):
    tree = polya_tree(counts, keep_empty=keep_empty)
    kept = np.arange(len(counts)) if keep_empty else np.flatnonzero(counts)
    groups = [list(group.values()) for group in code_groups(tree)]
    if len(kept) == 1:
        assert groups == [[kept.tolist()]]
        return
    if kept[-1] == len(counts) - 1:
        assert groups[0] == [kept[:-1].tolist(), [kept[-1]]]
        groups = groups[1:]
    for left, right in groups:
        codes = np.array([*left, *right])
        assert (np.diff(codes) > 0).all()
        below = np.cumsum(counts[codes])
        uneven = np.abs(2 * below - below[-1])  # difference between the two sides of each cut
        assert uneven[len(left) - 1] <= uneven[:-1].min() + 1e-6 * counts.sum()


@quick
@given(count_tables(), st.booleans(), seeds)
def test_evidence_of_a_polya_tree_is_the_product_of_its_halvings(weights, keep_empty, seed):
    tree = polya_tree(weights, keep_empty=keep_empty)
    possible = np.ones(len(weights), bool) if keep_empty else weights > 0
    counts = np.where(possible, np.random.default_rng(seed).poisson(3.0, len(weights)), 0)
    groups = [group for group in code_groups(tree) if len(group) == 2]
    halvings = [(int(tree.level[next(iter(group))]), *group.values()) for group in groups]
    assert evidence_by_slots(tree, counts) == pytest.approx(polya_evidence(counts, halvings), abs=1e-9)


@quick
@given(count_tables(), st.booleans(), seeds)
def test_evidence_of_a_flat_tree_is_the_dirichlet_multinomial_of_mass_one(weights, keep_empty, seed):
    tree = flat_tree(weights, keep_empty=keep_empty)
    kept = np.ones(len(weights), bool) if keep_empty else weights > 0
    counts = np.where(kept, np.random.default_rng(seed).poisson(3.0, len(weights)), 0)
    assert evidence_by_slots(tree, counts) == pytest.approx(flat_evidence(counts[kept]), abs=1e-9)


def test_log_tables_hold_log_and_lgamma_of_counts_plus_mass():
    masses = np.array([0.25, 1.0, 8.0])
    tables = log_tables(masses, 20)
    counts = np.arange(22)
    for table, mass in zip(tables, masses, strict=True):
        np.testing.assert_allclose(table, [np.log(counts + mass), gammaln(counts + mass)], atol=1e-12)


def test_a_step_of_weighted_rows_is_the_difference_of_values():
    masses = np.array([0.25, 1.0, 8.0])
    for table, mass in zip(log_tables(masses, 20, 1.75), masses, strict=True):
        values = gammaln(1.75 * np.arange(23) + mass)
        np.testing.assert_allclose(table, [np.diff(values), values[:-1]], atol=1e-12)
    np.testing.assert_allclose(log_tables(masses, 20, 1.0 + 1e-12), log_tables(masses, 20), atol=1e-9)


def test_heavy_atoms_have_short_paths():
    """The mean path length is about the entropy in bits: 1.6 here, against 6 if codes were halved by number."""
    counts = np.array([1_000, *[1] * 62, 0])
    tree = polya_tree(counts)
    lengths = np.diff(tree.path_start)
    assert lengths[0] == 2  # missing goes first, then the atom
    assert (counts * lengths).sum() / counts.sum() < 3


def test_empty_codes_are_halved_by_number():
    lengths = np.diff(polya_tree(np.array([*[0] * 64, 5, 0])).path_start)
    assert lengths.max() <= 10


@quick
@given(count_tables(), MAKERS, seeds)
def test_slot_shares_of_allowed_codes_make_these_codes_equally_likely(counts, make, seed):
    tree = make(counts)
    allowed = np.random.default_rng(seed).random(len(counts)) < 0.5
    allowed[0] = True
    share = tree.share_of_allowed(allowed)
    whole = [np.prod(share[path(tree, code)]) for code in range(len(counts))]
    np.testing.assert_allclose(whole, allowed / allowed.sum(), atol=1e-12)


@quick
@given(count_tables(), MAKERS, seeds)
def test_shares_of_weights_multiply_to_the_weights_along_each_path(counts, make, seed):
    tree = make(counts)
    weight = np.random.default_rng(seed).random(len(counts)) * (counts > 0)
    share = tree.share_of(weight)
    whole = [np.prod(share[path(tree, code)]) for code in range(len(counts))]
    np.testing.assert_allclose(whole, weight / weight.sum(), atol=1e-12)


@quick
@given(count_tables(), st.booleans())
def test_without_missing_the_last_code_is_ordered_like_any_other(counts, keep_empty):
    tree = polya_tree(counts, keep_empty=keep_empty, last_is_missing=False)
    for left, right in (group.values() for group in code_groups(tree) if len(group) == 2):
        codes = np.array([*left, *right])
        assert (np.diff(codes) > 0).all()
        below = np.cumsum(counts[codes])
        uneven = np.abs(2 * below - below[-1])
        assert uneven[len(left) - 1] <= uneven[:-1].min() + 1e-6 * counts.sum()


def test_equal_codes_without_missing_are_halved_evenly():
    lengths = np.diff(polya_tree(np.ones(64, np.int64), last_is_missing=False).path_start)
    assert lengths.tolist() == [6] * 64


@quick
@given(count_tables(), MAKERS)
def test_concentration_grows_with_the_depth_of_a_slot(counts, make):
    tree = make(counts)
    for slot in range(1, tree.n_slots):
        level = int(tree.level[slot])
        assert tree.concentration(2.0)[slot] == 2.0 * max(1, level)
        assert tree.concentration(2.0, 30.0)[slot] == (2.0 if level <= 1 else 30.0 * level)


@quick
@given(count_tables(), MAKERS, st.sampled_from([0.5, 10.0, 1e4]))
def test_shares_of_counts_are_those_of_a_lone_leaf(counts, make, deeper):
    tree = make(counts)
    prior, concentration = tree.share_of_allowed(counts >= 0), tree.concentration(1.0, deeper)
    shares = tree.posterior_mean(counts, prior, concentration)
    expected = smoothing.shrink_down([-1], [-1], counts[None], [0], tree, concentration, concentration, prior)
    np.testing.assert_allclose(shares, expected[0], atol=1e-12)
    assert shares.sum() == pytest.approx(1.0)


@quick
@given(count_tables(max_codes=6, max_count=5), MAKERS, st.sampled_from([1.0, 20.0]), seeds)
def test_evidence_is_the_product_of_sequential_predictive_probabilities(counts, make, deeper, seed):
    """By the chain rule, for any order of the rows; codes that are not allowed have no rows."""
    tree = make(counts)
    prior, concentration = tree.share_of_allowed(counts > 0), tree.concentration(1.0, deeper)
    rows = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    so_far, total = np.zeros(len(counts), np.int64), 0.0
    for code in rows:
        total += np.log(tree.posterior_mean(so_far, prior, concentration)[code])
        so_far[code] += 1
    assert tree.log_marginal_likelihood(counts, prior, concentration) == pytest.approx(total, abs=1e-8)


@quick
@given(count_tables(), st.sampled_from([0.5, 1.0]))
def test_the_chosen_root_strength_maximises_the_marginal_likelihood(counts, least):
    tree = polya_tree(counts)
    prior = tree.share_of_allowed(counts >= 0)
    chosen = likeliest_strength(tree, counts, prior, least)
    best = tree.log_marginal_likelihood(counts, prior, tree.concentration(least, chosen))
    for factor in (1, 10, 100, 1_000, 10_000, 100_000):
        assert best >= tree.log_marginal_likelihood(counts, prior, tree.concentration(least, least * factor)) - 1e-9
    assert least <= chosen <= 1e5 * least


def test_the_root_is_strong_for_counts_equal_up_to_noise_and_weak_for_uneven_counts():
    rng = np.random.default_rng(0)
    even = np.append(rng.multinomial(5_000, np.full(250, 1 / 250)), 0)
    heaped = np.append(np.where(np.arange(250) % 10 == 0, 200, 1), 0)
    for counts, least, most in ((even, 1e3, np.inf), (heaped, 1.0, 1.0)):
        tree = polya_tree(counts)
        assert least <= likeliest_strength(tree, counts, tree.share_of_allowed(np.arange(251) < 250), 1.0) <= most
