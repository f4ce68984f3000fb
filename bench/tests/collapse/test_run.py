"""The rare class: shares and F1 by hand, whole runs, and what fails is told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score
from sklearn.tree import DecisionTreeClassifier

from janus_bench.cells import RunSettings
from janus_bench.collapse.report import collapse_grids
from janus_bench.collapse.run import run_collapse, tree_f1
from janus_bench.methods import make_methods
from janus_bench.results import Result
from janus_bench.store import Store
from janus_bench.tables import NamedTable
from janus_synth.errors import DataError


def rare(n: int = 1_200, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return pd.DataFrame({"x": x, "z": rng.normal(size=n), "y": rng.random(n) < 1 / (1 + np.exp(2.5 - 2 * x))})


class OneClass:
    """Knows the common class only."""

    name = "one class"

    def fit(self, frame, *, seed):
        self._rows = frame[~frame["y"]]
        return self

    def sample(self, n, *, seed):
        return self._rows.sample(n, replace=True, random_state=seed).reset_index(drop=True)


class Broken(OneClass):
    name = "broken"

    def sample(self, n, *, seed):
        raise RuntimeError("no rows today")


def test_f1_is_that_of_a_tree():
    train, test = rare(), rare(seed=1)
    tree = DecisionTreeClassifier(random_state=0).fit(train[["x", "z"]].to_numpy(), train["y"])
    by_hand = f1_score(test["y"], tree.predict(test[["x", "z"]].to_numpy()), average="macro")
    assert tree_f1(train, test, "y", seed=0) == pytest.approx(by_hand)


def test_a_class_that_is_gone_is_scored_as_missed():
    train, test = rare(), rare(seed=1)
    share = (~test["y"]).mean()
    assert tree_f1(train[~train["y"]], test, "y", seed=0) == pytest.approx(share / (1 + share))


def test_a_run_tells_who_keeps_the_rare_class(tmp_path):
    methods = [*make_methods(["JANUS", "independent"]), OneClass(), Broken()]
    table = NamedTable("rare", rare(), "y")
    result = run_collapse([table], methods, range(2), run=RunSettings(store=Store(tmp_path)))
    scores = {r["method"]: r for r in result.records if r["seed"] == 0}
    assert scores["JANUS"]["mcs"] > 0.8
    assert scores["one class"]["mcs"] == 0
    assert "no rows today" in scores["broken"]["failed"]
    assert scores["JANUS"]["f1"] > scores["independent"]["f1"]
    again = run_collapse([table], methods, range(2), run=RunSettings(store=Store(tmp_path)))
    assert [r for r in again.records if "failed" not in r] == [r for r in result.records if "failed" not in r]
    average, one, failures = collapse_grids(Result.from_json(result.to_json()))
    assert [row[0] for row in average.rows][:2] == ["real rows", "JANUS"]
    assert "broken" not in [row[0] for row in one.rows]
    assert len(failures.rows) == 2


def test_nothing_to_measure_is_refused():
    with pytest.raises(DataError, match="at least one"):
        run_collapse([NamedTable("rare", rare(), "y")], [])
