from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.table.files import as_kind, read_frame

pytestmark = pytest.mark.usefixtures("no_part_files")


def test_predictions_are_those_of_python(janus):
    result = janus("predict", "people.janus", "held-out.csv", "--target", "hired", "-o", "guesses.csv")
    assert result.stdout.startswith("160 rows in guesses.csv (")
    guesses, rows = pd.read_csv("guesses.csv"), read_frame("held-out.csv")
    expected = Janus.load("people.janus").predict(rows, "hired")
    assert list(guesses) == ["predicted hired"]
    assert guesses["predicted hired"].tolist() == expected.tolist()


def test_the_target_in_the_rows_is_not_used(janus, desk):
    rows = pd.read_csv("held-out.csv")
    rows.assign(age=99).to_csv("other.csv", index=False)
    rows.drop(columns="age").to_csv("without.csv", index=False)
    found = [janus("predict", "people.janus", name, "--target", "age").stdout for name in
             ("held-out.csv", "other.csv", "without.csv")]  # fmt: skip
    assert found[0] == found[1] == found[2]


def test_probabilities_and_uncertainty_come_beside_and_rows_may_be_kept(janus):
    options = ("--probabilities", "--uncertainty", "--keep")
    text = janus("predict", "people.janus", "held-out.csv", "--target", "hired", *options).stdout
    found, rows = pd.read_csv(io.StringIO(text)), pd.read_csv("held-out.csv")
    pd.testing.assert_frame_equal(found[rows.columns], rows)
    assert list(found.columns[len(rows.columns) :]) == [
        "predicted hired", "P(hired = False)", "P(hired = True)",
        "total hired", "aleatoric hired", "epistemic hired", "support hired",
    ]  # fmt: skip
    np.testing.assert_allclose(found["P(hired = False)"] + found["P(hired = True)"], 1)
    assert ((found["P(hired = True)"] > 0.5) == found["predicted hired"]).all()
    np.testing.assert_allclose(found["aleatoric hired"] + found["epistemic hired"], found["total hired"], atol=1e-9)


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
@pytest.mark.parametrize("target", ["sex", "start_date", "offered_salary"])
def test_models_of_other_frames_predict_the_same(janus, kind, target):
    pytest.importorskip(kind)
    model = Janus(n_trees=2, random_state=0, n_jobs=2, keep_rare=True)  # the settings of people.janus
    model.fit(as_kind(read_frame("people.csv"), kind)).save("other.janus")
    found = [janus("predict", model, "held-out.csv", "--target", target, "--probabilities").stdout
             for model in ("people.janus", "other.janus")]  # fmt: skip
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["people.janus", "held-out.csv"], 2, "--target"),
        (["people.janus", "held-out.csv", "--target", "hire"], 1, "Did you mean 'hired'"),
        (["people.janus", "held-out.csv", "--target", "applicant_id"], 1, "is an identifier"),
        (["people.janus", "held-out.csv", "--target", "hired", "-o", "held-out.csv"], 1, "would be overwritten"),
        (["people.janus", "few.csv", "--target", "hired"], 1, "janus complete"),
    ],
)
def test_wrong_requests_are_told(janus, desk, args, code, message):
    (desk / "few.csv").write_text("bonus,start_date\n1,2024-01-01\n")
    assert message in " ".join(janus("predict", *args, fails=code).stderr.split())
