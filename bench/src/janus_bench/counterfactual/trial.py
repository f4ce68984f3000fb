"""One measurement: a model and a method in, the error of its counterfactuals and its times out."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from janus_bench.counterfactual.interface import Method
from janus_bench.counterfactual.models import CAUSE, Case, Question, descendants_of
from janus_bench.stopwatch import warm_up
from janus_synth.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class CounterfactualSizes:
    """Training rows, test rows, and the share of the full training effort for networks."""

    n_train: int = 5_000
    n_test: int = 1_000
    effort: float = 1.0


@dataclass(frozen=True, slots=True)
class Task:
    """Input of a measurement."""

    case: Case
    method: Method
    sizes: CounterfactualSizes


def counterfactual_task(task: Task) -> dict[str, Any]:
    """Fit a method, compute counterfactuals, and measure their error.

    Examples
    --------
    >>> from janus_bench.counterfactual.methods import make_counterfactual_methods
    >>> (method,) = make_counterfactual_methods(["copy"])
    >>> found = counterfactual_task(Task(Case("Chain", "NLIN", 0), method, CounterfactualSizes(100, 50)))
    >>> list(found)
    ['error', 'mse', 'fit_seconds', 'answer_seconds']
    """
    brief = CounterfactualSizes(n_train=200, n_test=20, effort=0.0)
    warm_up(
        ("counterfactual", task.method.word), lambda: _run_trial(Task(Case("Chain", "NLIN", 0), task.method, brief))
    )
    return _run_trial(task)


def _run_trial(task: Task) -> dict[str, Any]:
    question = task.case.question(task.sizes.n_train, task.sizes.n_test)
    start = perf_counter()
    fitted = task.method.make(task.sizes.effort).fit(question.train, question.parents, task.case.seed)
    fit_seconds = perf_counter() - start
    start = perf_counter()
    answer = fitted.counterfactual(question.rows, question.do)
    answer_seconds = perf_counter() - start
    squares, relative = misses(question, answer)
    return {"error": relative, "mse": squares, "fit_seconds": fit_seconds, "answer_seconds": answer_seconds}


def misses(question: Question, answer: pd.DataFrame) -> tuple[float, float]:
    """Mean squared error over the descendants of x1, plain and divided by each column's variance."""
    columns = descendants_of(CAUSE, question.parents)
    squares, relative = [], []
    for column in columns:
        gap = answer[column].to_numpy(dtype=np.float64) - question.truth[column].to_numpy()
        squares.append(float(np.mean(gap**2)))
        relative.append(squares[-1] / float(question.rows[column].var(ddof=0)))
    if not np.isfinite(relative).all():
        raise DataError("an answer holds nulls or infinite values.")
    return fmean(squares), fmean(relative)
