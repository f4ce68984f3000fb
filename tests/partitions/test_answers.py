"""Answers per partition: those of the whole table, written once, the same after an interruption."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, datasets
from janus_synth.errors import DataError
from janus_synth.partitions.answers import seed_of_batch

ROWS = datasets.hiring(400, random_state=0)
PARTS = [ROWS[:150].reset_index(drop=True), ROWS[150:].reset_index(drop=True)]


@pytest.fixture(scope="module")
def model():
    return Janus(random_state=0, n_trees=2).fit(ROWS)


def answers(paths) -> pd.DataFrame:
    return pd.concat([pd.read_parquet(path) for path in paths], ignore_index=True)


@pytest.mark.parametrize("question", ["anomaly_score", "log_prob"])
def test_scores_are_those_of_the_whole_table(model, tmp_path, question):
    got = answers(model.apply_to(tmp_path, PARTS, question))
    np.testing.assert_allclose(got[question], getattr(model, question)(ROWS))


def test_uncertainties_are_those_of_the_whole_table(model, tmp_path):
    got = answers(model.apply_to(tmp_path, PARTS, "uncertainty"))
    pd.testing.assert_frame_equal(got, model.uncertainty(ROWS).by_row)


def test_cells_are_completed_and_present_ones_stay(model, tmp_path):
    gaps = [part.assign(age=part["age"].astype("Int64").where(part.index % 2 == 0)) for part in PARTS]
    got = answers(model.apply_to(tmp_path / "a", gaps, "complete", random_state=1))
    known = pd.concat(gaps, ignore_index=True)["age"].notna()
    assert got["age"].notna().all()
    assert (got["age"][known] == ROWS["age"][known]).all()
    again = answers(model.apply_to(tmp_path / "b", gaps, "complete", random_state=1))
    pd.testing.assert_frame_equal(got, again)


def test_a_stopped_run_goes_on_and_another_question_is_refused(model, tmp_path):
    first = model.apply_to(tmp_path, PARTS, "log_prob", random_state=1)
    kept = first[0].stat().st_mtime_ns
    first[1].unlink()
    again = model.apply_to(tmp_path, PARTS, "log_prob", random_state=1)
    assert again == first
    assert first[1].exists()
    assert first[0].stat().st_mtime_ns == kept
    with pytest.raises(DataError, match="another request: question differ"):
        model.apply_to(tmp_path, PARTS, "anomaly_score", random_state=1)
    with pytest.raises(ValueError, match="question"):
        model.apply_to(tmp_path / "new", PARTS, "sing")


def test_batches_have_seeds_of_their_own():
    assert len({seed_of_batch(7, part, batch) for part in range(20) for batch in range(20)}) == 400
    assert seed_of_batch(7, 1, 2) == seed_of_batch(7, 1, 2)
