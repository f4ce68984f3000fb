from __future__ import annotations

import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.table.files import as_kind, read_frame

pytestmark = pytest.mark.usefixtures("no_part_files")


def test_rows_are_added_as_in_python(janus):
    result = janus("update", "people.janus", "held-out.csv", "-o", "larger.janus")
    assert result.stdout == "160 rows added, 460 rows in larger.janus\n"
    expected = Janus.load("people.janus").update(read_frame("held-out.csv"))
    found = Janus.load("larger.janus")
    assert found.n_rows_ == expected.n_rows_ == 460
    assert found.sample(20, random_state=1).equals(expected.sample(20, random_state=1))
    assert Janus.load("people.janus").n_rows_ == 300  # the model that was read stays


def test_a_model_may_replace_itself_and_forget(janus):
    janus("update", "people.janus", "held-out.csv", "-o", "people.janus", "--forget", "-q")
    assert Janus.load("people.janus").n_rows_ == 160


def test_rows_may_come_through_a_pipe(janus, desk):
    assert (
        janus("update", "people.janus", "-", "-o", "a.janus", "-q", input=(desk / "held-out.csv").read_bytes()).stdout
        == ""
    )
    assert Janus.load("a.janus").n_rows_ == 460


def test_models_of_other_frames_are_updated_too(janus):
    pytest.importorskip("polars")
    Janus(n_trees=1, random_state=0).fit(as_kind(read_frame("people.csv"), "polars")).save("other.janus")
    janus("update", "other.janus", "held-out.csv", "-o", "other.janus", "-q")
    assert Janus.load("other.janus").n_rows_ == 460


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["people.janus", "held-out.csv"], 2, "--out"),
        (["people.janus", "held-out.csv", "-o", "-"], 2, "a model goes to a file"),
        (["people.janus", "held-out.csv", "-o", "held-out.csv"], 1, "would be overwritten"),
        (["people.janus", "no.csv", "-o", "a.janus"], 1, "there is no file no.csv"),
        (["no.janus", "held-out.csv", "-o", "a.janus"], 1, "there is no file no.janus"),
        (["people.janus", "edges.csv", "-o", "a.janus"], 1, "required but missing"),
    ],
)
def test_wrong_requests_are_told(janus, desk, args, code, message):
    (desk / "edges.csv").write_text("a,b\n1,2\n")
    assert message in " ".join(janus("update", *args, fails=code).stderr.split())
    assert not (desk / "a.janus").exists()


def test_a_folder_is_counted_file_by_file(janus, desk):
    rows = pd.read_csv(desk / "people.csv")
    (desk / "parts").mkdir()
    for i in range(2):
        rows[i::2].to_csv(desk / "parts" / f"{i}.csv", index=False)
    janus("update", "people.janus", "parts/*.csv", "-o", "larger.janus", "-q")
    assert Janus.load("larger.janus").n_rows_ == Janus.load("people.janus").n_rows_ + len(rows)
