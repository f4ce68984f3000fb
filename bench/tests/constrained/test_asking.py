import pickle
import time

import numpy as np
import pandas as pd
import pytest

from janus_bench.constrained.answers import KEPT_FITS, Recipe
from janus_bench.constrained.asking import (
    SMALLEST_BATCH,
    Limits,
    Request,
    TrainingRows,
    clip,
    filter_training,
    natively,
    reject,
)
from janus_bench.constrained.conditions import Bound, Condition, Level
from janus_bench.constrained.methods import REJECTING, make_conditional_methods
from janus_bench.models.random_sem import random_sem
from janus_synth.errors import DataError, NotFittedError

DEFAULT_WORDS = ("janus", "given", "greedy", "paper", "reject", "cart", "cart-given", "copula", "rows", "clip")
N_TRAIN = 1_000
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "u": np.arange(N_TRAIN) / N_TRAIN,
        "v": RNG.random(N_TRAIN),
        "whole": RNG.integers(-5, 6, N_TRAIN),
        "level": RNG.choice(["a", "b", "c"], N_TRAIN),
    }
)


def fitted():
    return TrainingRows().fit(TABLE, seed=0)


def request(*literals, n=100, **limits):
    return Request(n, Condition(literals), seed=1, limits=Limits(**limits))


class Counting(TrainingRows):
    """Remembers how many rows were drawn."""

    def sample(self, n, *, seed, **more):
        self.drawn = getattr(self, "drawn", 0) + n
        self.asked = more
        return super().sample(n, seed=seed)


def test_rejection_returns_rows_that_obey_and_counts_its_draws():
    model = Counting().fit(TABLE, seed=0)
    answer = reject(model, request(Bound("u", "<=", 0.1)))
    assert len(answer.rows) == 100
    assert (answer.rows["u"] <= 0.1).all()
    assert list(answer.rows.index) == list(range(100))
    assert answer.n_drawn <= model.drawn
    assert answer.n_drawn / 100 == pytest.approx(10, rel=0.4)  # 4 standard errors of 100 successes at a tenth


def test_rejection_gives_up_at_its_limit_and_says_what_it_drew():
    model = Counting().fit(TABLE, seed=0)
    answer = reject(model, request(Bound("u", ">=", 2.0), most_draws=5_000))
    assert (len(answer.rows), answer.n_drawn, model.drawn) == (0, 5_000, 5_000)
    assert list(answer.rows) == list(TABLE)
    some = reject(fitted(), request(Bound("u", "<=", 0.0), most_draws=5_000))
    assert 0 < len(some.rows) < 100
    assert some.n_drawn == 5_000


def test_rejection_stops_when_time_is_up():
    answer = reject(fitted(), request(Bound("u", ">=", 2.0), most_draws=10**9, most_seconds=0.05))
    assert 0 < answer.n_drawn < 10**9


def test_a_method_that_draws_slowly_overruns_its_time_by_a_small_batch_at_most():
    rows_per_second = 50_000

    class Sluggish(TrainingRows):
        def sample(self, n, *, seed):
            time.sleep(n / rows_per_second)
            return super().sample(n, seed=seed)

    answer = reject(Sluggish().fit(TABLE, seed=0), request(Bound("u", ">=", 2.0), most_draws=10**9, most_seconds=0.2))
    assert 0 < answer.n_drawn <= 0.2 * rows_per_second + SMALLEST_BATCH  # doubling would end at 27,000


def test_rejection_is_repeatable():
    first, again = (reject(fitted(), request(Bound("u", "<=", 0.1))).rows for _ in range(2))
    pd.testing.assert_frame_equal(first, again)


def test_filtering_repeats_the_training_rows_that_obey():
    answer = filter_training(fitted(), request(Bound("u", "<=", 0.01)))
    assert len(answer.rows) == 100
    assert set(answer.rows["u"]) <= {i / N_TRAIN for i in range(11)}
    assert answer.n_drawn is None
    assert len(filter_training(fitted(), request(Bound("u", ">=", 2.0))).rows) == 0


def test_clipping_moves_cells_to_their_bounds():
    wanted = request(Bound("u", ">=", 0.7), Level("level", "==", "b"), Bound("v", "<=", 0.1, "u"))
    rows = clip(fitted(), wanted).rows
    assert wanted.condition.mask(rows).all()
    assert (rows["u"] == 0.7).mean() > 0.5
    assert (rows["v"] == rows["u"] + 0.1).any()
    assert rows.dtypes.equals(TABLE.dtypes)


def test_clipping_keeps_whole_numbers_whole():
    rows = clip(fitted(), request(Bound("whole", ">=", 1.5), Level("whole", "!=", 2))).rows
    assert rows["whole"].dtype == TABLE["whole"].dtype
    assert rows["whole"].min() > 2


def test_what_a_later_clip_breaks_stays_broken():
    wanted = request(Bound("u", "<=", 0.0, "v"), Bound("v", "<=", 0.2))
    found = wanted.condition.mask(clip(fitted(), wanted).rows)
    assert 0 < found.mean() < 1


def test_janus_gets_the_rule_as_text():
    model = Counting().fit(TABLE, seed=0)
    answer = natively(method="greedy")(model, request(Bound("u", "<=", 0.5), Level("level", "==", "a")))
    assert model.asked == {"where": "u <= 0.5 and level == 'a'", "method": "greedy"}
    assert answer.n_drawn == 100


def test_rows_before_fitting_are_an_error():
    with pytest.raises(NotFittedError, match="Call fit first"):
        TrainingRows().sample(1, seed=0)


def test_all_methods_have_a_name_of_their_own_and_share_fits():
    methods, sem = make_conditional_methods(), random_sem(5, seed=0)
    names = [method.name for method in methods]
    assert len(names) == len(set(names)) == 10
    recipes = {method.name: Recipe.of(method, sem) for method in methods}
    assert [name for name in names if recipes[name] == recipes["JANUS"]] == [
        "JANUS",
        "JANUS, rejection",
        "JANUS, clipped",
    ]
    assert len(set(recipes.values())) == KEPT_FITS
    assert [method.name for method in methods if method.ours] == names[:4]


def test_a_setting_is_no_method_of_the_same_name():
    sem = random_sem(5, seed=0)
    paper, setting = make_conditional_methods(["paper"], ["paper:n_trees=1"])
    assert Recipe.of(paper, sem) != Recipe.of(setting, sem)
    (given,) = make_conditional_methods([], ["known:structure=given,n_trees=1"])
    assert {tuple(edge) for edge in given.make(sem).arguments["structure"]} == set(sem.edges)


def test_processes_get_every_method_and_know_how_it_is_asked():
    methods = make_conditional_methods([*DEFAULT_WORDS, *REJECTING], ["one:n_trees=1"])
    again = pickle.loads(pickle.dumps(methods))
    assert [(method.name, method.asked) for method in again] == [(method.name, method.asked) for method in methods]
    sem = random_sem(5, seed=0)
    recipes = [Recipe.of(method, sem) for method in again]
    assert recipes == [Recipe.of(method, sem) for method in methods]
    assert len({(method.asked, recipe) for method, recipe in zip(again, recipes, strict=True)}) == len(methods)


def test_rivals_come_by_rejection_and_train_for_the_epochs_asked():
    methods = make_conditional_methods(["CTGAN", "bn"], epochs=7)
    assert [(method.name, method.ask) for method in methods] == [
        ("CTGAN, rejection", reject),
        ("BN, rejection", reject),
    ]
    assert methods[0].make(random_sem(5, seed=0)).epochs == 7
    peers = [method.name for method in make_conditional_methods(["peers"])]
    assert peers[:3] == ["CTGAN, rejection", "TVAE, rejection", "BN, rejection"]
    assert len(peers) == 6


def test_graphs_are_given_to_those_who_are_given_them():
    sem = random_sem(5, seed=0)
    made = {method.name: method.make(sem) for method in make_conditional_methods(["given", "cart", "cart-given"])}
    assert {tuple(edge) for edge in made["JANUS, graph given"].arguments["structure"]} == set(sem.edges)
    assert made["CART, rejection"].graph is None
    assert made["CART, graph given, rejection"].graph == sem.dag.parents


def test_unknown_and_repeated_methods_are_refused():
    with pytest.raises(DataError, match="Did you mean 'greedy'"):
        make_conditional_methods(["gredy"])
    with pytest.raises(DataError, match="two methods are called 'JANUS'"):
        make_conditional_methods(["janus"], ["JANUS:n_trees=1"])
