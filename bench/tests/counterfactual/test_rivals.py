import sys
from functools import cache

import numpy as np
import pandas as pd
import pytest

from janus_bench.counterfactual.methods import make_counterfactual_methods
from janus_bench.counterfactual.models import CAUSE, GRAPHS, Case
from janus_bench.counterfactual.regressions import LEVELS, pinball
from janus_bench.counterfactual.trial import CounterfactualSizes, Task, counterfactual_task, misses
from janus_bench.libraries import NotInstalledError
from janus_bench.workers import FAILED, attempt
from janus_synth.errors import DataError, NotFittedError

CHAIN = GRAPHS["Chain"]
LIBRARIES = {"mlp": "torch", "flow": "torch", "diffusion": "torch", "vaca": "torch", "forest": "quantile_forest"}
EXACT = ("copy", "linear", "boosted", "gp", "mlp", "knn", "forest", "flow")
"""Methods that give a row back, whatever they learnt, when nothing is changed."""


TRIANGLE = Case("Triangle", "NLIN", 0)


@cache
def question_of(case, n):
    return case.question(n, 60)


def fitted(word, case=TRIANGLE, n=200, effort=0.02):
    pytest.importorskip(LIBRARIES.get(word, "numpy"))
    question = question_of(case, n)
    (method,) = make_counterfactual_methods([word])
    return question, method.make(effort).fit(question.train, question.parents, 0)


@pytest.mark.parametrize("word", EXACT)
def test_a_row_comes_back_when_nothing_is_changed(word):
    question, method = fitted(word)
    answer = method.counterfactual(question.rows, {CAUSE: question.rows[CAUSE].to_numpy()})
    assert np.allclose(answer, question.rows, atol=1e-8)
    assert list(answer) == list(question.rows)


@pytest.mark.parametrize(("word", "effort", "most"), [("diffusion", 0.02, 0.1), ("vaca", 0.1, 0.4)])
def test_a_row_nearly_comes_back_from_models_that_invert_by_approximation(word, effort, most):
    question, method = fitted(word, effort=effort)
    same = question._replace(truth=question.rows)
    answer = method.counterfactual(question.rows, {CAUSE: question.rows[CAUSE].to_numpy()})
    assert misses(same, answer)[1] < most
    assert np.array_equal(answer[CAUSE], question.rows[CAUSE])


@pytest.mark.parametrize("word", ["linear", "forget", "flow", "diffusion", "vaca"])
def test_columns_that_are_no_descendants_keep_their_values(word):
    question, method = fitted(word, Case("Y", "NADD+", 0), n=100, effort=0)
    answer = method.counterfactual(question.rows, question.do)
    assert np.array_equal(answer["x2"], question.rows["x2"])
    assert np.array_equal(answer[CAUSE], question.do[CAUSE])
    assert np.isfinite(answer).all(axis=None)


def test_additive_noise_is_recovered_from_a_linear_chain():
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((600, 3))

    def rows(first):
        second = 1.5 * first + noise[:, 1]
        return pd.DataFrame({"x1": first, "x2": second, "x3": 2 - second + noise[:, 2]})

    factual = rows(noise[:, 0])
    (method,) = make_counterfactual_methods(["linear"])
    answer = method.make(1.0).fit(factual, CHAIN, 0).counterfactual(factual, {CAUSE: noise[::-1, 0]})
    # Slopes from 600 rows are known to 4 %: their square, times the squared change of x1, is below 1 %.
    assert (((answer - rows(noise[::-1, 0])) ** 2).mean() / factual.var()).max() < 0.01


@pytest.mark.parametrize("word", ["knn", "flow"])
def test_methods_that_keep_the_rank_beat_forgetting_the_noise(word):
    case = Case("Chain", "NLIN", 0)
    question, method = fitted(word, case, n=1_000, effort=0.05)
    _, forgetful = fitted("forget", case, n=1_000)
    kept, forgot = (misses(question, m.counterfactual(question.rows, question.do))[1] for m in (method, forgetful))
    assert kept < 0.5 * forgot


def test_a_flow_leaves_the_seed_and_threads_of_torch_alone():
    torch = pytest.importorskip("torch")
    torch.manual_seed(5)
    before, threads = torch.rand(3), torch.get_num_threads()
    torch.manual_seed(5)
    first, second = (fitted("flow", n=100, effort=0)[1] for _ in range(2))
    assert torch.equal(torch.rand(3), before)
    assert torch.get_num_threads() == threads
    question = Case("Triangle", "NLIN", 0).question(10, 20)
    assert first.counterfactual(question.rows, question.do).equals(second.counterfactual(question.rows, question.do))


def test_true_quantiles_have_the_smallest_loss():
    values = np.random.default_rng(0).random(2_000)
    true = np.tile(LEVELS, (2_000, 1))
    assert pinball(values, true) < min(pinball(values, true + 0.05), pinball(values, 0.5 + 0 * true))


def test_an_absent_library_is_named_and_the_run_goes_on(monkeypatch):
    for module in ("torch", "quantile_forest", "dowhy"):
        monkeypatch.setitem(sys.modules, module, None)
    case, sizes = Case("Chain", "NLIN", 0), CounterfactualSizes(50, 5)
    methods = make_counterfactual_methods(["flow", "forest", "dowhy-linear"])
    records = [attempt(counterfactual_task, Task(case, method, sizes)) for method in methods]
    assert [record[FAILED] for record in records] == [
        f"not installed: pip install {name}" for name in ("quantile-forest", "torch", "dowhy")
    ]
    assert issubclass(NotInstalledError, ImportError)


@pytest.mark.parametrize("word", ["dowhy-linear", "dowhy-boosted", "dowhy-auto"])
def test_dowhy_gives_rows_back_when_nothing_is_changed(word):
    pytest.importorskip("dowhy.gcm")
    question, method = fitted(word)
    answer = method.counterfactual(question.rows, {CAUSE: question.rows[CAUSE].to_numpy()})
    assert np.allclose(answer, question.rows)


def test_unknown_methods_and_questions_before_data_are_refused():
    with pytest.raises(DataError, match="Did you mean 'forest'"):
        make_counterfactual_methods(["forrest"])
    with pytest.raises(NotFittedError, match="fit first"):
        make_counterfactual_methods(["linear"])[0].make(1.0).counterfactual(pd.DataFrame(), {})
