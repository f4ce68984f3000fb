"""Named random streams: a seed, a purpose and a position in, a generator of its own out.

Every use of random numbers has a name here. Two uses of one seed never share numbers, and each block of rows has its
own generator, so that a seed gives the same table with any number of threads. Changing the number behind a name changes
the rows of every seed.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class Stream(IntEnum):
    """What random numbers are used for."""

    CONDITIONAL = 1
    """Rows under conditions, block by block."""
    PROBABILITY = 2
    """Passes of the estimator of a probability."""
    IMPUTATION = 3
    """Missing cells, block by block."""
    PAPER_GREEDY = 4
    """Rows by the paper's own algorithm, block by block."""
    REDRAW = 5
    """One column redrawn given its parents."""
    COUNTERFACTUAL = 6
    """Counterfactual rows, block by block."""
    EFFECT_UNITS = 7
    """Rows that an average effect is taken over."""
    EFFECT_DRAWS = 8
    """Draws from the posterior of an effect."""
    PREDICTION = 9
    """Predictions, block by block."""
    RULE_REPAIR = 10
    """Counterfactual rows that must be drawn again to keep the rules."""
    PATH_EFFECTS = 11
    """Path-specific effects of a planted bias."""
    VERIFICATION = 12
    """The independent estimate that rows are compared with."""
    SECOND_OPINION = 13
    """Particles of the second best proposals, which an estimate is compared with."""
    RELATIONS = 14
    """Sample and permutations from which relations between columns are discovered."""
    INVERSION = 15
    """Missing inputs of columns that are computed and present, block by block."""
    EFFECT_REFITS = 16
    """Rows and trees of the refits that measure the smoothing bias of an effect."""
    EFFECT_FOLDS = 17
    """Folds of the rows that an effect is estimated from."""
    PARTITIONS = 20
    """The sample of rows from which trees are grown, partition by partition."""
    ANSWERS = 21
    """Seeds of answers for the rows of a source, batch by batch."""
    FALSIFICATION = 31
    """Rows and permuted graphs that a graph is tested with."""
    RESAMPLED_GRAPHS = 32
    """Rows and orders of columns that the graphs of a set are learnt with."""
    SHARES = 41
    """Seeds of the sources that rows with given shares come from."""
    MIX = 42
    """Rounding of counts, choice among candidates, and the order of rows with given shares."""
    CONDITIONS = 43
    """Seeds of the groups of a table of conditions."""
    REPEATED = 44
    """Seeds of rows that are drawn again because their keys repeat, round by round."""
    POSTERIOR_PREDICTIONS = 50
    """Models drawn from the posterior, for the uncertainty of a prediction."""
    COUNTERFACTUAL_MODELS = 52
    """Models drawn from the posterior, for the uncertainty of counterfactuals."""
    PICTURES = 51
    """Rows that a picture shows, and the noise that keeps points apart."""


PLAN_SEED = 20_240_229
"""Plans do not depend on the seed of the rows, so that one plan serves all seeds."""


class PlanStream(IntEnum):
    """What the seed of a plan is used for."""

    PILOT = 0
    """Unconstrained rows that estimate how common a request is."""
    TRIALS = 1
    """Trial runs of proposals."""
    GLANCE = 2
    """Seed of the unconstrained rows on which all requests to a model are judged first."""


def seed_sequence(seed: int, *key: int) -> np.random.SeedSequence:
    """Seed sequence of a stream: a name, then positions such as the number of a block."""
    return np.random.SeedSequence(seed, spawn_key=tuple(int(part) for part in key))


def generator(seed: int, *key: int) -> np.random.Generator:
    """Random generator of a stream: a name, then positions such as the number of a block.

    Examples
    --------
    >>> first, again = (generator(7, Stream.CONDITIONAL, 0).random() for _ in range(2))
    >>> first == again, first == generator(7, Stream.CONDITIONAL, 1).random()
    (True, False)
    """
    return np.random.default_rng(seed_sequence(seed, *key))
