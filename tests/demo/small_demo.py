"""A small demo, run once: what it wrote and printed, and the results that it showed."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from rich.console import Console

from janus_synth.demo import results as results_module
from janus_synth.demo import run_demo
from janus_synth.demo.results import Results


class Demo:
    """A demo with 300 rows in a folder: its page, and the text on the console."""

    def __init__(self, folder: Path) -> None:
        text = io.StringIO()
        self.page = run_demo(folder, n_rows=300, random_state=1, console=Console(file=text, width=100))
        self.printed = text.getvalue()
        self.html = self.page.read_text(encoding="utf-8")


@cache
def small_run() -> tuple[Demo, Results, TemporaryDirectory]:
    """A demo, all that its sections show, and its folder, which is there as long as this process."""
    folder, kept, compute = TemporaryDirectory(), [], results_module.compute_results

    def keep(*args: object, **options: object) -> Results:
        kept.append(compute(*args, **options))
        return kept[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(results_module, "compute_results", keep)
        patch.setattr("janus_synth.demo.causal.N_SPLITS", 2)  # audits take half of the time
        demo = Demo(Path(folder.name) / "made" / "here")
    return demo, kept[-1], folder


def small_results() -> Results:
    """All that the sections of the demo show."""
    return small_run()[1]
