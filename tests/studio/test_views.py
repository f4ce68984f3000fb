"""The addresses of Compare, What if and Fairness, asked over HTTP as the page does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus

NASTY = "<script>alert(1)</script>"


def table(n=400):
    rng = np.random.default_rng(0)
    x = rng.normal(50, 10, n).round(1)
    sex = rng.choice(["f", "m"], n)
    return pd.DataFrame({"sex": sex, "x": x, NASTY: rng.choice([NASTY, "b"], n), "ok": x + rng.normal(0, 5, n) > 50})


@pytest.fixture(scope="module")
def small(tmp_path_factory, serve_folder):
    """A studio with a learnt table and two questions."""
    with serve_folder(tmp_path_factory.mktemp("views")) as running:
        client = running.client
        client.ask("PUT", "/api/data?name=people.csv", table().to_csv(index=False).encode())
        assert client.wait()["state"] == "done"
        assert client.post("/api/fit", seed=3, required=[["x", "ok"]]).status == 200
        assert client.wait()["state"] == "done"
        client.post("/api/sample", where=[], n=200, seed=1)
        client.post("/api/sample", where=["x > 50"], n=200, seed=1)
        yield running


def test_a_fit_sets_rows_aside_and_says_so(small):
    state = small.client.get("/api/state").json
    assert state["held_out"] == {"share": 0.2, "seed": 3}
    assert state["fits"] == small.studio.project.state.fits
    assert Janus.load(small.studio.project.model).n_rows_ == 320
    assert small.client.post("/api/fit", percent=51).status == 400


def test_rows_are_compared_and_the_report_runs_apart(small):
    client = small.client
    assert client.get("/api/compare/1").status == 404
    assert client.post("/api/compare", number=1, target="ok").status == 200
    assert client.wait()["state"] == "done"
    found = client.get("/api/compare/1").json
    assert found["n_rows"] == {"train": 320, "test": 80, "synthetic": 200}
    assert client.get("/api/state").json["answers"]["compared"] == [1]
    page = client.get("/api/compare/1.html")
    assert page.headers["content-type"].startswith("text/html")
    policy = page.headers["content-security-policy"]
    assert "sandbox" in policy
    assert "allow-same-origin" not in policy
    assert "default-src 'none'" in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    assert b"<script>alert(1)" not in page.body


@pytest.mark.parametrize("number", [0, -1, 99, "1", None, 1.5])
def test_only_questions_that_were_asked_are_compared(small, number):
    assert small.client.post("/api/compare", number=number).status in (400, 404)


def test_rows_of_an_earlier_model_are_not_compared(small):
    project = small.studio.project
    fits = project.state.fits
    project.change(fits=fits + 1)
    try:
        answer = small.client.post("/api/compare", number=1)
    finally:
        project.change(fits=fits)
    assert answer.status == 400
    assert "earlier model" in answer.json["error"]


def test_worlds_and_counterfactuals_are_shown(small):
    client = small.client
    found = client.post("/api/what-if", do={"x": {"low": 60, "high": 70}}).json
    assert found["columns"][0]["column"] == "x"
    row = client.post("/api/counterfactual", do={"x": {"value": 60}}, row=5).json
    cells = {one["column"]: one for one in row["cells"]}
    assert row["n_rows"] == 400
    assert cells["x"]["before"] == table().x[4]
    assert cells["x"]["after"] == 60
    of_question = client.post("/api/counterfactual", do={"x": {"value": 60}}, row=2, question=2).json
    assert of_question["n_rows"] == 200
    assert {one["column"]: one["before"] for one in of_question["cells"]}["x"] > 50


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("what-if", {}),
        ("what-if", {"do": {"x": {"value": 10**9}}}),
        ("what-if", {"do": {"y": {"value": 1}}}),
        ("what-if", {"do": {"sex": {"level": 7}}}),
        ("counterfactual", {"do": {"x": {"value": 60}}, "row": 401}),
        ("counterfactual", {"do": {"x": {"value": 60}}, "row": 0}),
        ("effect", {"treatment": "x", "outcome": ""}),
        ("effect", {"treatment": "x", "outcome": "ok", "values": [3]}),
        ("plant", {"protected": "sex"}),
    ],
)
def test_what_cannot_be_asked_is_refused_in_words(small, path, body):
    answer = small.client.post(f"/api/{path}", **body)
    assert answer.status == 400
    assert answer.json["error"]


def test_a_question_without_rows_has_none_to_choose(small):
    assert small.client.post("/api/counterfactual", do={"x": {"value": 60}}, row=1, question=9).status == 404


def test_an_effect_is_estimated_beside_the_page(small):
    client = small.client
    assert client.get("/api/effect").status == 404
    values = [{"value": 40}, {"value": 60}]
    assert client.post("/api/effect", treatment="x", outcome="ok", values=values).status == 200
    assert client.wait()["state"] == "done"
    found = client.get("/api/effect").json
    assert found["effects"][1]["low"] > 0.3
    assert client.get("/api/state").json["answers"]["effect"]


def test_a_graph_is_vouched_for_until_it_changes(small):
    client = small.client
    edges = client.get("/api/model").json["edges"]
    assert client.post("/api/vouch", vouched=True).json == {"vouched": True}
    assert client.get("/api/state").json["vouched"] == edges
    assert client.post("/api/vouch", vouched=False).json == {"vouched": False}
    assert client.get("/api/state").json["vouched"] is None


@pytest.mark.slow
def test_a_bias_is_planted_and_audited(small):
    pytest.importorskip("fairlearn")
    client = small.client
    assert client.get("/api/plant").status == 404
    assert client.get("/api/plant.csv").status == 404
    assert "mediators" in client.get("/api/paths?protected=sex&outcome=ok").json
    assert client.get("/api/paths?protected=sex&outcome=none").status == 400
    bias = {"protected": "sex", "privileged": {"level": 1}, "outcome": "ok", "favourable": {"level": 1}}
    assert client.post("/api/plant", **bias, magnitude=0.3, path="direct").status == 200
    assert client.wait()["state"] == "done"
    found = client.get("/api/plant").json
    assert found["records"][0]["realised"] == pytest.approx(0.3, abs=0.01)
    assert found["graph_given"] is False
    assert len(found["audits"]) == 3
    assert "sandbox" in client.get("/api/plant.html").headers["content-security-policy"]
    csv = client.get("/api/plant.csv")
    assert csv.headers["content-disposition"] == 'attachment; filename="planted.csv"'
    assert csv.body.count(b"\n") == 3001


def test_a_model_without_a_table_says_what_is_missing(fitted):
    number = fitted.client.post("/api/sample", n=30, where=[], seed=0).json["number"]
    assert "no table" in fitted.client.post("/api/compare", number=number).json["error"]
    body = {"do": {"age": {"value": 30}}, "row": 1}
    assert "no table" in fitted.client.post("/api/counterfactual", **body).json["error"]
    assert fitted.client.post("/api/counterfactual", **body, question=number).status == 200


def test_without_a_model_nothing_is_asked(client):
    for path in ("what-if", "vouch", "plant", "effect"):
        body = {"do": {"x": {"value": 1}}, "treatment": "x", "outcome": "y", "protected": "x", "path": "direct"}
        groups = {"privileged": {"level": 0}, "favourable": {"level": 0}, "magnitude": 0.1}
        answer = client.post(f"/api/{path}", **body, **groups)
        assert answer.status == 400, path
        assert "Learn the table first" in answer.json["error"]
