"""Files without a header, or with several, are reported."""

from __future__ import annotations

import pytest

from janus_synth.alerts import find_alerts
from janus_synth.table import read_table
from janus_synth.table.files import read_frame

ROWS = [f"{i % 28 + 1:02d}.03.2024;{i % 7};{'ab'[i % 2]};{i / 8}" for i in range(200)]


def kinds(path, lines):
    path.write_text("\n".join(lines), encoding="utf-8")
    frame = read_frame(path)
    return {alert.kind for alert in find_alerts(frame, read_table(frame)) if alert.column is None}


@pytest.mark.parametrize("again", [1, 3])
def test_a_header_among_the_rows_is_reported(tmp_path, again):
    lines = ["day;n;side;x", *ROWS, *["day;n;side;x"] * again]
    assert "repeated-header" in kinds(tmp_path / "a.csv", lines)


def test_a_file_without_header_is_reported(tmp_path):
    assert kinds(tmp_path / "a.csv", ROWS) == {"no-header"}
    assert kinds(tmp_path / "b.csv", [row.split(";", 1)[1] for row in ROWS]) == {"no-header"}


@pytest.mark.parametrize("header", ["day;n;side;x", "day;2023;2024;2025", "day;n;a;b"])
def test_a_usual_header_is_not(tmp_path, header):
    assert kinds(tmp_path / "a.csv", [header, *ROWS]) == set()


def test_numbered_columns_are_not(tmp_path):
    assert kinds(tmp_path / "a.csv", ["0,1,2", *(f"{i % 9},{i % 5},{i / 7:.3f}" for i in range(200))]) == set()
