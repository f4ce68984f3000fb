"""Path-specific effects of certificates against large samples under interventions, with the bias applied by hand."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from fairness.small_tables import KIND_GRAPH, STAGE_GRAPH, kinds, loan_model, loans, stages
from janus_synth import Janus
from janus_synth.fairness import Bias, Certificate, Planted, plant

LONG = 100_000
UNITS = 20_000
SCHOOLS = ("low", "mid", "high")
KINDS = ("direct", "indirect", "total")


class Number(NamedTuple):
    """A number and its standard error."""

    value: float
    error: float


def weighed(weights: list[float], parts: list[Number]) -> Number:
    """A weighted sum of independent numbers."""
    value = sum(weight * part.value for weight, part in zip(weights, parts, strict=True))
    return Number(value, float(np.hypot.reduce([w * p.error for w, p in zip(weights, parts, strict=True)])))


def share_of(favoured: np.ndarray | pd.Series) -> Number:
    """A share with its binomial error."""
    p = float(np.mean(favoured))
    return Number(p, float(np.sqrt(p * (1 - p) / len(favoured))))


@cache
def approval(sex: str, school: str | None = None, region: str | None = None) -> Number:
    """Share of approvals under do(sex), and do(school) and do(region) if given."""
    do = {"sex": sex} | ({} if school is None else {"school": school}) | ({} if region is None else {"region": region})
    return share_of(loan_model().do(do).sample(LONG, random_state=len(str(do)))["approved"])


@cache
def schooling(sex: str) -> tuple[float, ...]:
    """Shares of the schools under do(sex)."""
    rows = loan_model().do({"sex": sex}).sample(LONG, random_state=77)
    return tuple((rows["school"] == school).mean() for school in SCHOOLS)


def crossed(sees: str, schooled_as: str) -> Number:
    """F(a, a'): share of approvals with one sex as the parent of approval and another as the parent of school."""
    return weighed(list(schooling(schooled_as)), [approval(sees, school) for school in SCHOOLS])


def less(one: Number, other: Number, scale: float = 1.0) -> Number:
    """One number minus a multiple of another."""
    return weighed([1.0, -scale], [one, other])


def found(certificate: Certificate, world: str, kind: str, which: int = 0) -> Number:
    """An effect of the certificate; its interval is the estimate ± 1.96 standard errors."""
    effect = certificate.effects[which].worlds[world]
    estimate = effect[kind] if kind in effect else effect["through"][kind]
    assert estimate["low"] <= estimate["value"] <= estimate["high"]
    return Number(estimate["value"], (estimate["high"] - estimate["low"]) / 2 / 1.96)


def agree(one: Number, other: Number, more: float = 0.0) -> bool:
    """Whether two numbers differ by at most 4 standard errors; ``more`` is a further source of error."""
    return abs(one.value - other.value) < 4 * np.sqrt(one.error**2 + other.error**2 + more**2) + 1e-9


def bias(magnitude: float, **more: str) -> Bias:
    """A bias against women."""
    return Bias("sex", "male", "approved", True, magnitude, **more)


@cache
def planted(magnitude: float, baseline: str = "learnt", *, n: int = 4_000, **more: str) -> Planted:
    """Loans with a bias against women."""
    return plant(loan_model(), bias(magnitude, **more), n=n, baseline=baseline, effect_units=UNITS, random_state=2)


def rate_error(made: Planted) -> float:
    """Standard error of the number of flipped rows, about √(2 · flipped), as a share of the rows hit."""
    record = made.certificate.records[0]
    return float(np.sqrt(2 * record.n_turned)) / record.n_hit


@pytest.mark.parametrize("baseline", ["learnt", "fair", "neutral"])
@pytest.mark.parametrize("path", ["direct", "school"])
def test_the_total_effect_is_the_sum_of_direct_and_indirect_effect(baseline, path):
    certificate = planted(0.1, baseline, path=path).certificate
    for world in ("learnt", "fair", "biased"):
        direct, indirect, total = (found(certificate, world, kind).value for kind in KINDS)
        assert total == pytest.approx(direct + indirect, abs=1e-12)


@pytest.mark.statistical
def test_effects_of_the_learnt_world_equal_those_of_interventions():
    """Each within 4 standard errors of both simulations: a false alarm in 16,000."""
    certificate = planted(0.1, path="school").certificate
    pp, up, uu = approval("male"), crossed("female", "male"), approval("female")
    assert agree(found(certificate, "learnt", "total"), less(pp, uu))
    assert agree(found(certificate, "learnt", "direct"), less(pp, up))
    assert agree(found(certificate, "learnt", "indirect"), less(up, uu))
    assert agree(found(certificate, "learnt", "school"), less(pp, crossed("male", "female")))
    assert less(pp, up).value > 0.05
    assert less(up, uu).value > 0.02


@pytest.mark.statistical
@pytest.mark.parametrize("magnitude", [0.25, 1.0, -0.3])
def test_a_direct_bias_in_the_learnt_world_adds_the_effect_of_flipping_by_hand(magnitude):
    """Each within 4 standard errors of both simulations: a false alarm in 16,000."""
    certificate = planted(magnitude).certificate

    def after(share: Number) -> Number:
        kept = 1 - abs(magnitude)
        return Number(kept * share.value + (magnitude < 0) * (1 - kept), kept * share.error)

    pp, up, uu = approval("male"), after(crossed("female", "male")), after(approval("female"))
    assert agree(found(certificate, "biased", "total"), less(pp, uu), 1e-3)
    assert agree(found(certificate, "biased", "direct"), less(pp, up), 1e-3)
    assert agree(found(certificate, "biased", "indirect"), less(up, uu), 1e-3)
    assert certificate.effects[0].worlds["fair"] == certificate.effects[0].worlds["learnt"]


@pytest.mark.statistical
def test_a_bias_against_a_subgroup_adds_its_share_only():
    """Within 4 standard errors of both simulations: a false alarm in 16,000."""
    certificate = planted(0.5, subgroup="region == 'south'").certificate
    south = loans()["region"].eq("south").mean()
    struck = weighed([1 - south, 0.5 * south], [approval("female", region=region) for region in ("north", "south")])
    assert agree(found(certificate, "biased", "total"), less(approval("male"), struck), 1e-3)


@pytest.mark.statistical
def test_a_subgroup_that_depends_on_the_protected_column_is_counterfactual():
    """Each within 4 standard errors of both simulations: a false alarm in 16,000.

    With the sex of the unprivileged and the schooling of the privileged, a person is hit if that schooling is in the
    subgroup.
    """
    certificate = planted(0.5, subgroup="school == 'high'").certificate
    kept = np.array([1.0, 1.0, 0.5])
    by_school = [approval("female", school) for school in SCHOOLS]
    up, uu = (weighed(list(kept * schooling(sex)), by_school) for sex in ("male", "female"))
    assert agree(found(certificate, "biased", "direct"), less(approval("male"), up), 1e-3)
    assert agree(found(certificate, "biased", "indirect"), less(up, uu), 1e-3)


@pytest.mark.statistical
@pytest.mark.parametrize("magnitude", [0.1, -0.08])
def test_a_bias_through_a_mediator_adds_an_indirect_effect_of_its_size(magnitude):
    """Each within 4 standard errors of both simulations: a false alarm in 16,000."""
    made = planted(magnitude, path="school", n=20_000)
    pp, up, uu = approval("male"), crossed("female", "male"), approval("female")
    lost = magnitude * (uu.value if magnitude > 0 else 1 - uu.value)
    total, direct = less(pp, uu), less(pp, up)
    more = rate_error(made)
    assert agree(found(made.certificate, "biased", "total"), Number(total.value + lost, total.error), more)
    assert agree(found(made.certificate, "biased", "direct"), direct)
    alone = less(pp, crossed("male", "female"))
    grows = found(made.certificate, "biased", "school").value - alone.value
    assert np.sign(grows) == np.sign(magnitude)


@pytest.mark.statistical
def test_a_mediator_moved_by_hand_has_the_same_effect():
    """Each within 4 standard errors of both simulations: a false alarm in 16,000.

    A changed row gets the worst of its own value and ``depth`` further draws; as many rows are changed as necessary.
    """
    made = planted(0.1, path="school", n=20_000)
    own, depth = np.array(schooling("female")), made.certificate.records[0].depth
    better = 1 - np.cumsum(own)
    worst = -np.diff(np.concatenate([[1.0], better ** (depth + 1)]))
    as_woman, as_man = ([approval(sex, school) for school in SCHOOLS] for sex in ("female", "male"))
    share = 0.1 * weighed(list(own), as_woman).value / weighed(list(own - worst), as_woman).value
    assert 0 < share < 1
    schooled = list((1 - share) * own + share * worst)
    by_school = less(approval("male"), weighed(schooled, as_woman))
    alone = less(approval("male"), weighed(schooled, as_man))
    assert agree(found(made.certificate, "biased", "total"), by_school, rate_error(made))
    assert agree(found(made.certificate, "biased", "school"), alone, rate_error(made))


@pytest.mark.statistical
def test_the_fair_world_has_no_direct_effect_and_keeps_the_effect_of_schools():
    """Within 4 standard errors of both simulations: a false alarm in 16,000."""
    certificate = planted(0.0, "fair").certificate
    assert found(certificate, "fair", "direct") == (0.0, 0.0)
    assert certificate.effects[0].worlds["biased"] == certificate.effects[0].worlds["fair"]
    assert found(certificate, "learnt", "direct").value > 0.05
    men = loans()["sex"].eq("male").mean()
    blind = [weighed([men, 1 - men], [approval("male", s), approval("female", s)]) for s in SCHOOLS]
    gap = np.subtract(schooling("male"), schooling("female"))
    assert agree(found(certificate, "fair", "indirect"), weighed(list(gap), blind), 1e-3)


def test_a_mediator_of_a_bias_is_fair_in_the_fair_world_too():
    certificate = planted(0.0, "fair", path="school").certificate
    for kind in (*KINDS, "school"):
        assert found(certificate, "fair", kind) == (0.0, 0.0)


@pytest.mark.statistical
@pytest.mark.parametrize("path", ["direct", "school"])
def test_in_a_neutral_world_the_total_effect_is_the_magnitude_times_the_rate(path):
    """Within 4 standard errors: a false alarm in 16,000."""
    made = planted(0.1, "neutral", path=path, n=20_000)
    certificate = made.certificate
    for kind in KINDS:
        assert found(certificate, "fair", kind) == (0.0, 0.0)
    rate = share_of(made.fair["approved"])
    planted_effect = Number(0.1 * rate.value, 0.1 * rate.error)
    assert agree(found(certificate, "biased", "total"), planted_effect, 0.0 if path == "direct" else rate_error(made))
    nothing = "indirect" if path == "direct" else "direct"
    assert found(certificate, "biased", nothing) == (0.0, 0.0)
    assert certificate.effects[0].planted() == pytest.approx(found(certificate, "biased", "total").value)


@cache
def free_stages() -> Janus:
    """Stages of an application, without rules."""
    return Janus(structure=STAGE_GRAPH, random_state=0).fit(stages())


@pytest.mark.statistical
@pytest.mark.parametrize("baseline", ["fair", "neutral"])
def test_effects_of_a_root_column_equal_gaps_in_large_frames(baseline):
    """Nine gaps within 4 standard errors: a false alarm in 1,700. The bias of each stage affects the next."""
    biases = [
        Bias("sex", "male", outcome, True, size)
        for outcome, size in (("screened", 0.2), ("invited", -0.1), ("hired", 0.3))
    ]
    made = plant(free_stages(), biases, n=30_000, baseline=baseline, effect_units=UNITS, random_state=6)
    learnt = free_stages().sample(30_000, random_state=9)
    for i, effect in enumerate(made.certificate.effects):
        for world, rows in (("learnt", learnt), ("fair", made.fair), ("biased", made.frame)):
            man, woman = (share_of(rows.loc[rows["sex"] == sex, effect.outcome]) for sex in ("male", "female"))
            assert agree(found(made.certificate, world, "total", i), less(man, woman)), (effect.outcome, world)
    assert {effect.outcome for effect in made.certificate.effects} == {"screened", "invited", "hired"}


@pytest.mark.statistical
def test_a_protected_column_with_parents_is_intervened_on_not_conditioned_on():
    """Within 4 standard errors: a false alarm in 16,000. Conditioning would mix in the effect of age on pay."""
    model = Janus(structure=KIND_GRAPH, random_state=0).fit(kinds())
    made = plant(
        model, Bias("grade", ("B", "A"), "pay", (35_000, 1e6), 0.2), n=2_000, baseline="learnt", effect_units=UNITS
    )
    high, low = (
        share_of(model.do({"grade": grades}).sample(LONG, random_state=4)["pay"] >= 35_000)
        for grades in (["A", "B"], ["C", "D"])
    )
    assert agree(found(made.certificate, "learnt", "total"), less(high, low))
    assert agree(found(made.certificate, "biased", "total"), less(high, low, 0.8), 1e-3)
    rows = model.sample(LONG, random_state=1)
    better = rows["grade"].isin(["A", "B"])
    selected = less(share_of(rows["pay"][better] >= 35_000), share_of(rows["pay"][~better] >= 35_000))
    assert not agree(found(made.certificate, "learnt", "total"), selected)


@pytest.mark.statistical
def test_of_two_protected_columns_the_unprivileged_group_is_the_intersection():
    """Within 4 standard errors: a false alarm in 16,000."""
    both = Bias(["sex", "race"], {"sex": "male", "race": "blue"}, "approved", True, 0.4)
    made = plant(loan_model(), both, n=4_000, baseline="learnt", effect_units=UNITS)
    set_ = loan_model().do({"sex": ["female", "male"], "race": ["blue", "green", "red"]}).sample(LONG, random_state=3)
    unprivileged = (set_["sex"] == "female") & (set_["race"] != "blue")
    some, others = (share_of(set_["approved"][rows]) for rows in (~unprivileged, unprivileged))
    assert agree(found(made.certificate, "learnt", "total"), less(some, others))
    assert agree(found(made.certificate, "biased", "total"), less(some, others, 0.6), 1e-3)


@pytest.mark.statistical
def test_effects_are_computed_for_units_that_satisfy_the_conditions():
    """Within 4 standard errors: a false alarm in 16,000."""
    made = plant(loan_model(), bias(0.2), n=2_000, where="region == 'south'", baseline="learnt", effect_units=UNITS)
    man, woman = (approval(sex, region="south") for sex in ("male", "female"))
    assert agree(found(made.certificate, "learnt", "total"), less(man, woman))
    assert agree(found(made.certificate, "biased", "total"), less(man, woman, 0.8), 1e-3)


def test_a_column_that_causes_nothing_has_no_effect_until_a_bias_is_planted():
    made = plant(
        loan_model(), Bias("region", "north", "school", ["high"], 0.5), n=2_000, effect_units=4_000, random_state=1
    )
    for world in ("learnt", "fair"):
        for kind in KINDS:
            assert found(made.certificate, world, kind) == (0.0, 0.0)
    rate = (made.fair["school"] == "high").mean()
    assert found(made.certificate, "biased", "direct").value == pytest.approx(0.5 * rate, abs=0.05)
    assert found(made.certificate, "biased", "indirect") == (0.0, 0.0)


@pytest.mark.statistical
def test_effects_include_biases_by_other_protected_columns():
    """Within 4 standard errors: a false alarm in 16,000. Bias by race affects both sexes equally."""
    by_race = Bias("race", ["blue"], "approved", True, 0.3)
    made = plant(loan_model(), [bias(0.0), by_race], n=4_000, baseline="learnt", effect_units=UNITS)
    others = 1 - loans()["race"].eq("blue").mean()
    rows = {sex: loan_model().do({"sex": sex}).sample(LONG, random_state=12) for sex in ("male", "female")}
    struck = {
        sex: weighed(
            [1 - others, 0.7 * others],
            [share_of(some["approved"][(some["race"] == "blue") == blue]) for blue in (True, False)],
        )
        for sex, some in rows.items()
    }
    which = [effect.protected for effect in made.certificate.effects].index(("sex",))
    assert agree(found(made.certificate, "biased", "total", which), less(struck["male"], struck["female"]), 1e-3)
