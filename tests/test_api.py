"""The package: its public names, and an import that costs nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

import janus_synth


def fresh(code: str) -> str:
    """What a new interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_import_is_instant_and_light():
    code = (
        "import sys, time; start = time.perf_counter(); import janus_synth; took = time.perf_counter() - start;"
        "heavy = [m for m in ('pandas', 'sklearn', 'scipy', 'numpy') if m in sys.modules];"
        "print(took, heavy)"
    )
    took, _, heavy = fresh(code).partition(" ")
    assert heavy == "[]"
    assert float(took) < 0.5


def test_the_class_is_imported_without_what_only_some_calls_need():
    code = (
        "import sys; from janus_synth import Janus;"
        "late = ('pandas', 'narwhals', 'scipy', 'sklearn', 'janus_synth.partitions', 'janus_synth.relations',"
        "'janus_synth.alerts.look_alikes');"
        "print([name for name in late if name in sys.modules])"
    )
    assert fresh(code) == "[]"


def test_polars_and_the_extras_are_imported_only_where_they_are_needed():
    code = (
        "import sys, pandas as pd; from janus_synth import Janus;"
        "Janus(n_trees=1).fit(pd.DataFrame({'x': [1, 2, 3]})).sample(2);"
        "print([m for m in ('polars', 'causallearn', 'networkx', 'altair', 'xgboost', 'sklearn') if m in sys.modules])"
    )
    assert fresh(code) == "[]"


def test_the_package_lists_exactly_its_public_names():
    assert dir(janus_synth) == sorted(janus_synth.__all__)
    for name in janus_synth.__all__:
        assert getattr(janus_synth, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'nothing'"):
        _ = janus_synth.nothing


def test_every_name_can_be_imported_by_a_star():
    names: dict[str, object] = {}
    exec("from janus_synth import *", names)
    assert set(janus_synth.__all__) <= set(names)
