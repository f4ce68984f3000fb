from __future__ import annotations

import pytest

from janus_synth import Janus
from janus_synth.table.files import read_frame

pytestmark = pytest.mark.usefixtures("no_part_files")


def test_the_oddest_rows_are_listed_with_what_makes_them_odd(janus):
    rows = read_frame("held-out.csv")
    rows.loc[12, ["age", "experience", "bonus"]] = [98, 77, 987_654.0]
    rows.to_csv("strange.csv", index=False)
    lines = janus("anomalies", "people.janus", "strange.csv", "-n", 4).stdout.splitlines()
    assert lines[0].split() == ["row", "score", "mainly", "from"]
    assert len(lines) == 5
    assert any(line.split()[0] == "12" and "bonus = 987654.0 (+" in line for line in lines[1:])
    janus("anomalies", "people.janus", "strange.csv", "-n", 4, "-o", "odd.csv")
    odd = read_frame("odd.csv")
    assert list(odd.columns) == ["row", "score", "columns"]
    scores = Janus.load("people.janus").anomaly_score(rows)
    assert odd["score"].tolist() == pytest.approx(sorted(scores)[::-1][:4])
    assert odd["score"].tolist() == pytest.approx(scores[odd["row"]].tolist())
    assert [line.split()[0] for line in lines[1:]] == odd["row"].astype(str).tolist()


def test_no_more_rows_are_odd_than_there_are(janus):
    assert len(janus("anomalies", "people.janus", "held-out.csv", "-n", 1000).stdout.splitlines()) == 161
    assert janus("anomalies", "people.janus", "held-out.csv", "-q").stdout == ""
