"""Columns as they come in CSV files are read as a person would read them, or reported, and written in the same form."""

from __future__ import annotations

import csv
import datetime as dt
import re

import numpy as np
import pytest

from janus_synth import Janus
from janus_synth.alerts import find_alerts
from janus_synth.table import read_table, write_table
from janus_synth.table.files import read_frame, write_frames
from table.files.awkward_columns import awkward_columns
from table.files.foreign_columns import foreign_columns
from table.files.local_columns import local_columns
from table.files.messy_columns import N_ROWS, messy_columns
from table.files.varied_columns import varied_columns

COLUMNS = [*messy_columns(), *foreign_columns(), *awkward_columns(), *varied_columns(), *local_columns()]
BY_NAME = {column.name: column for column in COLUMNS}


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    path = tmp_path_factory.mktemp("messy") / "messy.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(BY_NAME)
        writer.writerows(zip(*(column.texts for column in COLUMNS), strict=True))
    frame = read_frame(path)
    table = read_table(frame)
    return frame, table, find_alerts(frame, table)


@pytest.fixture(scope="module")
def generated(read, tmp_path_factory):
    """Texts of generated rows, by column."""
    frame, _, _ = read
    path = tmp_path_factory.mktemp("generated") / "rows.csv"
    model = Janus(n_trees=1, structure=[], links="off", random_state=0, silence="all").fit(frame)
    write_frames([model.sample(200, random_state=1)], path, schema=model.schema_)
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in BY_NAME}


def test_there_are_enough_columns_of_enough_kinds():
    assert len(COLUMNS) >= 200
    assert len({column.family for column in COLUMNS}) >= 100
    assert len(BY_NAME) == len(COLUMNS)
    assert all(len(column.texts) == N_ROWS for column in COLUMNS)


@pytest.mark.parametrize("name", BY_NAME)
def test_a_column_is_read_as_a_person_would_or_reported(read, name):
    _, table, alerts = read
    column, found = BY_NAME[name], {alert.kind for alert in alerts if alert.column == name}
    if column.alert:
        assert column.alert in found
    if column.alert not in ("date-text", "number-text", "nested-text"):
        assert table.schema[name].kind == column.kind


@pytest.mark.parametrize("name", [c.name for c in COLUMNS if c.kind in ("numeric", "datetime") and c.value])
def test_values_are_those_that_a_person_reads(read, name):
    _, table, _ = read
    column = BY_NAME[name]
    shown = [text for text in column.texts if re.search(r"\d", text)]
    cells = table[name][~table.missing(name)]
    wanted = [_physical(column.value(text)) for text in shown]
    np.testing.assert_allclose(cells, np.array(wanted) - (7200e6 if name == "stamp_zone" else 0), rtol=1e-12, atol=1e-9)


def _physical(value):
    if isinstance(value, dt.datetime):
        start = dt.datetime(1900, 1, 1) if value.year == 1900 else dt.datetime(1970, 1, 1)
        return (value.replace(tzinfo=None) - start) / dt.timedelta(microseconds=1)
    return value


@pytest.mark.parametrize("name", BY_NAME)
def test_generated_texts_have_the_form_of_the_file(generated, name):
    column = BY_NAME[name]
    for text in generated[name]:
        assert re.fullmatch(column.form, text), text
        if column.value is not None and re.search(r"\d", text):
            column.value(text)  # raises an error if it is no value


@pytest.mark.parametrize("name", [c.name for c in COLUMNS if c.family == "marked gaps"])
def test_missing_cells_are_missing_and_marked_again(read, generated, name):
    _, table, _ = read
    marker = next(text for text in BY_NAME[name].texts if text in ("?", "NA", "N/A", "-", "null", ""))
    assert table.missing(name).sum() == BY_NAME[name].texts.count(marker) > 0
    assert marker in generated[name]


def test_the_texts_of_the_file_come_back_from_its_own_table(read, tmp_path):
    _, table, _ = read
    path = tmp_path / "back.csv"
    write_frames([write_table(table)], path, schema=table.schema)
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    for column in COLUMNS:
        if table.schema[column.name].is_learnt and column.name != "some_grouped":  # all are grouped then
            assert [row[column.name] for row in rows] == column.texts, column.name
