"""Loaded models: one question after another, loaded anew when the file changes."""

from __future__ import annotations

import asyncio
import os
import time

import pytest

pytest.importorskip("starlette")

from janus_synth import Janus, datasets
from janus_synth.errors import ModelFileError, NotFittedError
from janus_synth.studio.models import Lane


def ask(lane, question=lambda janus: janus.n_rows_, **options):
    return asyncio.run(lane.ask(question, **options))


def test_a_model_is_loaded_once_and_again_when_its_file_changes(tmp_path, model_file):
    path = tmp_path / "model.janus"
    path.write_bytes(model_file.read_bytes())
    lane = Lane(path)
    assert ask(lane, id) == ask(lane, id)
    assert ask(lane) == 400
    Janus(n_trees=1, random_state=0, n_jobs=1).fit(datasets.hiring(100, random_state=0)).save(path)
    os.utime(path, ns=(time.time_ns() + 10**9,) * 2)
    assert ask(lane) == 100


def test_without_a_file_the_page_is_told_what_to_do(tmp_path):
    with pytest.raises(NotFittedError, match="Learn the table first"):
        ask(Lane(tmp_path / "model.janus"))


def test_a_file_that_is_no_model_is_refused(tmp_path):
    (tmp_path / "model.janus").write_bytes(b"\x80\x04cos\nsystem\n")
    with pytest.raises(ModelFileError):
        ask(Lane(tmp_path / "model.janus"))


def test_a_question_nobody_waits_for_is_not_asked(model_file):
    async def gone():
        return True

    def fail(janus):
        raise AssertionError("asked all the same")

    assert ask(Lane(model_file), fail, gone=gone) is None


def test_questions_of_one_lane_do_not_overlap(model_file):
    running, most = [0], [0]

    def slow(janus):
        running[0] += 1
        most[0] = max(most[0], running[0])
        time.sleep(0.02)
        running[0] -= 1

    async def all_at_once():
        lane = Lane(model_file)
        await asyncio.gather(*(lane.ask(slow) for _ in range(5)))

    asyncio.run(all_at_once())
    assert most == [1]


def test_a_model_is_loaded_ahead_and_an_absent_one_is_no_error(tmp_path, model_file):
    lane, absent = Lane(model_file), Lane(tmp_path / "model.janus")
    asyncio.run(lane.load())
    asyncio.run(absent.load())
    assert lane._loaded is not None
    assert absent._loaded is None
