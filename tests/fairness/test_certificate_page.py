"""The HTML page shows every figure of a certificate, escapes user text, and loads nothing from elsewhere."""

import math
import re
from dataclasses import replace

import pytest
from markupsafe import escape

from janus_synth import Janus, datasets
from janus_synth.fairness import Bias, Certificate, plant
from janus_synth.fairness.baselines import BASELINES as KNOWN
from janus_synth.fairness.certificate_page import BASELINES, WIDTH, certificate_page
from janus_synth.fairness.records import WORLDS, EffectRecord, Rate, Record, kinds_of
from janus_synth.table import Schema
from page_reader import Reader


def estimate(value: float, half: float = 0.004) -> dict[str, float]:
    return {"value": value, "low": value - half, "high": value + half}


def effects_of(direct: float, indirect: float, through: dict[str, float]) -> dict[str, object]:
    parts = {"direct": estimate(direct), "indirect": estimate(indirect), "total": estimate(direct + indirect)}
    return {**parts, "through": {name: estimate(value) for name, value in through.items()}}


def record_of(
    bias: Bias, *, hit: str = "sex != 'male'", favourable: str = "hired", better: str | None = None
) -> Record:
    return Record(bias, bias.magnitude, 480, 320, 64, 71, 0, "sex == 'male'", hit, favourable, better)


def effect_of(outcome: str, mediators: dict[str, float]) -> EffectRecord:
    sizes = {"learnt": (0.01, 0.03), "fair": (0.0, 0.027), "biased": (0.123, -0.05)}
    worlds = {world: effects_of(*size, mediators) for world, size in sizes.items()}
    return EffectRecord(("sex",), outcome, outcome, worlds)


@pytest.fixture
def several() -> Certificate:
    """A handwritten certificate of a pipeline with two outcomes and three biases."""
    records = (
        record_of(Bias("sex", "male", "invited", True, 0.2), favourable="invited"),
        record_of(Bias("sex", "male", "hired", True, 0.05, path="experience"), better="experience >= 15"),
        record_of(Bias("sex", "male", "hired", True, -0.1, subgroup="age >= 45"), hit="sex != 'male' and age >= 45"),
    )
    rates = (
        Rate("invited", "invited", "sex == 'male'", 520, 0.701, 0.702, 0.703),
        Rate("invited", "invited", "sex != 'male'", 480, 0.611, 0.712, 0.513),
        Rate("hired", "hired", "sex == 'male'", 520, 0.401, 0.402, 0.403),
        Rate("hired", "hired", "sex != 'male' and age >= 45", 0, math.nan, math.nan, math.nan),
    )
    effects = (effect_of("invited", {}), effect_of("hired", {"experience": 0.017}))
    graph = (("sex", "experience"), ("experience", "invited"), ("invited", "hired"))
    return Certificate(
        records=records,
        rates=rates,
        effects=effects,
        n_rows=1_000,
        n_turned=140,
        n_changed=150,
        baseline="fair",
        seed=7,
        version="1.2.3",
        schema=Schema(()),
        changed=(),
        rules=("experience <= age - 18",),
        where=("age < 70",),
        graph=graph,
    )


def test_tags_of_the_page_balance(several):
    tags = Reader(certificate_page(several)).tags
    assert {"html", "title", "style", "header", "table", "figure", "svg", "rect", "ol", "ul"} <= set(tags)
    assert tags.count("h1") == tags.count("main") == 1


def test_head_names_the_facts(several):
    text = Reader(certificate_page(several)).text
    for fact in ("Certificate of planted bias", "1,000", "140", "Seed 7", "1.2.3", "Baseline fair : outcomes"):
        assert fact in text


@pytest.mark.parametrize("baseline", KNOWN)
def test_every_baseline_has_its_sentence(several, baseline):
    text = Reader(certificate_page(replace(several, baseline=baseline))).text
    assert f"Baseline {baseline} : {BASELINES[baseline]} Biases" in text


def test_every_bias_is_named_with_its_figures(several):
    text = Reader(certificate_page(several)).text
    for record in several.records:
        for said in (record.hit, f"favourable: {record.favourable}", f"privileged: {record.privileged}"):
            assert said in text
    for said in (
        "direct 20 % 20.00 % 64 of 320 made unfavourable 71",
        "through experience better half: experience >= 15",
    ):
        assert said in text
    assert "−10 % −10.00 % 64 of 320 made favourable" in text


def test_rates_stand_as_numbers_beside_bars(several):
    page = certificate_page(replace(several, effects=()))
    text = Reader(page).text
    assert "sex == 'male' 520 rows learnt 70.1 % +0.1 fair 70.2 % biased 70.3 %" in text
    assert "sex != 'male' 480 rows learnt 61.1 % −19.9 fair 71.2 % biased 51.3 %" in text
    assert page.count("<rect") == 3 * 3  # three worlds, and three groups that have rows


def test_a_bar_is_as_long_as_its_share(several):
    rate = Rate("hired", "hired", "all", 100, 0.0, 0.25, 1.0)
    page = certificate_page(replace(several, rates=(rate,), effects=()))
    lengths = [float(width) for width in re.findall(r'<rect [^>]*width="([\d.]+)"', page)]
    assert lengths[0] == 0
    assert lengths[1] == pytest.approx(lengths[2] / 4)


def test_an_empty_group_has_dashes_and_no_bar(several):
    page = certificate_page(replace(several, rates=several.rates[3:], effects=()))
    assert "0 rows learnt – – fair – biased –" in Reader(page).text
    assert "<rect" not in page
    assert "nan" not in page


def test_effects_have_values_intervals_and_planted_differences(several):
    text = Reader(certificate_page(several)).text
    assert "direct learnt +1.0 +0.6 to +1.4" in text
    assert "+12.3 fair 0.0 −0.4 to +0.4 biased +12.3 +11.9 to +12.7" in text
    assert "biased −5.0 −5.4 to −4.6" in text
    for effect in several.effects:
        assert f"sex on {effect.outcome}" in text
        assert all(kind in text for kind in kinds_of(effect))


def test_pictures_of_effects_stay_inside_their_frame(several):
    wide = effect_of("hired", {"experience": -0.9})
    page = certificate_page(replace(several, rates=(), effects=(wide,)))
    bars = re.findall(r'<rect x="(-?[\d.]+)" y="4" width="(-?[\d.]+)"', page)
    assert len(bars) == 4 * len(WORLDS)
    assert all(float(x) >= 0 and 0 <= float(width) <= WIDTH - float(x) for x, width in bars)


@pytest.mark.parametrize("half", [0.0, 3.0, math.nan])
def test_any_interval_can_be_drawn(several, half):
    one = {kind: estimate(1.0, half) for kind in ("direct", "indirect", "total")}
    effect = EffectRecord(("sex",), "hired", "hired", {world: {**one, "through": {}} for world in WORLDS})
    page = certificate_page(replace(several, effects=(effect,)))
    assert "nan" not in page
    Reader(page)


def test_a_page_without_effects_says_so(several):
    text = Reader(certificate_page(replace(several, effects=()))).text
    assert "Effects were not simulated" in text
    assert "95 % interval" not in text


def test_rules_conditions_and_arrows_are_listed(several):
    text = Reader(certificate_page(several)).text
    assert "Rules of the model experience <= age - 18 Conditions of this table age < 70" in text
    assert "Number of arrows: 3." in text
    assert "experience ← sex invited ← experience hired ← invited" in text
    bare = Reader(certificate_page(replace(several, rules=(), where=(), graph=()))).text
    assert bare.count("None were given.") == 2


def test_a_learnt_graph_is_no_causal_claim(several):
    given, learnt = (Reader(certificate_page(replace(several, graph_given=known))).text for known in (True, False))
    assert "no causal claim" in learnt
    assert "no causal claim" not in given


def test_long_graphs_name_every_arrow(several):
    graph = tuple((f"cause {i % 23}", f"effect {i % 31}") for i in range(200))
    text = Reader(certificate_page(replace(several, graph=graph))).text
    assert "Number of arrows: 200." in text
    assert all(re.search(rf"{child} ← [^←]*\b{parent}\b", text) for parent, child in graph)


def test_user_text_is_escaped(several):
    evil = "<script>alert(1)</script>&\"'"
    record = record_of(Bias(evil, evil, evil + "!", True, 0.2, path=evil + "?"), hit=evil, favourable=evil, better=evil)
    effect = replace(effect_of(evil, {evil: 0.1}), protected=(evil, "age"), favourable=evil)
    page = certificate_page(
        replace(
            several,
            records=(replace(record, privileged=evil),),
            rates=(Rate(evil, evil, evil, 10, 0.1, 0.2, 0.3),),
            effects=(effect,),
            baseline=evil,
            version=evil,
            rules=(evil,),
            where=(evil,),
            graph=((evil, evil + "!"),),
        )
    )
    assert "<script" not in page
    assert escape(evil) in page
    assert "script" not in Reader(page).tags


def test_nothing_is_loaded_from_elsewhere(several):
    page = certificate_page(several)
    read = Reader(page)
    assert not {"script", "link", "img", "iframe", "object", "embed"} & set(read.tags)
    assert not {name for name, _ in read.attributes} & {"src", "href", "xlink:href"}
    assert "http" not in page
    assert "url(" not in page
    assert "@import" not in page


def test_figures_are_kept_whole_in_print(several):
    page = certificate_page(several)
    assert "size: A4" in page
    assert re.search(r"figure, table, [^{]*\{ break-inside: avoid; \}", page)


def test_a_planted_certificate_prints():
    model = Janus(structure=datasets.hiring_graph(), random_state=0).fit(datasets.hiring(400, random_state=0))
    biases = [Bias("sex", "male", "hired", True, 0.2), Bias("sex", "male", "test_score", (65, 100), 0.1)]
    certificate = plant(model, biases, 300, effect_units=200).certificate
    page = certificate.to_html()
    text = Reader(page).text
    for record in certificate.records:
        assert f"{record.n_turned:,} of {record.n_eligible:,}" in text
    assert page == certificate_page(Certificate.from_json(certificate.to_json()))
