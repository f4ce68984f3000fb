"""Rows set aside, and how drawn rows compare with them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.studio.comparison import LEAST_COMPARED, divide_rows, held_out_share
from janus_synth.studio.worker import run


@pytest.mark.parametrize(
    ("n", "percent", "share"), [(1000, 20, 0.2), (1000, 0, 0.0), (99, 20, 0.0), (100, 20, 0.2), (10**6, 20, 0.01)]
)
def test_few_rows_are_all_learnt_and_many_need_not_be_set_aside(n, percent, share):
    assert held_out_share(n, percent) == share


def test_a_table_is_divided_the_same_way_every_time():
    frame = pd.DataFrame({"x": range(500)})
    train, test = divide_rows(frame, {"share": 0.2, "seed": 3})
    assert len(test) == 100
    assert set(train.x) | set(test.x) == set(range(500))
    assert not set(train.x) & set(test.x)
    assert divide_rows(frame, {"share": 0.2, "seed": 3})[1].x.tolist() == test.x.tolist()
    assert divide_rows(frame, {"share": 0.2, "seed": 4})[1].x.tolist() != test.x.tolist()
    assert divide_rows(frame, None) == (frame, None) or divide_rows(frame, None)[1] is None


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table of three columns, a model of four fifths of it, and two questions."""
    folder = tmp_path_factory.mktemp("compared")
    rng = np.random.default_rng(0)
    x = rng.normal(50, 10, 600).round(1)
    table = pd.DataFrame({"x": x, "city": rng.choice(["Rome", "Oslo"], 600), "rich": x + rng.normal(0, 5, 600) > 50})
    table.to_csv(folder / "data-1.csv", index=False)
    train, _ = divide_rows(table, {"share": 0.2, "seed": 0})
    model = Janus(n_trees=2, n_jobs=1, random_state=0).fit(train)
    model.save(folder / "model.janus")
    model.sample(300, random_state=1).to_parquet(folder / "rows-1.parquet")
    model.sample(300, where="x > 50", random_state=1).to_parquet(folder / "rows-2.parquet")
    return folder


def compare(folder, number, *, where=(), held_out=None, target=None):
    paths = {"model": "model.janus", "data": "data-1.csv", "rows": f"rows-{number}.parquet"}
    paths |= {"page": f"compared-{number}.html", "answer": f"compared-{number}.json"}
    task = {"task": "compare", "where": list(where), "held_out": held_out, "target": target, "title": "<b>Rows</b>"}
    messages = []
    run({**task, **{name: str(folder / path) for name, path in paths.items()}}, messages.append)
    return messages


def answer(folder, number):
    return json.loads((folder / f"compared-{number}.json").read_text(encoding="utf-8"))


def test_rows_are_compared_with_those_set_aside(folder):
    messages = compare(folder, 1, held_out={"share": 0.2, "seed": 0}, target="rich")
    assert messages[-1] == {"done": True}
    steps = [message["progress"] for message in messages[:-1]]
    assert any(label.startswith("measuring") and done < total for label, done, total in steps if total)
    found = answer(folder, 1)
    assert found["n_rows"] == {"train": 480, "test": 120, "synthetic": 300}
    assert (found["was_trained_on"], found["target"]) == (False, "rich")
    assert found["verdict"]
    assert found["grade"] in ("good", "fair", "poor")
    assert {card["grade"] for card in found["cards"]} <= {"good", "fair", "poor", "not known"}
    assert "good up to" in found["cards"][0]["limits"]
    assert found["disclosure"]["level"] in ("low", "moderate", "high")
    assert sorted(one["column"] for one in found["columns"]) == ["city", "rich", "x"]
    distances = [one["distance"] for one in found["columns"]]
    assert distances == sorted(distances, reverse=True)
    page = (folder / "compared-1.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;Rows&lt;/b&gt;" in page
    assert "<b>Rows</b>" not in page


def test_a_question_with_conditions_is_compared_with_rows_that_satisfy_them(folder):
    assert compare(folder, 2, where=["x > 50"], held_out={"share": 0.2, "seed": 0})[-1] == {"done": True}
    train, test = divide_rows(pd.read_csv(folder / "data-1.csv"), {"share": 0.2, "seed": 0})
    sizes = answer(folder, 2)["n_rows"]
    assert (sizes["train"], sizes["test"]) == ((train.x > 50).sum(), (test.x > 50).sum())


def test_rows_that_the_model_has_seen_are_named_as_such(folder):
    assert compare(folder, 1)[-1] == {"done": True}
    found = answer(folder, 1)
    assert found["was_trained_on"]
    assert any("cannot distinguish generalisation from copying" in text for text in found["caveats"])


def test_too_few_real_rows_are_refused_in_words(folder):
    table = pd.read_csv(folder / "data-1.csv")
    limit = float(table.x.nlargest(40).iloc[-1])
    (folder / "compared-2.json").unlink(missing_ok=True)
    error = compare(folder, 2, where=[f"x >= {limit}"], held_out={"share": 0.2, "seed": 0})[-1]["error"]
    assert f"needs {LEAST_COMPARED}" in error
    assert "satisfy the conditions" in error
    assert not (folder / "compared-2.json").exists()
