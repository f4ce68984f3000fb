import importlib
import subprocess
import sys

import numpy as np
import pytest

from graph.graph_strategies import colliders, obeys, skeleton
from janus_synth.errors import MissingExtraError, StructureError
from janus_synth.graph import Knowledge, discover, make_knowledge

ABC = Knowledge(("a", "b", "c"))
METHODS = pytest.mark.parametrize("method", ["pc", "ges"])
KINDS = pytest.mark.parametrize("kind", ["numbers", "categories", "mixed"])

# False alarms: at this level PC rejects a true independence once in ten thousand tests, and each graph below
# needs one or two of them. GES adds a false edge between numbers when a χ²₁ exceeds log 2,000 = 7.6, six times in a
# thousand. Detected: correlations of 0.4 and more, which are over ten standard errors in 2,000 rows.
ALPHA = 1e-4
N_ROWS = 2_000


def binned(values, n_bins=50):
    """Codes of quantile bins, as the codec makes them."""
    cuts = np.quantile(values, np.arange(1, n_bins) / n_bins)
    return np.searchsorted(cuts, values)


def as_codes(columns, kind):
    """Codes and whether they have an order; mixed tables lose the order of their last column."""
    if kind == "categories":
        return np.array(columns, dtype=np.uint16), [False] * len(columns)
    codes = np.array([binned(column) for column in columns], dtype=np.uint16)
    if kind == "mixed":
        codes[-1] = np.array([2, 0, 3, 1])[codes[-1] * 4 // 50]
    return codes, [True] * (len(columns) - 1) + [kind == "numbers"]


def collider(kind, seed=0):
    rng = np.random.default_rng(seed)
    if kind == "categories":
        a, b = rng.integers(3, size=(2, N_ROWS))
        c = np.where(rng.random(N_ROWS) < 0.2, rng.integers(4, size=N_ROWS), np.minimum(a + b, 3))
    else:
        # Two ordered parents make 36 cells; for so many, BDeu asks for more rows than it does for categories.
        a, b, noise = rng.standard_normal((3, 5_000 if kind == "mixed" else N_ROWS))
        c = a + b + noise
    return as_codes([a, b, c], kind)


def chained(kind, seed=0):
    rng = np.random.default_rng(seed)
    columns = [rng.integers(3, size=N_ROWS) if kind == "categories" else rng.standard_normal(N_ROWS)]
    for _ in range(2):
        if kind == "categories":
            columns.append(np.where(rng.random(N_ROWS) < 0.4, rng.integers(3, size=N_ROWS), columns[-1]))
        else:
            columns.append(columns[-1] + rng.standard_normal(N_ROWS))
    return as_codes(columns, kind)


@pytest.mark.statistical
@METHODS
@KINDS
def test_a_collider_is_recovered(method, kind):
    dag = discover(method, *collider(kind), ABC, alpha=ALPHA)
    assert set(dag.edges) == {("a", "c"), ("b", "c")}


@pytest.mark.statistical
@METHODS
@pytest.mark.parametrize("kind", ["numbers", "categories"])
def test_the_skeleton_of_a_chain_is_recovered_without_colliders(method, kind):
    dag = discover(method, *chained(kind), ABC, alpha=ALPHA)
    assert skeleton(dag) == {frozenset("ab"), frozenset("bc")}
    assert not colliders(dag)


@pytest.mark.statistical
@METHODS
@pytest.mark.parametrize("kind", ["numbers", "categories"])
@pytest.mark.parametrize("width", [1, 2])
def test_tables_of_one_or_two_columns_are_searched_too(method, kind, width):
    codes, ordered = chained(kind)
    names = ("a", "b")[:width]
    dag = discover(method, codes[:width], ordered[:width], Knowledge(names), alpha=ALPHA)
    assert dag.edges == ((("a", "b"),) if width == 2 else ())
    lonely = np.random.default_rng(1).integers(3, size=(width, N_ROWS)).astype(np.uint16)
    assert discover(method, lonely, ordered[:width], Knowledge(names), alpha=ALPHA).edges == ()


@METHODS
@pytest.mark.parametrize("kind", ["numbers", "categories"])
@pytest.mark.parametrize(
    "known",
    [
        {"tiers": [["c"], ["b"], ["a"]]},
        {"tiers": [["c"], ["a"]], "required": [("a", "b")]},
        {"required": [("c", "a")], "forbidden": [("b", "c")]},
        {"forbidden": [("a", "b"), ("b", "a")]},
        {"required": [("c", "a"), ("a", "b")]},
    ],
)
def test_knowledge_outranks_the_data(method, kind, known):
    knowledge = make_knowledge("abc", **known)
    for codes, ordered in (chained(kind), collider(kind)):
        assert obeys(discover(method, codes, ordered, knowledge), knowledge)


@pytest.mark.statistical
@METHODS
def test_knowledge_orients_a_chain(method):
    dag = discover(method, *chained("numbers"), make_knowledge("abc", required=[("c", "b")]), alpha=ALPHA)
    assert set(dag.edges) == {("c", "b"), ("b", "a")}


@METHODS
@pytest.mark.parametrize("kind", ["numbers", "categories"])
def test_constant_columns_come_back_without_edges(method, kind):
    codes, ordered = collider(kind)
    names = ("flat", "a", "b", "c", "still")
    flat = np.full((1, N_ROWS), 7, dtype=np.uint16)
    codes, ordered = np.concatenate([flat, codes, flat]), [True, *ordered, True]
    dag = discover(method, codes, ordered, Knowledge(names), alpha=ALPHA)
    assert dag.columns == names
    assert set(dag.edges) == {("a", "c"), ("b", "c")}
    required = make_knowledge(names, required=[("flat", "a")])
    assert ("flat", "a") in discover(method, codes, ordered, required).edges


@METHODS
def test_a_table_of_constants_has_no_edges(method):
    codes = np.zeros((3, 50), dtype=np.uint16)
    assert discover(method, codes, [True, False, True], ABC).edges == ()


@METHODS
@pytest.mark.parametrize("kind", ["numbers", "categories"])
def test_copies_are_attached_to_the_first_of_their_kind(method, kind):
    codes, ordered = chained(kind)
    mirrored = codes[0].max() - codes[0]  # says the same in other words
    codes, ordered = np.array([*codes, codes[0], mirrored]), [*ordered, *ordered[:2]]
    dag = discover(method, codes, ordered, Knowledge(tuple("abcde")), alpha=ALPHA)
    assert skeleton(dag) == {frozenset(pair) for pair in ("ab", "bc", "ad", "ae")}


@METHODS
def test_columns_that_add_up_do_not_break_the_search(method):
    one_hot = np.eye(3, dtype=np.uint16)[:, np.random.default_rng(0).integers(3, size=500)]
    dag = discover(method, one_hot, [True] * 3, ABC)
    assert dag.edges
    assert dag == discover(method, one_hot, [True] * 3, ABC)


@METHODS
def test_columns_of_many_levels_are_searched(method):
    rng = np.random.default_rng(0)
    codes = rng.integers(400, size=(3, 1_000)).astype(np.uint16)
    codes[2] = codes[0] // 2
    dag = discover(method, codes, [False, True, True], ABC)
    assert frozenset("ab") not in skeleton(dag)


@METHODS
def test_one_seed_means_one_graph(method):
    codes, ordered = collider("numbers")
    graphs = [discover(method, codes, ordered, ABC, max_rows=300, seed=seed) for seed in (5, 5)]
    graphs.append(discover(method, codes, ordered, ABC, max_rows=300, seed=np.random.default_rng(5)))
    assert graphs[0] == graphs[1] == graphs[2]


@METHODS
def test_ten_rows_are_enough_to_run_and_nine_are_too_few(method):
    codes = np.random.default_rng(0).integers(5, size=(8, 10)).astype(np.uint16)
    names = tuple("abcdefgh")
    for flag in (True, False):
        discover(method, codes, [flag] * 8, Knowledge(names))
    with pytest.raises(StructureError, match="at least 10 rows, not 9"):
        discover(method, codes[:, :9], [True] * 8, Knowledge(names))
    with pytest.raises(StructureError, match="at least 10 rows, not 3"):
        discover(method, codes, [True] * 8, Knowledge(names), max_rows=3)


def test_inputs_that_do_not_fit_are_refused():
    codes, ordered = collider("numbers")
    with pytest.raises(StructureError, match="no causal discovery method 'fci'"):
        discover("fci", codes, ordered, ABC)
    with pytest.raises(StructureError, match="do not fit 3 columns"):
        discover("pc", codes[:2], ordered, ABC)
    with pytest.raises(StructureError, match="2 order flags"):
        discover("pc", codes, ordered[:2], ABC)
    with pytest.raises(StructureError, match=r"alpha=1\.5"):
        discover("pc", codes, ordered, ABC, alpha=1.5)


@METHODS
def test_searches_are_silent(method, capfd):
    discover(method, *collider("mixed"), ABC)
    assert capfd.readouterr() == ("", "")


@METHODS
def test_without_causal_learn_the_extra_is_named(method, monkeypatch):
    real = importlib.import_module

    def without_causal_learn(name, package=None):
        if name.startswith("causallearn"):
            raise ModuleNotFoundError(name)
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", without_causal_learn)
    with pytest.raises(MissingExtraError, match=r"pip install 'janus-synth\[causal\]'") as caught:
        discover(method, *collider("numbers"), ABC)
    assert caught.value.extra == "causal"
    assert repr(method) in str(caught.value)


def test_the_searches_are_imported_only_when_used():
    code = "import sys, janus_synth.graph; print({'causallearn', 'networkx'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
