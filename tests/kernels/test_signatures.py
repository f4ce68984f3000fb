"""Every kernel compiles once: the callers hand over arrays of one type, whatever the table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.encoding import BinSettings, fit_codec
from janus_synth.kernels import (
    counting,
    drawing,
    placing,
    ranking,
    routing,
    smoothing,
    solving,
    splitting,
    trending,
    valuing,
    walking,
)
from janus_synth.sampling.gibbs import sweep
from janus_synth.sampling.proposals.evidence_trees import evidence_trees, single_groups, tied_groups
from janus_synth.sampling.proposals.messages import message_trees
from janus_synth.sampling.rejection import draw_free
from janus_synth.sampling.request import make_request
from janus_synth.sampling.requests import bound_rules
from janus_synth.sampling.smc import run_forward
from janus_synth.sampling.walker import in_tree, walker_of
from janus_synth.table import read_table
from janus_synth.trees import GrowthSettings, grow_bag, prepare_growth

KERNELS = (
    counting.count_by_leaf,
    drawing.draw_codes,
    drawing.values_in_bins,
    routing.leaf_of_row,
    smoothing.cumulate,
    smoothing.shrink_down,
    splitting.grow_tree,
    trending.choose_lines,
    trending.fit_lines,
    trending.lay_rows,
    trending.weigh_predictions,
    walking.draw_on_lines,
    walking.entropies_of_rows,
    walking.left_out_shares,
    walking.centres_of_rows,
    walking.share_of_left,
    walking.shares_of_codes,
)
"""Kernels that plain callers call; the others run inside these."""
INFERENCE_KERNELS = (
    placing.draw_scored,
    placing.place_in_bins,
    placing.place_levels,
    placing.systematic,
    placing.weigh_bins,
    placing.weigh_levels,
    ranking.at_ranks,
    ranking.ranks_of,
    solving.solve_rows,
    valuing.grow_values,
    walking.leaves_of_rows,
    walking.mean_shares,
    walking.multiply_by_free,
    walking.share_of_left,
    walking.shares_of_codes,
    walking.values_of_rows,
)
"""The same for rows under conditions."""


def small_frame(n: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    return pd.DataFrame(
        {
            "x": np.where(rng.random(n) < 0.1, np.nan, x),
            "single": (x + rng.normal(size=n)).astype(np.float32),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D"),
            "city": pd.Series(rng.choice(["Rome", "Oslo", "Bonn"], n)).mask(rng.random(n) < 0.1),
            "flag": x > 0,
        }
    )


compiled = pytest.mark.skipif(not hasattr(splitting.grow_tree, "signatures"), reason="compilation is switched off")


def assert_one_signature(kernels):
    assert {kernel.__name__: len(kernel.signatures) for kernel in kernels} == {kernel.__name__: 1 for kernel in kernels}


RULES = (
    GrowthSettings(),
    GrowthSettings(leaves="trend", max_rows=150),
    GrowthSettings(n_trees=1, flat_prior=True),
    GrowthSettings(n_trees=1, lambda_unsup=0.5, lambda_div=1, flat_prior=True, leaves="histogram"),
)


def use_trees(rules):
    """Grow, recount, add, draw and ask; returns the columns that have trends."""
    table = read_table(small_frame(200))
    codec = fit_codec(table, BinSettings())
    codes = codec.encode(table)
    ground = prepare_growth(codec, codes, rules)
    rng = np.random.default_rng(1)
    rngs, with_trends = rng.spawn(rules.n_trees), set()
    for target, parents in ((0, ()), (0, (1, 2, 3, 4)), (1, (0,)), (2, (3, 4)), (3, (0, 1, 2)), (4, [0, 3])):
        bag = grow_bag(ground, target, parents, rules, rngs)
        with_trends |= set() if bag.trends is None else {target}
        fresh = bag.counted(codes[:, :50].copy(), ground.n_codes)
        for each in (bag, fresh, bag.plus(fresh), bag.allowing(bag.leaves.allowed)):
            drawn, u = codes.copy(), rng.random(200)
            each.prepare()
            each.draw(drawn, u)
            walker = walker_of(each, len(codes))
            leaves = walker.leaves(drawn)
            walker.shares_of(drawn[target], leaves, drawn)
            walker.entropies(leaves, drawn)
            walker.shares(in_tree(leaves, walker.any_trees(200, rng)), drawn)
            codec.columns[codec.names[target]].decode(drawn[target], u)
    return with_trends


@compiled
def test_every_kernel_has_one_signature_after_use():
    """With trends and without, in bags as grown, recounted and added."""
    for rules in RULES:
        assert use_trees(rules) == (set() if rules.leaves == "histogram" else {0, 1, 2})
    assert_one_signature(KERNELS)


@compiled
def test_every_kernel_of_inference_has_one_signature_after_use(tmp_path):
    """Also for a model read from a file, and for one that has counted further rows since."""
    rng = np.random.default_rng(2)
    where = ["single > x or x is null", "city != 'Rome'", "flag", "x != 0.5", "day >= '2024-02-01'"]
    for leaves in ("auto", "trend", "histogram"):
        fresh = Janus(leaves=leaves, random_state=0, trust_graph=True).fit(small_frame(200))
        assert any(bag.trends is not None for bag in fresh.model_.bags) == (leaves != "histogram")
        fresh.save(tmp_path / "model.janus")
        loaded, more = (Janus.load(tmp_path / "model.janus") for _ in range(2))
        more.update(small_frame(60))
        for model in (fresh.model_, loaded.model_, more.model_):
            request = make_request(model, bound_rules(model, where))
            pilot = draw_free(request, 400, rng)
            groupings = (single_groups(request), tied_groups(request))
            looks = [evidence_trees(request, pilot, groups) for groups in groupings]
            for look in (*looks, message_trees(request, pilot)):
                rows = run_forward(request, look, 200, rng)
                rows = rows.take(rows.drawn_rows(100, rng))
                sweep(request, rows, rng)
        frame = fresh.sample(50, where=where, random_state=0)
        fresh.complete(frame.assign(x=np.nan), random_state=0)
        for model in (fresh, loaded, more):
            model.set_params(trust_graph=True).counterfactual(frame, do={"flag": False, "city": "Oslo"})
    assert_one_signature((*KERNELS, *INFERENCE_KERNELS))
