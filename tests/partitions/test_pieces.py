"""Pieces: complete, in order, never mixed with those of another request, and the same after any interruption."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from janus_synth import Janus, datasets
from janus_synth.errors import DataError
from janus_synth.partitions.executors import LocalExecutor
from janus_synth.partitions.pieces import REQUEST, open_pieces, write_pieces

WRITER = """
import sys
from janus_synth import Janus
model = Janus.load(sys.argv[1])
model.sample_to(sys.argv[2], 100 * 4096, piece_rows=4096, random_state=3)
"""


@pytest.fixture(scope="module")
def model():
    rows = datasets.hiring(300, random_state=0)[["age", "sex", "experience", "end_date", "applicant_id"]]
    return Janus(random_state=0, n_trees=1).fit(rows)


def opened(folder, n=10_000, **changes):
    return open_pieces(folder, n, **{"piece_rows": 4_096, "format": "csv", "request": {"seed": 1}, **changes})


def test_a_table_is_cut_into_whole_blocks(tmp_path):
    pieces = opened(tmp_path / "new", piece_rows=5_000)
    assert pieces.piece_rows == 8_192
    assert [pieces.rows_of(number) for number in pieces.numbers] == [(0, 8_192), (8_192, 1_808)]


def test_only_missing_pieces_are_written(tmp_path, model):
    drawn = []

    def draw(start, length):
        drawn.append(start)
        return model.sample(length, random_state=start)

    pieces = opened(tmp_path)
    list(write_pieces(pieces, draw, model.schema_, LocalExecutor(1)))
    assert sorted(drawn) == [0, 4_096, 8_192]
    pieces.path(1).unlink()
    (tmp_path / ".part-00000001.csv.x.part").write_text("half a piece")
    again = opened(tmp_path)
    assert sum(write_pieces(again, draw, model.schema_, LocalExecutor(1))) == 4_096
    assert drawn[3:] == [4_096]
    assert sorted(os.listdir(tmp_path)) == [REQUEST, *(f"part-0000000{i}.csv" for i in range(3))]


@pytest.mark.parametrize(
    "change", [{"request": {"seed": 2}}, {"n": 9_999}, {"format": "parquet"}, {"piece_rows": 9_000}]
)
def test_pieces_of_another_request_are_refused(tmp_path, change):
    opened(tmp_path)
    with pytest.raises(DataError, match="another request"):
        opened(tmp_path, **change)


def test_a_folder_with_other_files_and_an_unknown_format_are_refused(tmp_path):
    (tmp_path / "thesis.txt").write_text("do not touch")
    with pytest.raises(DataError, match=r"holds other files \(thesis\.txt\)"):
        opened(tmp_path)
    with pytest.raises(ValueError, match="no format 'xlsx'"):
        opened(tmp_path / "new", format="xlsx")


@pytest.mark.parametrize("format", ["parquet", "csv", "arrow"])
@pytest.mark.parametrize("where", [None, "age > 40"])
def test_the_pieces_are_the_rows_of_sample(tmp_path, model, format, where):
    paths = model.sample_to(tmp_path, 9_000, where=where, format=format, piece_rows=4_096, random_state=5)
    read = {
        "parquet": pd.read_parquet,
        "arrow": pd.read_feather,
        "csv": lambda p: pd.read_csv(p, parse_dates=["end_date"]),
    }
    rows = pd.concat([read[format](path) for path in paths], ignore_index=True)
    wanted = model.sample(9_000, where=where, random_state=5)
    pd.testing.assert_frame_equal(rows, wanted, check_dtype=format != "csv")


def test_sample_to_refuses_another_model_or_seed(tmp_path, model):
    model.sample_to(tmp_path, 100, random_state=5)
    model.sample_to(tmp_path, 100, random_state=5)
    with pytest.raises(DataError, match="seed differ"):
        model.sample_to(tmp_path, 100, random_state=6)
    other = Janus(random_state=1, n_trees=1).fit(datasets.hiring(200, random_state=1))
    with pytest.raises(DataError, match="model differ"):
        other.sample_to(tmp_path, 100, random_state=5)


def run_with_kills(folder, model_path, times: int, seed: int) -> int:
    """Start the writer, kill it after a random moment, and let the last one finish; returns how many were killed."""
    rng = random.Random(seed)
    killed = 0
    for _ in range(times):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, model_path, folder])
        began = time.monotonic()
        while not os.path.exists(os.path.join(folder, REQUEST)) and writer.poll() is None:
            time.sleep(0.005)
            assert time.monotonic() - began < 120
        time.sleep(rng.random() * 0.4)
        if writer.poll() is None:
            os.kill(writer.pid, signal.SIGKILL)
            killed += 1
        writer.wait()
    subprocess.run([sys.executable, "-c", WRITER, model_path, folder], check=True)
    return killed


def content(folder) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in sorted(os.listdir(folder))}


@pytest.mark.parametrize("times", [2, pytest.param(50, marks=pytest.mark.slow)])
def test_killed_writers_lose_and_double_nothing(tmp_path, model, times):
    path, steady, killed = tmp_path / "m.janus", tmp_path / "steady", tmp_path / "killed"
    model.save(path)
    run_with_kills(str(steady), str(path), 0, seed=0)
    assert run_with_kills(str(killed), str(path), times, seed=1) > 0
    assert content(killed) == content(steady)
    assert len(json.loads((killed / REQUEST).read_text())) == 6
    assert len(content(killed)) == 101


def test_a_file_in_the_place_of_the_folder_and_a_damaged_request_are_named(tmp_path):
    (tmp_path / "thesis").write_text("mine")
    with pytest.raises(OSError, match="cannot make the folder .*thesis: File exists"):
        opened(tmp_path / "thesis")
    opened(tmp_path / "pieces")
    (tmp_path / "pieces" / REQUEST).write_text('{"n": 10')
    with pytest.raises(DataError, match=r"_request\.json cannot be read"):
        opened(tmp_path / "pieces")
