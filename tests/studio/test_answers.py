"""Answers as the page gets them, compared with those of the library."""

from __future__ import annotations

import json
import shlex

import pytest

from janus_synth import Janus, datasets, discover
from janus_synth.profile import profile_frame
from janus_synth.studio import answers
from janus_synth.table import read_table


@pytest.fixture(scope="module")
def model(model_file):
    return Janus.load(model_file)


def test_the_overview_holds_every_column_alert_and_relation():
    frame = datasets.hiring(300, random_state=0).assign(eu=1)
    found = profile_frame(frame)
    overview = answers.describe_data(found, read_table(frame).schema, discover(frame))
    assert json.loads(json.dumps(overview)) == overview
    assert [column["name"] for column in overview["columns"]] == list(frame.columns)
    (eu,) = [column for column in overview["columns"] if column["name"] == "eu"]
    assert eu["alerts"]
    (sex,) = [column for column in overview["columns"] if column["name"] == "sex"]
    assert sum(sex["counts"]) == len(frame)
    assert {one["rule"] for one in overview["relations"] if one["rule"]} == set(discover(frame).rules)


def test_a_model_is_described_with_names_as_rules_write_them(model):
    found = answers.describe_model(model)
    assert json.loads(json.dumps(found)) == found
    (sex,) = [column for column in found["columns"] if column["name"] == "sex"]
    assert sex["levels"] == ["'female'", "'male'"]
    assert {tuple(edge) for edge in found["edges"]} == set(model.dag_.edges)
    by_name = {column["name"]: column for column in found["columns"]}
    assert not by_name["applicant_id"]["learnt"]
    assert by_name["age"]["step"] == 1
    assert by_name["age"]["low"] == model.schema_["age"].low
    assert by_name["start_date"]["low"].startswith("20")
    assert "low" not in by_name["sex"]
    assert found["given"] is False


def test_an_explanation_is_that_of_the_model(model):
    found = answers.explain(model, "hired")
    assert found["n_trees"] == 2
    assert found["rules"][0]["outcome"] in str(model.explain("hired"))


def test_a_possible_request_is_possible(model):
    assert answers.verdict(model, ["age > 40", "sex == 'male'"])["verdict"] == "possible"
    assert answers.verdict(model, [])["verdict"] == "possible"


def test_an_impossible_request_names_the_conditions_that_clash(model):
    found = answers.verdict(model, ["sex == 'male'", "age > 40", "age < 30"])
    assert found["verdict"] == "impossible"
    assert [one["rule"] for one in found["conflict"]] == ["age > 40", "age < 30"]
    assert not any(one["of_model"] for one in found["conflict"])


@pytest.mark.parametrize(
    ("where", "line", "position"),
    [
        (["age > 40", "agee > 3"], 1, 0),
        (["age > 40", "hired and wrong > 3"], 1, 10),
        (["age > (3"], 0, 6),
        (["age > 40", "hired and age @ 2 > 3"], 1, 10),
    ],
)
def test_an_unreadable_condition_is_pointed_at(model, where, line, position):
    found = answers.verdict(model, where)
    assert found["verdict"] == "unreadable"
    assert (found["line"], found["position"]) == (line, position)
    assert found["problem"]


def test_rarity_is_the_probability_of_the_model(model):
    found = answers.rarity(model, ["age > 40"], max_seconds=5)
    assert found["low"] <= found["value"] <= found["high"]
    assert found["value"] == model.probability(["age > 40"], max_seconds=5).value
    assert answers.rarity(model, ["age > 40", "age < 30"], max_seconds=1)["value"] == 0


def test_the_first_rows_are_shown_with_the_support_of_their_cells(model):
    frame = model.sample(250, random_state=0)
    found = answers.show_rows(frame)
    support = {column.name: answers.show_support(model, frame, column.name) for column in model.schema_.learnt}
    assert json.loads(json.dumps([found, support])) == [found, support]
    assert len(found["rows"]) == answers.MOST_SHOWN
    assert [row[found["columns"].index("age")] for row in found["rows"]] == frame["age"].head(200).tolist()
    assert all(0 <= x <= 1 for column in support.values() for x in column)
    assert support["age"] == pytest.approx(model.uncertainty(frame.head(200))["age"]["support"].tolist(), abs=5e-4)


def test_lines_to_repeat_a_request_survive_quotes(model, tmp_path):
    where = ["sex == 'male'", 'department != "it\'s; $(x)"']
    lines = answers.repeat_lines({"n": 7, "where": where, "seed": 3}, "model.janus")
    words = shlex.split(lines["shell"])
    assert [words[i + 1] for i, word in enumerate(words) if word == "--where"] == where
    assert eval(lines["python"], {"Janus": Recorder}) == (7, where, 3)


class Recorder:
    @classmethod
    def load(cls, path):
        assert path == "model.janus"
        return cls()

    def sample(self, n, *, where, random_state):
        return n, where, random_state
