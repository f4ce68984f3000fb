from dataclasses import asdict, replace

import numpy as np
import pytest

from janus_bench.constrained.conditions import Bound, Condition
from janus_bench.exact.against import Comparison, Effort
from janus_bench.exact.disjunctions import (
    BALANCES,
    Disjunction,
    DisjunctionCase,
    calibrated_branches,
    compare_branches,
    disjunction_of,
    z_of,
)
from janus_bench.exact.random_models import EASIEST, RAREST
from janus_bench.rendering import to_markdown
from janus_bench.results import Result
from janus_synth import Janus, datasets

CASES = [DisjunctionCase(number) for number in range(40)]
EFFORT = Effort(200, 40_000, "boosting")
BRANCHES = (
    Condition((Bound("age", "<=", 25),)),
    Condition((Bound("age", ">=", 58), Bound("experience", ">=", 30))),
)
WHOLE = Comparison(
    "O", "0, graph given", "equal shares", "(x <= 1) or (x >= 5)",
    100, 10_000, 0.01, 0.0098, 0.0103, 100, 0, 0.51, 0.5, 1, 2,
)  # fmt: skip
APART = Disjunction(
    "O", "0, graph given", ["x <= 1", "x >= 5"], 100, [52, 48], 100, [48, 52], 3.0, 4.0, [1.0, 2.0], [1.0, 2.0]
)


@pytest.fixture(scope="module")
def model():
    return Janus(random_state=0).fit(datasets.hiring(400), progress=False)


class OneBranch:
    """A model that answers a disjunction with rows of its first branch: all obey, and a branch is lost."""

    def __init__(self, model):
        self.model = model
        self.schema_ = model.schema_
        self.probability = model.probability

    def sample(self, n, *, where=None, **options):
        where = str(BRANCHES[0]) if where == disjunction_of(BRANCHES) else where
        return self.model.sample(n, where=where, **options)


def page_of(*pairs):
    kinds = {Comparison: "comparison", Disjunction: "disjunction"}
    records = [{"record": kinds[type(one)], **asdict(one)} for pair in pairs for one in pair]
    return to_markdown(Result.of("exact", options={}, records=records))


def summary_of(page):
    """The first row of the first table by its headings, of which the last of a name counts."""
    lines = [line.strip("| ").replace(r"\|z\|", "z") for line in page.splitlines() if line[:1] == "|"]
    headings, values = lines[0].split(" | "), lines[2].split(" | ")
    return dict(zip(headings, values, strict=True))


def test_targets_and_shares_vary_and_lie_between_their_bounds():
    targets = [case.target for case in CASES]
    assert RAREST <= min(targets) < 1e-3
    assert 1e-2 < max(targets) <= EASIEST
    assert {len(case.shares) for case in CASES} == {2, 3, 4}
    assert {(case.balance, case.model.graph) for case in CASES[:6]} == {
        (balance, graph) for balance in BALANCES for graph in ("given", "learnt")
    }
    for case in CASES:
        assert sum(case.shares) == pytest.approx(1)
        assert min(case.shares) >= 0.05 - 1e-12


def test_a_case_follows_from_its_number():
    assert (CASES[5].target, CASES[5].shares) == (DisjunctionCase(5).target, DisjunctionCase(5).shares)
    assert len({case.target for case in CASES}) == 40


def test_branches_have_their_shares_and_are_not_the_same_rows():
    case = DisjunctionCase(3)
    sem = case.model.key.sem()
    model = case.model.fit(sem, n_train=500)
    branches = calibrated_branches(model, case, sem, pool_rows=50_000)
    assert list(map(str, branches)) == list(map(str, calibrated_branches(model, case, sem, pool_rows=50_000)))
    rows = model.sample(100_000, random_state=1, progress=False)
    masks = [branch.mask(rows) for branch in branches]
    for mask, share in zip(masks, case.shares, strict=True):
        assert mask.mean() == pytest.approx(case.target * share, rel=0.5)
    assert np.logical_or.reduce(masks).mean() == pytest.approx(case.target, rel=0.5)


def test_z_is_the_difference_in_pooled_binomial_errors():
    assert z_of(60, 100, 40, 100) == pytest.approx(0.2 / np.sqrt(0.25 * 2 / 100))
    assert z_of(40, 100, 60, 100) == -z_of(60, 100, 40, 100)
    assert z_of(0, 100, 100, 100) == pytest.approx(-np.sqrt(200))
    assert (z_of(0, 100, 0, 100), z_of(100, 100, 100, 100), z_of(0, 0, 3, 10)) == (0, 0, 0)


@pytest.mark.statistical
def test_right_shares_are_within_error(model):
    whole, apart = compare_branches(model, BRANCHES, EFFORT, subject="0, graph given", seed=5)
    assert (whole.part, whole.rule, whole.n_violations) == ("O", "(age <= 25) or (age >= 58 and experience >= 30)", 0)
    assert (apart.n_rows, apart.n_reference_rows, sum(apart.counts)) == (200, 200, 200)  # no row meets both
    # Two branches that exclude each other have one |z|: false alarm 1e-5. The lost branch of the next test has 4.9.
    assert apart.largest_z <= 4.5
    assert min(apart.seconds, *apart.branch_seconds) > 0
    assert summary_of(page_of((whole, apart)))["violations"] == "0"


def test_a_lost_branch_shows_in_z_and_in_the_summary(model):
    right = compare_branches(model, BRANCHES, EFFORT, subject="0, graph given", seed=5)
    wrong = compare_branches(OneBranch(model), BRANCHES, EFFORT, subject="1, graph learnt", seed=5)
    whole, apart = wrong
    assert whole.n_violations == 0  # every row obeys all the same
    assert apart.shares == [1.0, 0.0]
    assert apart.reference_shares == right[1].reference_shares
    assert apart.largest_z > 3.5  # the lost branch has an eighth of the rows
    row = summary_of(page_of(right, wrong))
    assert row["branch shares within error (z ≤ 3.5)"] == "1 of 2"
    assert float(row["largest z"]) == pytest.approx(apart.largest_z, abs=0.01)


def test_costs_are_held_against_the_branches():
    assert (APART.over_most_expensive, APART.over_sum) == (2.0, pytest.approx(4 / 3))
    dear = replace(APART, subject="1, graph learnt", processor_seconds=6.2)
    row = summary_of(page_of((WHOLE, APART), (replace(WHOLE, subject="1, graph learnt"), dear)))
    assert row["cost ≤ branches + 1"] == "1 of 2"
    assert row["over the most expensive branch"] == "2.55 ×"


def test_a_case_has_its_shares_side_by_side():
    (line,) = page_of((WHOLE, APART)).split("## Disjunctions, case by case\n")[1].strip().splitlines()[2:]
    assert "| 0.520 / 0.480 | 0.480 / 0.520 | 0.57 | 0 | 2 | 2.00 × | 1.33 × |" in line


def test_groups_tell_rare_requests_from_common_ones():
    common = replace(WHOLE, subject="1, graph learnt", n_accepted=300, estimate=0.03, low=0.029, high=0.031)
    rare = replace(WHOLE, n_accepted=99)
    page = page_of((rare, APART), (common, replace(APART, subject="1, graph learnt")))
    table = page.split("## Disjunctions: exact rows beside rejection\n")[1].split("\n## ")[0]
    names = [line.split(" | ")[0] for line in table.splitlines() if line.startswith("|")][2:]
    expected = ["all", "below 1 %", "from 1 % on", "graph given", "graph learnt", "2 branches", "equal shares"]
    assert names == [f"| {name}" for name in expected]
