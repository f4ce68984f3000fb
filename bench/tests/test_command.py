"""``janus bench`` as a command of janus, and what its import costs."""

from __future__ import annotations

import subprocess
import sys

from typer.testing import CliRunner

from janus_bench.catalog import with_command
from janus_synth.cli import app

HEAVY = ("numpy", "pandas", "pyarrow", "scipy", "sklearn", "altair", "torch")


def test_janus_lists_and_runs_the_benchmarks():
    run = CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"}).invoke
    assert "Benchmarks of JANUS" in run(app, ["--help"]).output
    listed = run(app, ["bench", "--help"])
    assert listed.exit_code == 0
    assert all(benchmark.name in listed.output for benchmark in with_command())
    assert run(app, ["bench", "show", "no-such-file.json"]).exit_code == 1


def test_listing_the_benchmarks_imports_nothing_heavy():
    code = f"import sys, janus_bench.cli; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
