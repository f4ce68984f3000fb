"""Code trees: every code one path, halvings of the mass, and the evidence they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from janus_synth.trees.code_tree import flat_tree, polya_tree
from reference.splitting import code_groups, flat_evidence, polya_evidence
from strategies import count_tables, quick, seeds

MAKERS = st.sampled_from([flat_tree, polya_tree])


def path(tree, code):
    return tree.path_slot[tree.path_start[code] : tree.path_start[code + 1]].tolist()


def evidence_by_tables(tree, counts, row_weight=1.0):
    """Log evidence of counts from the tree's own look-up tables, slot by slot."""
    total = np.zeros(tree.n_slots, int)
    for code, count in enumerate(counts):
        total[path(tree, code)] += count
        total[0] += count
    _, _, child, node = tree.log_tables(int(counts.sum()), row_weight=row_weight)
    inner = tree.inner == 1
    return (child[total[1:]] - child[0]).sum() - (node[total[inner]] - node[0]).sum()


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
    assert sorted(ends) == np.flatnonzero(tree.inner == 0).tolist()


@quick
@given(count_tables(), st.booleans())
def test_a_polya_tree_halves_the_mass_in_order_after_splitting_off_missing(counts, keep_empty):
    tree = polya_tree(counts, keep_empty=keep_empty)
    kept = np.arange(len(counts)) if keep_empty else np.flatnonzero(counts)
    groups = code_groups(tree)
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
        uneven = np.abs(2 * below - below[-1])  # what each cut leaves between the sides
        assert uneven[len(left) - 1] <= uneven[:-1].min() + 1e-6 * counts.sum()


@quick
@given(count_tables(), st.booleans(), seeds)
def test_evidence_of_a_polya_tree_is_the_product_of_its_halvings(weights, keep_empty, seed):
    tree = polya_tree(weights, keep_empty=keep_empty)
    possible = np.ones(len(weights), bool) if keep_empty else weights > 0
    counts = np.where(possible, np.random.default_rng(seed).poisson(3.0, len(weights)), 0)
    halvings = [halves for halves in code_groups(tree) if len(halves) == 2]
    assert evidence_by_tables(tree, counts) == pytest.approx(polya_evidence(counts, halvings), abs=1e-9)


@quick
@given(count_tables(), st.booleans(), seeds)
def test_evidence_of_a_flat_tree_is_the_dirichlet_multinomial_of_mass_one(weights, keep_empty, seed):
    tree = flat_tree(weights, keep_empty=keep_empty)
    kept = np.ones(len(weights), bool) if keep_empty else weights > 0
    counts = np.where(kept, np.random.default_rng(seed).poisson(3.0, len(weights)), 0)
    assert evidence_by_tables(tree, counts) == pytest.approx(flat_evidence(counts[kept]), abs=1e-9)


def test_log_tables_hold_what_one_row_more_adds():
    tree = polya_tree(np.array([4, 4, 1]))
    log_child, log_node, lgamma_child, lgamma_node = tree.log_tables(20)
    n = np.arange(22)
    np.testing.assert_allclose(log_child, np.log(n + 1.0), atol=1e-12)
    np.testing.assert_allclose(log_node, np.log(n + 2.0), atol=1e-12)
    np.testing.assert_allclose(np.diff(lgamma_child), log_child[:-1], atol=1e-12)
    np.testing.assert_allclose(np.diff(lgamma_node), log_node[:-1], atol=1e-12)


def test_heavy_atoms_have_short_paths():
    """A row costs about the entropy in bits: 1.6 steps here, where halving by number would cost 6."""
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
def test_shares_of_allowed_codes_make_all_of_them_equally_likely(counts, make, seed):
    tree = make(counts)
    allowed = np.random.default_rng(seed).random(len(counts)) < 0.5
    allowed[0] = True
    share = tree.share_of_allowed(allowed)
    whole = [np.prod(share[path(tree, code)]) for code in range(len(counts))]
    np.testing.assert_allclose(whole, allowed / allowed.sum(), atol=1e-12)
