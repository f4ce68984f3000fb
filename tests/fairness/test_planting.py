"""Planted biases counted in the frames: the requested number of flips along the requested path, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fairness.small_tables import (
    ABOVE,
    KIND_GRAPH,
    LOAN_GRAPH,
    averaged,
    changed,
    changed_rows,
    conditional,
    kind_model,
    kinds,
    loan_model,
    loans,
    same_columns,
    stage_model,
)
from janus_synth import Janus, datasets, holds
from janus_synth.errors import BiasError, InfeasibleError, LearntGraphWarning, NotFittedError, UnknownColumnError
from janus_synth.fairness import Bias, Planted, plant

Judge = Callable[[pd.DataFrame], Any]

HIRING_RULES = [
    "experience <= age - 18",
    "hired or offered_salary is null",
    "not hired or offered_salary is not null",
]


class Case(NamedTuple):
    """A bias, and pandas functions for the rows hit and for good and bad outcomes; a null is neither good nor bad."""

    model: Callable[[], Janus]
    bias: Bias
    hit: Judge
    good: Judge
    bad: Judge

    def of(self, magnitude: float) -> Case:
        """The same case with another magnitude."""
        return self._replace(bias=self.bias.of(magnitude))


@cache
def hiring_model() -> Janus:
    """Applicants whose sex does not affect hiring; exactly those hired get an offer."""
    rows = datasets.hiring(1_200, random_state=0).drop(
        columns=["commute_km", "remote", "bonus", "start_date", "end_date"]
    )
    graph = {name: above for name, above in datasets.hiring_graph().items() if name in rows}
    return Janus(structure=graph, rules=HIRING_RULES, random_state=0).fit(rows)


def woman(rows: pd.DataFrame) -> Any:
    """Rows unprivileged by sex."""
    return rows["sex"] == "female"


def old(rows: pd.DataFrame) -> Any:
    """Rows unprivileged by age."""
    return rows["age"] > 40


def flag(name: str) -> tuple[Judge, Judge]:
    """Good and bad of a column of truth values, or of 0 and 1."""
    return lambda rows: rows[name] == 1, lambda rows: rows[name] == 0


def levels(name: str, *good: str) -> tuple[Judge, Judge]:
    """Good and bad of a column with levels."""
    return (
        lambda rows: rows[name].isin(good).to_numpy(),
        lambda rows: (rows[name].notna() & ~rows[name].isin(good)).to_numpy(),
    )


def at_least(name: str, bound: float) -> tuple[Judge, Judge]:
    """Good and bad of a number."""
    return lambda rows: (rows[name] >= bound).fillna(False), lambda rows: (rows[name] < bound).fillna(False)


def to(outcome: str, favourable: Any, magnitude: float = 0.2, **more: Any) -> Bias:
    """A bias against women."""
    return Bias("sex", "male", outcome, favourable, magnitude, **more)


CASES = {
    "direct": Case(loan_model, to("approved", True), woman, *flag("approved")),
    "three levels, two of them favourable": Case(
        loan_model, to("amount", ["small", "large"]), woman, *levels("amount", "small", "large")
    ),
    "a protected column of three levels": Case(
        loan_model,
        Bias("race", "blue", "approved", True, 0.37),
        lambda rows: rows["race"] != "blue",
        *flag("approved"),
    ),
    "two of three levels privileged": Case(
        loan_model,
        Bias("race", ["blue", "green"], "approved", True, 0.37),
        lambda rows: rows["race"] == "red",
        *flag("approved"),
    ),
    "two protected columns": Case(
        loan_model,
        Bias(["sex", "race"], {"sex": "male", "race": "blue"}, "approved", True, 0.45),
        lambda rows: woman(rows) & (rows["race"] != "blue"),
        *flag("approved"),
    ),
    "a subgroup": Case(
        loan_model,
        to("approved", True, 0.6, subgroup="region == 'south' and race != 'red'"),
        lambda rows: woman(rows) & (rows["region"] == "south") & (rows["race"] != "red"),
        *flag("approved"),
    ),
    "a subgroup below the protected column": Case(
        loan_model,
        to("approved", True, 0.6, subgroup="school == 'high'"),
        lambda rows: woman(rows) & (rows["school"] == "high"),
        *flag("approved"),
    ),
    "no cause at all": Case(
        loan_model, Bias("region", "north", "school", ["high"], 0.3), lambda rows: rows["region"] == "south",
        *levels("school", "high"),
    ),
    "a range of ages and 0 or 1": Case(kind_model, Bias("age", (18, 40), "passed", 1, 0.3), old, *flag("passed")),
    "a scale": Case(kind_model, Bias("age", (18, 40), "pay", (35_000, 1e6), 0.3), old, *at_least("pay", 35_000)),
    "ordered levels": Case(
        kind_model, Bias("age", (18, 40), "grade", ("B", "A"), 0.3), old, *levels("grade", "A", "B")
    ),
    "ordered levels protected": Case(
        kind_model,
        Bias("grade", ("B", "A"), "passed", 1, 0.3),
        lambda rows: rows["grade"].isin(["C", "D"]),
        *flag("passed"),
    ),
    "a protected column with nulls": Case(
        kind_model,
        Bias("member", True, "passed", 1, 0.3),
        lambda rows: (rows["member"] == False).fillna(False).to_numpy(bool),  # noqa: E712
        *flag("passed"),
    ),
    "an outcome with nulls": Case(kind_model, Bias("age", (18, 40), "note", "good", 0.3), old, *levels("note", "good")),
    "a number with nulls": Case(
        kind_model, Bias("age", (18, 40), "score", (4.5, 99), 0.3), old, *at_least("score", 4.5)
    ),
    "rules below the outcome": Case(hiring_model, to("hired", True), woman, *flag("hired")),
    "a rule on the outcome": Case(
        hiring_model, to("offered_salary", (50_000, 1e9)), woman, *at_least("offered_salary", 50_000)
    ),
}  # fmt: skip
MEDIATED = {
    "levels": Case(loan_model, to("approved", True, 0.15, path="school"), woman, *flag("approved")),
    "levels, a subgroup": Case(
        loan_model,
        to("approved", True, 0.15, path="school", subgroup="region == 'south'"),
        lambda rows: woman(rows) & (rows["region"] == "south"),
        *flag("approved"),
    ),
    "levels, an outcome two steps below": Case(
        loan_model, to("amount", ["small", "large"], 0.1, path="school"), woman, *levels("amount", "small", "large")
    ),
    "ordered levels": Case(
        kind_model, Bias("age", (18, 40), "passed", 1, 0.15, path="grade"), old, *flag("passed")
    ),
    "numbers, under rules": Case(stage_model, to("screened", True, 0.1, path="skill"), woman, *flag("screened")),
    "truth, under rules": Case(stage_model, to("hired", True, 0.1, path="invited"), woman, *flag("hired")),
    "a rule on the mediator": Case(hiring_model, to("hired", True, 0.02, path="experience"), woman, *flag("hired")),
}  # fmt: skip


@cache
def planted_case(kind: str, name: str, sign: int, n: int = 1_200) -> tuple[Case, Planted]:
    """A case and the planted table."""
    case = {"direct": CASES, "mediated": MEDIATED}[kind][name]
    case = case.of(sign * case.bias.magnitude)
    return case, plant(case.model(), case.bias, n=n, effect_units=0, random_state=3)


def count(case: Case, fair: pd.DataFrame, frame: pd.DataFrame) -> tuple[int, int]:
    """Number of eligible rows, and of flipped rows minus those flipped the other way, in plain pandas."""
    source, target = (case.good, case.bad) if case.bias.magnitude >= 0 else (case.bad, case.good)
    hit = np.asarray(case.hit(fair), bool)
    before, after = (np.asarray(source(rows), bool) for rows in (fair, frame))
    there, back = before & np.asarray(target(frame), bool), np.asarray(target(fair), bool) & after
    return int((hit & before).sum()), int((hit & there).sum() - (hit & back).sum())


def asked(case: Case, n_eligible: int) -> int:
    """Number of outcomes a bias has to flip."""
    return round(abs(case.bias.magnitude) * n_eligible)


def columns_below(model: Janus, name: str) -> set[str]:
    """A column and its descendants."""
    return {name, *model.dag_.descendants(name)}


def binomial_z(found: pd.Series, n: pd.Series, share: Any) -> Any:
    """Standard scores of counts."""
    return (found - n * share) / np.sqrt(n * share * (1 - share))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("name", CASES)
def test_a_direct_bias_flips_the_requested_number_of_outcomes_and_nothing_else(name, sign):
    case, planted = planted_case("direct", name, sign)
    fair, frame, record = planted.fair, planted.frame, planted.certificate.records[0]
    n_eligible, n_turned = count(case, fair, frame)
    assert n_eligible > 10
    assert n_turned == asked(case, n_eligible)
    assert (record.n_eligible, record.n_turned) == (n_eligible, n_turned)
    assert record.n_hit == np.asarray(case.hit(fair), bool).sum()
    assert record.realised == pytest.approx(sign * n_turned / n_eligible)
    different = changed_rows(fair, frame)
    assert different.sum() == n_turned == planted.certificate.n_turned == planted.certificate.n_changed
    assert (different == planted.turned).all()
    assert different[np.asarray(case.hit(fair), bool)].sum() == n_turned


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("name", CASES)
def test_a_direct_bias_changes_only_the_outcome_and_its_descendants(name, sign):
    case, planted = planted_case("direct", name, sign)
    kept = set(planted.fair.columns) - columns_below(case.model(), case.bias.outcome)
    assert kept <= same_columns(planted.fair, planted.frame)
    assert case.bias.outcome not in same_columns(planted.fair, planted.frame)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("name", MEDIATED)
def test_a_bias_through_a_mediator_flips_the_requested_number_of_outcomes(name, sign):
    case, planted = planted_case("mediated", name, sign)
    fair, frame, record = planted.fair, planted.frame, planted.certificate.records[0]
    n_eligible, n_turned = count(case, fair, frame)
    assert n_eligible > 10
    assert n_turned == asked(case, n_eligible)
    assert (record.n_eligible, record.n_turned) == (n_eligible, n_turned)
    assert (planted.turned == (np.asarray(case.good(fair)) != np.asarray(case.good(frame)))).all()
    assert planted.certificate.n_turned == planted.turned.sum()


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("name", MEDIATED)
def test_a_bias_through_a_mediator_changes_only_it_and_its_descendants_in_rows_hit(name, sign):
    case, planted = planted_case("mediated", name, sign)
    kept = set(planted.fair.columns) - columns_below(case.model(), case.bias.path)
    assert kept <= same_columns(planted.fair, planted.frame)
    different = changed_rows(planted.fair, planted.frame)
    assert not different[~np.asarray(case.hit(planted.fair), bool)].any()
    assert (different == changed(planted.fair[case.bias.path], planted.frame[case.bias.path])).all()


@pytest.mark.parametrize("name", MEDIATED)
def test_rows_count_as_changed_if_any_cell_changed(name):
    case, planted = planted_case("mediated", name, 1)
    assert planted.certificate.n_changed == changed_rows(planted.fair, planted.frame).sum()
    moved = changed(planted.fair[case.bias.path], planted.frame[case.bias.path])
    assert planted.certificate.records[0].n_moved == moved.sum()


def test_changed_rows_have_worse_values_of_the_mediator():
    _, planted = planted_case("mediated", "levels", 1)
    rank = {"low": 0, "mid": 1, "high": 2}
    moved = changed(planted.fair["school"], planted.frame["school"])
    assert (planted.frame["school"].map(rank) < planted.fair["school"].map(rank))[moved].all()
    _, planted = planted_case("mediated", "levels", -1)
    moved = changed(planted.fair["school"], planted.frame["school"])
    assert (planted.frame["school"].map(rank) > planted.fair["school"].map(rank))[moved].all()
    better = planted.certificate.records[0].better
    assert holds(better, planted.frame).sum() > holds(better, planted.fair).sum()


@settings(deadline=None, max_examples=25)
@given(
    magnitude=st.floats(-1, 1),
    protected=st.sampled_from([["sex"], ["race"], ["race", "sex"]]),
    subgroup=st.sampled_from([None, "region == 'south'", "school != 'low'", "school == 'high' and region == 'north'"]),
    baseline=st.sampled_from(["fair", "neutral", "learnt"]),
    seed=st.integers(0, 2**40),
)
def test_any_magnitude_is_met_to_one_row(magnitude, protected, subgroup, baseline, seed):
    privileged = {"sex": "male", "race": ["blue", "green"]}
    bias = Bias(
        protected, {name: privileged[name] for name in protected}, "approved", True, magnitude, subgroup=subgroup
    )

    def hit(rows: pd.DataFrame) -> Any:
        among = np.ones(len(rows), bool) if subgroup is None else holds(subgroup, rows)
        for name in protected:
            among &= rows[name].to_numpy() == {"sex": "female", "race": "red"}[name]
        return among

    case = Case(loan_model, bias, hit, *flag("approved"))
    drawn = {"n": 400, "baseline": baseline, "effect_units": 0, "random_state": seed}
    try:
        planted = plant(loan_model(), bias, **drawn)
    except BiasError as error:  # correct only if these rows have no outcome to flip
        if "rows: no row satisfies" not in str(error):
            fair = plant(loan_model(), bias.of(0.0), **drawn).fair
            assert not (hit(fair) & (fair["approved"] != (magnitude < 0))).any()
        return
    n_eligible, n_turned = count(case, planted.fair, planted.frame)
    assert n_turned == asked(case, n_eligible)
    assert changed_rows(planted.fair, planted.frame).sum() == n_turned


@settings(deadline=None, max_examples=12)
@given(magnitude=st.floats(-0.9, 0.9), seed=st.integers(0, 1_000))
def test_any_magnitude_through_a_mediator_is_met_or_the_largest_is_named(magnitude, seed):
    case = MEDIATED["levels"].of(magnitude)
    draw = {"n": 600, "effect_units": 0, "random_state": seed}
    try:
        planted = plant(loan_model(), case.bias, **draw)
    except BiasError as error:
        rows, most = map(int, re.search(r"of (\d+) rows with .* at most (\d+) can be flipped", str(error)).groups())
        assert most < round(abs(magnitude) * rows)
        case = case.of(np.sign(magnitude) * most / rows)
        planted = plant(loan_model(), case.bias, **draw)
        assert count(case, planted.fair, planted.frame) == (rows, most)
    else:
        n_eligible, n_turned = count(case, planted.fair, planted.frame)
        assert n_turned == asked(case, n_eligible)


@pytest.mark.parametrize("magnitude", [1.0, -1.0])
def test_all_outcomes_of_a_group_can_be_flipped(magnitude):
    planted = plant(loan_model(), to("approved", True, magnitude), n=800, effect_units=500)
    assert (planted.frame["approved"][woman(planted.frame)] == (magnitude < 0)).all()
    assert 0 < planted.frame["approved"][~woman(planted.frame)].mean() < 1


def test_a_magnitude_of_zero_changes_nothing():
    planted = plant(loan_model(), [to("approved", True, 0), to("amount", ["large"], 0)], n=500, effect_units=0)
    pd.testing.assert_frame_equal(planted.frame, planted.fair)
    assert planted.certificate.n_turned == planted.certificate.n_changed == 0
    assert not planted.turned.any()


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_small_tables_are_planted_or_raise(n):
    case, reasons = CASES["direct"].of(0.5), []
    for seed in range(4):
        try:
            planted = plant(loan_model(), case.bias, n=n, effect_units=50, random_state=seed)
        except BiasError as error:
            reasons.append(str(error))
        else:
            n_eligible, n_turned = count(case, planted.fair, planted.frame)
            assert n_turned == asked(case, n_eligible)
            assert str(planted.certificate)
    assert all(re.search("affects none|nothing to flip", reason) for reason in reasons)
    assert len(reasons) < 4 or n < 3


PIPELINES = {
    "three stages": (
        stage_model,
        [
            Case(stage_model, to("hired", True, 0.3), woman, *flag("hired")),
            Case(stage_model, to("screened", True, 0.2), woman, *flag("screened")),
            Case(stage_model, to("invited", True, 0.1), woman, *flag("invited")),
        ],
    ),
    "three stages, one of them reversed": (
        stage_model,
        [
            Case(stage_model, to("screened", True, 0.2), woman, *flag("screened")),
            Case(stage_model, to("invited", True, -0.1), woman, *flag("invited")),
            Case(stage_model, to("hired", True, 0.3), woman, *flag("hired")),
        ],
    ),
    "direct and through a mediator": (loan_model, [CASES["direct"], MEDIATED["levels"]]),
    "two groups and two outcomes": (
        loan_model,
        [
            CASES["two of three levels privileged"],
            CASES["three levels, two of them favourable"].of(-0.2),
            CASES["a subgroup"],
            CASES["a subgroup below the protected column"].of(-0.4),
        ],
    ),
}


@pytest.mark.parametrize(
    ("name", "baseline"),
    [
        ("three stages", "fair"),
        ("three stages, one of them reversed", "neutral"),
        ("direct and through a mediator", "fair"),
        ("direct and through a mediator", "neutral"),
        ("two groups and two outcomes", "fair"),
        ("two groups and two outcomes", "learnt"),
    ],
)
def test_each_of_several_biases_counts_the_outcomes_left_by_those_before(name, baseline):
    """With the later biases set to zero, the difference between the frames is due to one bias alone."""
    make, cases = PIPELINES[name]
    biases = [case.bias for case in cases]

    def planted(some: list[Bias]) -> Planted:
        return plant(make(), some, n=1_200, baseline=baseline, effect_units=0, random_state=1)

    whole = planted(biases)
    order = [biases.index(record.bias) for record in whole.certificate.records]
    places = [make().dag_.order.index(biases[i].bites) for i in order]
    assert places == sorted(places)
    before = whole.fair
    for step, i in enumerate(order, start=1):
        some = [bias if j in order[:step] else bias.of(0) for j, bias in enumerate(biases)]
        after = planted(some).frame if step < len(order) else whole.frame
        n_eligible, n_turned = count(cases[i], before, after)
        assert n_turned == asked(cases[i], n_eligible) > 0
        record = whole.certificate.records[step - 1]
        assert (record.n_eligible, record.n_turned) == (n_eligible, n_turned)
        before = after
    for rule in make().rules_:
        assert holds(str(rule), whole.frame).all()


def test_rows_rejected_at_one_stage_do_not_reappear_at_the_next():
    make, cases = PIPELINES["three stages"]
    planted = plant(make(), [case.bias for case in cases], n=2_000, effect_units=0)
    out = planted.fair["screened"] & ~planted.frame["screened"]
    assert out.sum() > 50
    assert not planted.frame.loc[out, ["invited", "hired"]].to_numpy().any()
    assert [record.bias.outcome for record in planted.certificate.records] == ["screened", "invited", "hired"]


@pytest.mark.statistical
def test_flipped_outcomes_are_a_random_sample_of_the_eligible():
    """Chi-square at a level of 1e-5 for each of three columns."""
    planted = plant(loan_model(), to("approved", True, 0.4), n=12_000, effect_units=0)
    eligible = woman(planted.fair) & planted.fair["approved"]
    for name in ("race", "region", "school"):
        table = pd.crosstab(planted.fair.loc[eligible, name], planted.turned[eligible])
        assert stats.chi2_contingency(table).pvalue > 1e-5, name


@pytest.mark.statistical
@pytest.mark.parametrize("sign", [1, -1])
def test_descendants_of_a_flipped_outcome_follow_the_learnt_conditional(sign):
    """Chi-square of three levels at a level of 1e-5 against the trees; some 800 rows."""
    planted = plant(loan_model(), to("approved", True, 0.3 * sign), n=10_000, effect_units=0)
    rows = planted.frame[planted.turned]
    model = loan_model().model_
    share = conditional(model, "amount", rows.head(1))[0]
    found = rows["amount"].value_counts().reindex(model.schema["amount"].levels, fill_value=0).to_numpy()
    seen = share > 1e-3
    assert found[~seen].sum() <= 5
    if seen.sum() > 1:
        assert stats.chisquare(found[seen], found[seen].sum() * share[seen] / share[seen].sum()).pvalue > 1e-5


@pytest.mark.statistical
@pytest.mark.parametrize("sign", [1, -1])
def test_a_bias_through_a_mediator_leaves_the_outcome_given_the_mediator_as_it_was(sign):
    """Chi-square over 12 or more cells of changed rows against the averaged trees, at a level of 1e-5."""
    planted = plant(loan_model(), to("approved", True, 0.15 * sign, path="school"), n=40_000, effect_units=0)
    moved = changed(planted.fair["school"], planted.frame["school"])
    assert moved.sum() > 2_000
    for rows in (planted.frame[moved], planted.frame[woman(planted.frame)]):
        found = rows.groupby(["race", "region", "school"])["approved"].agg(["sum", "size"]).reset_index()
        truth = averaged("approved", found.assign(sex="female", approved=False, amount="none")[[*loans(1)]])[:, 1]
        z = binomial_z(found["sum"], found["size"], truth)
        assert len(z) >= 12
        assert stats.chi2.sf((z**2).sum(), len(z)) > 1e-5


@pytest.mark.statistical
def test_the_choice_of_changed_rows_does_not_depend_on_their_fair_outcome():
    """Changed against approved, per cell of the fair rows' parents: a sum of squared z scores at a level of 1e-5."""
    planted = plant(loan_model(), to("approved", True, 0.1, path="school"), n=40_000, effect_units=0)
    rows = planted.fair.assign(moved=changed(planted.fair["school"], planted.frame["school"]))[woman(planted.fair)]
    scores = []
    for _, cell in rows.groupby(["race", "region", "school"]):
        if cell["moved"].any():
            n, m, k = len(cell), cell["moved"].sum(), cell["approved"].sum()
            spread = np.sqrt(m * k * (n - m) * (n - k) / n**2 / (n - 1))
            scores.append(((cell["moved"] & cell["approved"]).sum() - m * k / n) / spread)
    assert len(scores) >= 12
    assert stats.chi2.sf(np.square(scores).sum(), len(scores)) > 1e-5


@pytest.mark.statistical
def test_the_fair_baseline_leaves_no_gap_between_equals_and_the_neutral_one_none_at_all():
    """Gaps: 4.5 standard errors, a false alarm in 1.5e5; the sum of squared z scores of cells: a level of 1e-5."""
    found = {
        base: plant(loan_model(), to("approved", True, 0), n=30_000, baseline=base, effect_units=0).fair
        for base in ("learnt", "fair", "neutral")
    }

    def gaps(rows: pd.DataFrame, by: list[str]) -> np.ndarray:
        table = rows.groupby([*by, "sex"])["approved"].agg(["mean", "size"]).unstack()
        mean, size = table["mean"], table["size"]
        error = np.sqrt((mean * (1 - mean) / size).sum(axis=1))
        return ((mean["male"] - mean["female"]) / error).to_numpy()

    cells = [name for name in ABOVE if name != "sex"]
    for base in ("fair", "neutral"):
        z = gaps(found[base], cells)
        assert stats.chi2.sf((z**2).sum(), len(z)) > 1e-5
    everyone = {base: gaps(rows.assign(all=0), ["all"])[0] for base, rows in found.items()}
    assert abs(everyone["neutral"]) < 4.5
    assert everyone["learnt"] > everyone["fair"] > 4.5  # schools still differ in the fair world
    assert (gaps(found["learnt"], cells) ** 2).sum() > 200  # the test has power


def test_the_learnt_baseline_is_the_model_as_it_is():
    planted = plant(kind_model(), Bias("age", (18, 40), "passed", 1, 0.2), n=700, baseline="learnt", random_state=8)
    pd.testing.assert_frame_equal(planted.fair, kind_model().sample(700, random_state=8))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("direct", "rules below the outcome"),
        ("direct", "a rule on the outcome"),
        ("mediated", "a rule on the mediator"),
        ("mediated", "numbers, under rules"),
        ("mediated", "truth, under rules"),
    ],
)
def test_rules_hold_in_both_frames(kind, name, sign):
    case, planted = planted_case(kind, name, sign)
    assert len(planted.certificate.rules) == len(case.model().rules_) > 1
    for rule in planted.certificate.rules:
        for frame in (planted.fair, planted.frame):
            assert holds(rule, frame).all(), rule


@pytest.mark.parametrize(
    ("make", "bias", "where"),
    [
        (loan_model, to("approved", True), "region == 'south' and amount != 'large'"),
        (loan_model, to("approved", True, -0.2), ["race in ['blue', 'red']", "amount != 'small'"]),
        (loan_model, to("approved", True, 0.1, path="school"), "school != 'mid' and amount != 'large'"),
        (stage_model, to("screened", True, 0.1), "skill <= 8 and (hired or skill >= 3)"),
        (hiring_model, to("hired", True), "age >= 30 and (offered_salary is null or offered_salary >= 40_000)"),
        (kind_model, Bias("age", (18, 40), "passed", 1, 0.2), "note is not null and pay >= 25_000"),
    ],
)
def test_conditions_hold_in_both_frames_and_counts_are_exact(make, bias, where):
    planted = plant(make(), bias, n=500, where=where, effect_units=0)
    listed = [where] if isinstance(where, str) else where
    for condition in (*listed, *map(str, make().rules_)):
        assert holds(condition, planted.fair).all(), condition
        assert holds(condition, planted.frame).all(), condition
    hit = woman if "sex" in bias.protected else old
    case = Case(make, bias, hit, *flag(bias.outcome))
    n_eligible, n_turned = count(case, planted.fair, planted.frame)
    assert n_turned == asked(case, n_eligible) > 0
    assert len(planted.certificate.where) == len(listed)


def test_a_condition_that_forbids_flips_raises():
    with pytest.raises(BiasError, match=r"0.2 cannot be reached.*'hired' at most 0 can be flipped.*rules do not allow"):
        plant(hiring_model(), to("hired", True), n=200, where="hired", effect_units=0)


def test_rules_limit_the_number_of_flips_and_the_error_names_the_limit():
    """Only screened applicants can be invited."""
    ask = {"n": 900, "effect_units": 0, "random_state": 2}
    with pytest.raises(BiasError, match="a magnitude of -1 cannot be reached.*the rules do not allow") as caught:
        plant(stage_model(), to("invited", True, -1), **ask)
    rows, most = map(int, re.search(r"of (\d+) rows .* at most (\d+) can", str(caught.value)).groups())
    planted = plant(stage_model(), to("invited", True, -most / rows), **ask)
    waiting = woman(planted.fair) & ~planted.fair["invited"]
    assert waiting.sum() == rows
    assert (waiting & planted.fair["screened"]).sum() == most
    assert (planted.frame["invited"] == planted.frame["screened"])[woman(planted.frame)].all()


def test_a_mediator_that_is_too_weak_raises_with_the_largest_possible_magnitude():
    with pytest.raises(
        BiasError, match=r"0.9 cannot be reached: of \d+ rows with 'approved' at most \d+ .*'school' has"
    ):
        plant(loan_model(), to("approved", True, 0.9, path="school"), n=400, effect_units=0)


@pytest.mark.parametrize("magnitude", [0.1, -0.1])
@pytest.mark.parametrize("open_place", [False, True])
def test_null_outcomes_are_neither_favourable_nor_flipped(open_place, magnitude):
    """At some places the outcome is often null; the magnitude counts the net change of favourable outcomes."""
    rng, n = np.random.default_rng(0), 4_000
    group = np.where(rng.random(n) < 0.5, "a", "b")
    place = rng.random(n) < np.where(group == "a", 0.6, 0.4)
    result = np.where(rng.random(n) < np.where(place, 0.6, 0.15), "good", "bad").astype(object)
    result[rng.random(n) < np.where(place == open_place, 0.4, 0.02)] = None
    table = pd.DataFrame({"group": group, "place": place, "result": pd.Series(result, dtype=str)})
    model = Janus(structure=[("group", "place"), ("place", "result")], random_state=0).fit(table)
    planted = plant(model, Bias("group", "a", "result", "good", magnitude, path="place"), n=3_000, effect_units=0)
    fair, frame = planted.fair["result"], planted.frame["result"]
    n_eligible = ((planted.fair["group"] == "b") & (fair == ("good" if magnitude > 0 else "bad"))).sum()
    n_fewer = (fair == "good").sum() - (frame == "good").sum()
    assert np.sign(magnitude) * n_fewer == round(abs(magnitude) * n_eligible)


def test_biases_that_depend_on_each_other_in_a_cycle_raise():
    one = Bias("race", "blue", "region", "north", 0.2, subgroup="school == 'low'")
    other = Bias("region", "north", "school", ["high"], 0.2)
    for bias in (one, other):
        plant(loan_model(), bias, n=300, effect_units=0)
    with pytest.raises(BiasError, match="together these biases form a loop: .*region"):
        plant(loan_model(), [one, other], n=300, effect_units=0)


def test_the_same_seed_gives_the_same_table():
    for bias in (to("approved", True), to("approved", True, 0.1, path="school")):
        one, same, other = (plant(loan_model(), bias, n=300, effect_units=100, random_state=seed) for seed in (4, 4, 5))
        pd.testing.assert_frame_equal(one.frame, same.frame)
        pd.testing.assert_frame_equal(one.fair, same.fair)
        assert one.certificate == same.certificate
        assert not one.frame.equals(other.frame)
    drawn = [plant(loan_model(), bias, n=200, effect_units=0, random_state=np.random.default_rng(1)) for _ in range(2)]
    pd.testing.assert_frame_equal(drawn[0].frame, drawn[1].frame)
    again = plant(loan_model(), bias, n=200, effect_units=0, random_state=drawn[0].certificate.seed)
    pd.testing.assert_frame_equal(again.frame, drawn[0].frame)


def test_computing_effects_does_not_change_the_rows():
    without, with_them = (plant(loan_model(), to("approved", True), n=300, effect_units=n) for n in (0, 400))
    pd.testing.assert_frame_equal(without.frame, with_them.frame)
    assert without.certificate.effects == ()
    assert len(with_them.certificate.effects) == 1


def test_frames_have_the_columns_and_types_of_the_training_table():
    table = kinds()
    planted = plant(kind_model(), Bias("age", (18, 40), "passed", 1, 0.4), n=600, effect_units=0)
    for frame in (planted.fair, planted.frame):
        assert frame.dtypes.equals(table.dtypes)
        assert frame.index.equals(pd.RangeIndex(600))
        assert frame["grade"].cat.ordered
        assert frame["key"].is_unique
        assert frame["member"].isna().any()
    assert (planted.fair["key"] == planted.frame["key"]).all()


def test_other_frames_come_back_as_they_are_given():
    polars = pl.from_pandas(loans(1_500))
    for table in (polars, polars.to_arrow()):
        model = Janus(structure=LOAN_GRAPH, random_state=0).fit(table)
        planted = plant(model, to("approved", True, 0.25), n=500, effect_units=0)
        assert type(planted.frame) is type(planted.fair) is type(planted.to_frame()) is type(table)
        fair, frame = (pl.DataFrame(rows).to_pandas() for rows in (planted.fair, planted.frame))
        assert pl.DataFrame(planted.frame).schema == polars.schema
        n_eligible, n_turned = count(CASES["direct"].of(0.25), fair, frame)
        assert n_turned == round(0.25 * n_eligible) == planted.turned.sum()


def test_names_and_levels_may_be_anything():
    new = {"sex": "it's the 'sex' and", "approved": "is null", "school": 'in "q" \\'}
    table = loans(1_500).replace({"male": "m'ä\"le\\", "female": "not null"}).rename(columns=new)
    graph = [tuple(new.get(name, name) for name in edge) for edge in LOAN_GRAPH]
    model = Janus(structure=graph, random_state=0).fit(table)
    bias = Bias(new["sex"], "m'ä\"le\\", new["approved"], True, 0.1, path=new["school"])
    planted = plant(model, bias, n=600, effect_units=100)
    assert (planted.hit() == (planted.frame[new["sex"]] == "not null")).all()
    assert (planted.privileged() != planted.hit()).all()
    assert (planted.favoured() == planted.frame["is null"]).all()
    assert (planted.favoured(fair=True) == planted.fair["is null"]).all()


def test_biases_can_be_planted_under_interventions():
    world = loan_model().do({"school": "mid", "sex": ["female", "male"]})
    for baseline in ("fair", "neutral", "learnt"):
        planted = plant(world, to("approved", True), n=600, baseline=baseline, effect_units=100)
        assert set(planted.frame["school"]) == {"mid"}
        n_eligible, n_turned = count(CASES["direct"], planted.fair, planted.frame)
        assert n_turned == asked(CASES["direct"], n_eligible)


@pytest.mark.parametrize(
    ("change", "kind", "says"),
    [
        ({"biases": []}, BiasError, "no bias is given.*magnitude 0"),
        ({"n": 0}, ValueError, "n is 0; give a number of rows of at least 1"),
        ({"n": 2.5}, ValueError, "n is 2.5"),
        ({"n": True}, ValueError, "n is True"),
        ({"baseline": "unbiased"}, ValueError, "baseline is 'unbiased'; choose one of 'fair', 'neutral', 'learnt'"),
        ({"effect_units": -1}, ValueError, "effect_units is -1"),
        ({"effect_units": 1}, ValueError, "effect_units is 1"),
        ({"random_state": -1}, ValueError, "random_state is -1"),
        ({"where": "regin == 'south'"}, UnknownColumnError, "no column 'regin'.*'region'"),
        ({"where": "region == 'south' and region == 'north'"}, InfeasibleError, "region"),
        ({"where": "sex == 'male'"}, BiasError, "affects none of 100 rows: no row satisfies 'sex != 'male''"),
        ({"where": "not approved"}, BiasError, "nothing to flip: of .* affected rows none has 'approved'"),
        ({"biases": to("approved", True, subgroup="race == 'red' and race == 'blue'")}, BiasError, "none of 100 rows"),
    ],
)
def test_what_cannot_be_planted_is_refused(change, kind, says):
    with pytest.raises(kind, match=says):
        plant(loan_model(), **{"biases": to("approved", True), "n": 100, "effect_units": 50, **change})


def test_two_units_suffice_for_effects():
    planted = plant(loan_model(), to("approved", True), n=100, effect_units=2)
    assert planted.certificate.effects[0].value("fair", "direct") == 0


def test_a_model_that_saw_no_data_is_refused():
    with pytest.raises(NotFittedError, match="fit"):
        plant(Janus(), to("approved", True), n=100)


def test_a_learnt_graph_causes_a_warning_unless_the_user_accepts_it():
    table, bias = loans(1_000), Bias("region", "north", "approved", True, 0.2)
    tiers = [["sex", "race", "region"], ["school"], ["approved"], ["amount"]]
    model = Janus(tiers=tiers, random_state=0).fit(table)
    with pytest.warns(LearntGraphWarning, match="structure="):
        planted = plant(model, bias, n=200, effect_units=0)
    assert not planted.certificate.graph_given
    vouched = Janus(tiers=tiers, random_state=0, trust_graph=True).fit(table)
    assert plant(vouched, bias, n=200, effect_units=0).certificate.graph_given
    assert plant(loan_model(), bias, n=200, effect_units=0).certificate.graph_given


def test_columns_that_are_learnt_for_links_are_in_no_frame():
    table = datasets.hiring(1_000, random_state=0)
    model = Janus(n_trees=2, trust_graph=True, random_state=0).fit(table)
    assert model.model_.hidden
    planted = plant(model, Bias("sex", "male", "hired", True, 0.2), n=300, effect_units=0)
    for frame in (planted.frame, planted.fair):
        assert frame.columns.tolist() == table.columns.tolist()
    certificate = planted.certificate
    assert certificate.schema.names == tuple(table.columns)
    named = {*certificate.changed, *certificate.features["hired"]}
    assert "offered_salary" in certificate.changed
    assert named <= set(table.columns)


def test_an_outcome_that_another_column_determines_cannot_be_flipped():
    table = kinds()
    table["note"] = table["passed"].map({1: "good", 0: "poor"})
    with pytest.raises(BiasError, match=r"computed \(note = looked up by passed\) and does not"):
        plant(Janus(structure=KIND_GRAPH, random_state=0).fit(table), Bias("age", (18, 40), "note", "good", 0.3), n=500)
