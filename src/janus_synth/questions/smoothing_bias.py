"""Smoothing bias of a model's answer: a model and a question about means in, what refitting changes out.

Leaves average over rows that differ, and shrink towards the nodes above them, so that effects come out too flat or keep
some confounding. The parametric bootstrap measures it: rows are drawn from the model, whose answer is known exactly,
its trees are grown again on them, and the answer of the new trees minus that of the model estimates what smoothing did
to the model's own answer (Efron and Tibshirani 1993, chapter 10). Nothing needs to be stored in the model. A large
table is imitated by fewer rows, which have more bias, not less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.model import Model
from janus_synth.sampling.forward import sample_rows
from janus_synth.streams import Stream, generator, seed_sequence
from janus_synth.threads import one_blas_thread, worker_count
from janus_synth.trees import Bag, GrowthSettings, grow_bag, prepare_growth

N_REFITS = 8
"""Their mean is known to a third of its standard deviation."""
MAX_REFIT_ROWS = 4_000


@one_blas_thread()
def refit_answers(
    model: Model,
    changing: Iterable[int],
    answer: Callable[[tuple[Bag, ...]], Floats],
    growth: GrowthSettings,
    *,
    seed: int,
    n_jobs: int | None = None,
    on_refit: Callable[[int], None] | None = None,
) -> Floats:
    """Answers (refits, values) of models whose trees for some columns were grown on rows drawn from ``model``."""
    columns = [i for i in sorted(changing) if model.codec.names[i] not in model.computed]
    plain = replace(model, rules=(), interventions={})
    n_rows = min(model.n_rows, MAX_REFIT_ROWS)
    streams = seed_sequence(seed, Stream.EFFECT_REFITS).spawn(N_REFITS)
    answers = []
    with ThreadPoolExecutor(worker_count(n_jobs)) as pool:
        for number, stream in enumerate(streams):
            own = int(generator(seed, Stream.EFFECT_REFITS, number).integers(2**31))
            x = model.codec.encode(sample_rows(plain, n_rows, seed=own, n_jobs=n_jobs))
            context = prepare_growth(model.codec, x, growth)
            rngs = {i: [np.random.default_rng(one) for one in stream.spawn(growth.n_trees)] for i in columns}
            grown = pool.map(lambda i: grow_bag(context, i, _parents(model, i), growth, rngs[i]), columns)  # noqa: B023
            bags = dict(zip(columns, grown, strict=True))
            answers.append(answer(tuple(bags.get(i, bag) for i, bag in enumerate(model.bags))))
            if on_refit is not None:
                on_refit(1)
    return np.array(answers)


def _parents(model: Model, i: int) -> list[int]:
    names = model.codec.names
    return [names.index(parent) for parent in model.dag.parents[names[i]]]
