"""The plug-in with a stand-in for synthcity's base class, which calls it as the library does."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from janus_synth import holds
from janus_synth.integrations import SynthcityGenerator, synthcity_plugin
from janus_synth.integrations.synthcity import rules_of


class Constraints(SimpleNamespace):
    def as_constraints(self):
        return self


class Plugin:
    """What synthcity's base class does around ``_fit`` and ``_generate``."""

    def __init__(self, random_state=0, strict=True):
        self.strict = strict

    def fit(self, X, *args, **kwargs):
        self.seen = X.dataframe().shape
        return self._fit(X, *args, **kwargs)

    def generate(self, count=None, constraints=None):
        schema = Constraints(rules=list(constraints.rules if constraints else []))
        return self._generate(count=count or self.seen[0], syn_schema=schema)

    def _safe_generate(self, draw, count, schema):
        return pd.DataFrame(draw(count)).head(count)


def loader(n=200):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(18, 80, n), "sex": rng.choice(["f", "m"], n)})
    return SimpleNamespace(dataframe=lambda: frame)


def test_without_the_library_the_generator_works_alone_and_the_plugin_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "synthcity", None)
    found = SynthcityGenerator(n_trees=1).fit(loader())
    assert found.generate().shape == (200, 2)
    rows = found.generate(30, constraints=[("age", "ge", 40), ("sex", "in", ["f"])])
    assert (rows["age"] >= 40).all()
    assert set(rows["sex"]) == {"f"}
    assert found.hyperparameter_space() == []
    with pytest.raises(ImportError, match="pip install synthcity"):
        synthcity_plugin()


def test_the_plugin_draws_under_the_constraints_of_the_request(monkeypatch):
    for name in ("synthcity", "synthcity.plugins", "synthcity.plugins.core", "synthcity.plugins.core.plugin"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    sys.modules["synthcity.plugins.core.plugin"].Plugin = Plugin
    made = synthcity_plugin()
    assert issubclass(made, Plugin)
    assert (made.name(), made.type()) == ("janus", "generic")
    plugin = made(n_trees=1, random_state=3).fit(loader())
    assert plugin.model.get_params()["n_trees"] == 1
    rows = plugin.generate(50, constraints=SimpleNamespace(rules=[("age", "lt", 30), ("age", "dtype", "int")]))
    assert len(rows) == 50
    assert (rows["age"] < 30).all()


@pytest.mark.parametrize("name", ["lt", "<", "le", "<=", "gt", ">", "ge", ">=", "eq", "=="])
def test_comparisons_mean_what_they_say(name):
    frame = pd.DataFrame({"x": [1, 2, 3]})
    sign = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "=="}.get(name, name)
    (rule,) = rules_of([("x", name, 2)])
    assert holds(rule, frame).tolist() == frame.eval(f"x {sign} 2").tolist()
