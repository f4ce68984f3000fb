import json

import pytest

from janus_bench.fidelity.summary import MEASURES
from janus_bench.grids import Grid, seconds
from janus_bench.rendering import read_result, to_markdown, write_result
from janus_bench.results import Result
from janus_synth.errors import DataError

AUC = {
    ("small", "JANUS"): 0.75,
    ("small", "fine"): 0.70,
    ("small", "CART"): 0.60,
    ("small", "copula"): 0.90,
    ("large", "JANUS"): 0.55,
    ("large", "fine"): 0.56,
    ("large", "CART"): 0.65,
    ("large", "copula"): 0.80,
}


def trial(table, method, auc, **more):
    facts = {"table": table, "method": method, "seed": 0, "n_train": 100 if table == "small" else 10_000}
    scores = {"detection": auc, "total_variation": None if table == "large" else 0.1}
    return {**facts, "n_columns": 3, "scores": scores, "error": "", **more}


@pytest.fixture
def fidelity():
    options = {
        "tables": ["small", "large"],
        "methods": ["JANUS", "CART", "copula", "fine"],
        "ours": ["JANUS", "fine"],
        "settings": {"JANUS": "defaults", "fine": "n_bins=255"},
        "seeds": [0],
    }
    return Result.of("fidelity", options=options, records=[trial(*key, auc) for key, auc in AUC.items()])


@pytest.fixture
def speed():
    fields = {"table": "t", "n_rows": 10, "n_columns": 2, "before_mib": None, "peak_mib": None}
    records = [
        {"part": "fit", "subject": name, "seconds": times, "processor_seconds": times, **fields}
        for name, times in {"JANUS": [3.0, 2.0], "CART": [1.0, 1.5]}.items()
    ]
    return Result.of("speed", options={"tables": ["t"]}, records=records)


def lines_of(markdown, title):
    section = markdown.split(f"## {title}\n", 1)[1].split("\n## ")[0]
    return [line for line in section.splitlines() if line.startswith("|")][2:]


@pytest.mark.parametrize("kind", ["fidelity", "speed"])
def test_a_result_read_back_renders_the_same_page(kind, request, tmp_path):
    result = request.getfixturevalue(kind)
    files = write_result(result, tmp_path / "new" / "folder")
    again = read_result(files.json)
    assert again == result
    assert to_markdown(again) == to_markdown(result) == files.markdown.read_text(encoding="utf-8")
    assert files.json.name.startswith(f"{kind}-{result.date[:10]}")


def test_a_result_says_with_what_it_was_measured(fidelity):
    machine = json.loads(fidelity.to_json())["machine"]
    assert {"janus-synth", "python", "numpy", "scikit-learn", "platform", "cores"} <= set(machine)


def test_losses_stand_beside_wins(fidelity):
    small, large = lines_of(to_markdown(fidelity), "JANUS beside the best rival of each table")
    assert small == "| small | 0.750 | CART 0.600 | +0.150 | 0.115 | loss |"
    assert large == "| large | 0.550 | CART 0.650 | −0.100 | 0.012 | win |"


def test_wins_and_losses_are_counted_by_score(fidelity):
    detection = lines_of(to_markdown(fidelity), "JANUS: tables won and lost")[0]
    assert detection == "| detection AUC | 1 : 1 | 2 : 0 | small |"


def test_means_use_tables_where_every_method_has_a_score(fidelity):
    janus = lines_of(to_markdown(fidelity), "Mean over tables")[0]
    assert janus == "| JANUS | 0.650 | 0.100 |"


def test_settings_stand_beside_the_first(fidelity):
    lines = lines_of(to_markdown(fidelity), "Settings beside JANUS")
    assert lines == ["| small | 0.750 | −0.050 |", "| large | 0.550 | +0.010 |", "| mean | 0.650 | −0.020 |"]


def test_failures_are_listed(fidelity):
    failed = trial("large", "CART", None, scores={}, error="ValueError: a | b")
    records = [r for r in fidelity.records if (r["table"], r["method"]) != ("large", "CART")]
    result = Result.of("fidelity", options=fidelity.options, records=[*records, failed])
    page = to_markdown(result)
    assert lines_of(page, "Failures") == [r"| large | CART | 0 | ValueError: a \| b |"]
    assert lines_of(page, "Mean over tables")[0].startswith("| JANUS | 0.750 ")  # small only: it compares there


def test_a_method_that_fails_everywhere_does_not_take_the_means_of_others(fidelity):
    absent = [
        trial(table, "CTGAN", None, scores={}, error="not installed: pip install ctgan") for table in ("small", "large")
    ]
    options = {**fidelity.options, "methods": [*fidelity.options["methods"], "CTGAN"]}
    page = to_markdown(Result.of("fidelity", options=options, records=[*fidelity.records, *absent]))
    assert lines_of(page, "Mean over tables")[0] == "| JANUS | 0.650 | 0.100 |"
    assert lines_of(page, "Mean over tables")[-1] == "| CTGAN | – | – |"
    assert lines_of(page, "Detection AUC per table")[0].endswith("| failed |")
    assert lines_of(page, "Failures")[0] == "| small | CTGAN | 0 | not installed: pip install ctgan |"


def test_seeds_show_their_spread(fidelity):
    second = [{**record, "seed": 1} for record in fidelity.records]
    result = Result.of("fidelity", options=fidelity.options, records=[*fidelity.records, *second])
    assert "0.750 ± 0.000" in lines_of(to_markdown(result), "Detection AUC per table")[0]


def test_speed_is_reported_as_a_ratio_whoever_wins(speed):
    lines = lines_of(to_markdown(speed), "Fitting")
    assert lines[1] == "| t | CART | 10 × 2 | 1.00 | 1.50 | 1.00 | 2.00 × | 2.00 × | slower |"


def test_a_foreign_file_is_refused():
    with pytest.raises(DataError, match="no benchmark result"):
        Result.from_json('{"kind": "weather"}')


def test_a_detector_that_is_wrong_too_often_is_a_loss_and_distance_from_train_is_none():
    losses = {measure.key: measure.loss(0.4) for measure in MEASURES}
    assert losses["detection"] == pytest.approx(0.6)
    assert losses["closer_to_train"] == 0.5
    assert losses["utility_gap"] == 0.4


def test_a_grid_must_be_rectangular():
    with pytest.raises(AssertionError, match="crooked"):
        Grid("crooked", ["a", "b"], [["only one"]])


def test_seconds_have_three_figures_and_a_dash_for_none():
    assert [seconds(value) for value in (1234.5, 12.34, 1.234, 0.01234, None)] == [
        "1,234",
        "12.3",
        "1.23",
        "0.0123",
        "–",
    ]


@pytest.mark.parametrize("text", ["no JSON", "[]", '{"kind": "else"}', '{"kind": "speed", "more": 1}'])
def test_a_file_that_is_no_result_is_named(tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"other\.json cannot be read as a benchmark result"):
        read_result(path)
