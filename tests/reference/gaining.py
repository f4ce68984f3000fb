"""Reference for the gains of cuts: evidence of whole count tables for every cut, nothing incremental.

Where a kernel takes the arrays of a code tree, its twin takes the ``CodeTree`` itself.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln


def dirichlet_multinomial(counts, masses):
    """Log evidence of counts under a Dirichlet with these masses."""
    counts, masses = np.asarray(counts, float), np.asarray(masses, float)
    prior, total = masses.sum(), masses.sum() + counts.sum()
    return gammaln(prior) - gammaln(total) + np.sum(gammaln(masses + counts) - gammaln(masses))


def flat_evidence(counts):
    """Dirichlet–multinomial with total mass 1: the evidence of an unordered column."""
    return dirichlet_multinomial(counts, np.full(len(counts), 1 / len(counts)))


def polya_evidence(counts, halvings):
    """Product of Beta(1, 1)–binomials, one per halving of the codes: the evidence of an ordered column."""
    return sum(dirichlet_multinomial([counts[left].sum(), counts[right].sum()], [1, 1]) for _, left, right in halvings)


def code_groups(tree):
    """For every slot that splits, the codes below each of its children, by child slot."""
    groups = {}
    for code in range(tree.n_codes):
        above = 0
        for slot in tree.path_slot[tree.path_start[code] : tree.path_start[code + 1]]:
            groups.setdefault(above, {}).setdefault(int(slot), []).append(code)
            above = int(slot)
    return [dict(sorted(groups[slot].items())) for slot in sorted(groups)]


def evidence(counts, tree):
    """Log evidence of a column's counts under its code tree: a Dirichlet–multinomial per splitting slot."""
    return sum(
        dirichlet_multinomial([counts[codes].sum() for codes in group.values()], tree.mass[list(group)])
        for group in code_groups(tree)
    )


def evidence_gain(codes, goes_left, tree):
    """ΔE: evidence of the two sides less the evidence of the whole."""
    left, right, whole = (
        evidence(np.bincount(part, minlength=tree.n_codes), tree)
        for part in (codes[goes_left], codes[~goes_left], codes)
    )
    return left + right - whole


def divergence(codes, goes_left, n_codes):
    """D: half the symmetric KL divergence of child and parent, children weighted by their share of rows."""

    def mean(part):
        return (np.bincount(part, minlength=n_codes) + 1 / n_codes) / (len(part) + 1)

    p = mean(codes)
    total = 0.0
    for part in (codes[goes_left], codes[~goes_left]):
        q = mean(part)
        total += len(part) / len(codes) * (np.sum(q * np.log(q / p)) + np.sum(p * np.log(p / q))) / 2
    return total


def count_slots(codes, tree):
    """Rows below each slot of a code tree."""
    whole = np.zeros(tree.n_slots, int)
    for code in codes:
        whole[0] += 1
        whole[tree.path_slot[tree.path_start[code] : tree.path_start[code + 1]]] += 1
    return whole


def add_sweep_gains(codes, ends, weight, tree, gains):
    """Add to ``gains`` the evidence gained by cutting after each group; the last group ends the rows."""
    for g, end in enumerate(ends[:-1]):
        gains[g] += weight * evidence_gain(codes, np.arange(len(codes)) < end, tree)


def add_sweep_divergence(codes, ends, weight, n_codes, gains):
    """Add to ``gains`` the divergence of children and parent for each cut."""
    for g, end in enumerate(ends[:-1]):
        gains[g] += weight * divergence(codes, np.arange(len(codes)) < end, n_codes)


def count_table(codes, slots, n_codes, n_slots):
    """Rows by code and slot."""
    table = np.zeros((n_codes, n_slots), int)
    np.add.at(table, (codes, slots), 1)
    return table
