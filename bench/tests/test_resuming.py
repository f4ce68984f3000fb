import os
import signal
import subprocess
import sys
import time
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from janus_bench import versions
from janus_bench.cells import RunSettings
from janus_bench.fidelity.run import run_fidelity
from janus_bench.methods import make_methods
from janus_bench.ours import JanusSynthesizer
from janus_bench.peers import IndependentColumns, SequentialCart
from janus_bench.rendering import read_result, to_markdown
from janus_bench.store import Store
from janus_bench.tables import NamedTable
from janus_bench.versions import (
    adapter_fingerprint,
    folder_fingerprint,
    method_settings,
    method_version,
    package_fingerprint,
    syntax_of,
    table_fingerprint,
)

MOST_SECONDS = 120


def tiny(n: int = 120) -> NamedTable:
    x = np.random.default_rng(0).normal(size=n)
    return NamedTable("tiny", pd.DataFrame({"x": x, "up": x > 0}), "up")


def stored(folder):
    """Files of measurements with what tells whether they were written anew."""
    found = (folder / "fidelity").glob("*.json")
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in found}


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_ended(tmp_path):
    pytest.importorskip("xgboost")
    cache = tmp_path / "cache"
    command = [sys.executable, "-m", "janus_bench", "fidelity", "--tables", "ring", "--seeds", "3"]
    command += ["--methods", "independent,copula", "--max-rows", "200", "--cache", str(cache), "--out", str(tmp_path)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, **quiet)
    deadline = time.monotonic() + MOST_SECONDS
    while not stored(cache):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = stored(cache)
    n_cells = 3 * 3  # seeds; two methods and the real rows
    assert 1 <= len(before) < n_cells
    assert not list(tmp_path.glob("fidelity-*.json"))

    subprocess.run(command, check=True, timeout=MOST_SECONDS, **quiet)
    after = stored(cache)
    assert len(after) == n_cells
    assert {name: after[name] for name in before} == before
    (path,) = tmp_path.glob("fidelity-*.json")
    records = read_result(path).records
    assert len(records) == n_cells
    assert all(record["scores"] and not record["error"] for record in records)


def test_stored_scores_are_the_scores(tmp_path):
    arguments = {"detector": "boosting", "run": RunSettings(store=Store(tmp_path))}
    first, second = (run_fidelity([tiny()], make_methods(["independent"]), **arguments) for _ in range(2))
    assert first.records == second.records
    assert len(stored(tmp_path)) == 2


def test_the_same_rows_are_measured_in_a_process_of_their_own(tmp_path):
    here, there = (
        run_fidelity([tiny()], make_methods(["independent"]), detector="boosting", run=RunSettings(jobs=jobs)).records
        for jobs in (0, 1)
    )
    for one, other in zip(here, there, strict=True):
        times = {name for name in one["scores"] if name.endswith("_seconds")}
        assert {k: v for k, v in one["scores"].items() if k not in times} == {
            k: v for k, v in other["scores"].items() if k not in times
        }


@pytest.mark.slow
def test_a_method_out_of_time_is_a_failure_in_the_tables():
    methods = [*make_methods(["independent"]), JanusSynthesizer("endless", n_trees=1_000_000)]
    result = run_fidelity([tiny()], methods, detector="boosting", run=RunSettings(jobs=1, most_seconds=12.0))
    (failed,) = [record for record in result.records if record["error"]]
    assert (failed["method"], failed["error"]) == ("endless", "took longer than 12 s")
    assert "took longer than 12 s" in to_markdown(result)


def test_data_settings_and_version_decide_what_is_measured_anew(tmp_path, monkeypatch):
    store = Store(tmp_path)

    def n_stored(table=None, names=("independent",), **more):
        run_fidelity([table or tiny()], make_methods(names), detector="boosting", **more, run=RunSettings(store=store))
        return len(stored(tmp_path))

    assert n_stored() == 2
    assert n_stored() == 2
    changed = tiny()
    changed.frame.loc[0, "x"] += 1
    assert n_stored(changed) == 4
    assert n_stored(max_rows=100) == 6
    assert n_stored(seeds=[1]) == 8
    monkeypatch.setattr(versions, "version", lambda library: "99.0")
    assert n_stored() == 10


def test_fingerprints_tell_tables_apart():
    table = tiny()
    assert table_fingerprint(table) == table_fingerprint(tiny())
    frame = table.frame
    others = [
        NamedTable("tiny", frame.iloc[::-1], "up"),
        NamedTable("tiny", frame.astype({"x": "float32"}), "up"),
        NamedTable("tiny", frame.rename(columns={"x": "z"}), "up"),
        NamedTable("tiny", frame, "x"),
        NamedTable("tiny", frame, "up", (("x", "up"),)),
    ]
    assert len({table_fingerprint(other) for other in [table, *others]}) == 6


def test_cells_that_cannot_be_hashed_still_have_a_fingerprint():
    one, other = (NamedTable("lists", pd.DataFrame({"a": [[1], [last]]}), "a") for last in (2, 3))
    assert table_fingerprint(one) != table_fingerprint(other)


def test_settings_tell_methods_apart():
    assert method_settings(SequentialCart()) != method_settings(SequentialCart(min_samples_leaf=9))
    assert method_settings(JanusSynthesizer()) != method_settings(JanusSynthesizer(n_trees=3))


def test_ours_depends_on_the_package_and_a_rival_on_its_adapter(tmp_path, monkeypatch):
    ours, rival = JanusSynthesizer(), IndependentColumns()
    assert package_fingerprint() in method_version(ours)
    assert adapter_fingerprint(type(rival).__module__) in method_version(rival)
    (tmp_path / "trees").mkdir()
    (tmp_path / "metrics").mkdir()
    (tmp_path / "trees" / "grow.py").write_text("one")
    monkeypatch.setattr(versions, "LIBRARY", tmp_path)
    fingerprint = package_fingerprint.__wrapped__
    first = fingerprint()
    (tmp_path / "metrics" / "detection.py").write_text("unrelated")
    assert fingerprint() == first
    (tmp_path / "trees" / "grow.py").write_text("two")
    assert fingerprint() != first


CODE = """'''A module.'''

LIMIT = 3
'''Attempts.'''


class Judge:
    '''A class.'''

    def score(self, x):
        '''A method.'''
        return self.scale * x  # scaled


def nothing():
    '''Only a docstring.'''
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A module.", "Another text."),
        ("Attempts.", "How often."),
        ("A class.", "Another text."),
        ("A method.", "Another text."),
        ("Only a docstring.", "Another text."),
        ("# scaled", "# by the scale"),
        ("LIMIT = 3", "LIMIT = (\n    3\n)"),
    ],
)
def test_words_and_line_breaks_keep_a_fingerprint(tmp_path, old, new):
    assert _fingerprint(tmp_path, CODE) == _fingerprint(tmp_path, CODE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [("LIMIT = 3", "LIMIT = 4"), ("LIMIT", "BOUND"), ("score", "scores"), ("scale * x", "scale + x")],
)
def test_constants_names_and_operators_change_a_fingerprint(tmp_path, old, new):
    assert _fingerprint(tmp_path, CODE) != _fingerprint(tmp_path, CODE.replace(old, new))


def test_a_text_that_is_used_is_no_docstring():
    assert syntax_of('def f(): return "one"') != syntax_of('def f(): return "two"')


def _fingerprint(folder, code):
    """Fingerprint of a package of one file that holds this code."""
    package = ModuleType("trees")
    package.__file__ = str(folder / "__init__.py")
    (folder / "__init__.py").write_text(code)
    return folder_fingerprint.__wrapped__(package)
