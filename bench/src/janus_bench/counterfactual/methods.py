"""The methods of the benchmark: names from a command line in, a list of `Method` out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from janus_bench.counterfactual.autoencoder import graph_autoencoder
from janus_bench.counterfactual.interface import Method, copied_row, dowhy_model, janus
from janus_bench.counterfactual.networks import affine_flow, diffusion, neural_noise
from janus_bench.counterfactual.regressions import (
    boosted_noise,
    forgotten_noise,
    linear_noise,
    nearest_neighbours,
    process_noise,
    quantile_forest,
)
from janus_bench.options import choose

OURS = "JANUS"
ANEW = "our re-implementation"

SKLEARN, TORCH, FOREST, DOWHY = (
    ("scikit-learn",),
    ("torch",),
    ("quantile-forest", "scikit-learn"),
    ("dowhy", "networkx"),
)
METHODS: tuple[Method, ...] = (
    Method("janus", OURS, janus, ("scipy",)),
    Method("copy", "copy the row", copied_row, ()),
    Method("forget", "forget the noise", forgotten_noise, SKLEARN),
    Method("linear", "additive noise, linear", linear_noise, SKLEARN),
    Method("boosted", "additive noise, boosted trees", boosted_noise, SKLEARN),
    Method("gp", "additive noise, Gaussian process", process_noise, SKLEARN),
    Method("mlp", "additive noise, network", neural_noise, TORCH),
    Method("knn", "quantiles of neighbours", nearest_neighbours, ("scipy",)),
    Method("forest", "quantile forest", quantile_forest, FOREST),
    Method("flow", f"affine flow (CAREFL's kind, {ANEW})", affine_flow, TORCH),
    Method("diffusion", f"diffusion (DCM's kind, {ANEW})", diffusion, TORCH),
    Method("vaca", f"graph autoencoder (VACA's kind, {ANEW})", graph_autoencoder, TORCH),
    Method("dowhy-linear", "dowhy.gcm, linear", partial(dowhy_model, regressor="linear"), DOWHY),
    Method("dowhy-boosted", "dowhy.gcm, boosted trees", partial(dowhy_model, regressor="boosted"), DOWHY),
    Method("dowhy-auto", "dowhy.gcm, automatic", partial(dowhy_model, regressor="auto"), DOWHY),
)


def make_counterfactual_methods(words: Sequence[str] | None = None) -> list[Method]:
    """Methods with these names; by default all.

    Examples
    --------
    >>> [method.name for method in make_counterfactual_methods(["janus", "forget"])]
    ['JANUS', 'forget the noise']
    """
    known = {method.word: method for method in METHODS}
    return [known[word] for word in choose(words, known, "method")]
