"""A bias as the page states it, planted and audited; counts are made again from the rows."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.studio import planting
from janus_synth.studio.worker import run


@pytest.fixture(scope="module")
def model(model_file):
    return Janus.load(model_file)


def paths_between(edges, start, end):
    """All directed paths, found by walking."""
    if start == end:
        return [[end]]
    return [[start, *rest] for parent, child in edges if parent == start for rest in paths_between(edges, child, end)]


def test_mediators_are_the_columns_on_paths(model):
    edges = [edge for edge in model.dag_.edges if "hired" not in edge[:1]]
    walked = {name for path in paths_between(edges, "sex", "hired") for name in path[1:-1]}
    found = planting.mediators(model, "sex", "hired")
    assert set(found["mediators"]) == walked
    assert found["reaches"]
    assert all({parent, child} <= {"sex", "hired", *walked} for parent, child in found["edges"])
    assert planting.mediators(model, "hired", "sex") == {"mediators": [], "edges": [], "reaches": False}


GIVEN = {"protected": "sex", "outcome": "hired", "path": "direct", "magnitude": 0.2}
GROUPS = {"privileged": {"level": 1}, "favourable": {"level": 1}}


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"protected": ""}, "protected"),
        ({"outcome": 3}, "outcome"),
        ({"privileged": "male"}, "privileged"),
        ({"favourable": None}, "favourable"),
        ({"magnitude": "0.2"}, "size"),
        ({"magnitude": float("nan")}, "size"),
        ({"magnitude": True}, "size"),
    ],
)
def test_a_bias_that_is_not_complete_is_refused(change, word):
    with pytest.raises(ValueError, match=word):
        planting.read_bias({**GIVEN, **GROUPS, **change})


def test_groups_are_levels_of_the_model(model):
    bias = planting.make_bias(model.schema_, planting.read_bias({**GIVEN, **GROUPS}))
    assert str(bias) == "0.2 of the favourable hired of those who are not sex = male, direct"


@pytest.fixture(scope="module")
def planted(tmp_path_factory, model_file):
    pytest.importorskip("fairlearn")
    folder = tmp_path_factory.mktemp("planted")
    task = {
        "task": "plant",
        "model": str(model_file),
        "trusted": True,
        "bias": planting.read_bias({**GIVEN, **GROUPS}),
        "answer": str(folder / "planted.json"),
        "page": str(folder / "planted.html"),
        "rows": str(folder / "planted.csv"),
    }
    messages = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planting, "N_ROWS", 800)
        patch.setattr(planting, "N_SPLITS", 3)
        run(task, messages.append)
    assert messages[-1] == {"done": True}
    return folder, json.loads((folder / "planted.json").read_text()), messages


def test_the_certificate_agrees_with_the_rows(planted):
    folder, found, _ = planted
    rows = pd.read_csv(folder / "planted.csv")
    record = found["records"][0]
    eligible = (rows["sex"] != "male") & rows["fair_hired"].astype(bool)
    turned = eligible & ~rows["hired"].astype(bool)
    assert len(rows) == found["n_rows"] == 800
    assert record["n_eligible"] == eligible.sum()
    assert record["n_turned"] == turned.sum() == rows["turned"].sum() == round(0.2 * eligible.sum())
    for rate in found["rates"]:
        among = rows[rows["sex"] == "male"] if "==" in rate["group"] else rows[rows["sex"] != "male"]
        assert rate["biased"] == pytest.approx(among["hired"].mean())
        assert rate["fair"] == pytest.approx(among["fair_hired"].mean())
    assert "Certificate of planted bias" in (folder / "planted.html").read_text()


def test_three_algorithms_are_audited_one_after_the_other(planted):
    _, found, messages = planted
    assert list(found["audits"]) == list(planting.ALGORITHMS)
    for audit in found["audits"].values():
        assert audit["n_splits"] == 3
        assert audit["gaps"]["score"]["planted"] > 0
    labels = [message["progress"][0] for message in messages[:-1]]
    assert [label for label in labels if label.startswith("auditing")] == [f"auditing {a}" for a in planting.ALGORITHMS]


def test_an_algorithm_whose_library_is_absent_is_reported_as_such(monkeypatch):
    from janus_synth.errors import MissingExtraError

    def absent(name):
        raise MissingExtraError("fairlearn", "fairness", purpose=name)

    monkeypatch.setattr("janus_synth.fairness.algorithm", absent)
    assert "fairlearn" in planting._audit_algorithm("logistic", None)["error"]


def test_a_bias_that_cannot_be_planted_ends_in_words(tmp_path, model_file):
    bias = planting.read_bias({**GIVEN, **GROUPS, "path": "sex"})
    task = {"task": "plant", "model": str(model_file), "trusted": False, "bias": bias}
    messages = []
    run({**task, **dict.fromkeys(("answer", "page", "rows"), str(tmp_path / "x"))}, messages.append)
    assert "mediator 'sex'" in messages[-1]["error"]
    assert list(tmp_path.iterdir()) == []
