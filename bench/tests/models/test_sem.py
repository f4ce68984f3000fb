import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

from janus_bench.models.mechanisms import DEAD, MECHANISMS, NOISES
from janus_bench.models.random_sem import random_sem
from janus_bench.models.sem import Draws, Number

SIZES = [5, 10, 30]


@pytest.mark.parametrize("n_nodes", SIZES)
def test_a_model_has_two_edges_per_node_and_all_kinds_of_columns(n_nodes):
    sem = random_sem(n_nodes, seed=3)
    assert len(sem.edges) == 2 * n_nodes
    assert len(sem.dag.order) == n_nodes  # acyclic, or Dag would have refused it
    assert len(sem.categories) == len(sem.rounded) == n_nodes // 5
    assert len(sem.numbers) == n_nodes - n_nodes // 5


def test_the_seed_decides_the_model_and_the_rows():
    first, again, other = (random_sem(10, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.edges != other.edges
    rows = [first.draw(50, np.random.default_rng(seed)) for seed in (0, 0, 1)]
    pd.testing.assert_frame_equal(rows[0], rows[1])
    assert not rows[0].equals(rows[2])


def test_the_order_of_the_table_is_not_that_of_the_graph():
    assert any(list(random_sem(10, seed).nodes) != list(random_sem(10, seed).order) for seed in range(3))


def test_over_a_few_models_every_mechanism_and_noise_occurs():
    nodes = [node for seed in range(5) for node in random_sem(10, seed).nodes.values()]
    assert {edge.mechanism for node in nodes for edge in node.signal.edges} == set(MECHANISMS)
    assert {node.noise for node in nodes if isinstance(node, Number)} == set(NOISES)


def test_columns_have_the_cells_that_their_kind_has():
    sem = random_sem(30, seed=0)
    rows = sem.draw(2_000, np.random.default_rng(0))
    assert list(rows) == [f"x{i}" for i in range(30)]
    for name in sem.categories:
        assert set(rows[name]) <= set("abcde")
    for name in sem.rounded:
        decimals = sem.nodes[name].decimals
        assert rows[name].dtype.kind == ("i" if decimals == 0 else "f")
        assert (rows[name] == rows[name].round(decimals)).all()
    for name in set(sem.numbers) - set(sem.rounded):
        assert rows[name].nunique() == 2_000


@pytest.mark.statistical
def test_numbers_have_their_location_and_scale():
    sem = random_sem(10, seed=5)
    rows = sem.draw(20_000, np.random.default_rng(0))
    for name in sem.numbers:
        node = sem.nodes[name]
        # Location is set on a pilot of as many rows; both means have a standard error of 0.007 scales.
        assert abs(rows[name].mean() - node.location) < 0.06 * node.scale + 0.02
        assert 0.8 < rows[name].std() / node.scale < 1.25


@pytest.mark.statistical
def test_a_column_depends_on_its_parents_and_roots_are_independent():
    sem = random_sem(10, seed=0)
    rows = Draws(sem, 20_000, np.random.default_rng(1))
    rows.extend(sem.order)
    roots = [name for name in sem.order if not sem.dag.parents[name]]
    for i, first in enumerate(roots):
        for second in roots[:i]:  # standard error 0.007: five of them
            assert abs(np.corrcoef(rows.hidden[first], rows.hidden[second])[0, 1]) < 0.036
    for name in sem.numbers:
        node = sem.nodes[name]
        if node.signal.edges:
            heard = np.corrcoef(rows.hidden[name], node.signal.of(rows.hidden, 20_000))[0, 1]
            assert heard == pytest.approx(np.sqrt(node.share), abs=0.06)


def test_rows_can_be_dropped_before_the_rest_is_drawn():
    sem = random_sem(5, seed=0)
    rows = Draws(sem, 1_000, np.random.default_rng(0))
    first = sem.order[0]
    rows.extend([first])
    rows.keep(rows.hidden[first] > 0)
    rows.extend(sem.order)
    assert 0 < rows.n == len(rows.to_frame()) < 1_000
    assert (rows.hidden[first] > 0).all()


@pytest.mark.statistical
@pytest.mark.parametrize("name", NOISES)
def test_noise_is_standardised(name):
    noise = NOISES[name](np.random.default_rng(0), 200_000)
    assert abs(noise.mean()) < 5 / np.sqrt(200_000)
    assert noise.std() == pytest.approx(1, abs=0.02)  # kurtosis 9 of Student's t: standard error 0.003


def test_mechanisms_are_what_they_are_called():
    z = np.array([-3.0, -0.5, 0.0, 0.5, 3.0])
    assert MECHANISMS["linear"](z).tolist() == z.tolist()
    assert MECHANISMS["quadratic"](z).tolist() == [9.0, 0.25, 0.0, 0.25, 9.0]
    assert MECHANISMS["dead-zone"](z) == pytest.approx([-3 + DEAD, 0, 0, 0, 3 - DEAD])
    assert MECHANISMS["arcsine"](z) == pytest.approx(np.arcsin([-1, -0.25, 0, 0.25, 1]))
    assert MECHANISMS["sine"](z) == pytest.approx(np.sin(2 * z))
    assert MECHANISMS["tanh"](z) == pytest.approx(np.tanh(1.5 * z))
    assert MECHANISMS["beta-flux"](z) == pytest.approx(beta(2, 5).cdf(1 / (1 + np.exp(-1.7 * z))))


def test_the_same_noise_gives_the_same_rows_and_only_descendants_of_a_set_column_move():
    sem = random_sem(10, seed=2)
    noise = sem.draw_noise(300, np.random.default_rng(0))
    rows = sem.rows_of(noise)
    pd.testing.assert_frame_equal(rows, sem.draw(300, np.random.default_rng(0)))
    for column in sem.nodes:
        other = sem.rows_of(noise, do={column: rows[column].to_numpy()[::-1]})
        moved = {name for name in rows if not rows[name].equals(other[name])}
        assert moved - {column} <= sem.dag.descendants(column)
        assert (other[column] == rows[column].to_numpy()[::-1]).all()


def test_a_set_column_ignores_its_parents():
    sem = random_sem(5, seed=1)
    last = sem.order[-1]
    value = sem.draw(1, np.random.default_rng(0))[last].item()
    rows = sem.draw(50, np.random.default_rng(1), do={last: value})
    assert rows[last].unique().tolist() == [value]
