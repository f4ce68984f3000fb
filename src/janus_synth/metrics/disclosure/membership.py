"""Membership inference: records in; how well distance or density tells training rows from unseen ones out."""

from __future__ import annotations

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.metrics.disclosure.points import Scene, halves, nearest
from janus_synth.metrics.disclosure.rates import Outcome, Tally, area_under_curve, higher_than_others
from janus_synth.metrics.rows import Rows, stack, subsample

FALSE_POSITIVES = 0.01
"""Share of unseen rows that an attacker accepts to accuse wrongly."""
N_DENSITY = 5
"""Neighbours of a density estimate."""
SMALLEST = 1e-6
"""Distance below which rows count as equal, on columns of scale 1."""
MOST_REFERENCE = 20_000


def membership_distance(scene: Scene) -> Outcome:
    """Attack by the distance to the nearest synthetic row: training rows may be nearer than unseen ones."""
    members, others = (-nearest(rows, scene.synthetic, 1).distance[:, 0] for rows in (scene.targets, scene.controls))
    return _outcome(members, others, scene.level)


def membership_density(scene: Scene) -> Outcome:
    """Attack by the ratio of the density of synthetic rows to that of the population (DOMIAS, van Breugel et al. 2023).

    Where synthetic rows are denser than the population, the generator may have memorised a training row. Half of the
    unseen rows estimate the density of the population; the others are the controls.
    """
    reference, others = halves(scene.test, scene.rng)
    reference = subsample(reference, MOST_REFERENCE, scene.rng)
    controls = subsample(others, scene.controls.n_rows, scene.rng)
    members, unseen = (_log_ratio(rows, scene.synthetic, reference) for rows in (scene.targets, controls))
    return _outcome(members, unseen, scene.level)


def _log_ratio(rows: Rows, synthetic: Rows, reference: Rows) -> Floats:
    """Log density ratio up to a factor: k-nearest-neighbour densities fall with the mean log distance."""
    scale = stack(synthetic, reference)
    made, there = (
        nearest(rows, among, N_DENSITY, scale=scale).distance for among in (synthetic, reference)
    )  # fmt: skip
    return _mean_log(there) - _mean_log(made)


def _mean_log(distance: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(distance, SMALLEST)).mean(axis=1))


def _outcome(members: Floats, others: Floats, level: float) -> Outcome:
    """Accuse all rows above a threshold that few unseen rows reach."""
    threshold = _threshold(others)
    attack, control = (Tally(int((scores >= threshold).sum()), len(scores)) for scores in (members, others))
    auc = area_under_curve(members, others, level)
    return Outcome(attack, control, control.rate, auc, higher_than_others(members, others))


def _threshold(others: Floats) -> float:
    """Lowest score that at most 1 % of the unseen rows reach, or their highest score where ties forbid that."""
    ordered = np.sort(others)[::-1]
    allowed = max(int(FALSE_POSITIVES * len(ordered)), 1)
    reached = np.searchsorted(-ordered, -ordered, side="right")  # how many reach each score
    low_enough = np.flatnonzero(reached <= allowed)
    return float(ordered[low_enough[-1]] if len(low_enough) else ordered[0])
