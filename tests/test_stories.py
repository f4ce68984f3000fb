"""Notebooks: their cells run from top to bottom, and the outputs they keep are small and free of errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

STORIES = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
MOST_BYTES = 20_000


def code_cells(story: Path) -> list[dict]:
    """Cells with code, in order."""
    return [cell for cell in json.loads(story.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]


def test_there_are_five():
    assert len(STORIES) == 5


@pytest.mark.parametrize(
    "story",
    [story if i == 0 else pytest.param(story, marks=pytest.mark.slow) for i, story in enumerate(STORIES)],
    ids=lambda story: story.stem,
)
def test_a_story_runs(story, tmp_path, monkeypatch):
    """A story asserts what it claims in its last cell."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for cell in code_cells(story):
        exec(compile("".join(cell["source"]), story.name, "exec"), names)
    assert "assert " in "".join(code_cells(story)[-1]["source"])


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.stem)
def test_outputs_are_kept_and_light(story):
    kinds = [output["output_type"] for cell in code_cells(story) for output in cell["outputs"]]
    assert len(kinds) >= 2
    assert "error" not in kinds
    assert story.stat().st_size <= MOST_BYTES
