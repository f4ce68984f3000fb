from __future__ import annotations

import os

import pandas as pd
import pytest

from janus_synth.table.files import read_frame
from janus_synth.table.split import split_frame


@pytest.mark.parametrize("name", ["people.csv", "people.parquet"])
def test_both_parts_are_beside_the_table(janus, desk, name):
    text = janus("split", name, "--test", 0.3, "--stratify", "hired", "--seed", 2).stdout
    stem, ending = os.path.splitext(name)
    assert text.startswith(f"210 rows in {stem}.train{ending} and 90 rows in {stem}.test{ending} (")
    expected = split_frame(read_frame(name), test=0.3, stratify="hired", random_state=2)
    for part, frame in zip(("train", "test"), expected, strict=True):
        pd.testing.assert_frame_equal(read_frame(f"{stem}.{part}{ending}"), frame.reset_index(drop=True))


def test_parts_go_to_a_folder(janus, desk):
    (desk / "parts").mkdir()
    assert janus("split", "people.csv", "-o", "parts", "-q").output == ""
    assert sorted(os.listdir("parts")) == ["people.test.csv", "people.train.csv"]


def test_parts_are_ready_to_evaluate(janus, desk):
    janus("split", "people.csv", "-q")
    assert "240 training and 60 held-out rows" in " ".join(
        janus("evaluate", "people.train.csv", "people.test.csv", "rows.csv", "--metrics", "ks").stdout.split()
    )


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["-"], 2, "give one instead of standard input"),
        (["no.csv"], 1, "there is no file no.csv"),
        (["people.csv", "-o", "no"], 2, "no is not a folder"),
        (["people.csv", "--test", "0.001"], 1, "leaves one part empty"),
        (["people.csv", "--test", "1.5"], 2, "--test"),
        (["people.csv", "--stratify", "hire"], 1, "Did you mean 'hired'"),
    ],
)
def test_wrong_requests_leave_no_file(janus, desk, args, code, message):
    before = sorted(os.listdir())
    assert message in " ".join(janus("split", *args, fails=code).stderr.split())
    assert sorted(os.listdir()) == before


def test_an_error_leaves_the_older_parts_as_they_were(janus, desk, monkeypatch):
    janus("split", "people.csv", "-q")
    before = {name: (desk / name).read_bytes() for name in ("people.train.csv", "people.test.csv")}
    from janus_synth.table import files

    write, calls = files.write_frame, []

    def fail_later(*args, **options):
        calls.append(args)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        write(*args, **options)

    monkeypatch.setattr(files, "write_frame", fail_later)
    assert "No space left" in janus("split", "people.csv", "--seed", 5, fails=1).stderr
    assert {name: (desk / name).read_bytes() for name in before} == before
    assert not [name for name in os.listdir() if name.startswith(".janus")]
