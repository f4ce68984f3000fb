"""The measurement of large tables runs through, step by step, on a small table."""

from __future__ import annotations

import pytest

from janus_bench.scalability import large


@pytest.mark.slow
def test_every_step_runs_in_a_process_of_its_own(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("JANUS_DATA", raising=False)
    large.main(20_000)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert len(lines) == 9
    assert "| write | 20,000 |" in "\n".join(lines)


def test_names_are_quoted_for_sql():
    assert large._quoted('a "b"') == '"a ""b"""'
