from __future__ import annotations

import io
import os
import shutil
from types import SimpleNamespace

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from janus_synth import Janus, holds
from janus_synth.table.files import read_frame

ENDINGS = ["csv", "csv.gz", "tsv", "parquet", "arrow", "feather"]
RULES = ["experience <= age - 18", "implies(not hired, offered_salary is null)"]
pytestmark = pytest.mark.usefixtures("no_part_files")


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr("janus_synth.cli.sample.BATCH_ROWS", 4096)


@pytest.mark.parametrize("ending", ENDINGS)
def test_rows_come_back_in_the_dtypes_of_the_table(janus, ending):
    janus("sample", "people.janus", "-n", 150, "-o", f"out.{ending}", "--seed", 1)
    learnt, out = read_frame("people.csv"), read_frame(f"out.{ending}")
    assert out.dtypes.to_dict() == learnt.dtypes.to_dict()
    pd.testing.assert_frame_equal(out, Janus.load("people.janus").sample(150, random_state=1))


@pytest.mark.parametrize("ending", ENDINGS)
def test_pieces_make_the_same_file_as_one_piece(janus, small_batches, monkeypatch, ending):
    janus("sample", "people.janus", "-n", 9000, "-o", f"pieces.{ending}", "--seed", 1)
    monkeypatch.setattr("janus_synth.cli.sample.BATCH_ROWS", 1 << 20)
    janus("sample", "people.janus", "-n", 9000, "-o", f"one.{ending}", "--seed", 1)
    pieces, one = read_frame(f"pieces.{ending}"), read_frame(f"one.{ending}")
    assert len(pieces) == 9000
    pd.testing.assert_frame_equal(pieces, one)


@pytest.mark.parametrize("ending", ENDINGS)
def test_same_seed_same_bytes(janus, desk, ending):
    janus("sample", "people.janus", "-n", 60, "-o", f"a.{ending}", "--seed", 5, "--jobs", 1)
    janus("sample", "people.janus", "-n", 60, "-o", f"b.{ending}", "--seed", 5, "--jobs", 2)
    janus("sample", "people.janus", "-n", 60, "-o", f"c.{ending}", "--seed", 6)
    a, b, c = ((desk / f"{name}.{ending}").read_bytes() for name in "abc")
    assert a == b != c


@pytest.mark.parametrize("ending", ENDINGS)
def test_no_rows_still_have_columns(janus, ending):
    janus("sample", "people.janus", "-n", 0, "-o", f"out.{ending}")
    out = read_frame(f"out.{ending}")
    assert out.shape == (0, 9)
    assert list(out.columns) == list(read_frame("people.csv").columns)


def test_standard_output_is_clean_csv(janus):
    result = janus("sample", "people.janus", "-n", 7, "--seed", 1)
    assert result.stderr == ""
    assert result.stdout == janus("sample", "people.janus", "-n", 7, "--seed", 1, "-o", "-").stdout
    lines = result.stdout.splitlines()
    assert lines[0] == "applicant_id,age,sex,experience,remote,hired,offered_salary,bonus,start_date"
    assert len(lines) == 8
    assert '"' not in result.stdout


def test_standard_output_takes_other_formats(janus):
    packed = janus("sample", "people.janus", "-n", 7, "--seed", 1, "--format", "parquet").stdout_bytes
    arrow = janus("sample", "people.janus", "-n", 7, "--seed", 1, "--format", "arrow").stdout_bytes
    assert pq.read_table(io.BytesIO(packed)).equals(pa.ipc.open_file(arrow).read_all())
    tabs = janus("sample", "people.janus", "-n", 7, "--seed", 1, "--format", "tsv").stdout
    assert tabs == janus("sample", "people.janus", "-n", 7, "--seed", 1).stdout.replace(",", "\t")


def test_format_wins_over_the_ending(janus, desk):
    janus("sample", "people.janus", "-n", 5, "-o", "rows.data", "--format", "parquet")
    assert pq.read_table(desk / "rows.data").num_rows == 5


def test_a_file_is_announced_unless_quiet(janus):
    assert janus("sample", "people.janus", "-n", 1, "-o", "out.csv").stdout.startswith("1 row in out.csv (")
    assert janus("sample", "people.janus", "-n", 1, "-o", "out.csv", "-q").output == ""


def test_a_model_with_a_seed_repeats_itself_and_says_so(janus):
    assert janus("sample", "people.janus", "-n", 9).stdout == janus("sample", "people.janus", "-n", 9).stdout
    assert "same rows each time" in " ".join(janus("sample", "--help").output.split())


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), ValueError("mid-way"), KeyboardInterrupt()])
@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "arrow"])
def test_an_interrupted_write_leaves_nothing(janus, desk, monkeypatch, ending, error):
    whole = Janus.sample_batches

    def broken(self, n, **options):
        yield from whole(self, 50, **options)
        raise error

    monkeypatch.setattr(Janus, "sample_batches", broken)
    before = sorted(os.listdir())
    code = 130 if isinstance(error, KeyboardInterrupt) else 1
    result = janus("sample", "people.janus", "-n", 100, "-o", f"out.{ending}", fails=code)
    assert sorted(os.listdir()) == before
    assert len(result.stderr.splitlines()) == 1
    (desk / f"out.{ending}").write_text("the old one")
    janus("sample", "people.janus", "-n", 100, "-o", f"out.{ending}", fails=code)
    assert (desk / f"out.{ending}").read_text() == "the old one"


def test_an_existing_file_is_replaced(janus, desk):
    (desk / "out.csv").write_text("the old one")
    janus("sample", "people.janus", "-n", 3, "-o", "out.csv")
    assert len(read_frame("out.csv")) == 3


def test_devices_are_written_and_stay_devices(janus):
    janus("sample", "people.janus", "-n", 3, "-o", "/dev/null", "--format", "csv")
    assert not os.path.isfile("/dev/null")


def test_binary_rows_are_kept_from_a_terminal(janus, monkeypatch):
    terminal = SimpleNamespace(stdout=SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("janus_synth.cli.output.sys", terminal)
    assert "is a binary format" in janus("sample", "people.janus", "-n", 3, "--format", "arrow", fails=2).stderr
    assert "is a binary format" in janus("complete", "people.janus", "partial.csv", "--format", "arrow", fails=2).stderr


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["no.janus"], 1, "there is no file no.janus"),
        (["people.csv"], 1, "is not a JANUS model"),
        (["people.janus", "-n", "-1"], 2, "--rows"),
        (["people.janus", "-n", "many"], 2, "--rows"),
        (["people.janus", "--seed", "-1"], 2, "--seed"),
        (["people.janus", "-o", "rows.xlsx"], 1, "names no table format"),
        (["people.janus", "-o", "rows.parquet.gz"], 1, "Drop '.gz'"),
        (["people.janus", "-o", "no/rows.csv"], 1, "the folder no does not exist"),
        (["people.janus", "-o", "people.csv/rows.csv"], 1, "is a file, not a folder"),
        (["people.janus", "-o", "people.janus", "--format", "csv"], 1, "would be overwritten"),
    ],
)
def test_wrong_requests_are_told(janus, args, code, message):
    assert message in " ".join(janus("sample", *args, fails=code).stderr.split())


def test_a_folder_without_permission_is_told(janus, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert "no permission to write in ." in janus("sample", "people.janus", "-o", "rows.csv", fails=1).stderr


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_every_row_meets_the_conditions_and_keeps_the_rules(janus, ending):
    where = ["18 <= age < 30", "sex == 'female' or bonus > 0"]
    janus(
        "sample", "ruled.janus", "-n", 500, "-o", f"out.{ending}", "--seed", 1, "--where", where[0], "--rule", where[1]
    )
    rows = read_frame(f"out.{ending}")
    assert len(rows) == 500
    for rule in (*where, *RULES):
        assert holds(rule, rows).all()
    pd.testing.assert_frame_equal(rows, Janus.load("ruled.janus").sample(500, where=where, random_state=1))


def test_a_model_keeps_its_rules_without_being_asked(janus):
    janus("sample", "ruled.janus", "-n", 400, "-o", "out.csv", "--seed", 1)
    rows = read_frame("out.csv")
    assert all(holds(rule, rows).all() for rule in RULES)


def test_pieces_of_conditioned_rows_make_the_same_file(janus, desk, monkeypatch):
    for name, size in (("pieces.csv", 4096), ("one.csv", 1 << 20)):
        monkeypatch.setattr("janus_synth.cli.sample.BATCH_ROWS", size)
        janus("sample", "people.janus", "-n", 6000, "-o", name, "--seed", 3, "--where", "age < 30")
    assert (desk / "pieces.csv").read_bytes() == (desk / "one.csv").read_bytes()


def test_greedy_meets_conditions_on_single_columns_in_rows_of_its_own(janus):
    asked = ("sample", "people.janus", "-n", 200, "--seed", 1, "--where", "age < 30")
    janus(*asked, "-o", "greedy.csv", "--method", "greedy")
    janus(*asked, "-o", "exact.csv")
    greedy, exact = read_frame("greedy.csv"), read_frame("exact.csv")
    assert (greedy["age"] < 30).all()
    assert not greedy.equals(exact)
    assert "--method" in janus(*asked, "--method", "wishful", fails=2).stderr


def test_a_refused_request_leaves_the_file_before(janus, desk):
    shutil.copy(desk / "rows.csv", desk / "out.csv")
    janus("sample", "people.janus", "-n", 3, "-o", "out.csv", "--where", "age < 0", fails=1)
    assert (desk / "out.csv").read_bytes() == (desk / "rows.csv").read_bytes()


def test_rows_go_to_a_folder_in_files_and_a_repeated_command_goes_on(janus, desk):
    janus("sample", "people.janus", "-n", "1e4", "-o", "rows/", "--piece-rows", 4096, "--seed", 7)
    files = sorted(path.name for path in (desk / "rows").glob("*.parquet"))
    assert files == [f"part-0000000{i}.parquet" for i in range(3)]
    kept = (desk / "rows" / files[0]).stat().st_mtime_ns
    (desk / "rows" / files[1]).unlink()
    out = janus("sample", "people.janus", "-n", 10_000, "-o", "rows", "--piece-rows", 4096, "--seed", 7).output
    assert "10,000 rows in 3 files" in out
    assert (desk / "rows" / files[1]).exists()
    assert (desk / "rows" / files[0]).stat().st_mtime_ns == kept
    assert "another request" in janus("sample", "people.janus", "-n", 9, "-o", "rows/", fails=1).output
    assert "cannot be used together" in janus("sample", "people.janus", "-o", "r/", "--balance", "sex", fails=2).output


@pytest.mark.parametrize("text", ["1.5", "-3", "many", "1e-3"])
def test_a_number_of_rows_must_be_whole(janus, text):
    assert "is not a number of rows" in " ".join(janus("sample", "people.janus", "-n", text, fails=2).output.split())
