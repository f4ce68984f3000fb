"""The fairness benchmark: what is planted, what is recorded, how claims are judged, and what a reader sees."""

from __future__ import annotations

from dataclasses import asdict
from itertools import product

import pytest

from janus_bench.cells import RunSettings
from janus_bench.fairness import experiments
from janus_bench.fairness import run as run_module
from janus_bench.fairness.claims import amplification, claims_of
from janus_bench.fairness.experiments import (
    ALARMS,
    ELSEWHERE,
    MAJORITY,
    PAY_RULES,
    SETTINGS,
    STRICT,
    THREE,
    Case,
    FairnessSizes,
    audited,
    pipeline,
)
from janus_bench.fairness.records import Alarm, Failure, Pay, Stage, Trial
from janus_bench.fairness.report import fairness_grids
from janus_bench.fairness.run import PARTS, run_fairness
from janus_bench.fairness.scenarios import ADULT, HIDDEN, HIRING, chosen_table
from janus_bench.fairness.summary import FairnessSummary
from janus_bench.fairness.verdicts import (
    Fairness,
    Hidden,
    Positives,
    judge_degenerate,
    judge_hidden,
    judge_pay,
    judge_pipeline,
    judge_proxy,
)
from janus_bench.rendering import read_result, to_markdown, write_result
from janus_bench.results import Result
from janus_bench.running import records_of
from janus_bench.store import Store
from janus_synth.errors import DataError
from janus_synth.fairness import plant

TINY = FairnessSizes(
    seeds=1,
    n_rows=800,
    n_fit=3_000,
    n_splits=2,
    magnitudes=(0.0, 0.5),
    effect_units=1_000,
    repeats=1,
    alarm_splits=2,
    n_pay=400,
)
LOGISTIC, GRADIENT, THRESHOLD = THREE
ADULT_OPTIONS = {"table": ADULT, "mediator": "occupation", "other column": "race", "sizes": asdict(TINY)}


@pytest.fixture(scope="module")
def measured():
    """All parts on the shipped table, with two algorithms that cost little."""
    pytest.importorskip("fairlearn")
    return run_fairness(algorithms=[LOGISTIC, MAJORITY], table=HIRING, sizes=TINY)


def staged(setting, seed):
    return pipeline(HIRING, setting, seed=seed, n_fit=1_000, n_rows=600, effect_units=1_000)


def estimate(value):
    return {"value": value, "low": value - 0.05, "high": value + 0.05}


def gap(value, planted, *, twin=0.0):
    excess = estimate(value - twin)
    found = excess["low"] > 0 or excess["high"] < 0
    figures = {"biased": planted, "fair": 0.0, "planted": planted, "recovered": (value - twin) / planted}
    return {
        "gap": estimate(value),
        "twin": estimate(twin),
        "excess": excess,
        "found": found,
        "unequal": found,
    } | figures


def trial(part, case, name, gaps, *, magnitude=0.3, seed=0, favoured=0.2, degenerate=()):
    decided = "subgroup" if "subgroup" in gaps else "parity"
    return Trial(
        part, case, name, magnitude, seed, gaps, "score", decided, 0.8, 0.79, 0.8, favoured, 0.75, list(degenerate)
    )  # fmt: skip


def canned(parts=PARTS):
    """A result of made-up figures that bear out all claims of the paper."""
    names, found = [*THREE, MAJORITY], []
    shown = {LOGISTIC: 0.1, GRADIENT: 0.03, THRESHOLD: 0.01, MAJORITY: 0.0}
    for seed, name in product(range(2), names):
        parity = gap(shown[name], 0.1)
        proxy = gap({LOGISTIC: 0.2, GRADIENT: 0.1, THRESHOLD: 0.3, MAJORITY: 0.0}[name], 0.1)
        found.append(trial("A", "neutral", name, {"score": parity, "parity": parity}, seed=seed))
        for world in ("neutral", "fair"):
            gaps = {"score": parity, "parity": parity, "proxy": proxy}
            found.append(trial("B", world, name, gaps, seed=seed))
        gaps = {"score": gap(0.09, 0.1), "parity": gap(0.01, 0.02), "subgroup": gap(0.09, 0.1)}
        found.append(trial("D", "sex", name, gaps, magnitude=0.4, seed=seed))
        trivial = name in (GRADIENT, MAJORITY)
        flags = ["it favours 0.20% of the rows, fewer than 1%"] if trivial else []
        found.append(
            trial("E", "rare", name, {"score": parity, "parity": parity}, seed=seed,
                  favoured=0.002 if trivial else 0.1, degenerate=flags)
        )  # fmt: skip
    for seed, (setting, on), stage in product(range(2), SETTINGS.items(), (1, 2, 3)):
        effect = 0.04 * on[stage - 1] + 0.01 * sum(on[: stage - 1])
        found.append(Stage(setting, seed, stage, f"s{stage}", effect, effect, effect, 0.3, 0.3 - effect))
    found += [
        Alarm(setting, repeat, repeat < 3, repeat < 12, False, 0.1, 0.1) for setting in ALARMS for repeat in range(40)
    ]
    for rule, origin in product(PAY_RULES, ("real rows", "JANUS, free", "JANUS, rule kept", "JANUS and rejection")):
        kept = origin in ("JANUS, rule kept", "JANUS and rejection")
        cost = (None, None) if origin == "real rows" else (30.0, 2.0) if "rejection" in origin else (1.0, 0.1)
        found.append(Pay(rule, origin, 0, 400, 1.0 if kept else 0.78, 0.0 if kept else 0.2, *cost))
    found.append(Failure("E", "threshold-optimizer, rare", "ValueError: one label"))
    options = {"parts": list(parts), "algorithms": names, **ADULT_OPTIONS}
    return Result("fairness", "2026-01-31 12:00:00", {}, options, records_of(found))


def grid_of(result, start):
    return next(grid for grid in fairness_grids(result) if grid.title.startswith(start))


def test_a_run_records_every_part(measured):
    counts = {}
    for record in measured.records:
        kind = record["record"], record.get("part", "")
        counts[kind] = counts.get(kind, 0) + 1
    assert counts == {
        ("trial", "A"): 4,
        ("trial", "B"): 4,
        ("stage", ""): 12,
        ("trial", "D"): 6,
        ("trial", "E"): 6,
        ("alarm", ""): 3,
        ("pay", ""): 4 * len(PAY_RULES),
    }
    assert measured.options["table"] == HIRING


def test_what_was_audited_is_kept_and_a_table_is_planted_once_for_all_algorithms(tmp_path, monkeypatch):
    pytest.importorskip("fairlearn")
    planted = []

    def counted(*arguments, **options):
        planted.append(options["baseline"])
        return plant(*arguments, **options)

    monkeypatch.setattr(experiments, "plant", counted)
    experiments.planted_in.cache_clear()
    arguments = {"table": HIRING, "sizes": TINY, "run": RunSettings(store=Store(tmp_path))}
    first = run_fairness(["B"], [LOGISTIC, MAJORITY], **arguments)
    assert planted == ["neutral", "fair"]
    assert len(list(tmp_path.rglob("*.json"))) == len(first.records) == 4
    again = run_fairness(["B"], [MAJORITY], **arguments)
    assert again.records == [record for record in first.records if record["algorithm"] == MAJORITY]
    assert len(planted) == 2


def test_the_page_of_a_run_reads_back_the_same(measured, tmp_path):
    files = write_result(measured, tmp_path)
    assert to_markdown(read_result(files.json)) == to_markdown(measured)
    titles = [grid.title for grid in fairness_grids(measured)]
    assert [title[0] for title in titles] == ["A", "A", "B", "C", "C", "D", "E", "F", "G", "C"]
    assert titles[-1] == "Claims of the paper"


def test_what_is_planted_is_what_was_asked_for(measured):
    by_size = {t.magnitude: t.gaps["score"]["planted"] for t in FairnessSummary.of(measured).trials if t.part == "A"}
    assert by_size[0.0] == 0
    assert 0.5 * 0.5 < by_size[0.5] < 0.5  # half of the favourable outcomes of women, of whom two in three have one


def test_nothing_is_found_where_nothing_is_planted_and_the_control_is_flagged(measured):
    trials = FairnessSummary.of(measured).trials
    assert not any(t.gaps["score"]["found"] for t in trials if t.magnitude == 0)
    assert all(t.degenerate for t in trials if t.algorithm == MAJORITY)


def test_rows_made_to_keep_a_rule_keep_it(measured):
    pays = FairnessSummary.of(measured).pays
    kept = pays[pays["origin"].isin(["JANUS, rule kept", "JANUS and rejection"])]
    assert set(zip(kept["satisfied"], kept["gap"], strict=True)) == {(1.0, 0.0)}


def test_a_seed_means_one_result():
    first, again = (staged("all three", 3) for _ in range(2))
    assert first == again
    assert first != staged("all three", 4)


def test_later_stages_suffer_from_earlier_ones_only():
    first, last = staged("first alone", 0), staged("last alone", 0)
    assert [stage.planted == 0 for stage in last] == [True, True, False]
    for biased in (last[2], first[0]):
        assert biased.rate_biased / biased.rate_fair == pytest.approx(0.85, abs=0.01)
    assert first[1].planted > 0


def test_the_same_rows_are_hit_whichever_columns_algorithms_know():
    pytest.importorskip("fairlearn")
    sizes = {"n_fit": 1_000, "n_rows": 1_200, "n_splits": 2}
    cases = [Case("D", word, HIDDEN) for word in ("sex", "age", "both")]
    told = [audited(HIRING, case, LOGISTIC, seed=0, **sizes)[0] for case in cases]
    assert len({one.accuracy_biased for one in told}) == 1
    by_sex, by_age, by_both = (one.gaps["parity"]["planted"] for one in told)
    assert by_both > 2 * max(by_sex, by_age) > 0
    assert "subgroup" not in told[2].gaps


def test_a_cell_that_fails_is_reported_and_the_run_goes_on(monkeypatch):
    def broken(rule, **sizes):
        raise RuntimeError("out of rows")

    monkeypatch.setattr(run_module, "pay", broken)
    result = run_fairness(["G"], table=HIRING, sizes=TINY)
    assert fairness_grids(result)[0].rows[0] == ["G", PAY_RULES[0], "RuntimeError: out of rows"]


def test_claims_follow_from_the_figures():
    words = {claim.name: claim.verdict.word for claim in claims_of(FairnessSummary.of(canned()))}
    assert words == {
        "proxy blindness, neutral world": "reproduced",
        "proxy blindness, fair world": "reproduced",
        "temporal amplification": "reproduced",
        "hidden intersectionality": "reproduced",
        "degenerate solutions": "reproduced",
        "equal pay": "reproduced",
    }
    ratios = amplification(FairnessSummary.of(canned()))
    assert ratios.to_last == pytest.approx(1.5)
    assert ratios.to_sum == pytest.approx(1.0)


def test_tables_show_the_papers_figures_and_verdicts():
    result = canned()
    proxy = grid_of(result, "B.")
    (row,) = (row for row in proxy.rows if row[0] == "neutral" and row[1] == THRESHOLD)
    assert {"+0.013", "−0.193", "reproduced"} <= set(row)
    assert grid_of(result, "C. How").rows[0][1:] == ["1.50 ×", "1.51 ×", "reproduced"]
    assert "18.7 %" in grid_of(result, "D.").note
    assert {"0.2 %", "0.3 %", "2 of 2"} <= set(grid_of(result, "E.").rows[1])
    assert {"78.0 %", "23.3 %"} <= set(grid_of(result, "G.").rows[0])
    assert grid_of(result, "Failures").rows == [["E", "threshold-optimizer, rare", "ValueError: one label"]]
    assert all(grid.to_markdown() for grid in fairness_grids(result))


def test_alarms_are_held_against_the_stated_level():
    rows = {row[0]: row for row in grid_of(canned(), "F.").rows}
    assert rows[ELSEWHERE][6:] == ["as stated", "more often", "as stated"]  # 3, 12 and 0 of 40
    assert rows["nothing planted"][6] == "nothing to pair"
    assert rows["planted by sex"][5] == "power"


def test_few_algorithms_leave_a_claim_open():
    result = canned()
    few = [r for r in result.records if r.get("algorithm") in (None, LOGISTIC, MAJORITY)]
    words = {
        c.name: c.verdict.word for c in claims_of(FairnessSummary.of(Result("fairness", "", {}, result.options, few)))
    }
    assert words["proxy blindness, fair world"] == words["degenerate solutions"] == "not judged"


@pytest.mark.parametrize(
    ("gaps", "word"),
    [
        (((0.1, 0.2), (0.03, 0.1), (0.01, 0.3)), "reproduced"),
        (((0.1, 0.2), (0.03, 0.1), (0.01, -0.3)), "reproduced"),
        (((0.1, 0.29), (0.03, 0.1), (0.01, 0.3)), "different"),  # too close to call it the largest
        (((0.1, 0.3), (0.03, 0.1), (0.01, 0.2)), "different"),
        (((0.01, 0.2), (0.03, 0.3), (0.05, 0.1)), "different"),
        (((0.01, 0.3), (0.03, 0.2), (0.05, 0.1)), "not reproduced"),
    ],
)
def test_proxy_blindness_is_judged_by_both_gaps(gaps, word):
    assert judge_proxy({name: Fairness(*pair, half=0.02) for name, pair in zip(THREE, gaps, strict=True)}).word == word


def test_other_verdicts_have_three_outcomes():
    assert [judge_pipeline(ratio).word for ratio in (1.51, 1.9, 0.9)] == ["reproduced", "different", "not reproduced"]
    masked, plain = Hidden(0.02, 0.1, True), Hidden(0.09, 0.1, True)
    assert judge_hidden(masked, {LOGISTIC: masked}).word == "reproduced"
    assert judge_hidden(masked, {LOGISTIC: plain, GRADIENT: Hidden(0.0, 0.1, False)}).word == "different"
    assert judge_hidden(plain, {LOGISTIC: masked}).word == "not reproduced"
    assert judge_pay([(1.0, 0.0)], 15).word == "reproduced"
    assert judge_pay([(1.0, 0.0)], 2).word == "different"
    assert judge_pay([(0.99, 0.0)], 15).word == "not reproduced"


@pytest.mark.parametrize(
    ("plain", "strict", "word"),
    [(0.1, 0.003, "reproduced"), (0.009, 0.008, "different"), (0.1, 0.05, "not reproduced")],
)
def test_a_rare_outcome_is_no_degenerate_solution(plain, strict, word):
    shares = {LOGISTIC: plain, STRICT: strict, MAJORITY: 0.0}
    case = {name: Positives(share, name == MAJORITY) for name, share in shares.items()}
    assert judge_degenerate({"case": case}, MAJORITY).word == word
    blind = {**case, MAJORITY: Positives(0.0, False)}
    assert judge_degenerate({"case": blind}, MAJORITY).word == "not judged"


def test_pictures_are_written_for_what_was_measured(tmp_path):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    from janus_bench.rendering import write_pictures

    assert write_pictures(canned(), tmp_path / "run").startswith("wrote")
    for ending in ("detection", "proxy", "pipeline", "pay"):
        assert (tmp_path / f"run-{ending}.svg").read_text(encoding="utf-8").startswith("<svg")


def test_adult_is_taken_where_it_is_at_hand(monkeypatch, tmp_path):
    monkeypatch.setenv("JANUS_DATA", str(tmp_path))
    monkeypatch.setenv("JANUS_CACHE", str(tmp_path / "cache"))
    assert chosen_table() == HIRING
    (tmp_path / "adult.parquet").touch()
    assert chosen_table() == ADULT


def test_unknown_words_are_named():
    with pytest.raises(DataError, match="no part is called 'h'"):
        run_fairness(["h"])
    with pytest.raises(DataError, match="no algorithm is called 'oracle'"):
        run_fairness(["A"], ["oracle"])
    with pytest.raises(DataError, match="no scene is made of a table 'bank'"):
        run_fairness(table="bank")
