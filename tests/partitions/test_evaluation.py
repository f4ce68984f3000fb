"""Scores of sources: the same as in memory where all rows are sampled, and exact where all rows are counted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, datasets, metrics
from janus_synth.partitions.evaluation import evaluate_sources

ROWS = datasets.hiring(1_500, random_state=0)
TRAIN, TEST = ROWS[:600].reset_index(drop=True), ROWS[600:1_100].reset_index(drop=True)
FIDELITY = ["ks", "total_variation", "exact_copies", "association_error"]


@pytest.fixture(scope="module")
def made():
    return Janus(random_state=0, n_trees=1).fit(TRAIN).sample(500, random_state=1)


@pytest.fixture
def folder(tmp_path, made):
    for name, rows in (("train", TRAIN), ("test", TEST), ("made", made)):
        (tmp_path / name).mkdir()
        for i, start in enumerate(range(0, len(rows), 200)):
            rows[start : start + 200].to_parquet(tmp_path / name / f"{i}.parquet", index=False)
    return tmp_path


def test_if_all_rows_are_sampled_scores_are_those_in_memory(folder, made):
    inside = metrics.evaluate(TRAIN, TEST, made, metrics=FIDELITY)
    streamed = metrics.evaluate(
        str(folder / "train" / "*.parquet"), folder / "test", str(folder / "made"), metrics=FIDELITY
    )
    assert streamed.n_rows == inside.n_rows
    assert streamed.sampled.slack == 0.0
    for name in FIDELITY:  # test and synthetic tables have equal numbers of rows
        assert streamed[name] == pytest.approx(inside[name]), name
    assert streamed.columns == pytest.approx(inside.columns)


def test_distances_and_copies_are_of_all_rows_although_scores_are_of_samples(folder, made):
    copies = pd.concat([TRAIN[:250], made[:250]], ignore_index=True)
    report = evaluate_sources(folder / "train", TEST, copies, metrics=FIDELITY, sample_rows=100)
    assert report.sampled.rows == {"train": 100, "test": 100, "synthetic": 100}
    assert report.sampled.exact == ("ks", "total_variation", "exact_copies")
    assert report.n_rows == {"train": 600, "test": 500, "synthetic": 500}
    inside = metrics.evaluate(TRAIN, TEST, copies, metrics=FIDELITY)
    assert report["total_variation"] == pytest.approx(inside["total_variation"])
    assert inside["ks"] - report.sampled.slack <= report["ks"] <= inside["ks"] + 1e-12
    # Half of the rows are copies: a hundred sampled rows show it to four standard errors (0.2), however small the
    # sample of the training rows is.
    assert abs(report["exact_copies"] - 0.5) < 0.2


def test_the_answer_says_what_was_sampled(folder, made):
    report = evaluate_sources(folder / "train", TEST, made, metrics=["ks"], sample_rows=100)
    assert "random samples of 100 train, 100 test, 100 synthetic rows; from all rows: ks" in str(report)
    assert report.to_dict()["sampled"]["rows"]["train"] == 100
    assert "sampled" not in metrics.evaluate(TRAIN, TEST, made, metrics=["ks"]).to_dict()


def test_without_references_there_are_none(folder, made):
    report = evaluate_sources(folder / "train", TEST, made, metrics=["ks"], reference=False)
    assert np.isnan(report.scores["ks"].reference)


def test_lazy_frames_and_datasets_are_sources_too(folder, made):
    polars = pytest.importorskip("polars")
    dataset = pytest.importorskip("pyarrow.dataset")
    report = metrics.evaluate(
        polars.scan_parquet(str(folder / "train" / "*.parquet")),
        dataset.dataset(folder / "test"),
        made,
        metrics=["total_variation"],
    )
    expected = metrics.evaluate(TRAIN, TEST, made, metrics=["total_variation"])
    assert report["total_variation"] == pytest.approx(expected["total_variation"])
