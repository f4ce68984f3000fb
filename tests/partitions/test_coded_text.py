"""Text of Parquet files as dictionaries: the same rows, samples and counts as with the texts themselves."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from janus_synth import Janus, datasets
from janus_synth.partitions.coded_text import are_mixed_text, coded_batches, concat_rows, with_plain_text
from janus_synth.partitions.counting import count_partition
from janus_synth.partitions.scan import scan_partition
from janus_synth.partitions.sources import FramePartition, partitions_of

TEXTS = ["a", "", None, "ß", "a", "b"] * 50
TABLE = pa.table(
    {
        "short": pa.array(TEXTS, pa.string()),
        "long": pa.array(TEXTS, pa.large_string()),
        "view.of text": pa.array(TEXTS, pa.string_view()),
        "category": pa.array(TEXTS).dictionary_encode(),
        "n": np.arange(300),
    }
)


@pytest.fixture
def partition(tmp_path):
    pq.write_table(TABLE, tmp_path / "a.parquet", row_group_size=70)
    ((_, (part,))) = partitions_of(tmp_path / "a.parquet")
    return part


def test_coded_batches_hold_the_same_rows(partition):
    coded = list(coded_batches(partition))
    assert all(pa.types.is_dictionary(batch[name].type) for batch in coded for name in ("short", "long", "category"))
    assert partition.schema.field("view.of text").type == pa.large_string()
    plain = [with_plain_text(batch, partition.schema) for batch in coded]
    assert plain[0].schema.field("long").type == pa.large_string()
    assert pa.types.is_dictionary(plain[0].schema.field("category").type)  # as its user wrote it
    texts, expected = pa.concat_tables(plain), pa.concat_tables(partition.batches())
    assert texts.to_pydict() == expected.to_pydict() == TABLE.to_pydict()


def test_a_column_of_another_type_than_the_common_one_is_read_as_text(tmp_path):
    pq.write_table(TABLE.select(["short"]), tmp_path / "a.parquet")
    pq.write_table(TABLE.select(["long"]).rename_columns(["short"]), tmp_path / "b.parquet")
    _, parts = partitions_of(str(tmp_path / "*.parquet"))
    found = [next(coded_batches(part))["short"] for part in parts]
    assert [pa.types.is_dictionary(column.type) for column in found] == [False, True]
    assert found[0].to_pylist() == found[1].cast(pa.string()).to_pylist() == TEXTS


def test_partition_columns_of_a_dataset_are_kept(tmp_path):
    table = TABLE.drop_columns(["view.of text"]).append_column("part", pa.array(["x", "y"] * 150))
    by_part = ds.partitioning(pa.schema({"part": pa.string()}), flavor="hive")
    ds.write_dataset(table, tmp_path, format="parquet", partitioning=by_part)
    data = ds.dataset(tmp_path, partitioning="hive")
    _, parts = partitions_of(data)
    rows = concat_rows([with_plain_text(batch, part.schema) for part in parts for batch in coded_batches(part)])
    assert sorted(rows["part"].to_pylist()) == ["x"] * 150 + ["y"] * 150


def test_samples_and_levels_are_those_of_texts(partition):
    coded = scan_partition(partition, 0, size=100, seed=0)
    table = TABLE.cast(partition.schema)
    plain = scan_partition(FramePartition("the same", table), 0, size=100, seed=0)
    assert coded.levels == plain.levels
    assert coded.levels["short"] == {"a", "", "ß", "b"}
    assert coded.sample.rows.schema.types == table.schema.types
    assert coded.sample.rows.to_pydict() == plain.sample.rows.to_pydict()


def test_counts_are_those_of_texts(tmp_path):
    rows = datasets.hiring(900, random_state=0)
    rows["note"] = np.where(np.arange(900) % 3, "", "seen")
    model = Janus(random_state=0, n_trees=1).fit(rows).model_
    more = datasets.hiring(500, random_state=1).assign(note=np.where(np.arange(500) % 5, "", "new"))
    more.loc[:20, "department"] = None
    more.to_parquet(tmp_path / "more.parquet")
    _, (part,) = partitions_of(tmp_path / "more.parquet")
    coded, plain = count_partition(model, part), count_partition(model, FramePartition("frame", more))
    for one, other in zip(coded.bags, plain.bags, strict=True):
        assert (one.forward != other.forward).nnz == (one.backward != other.backward).nnz == 0
    assert coded.missing == plain.missing
    for name, counts in plain.levels.items():
        np.testing.assert_array_equal(coded.levels[name], counts)


def test_empty_text_in_a_parquet_file_is_text_as_in_memory(tmp_path):
    rows = datasets.hiring(300, random_state=0)
    rows["note"] = np.where(np.arange(300) % 3, "", "seen")
    table = pa.Table.from_pandas(rows)
    text = pa.array(rows["note"].tolist(), pa.string())  # pandas itself writes large_string
    pq.write_table(table.set_column(table.column_names.index("note"), "note", text), tmp_path / "rows.parquet")
    model = Janus(random_state=0, n_trees=1).fit(str(tmp_path / "rows.parquet"))
    assert model.model_.schema["note"].levels == ("", "seen")
    assert not model.model_.schema["note"].nullable


CATEGORIES, ORDERED = (pa.dictionary(pa.int8(), pa.string(), ordered=ordered) for ordered in (False, True))


@pytest.mark.parametrize(
    ("one", "other", "mixed"),
    [
        (CATEGORIES, pa.string(), True),
        (pa.large_string(), ORDERED, True),
        (CATEGORIES, ORDERED, True),
        (CATEGORIES, pa.dictionary(pa.int16(), pa.string()), False),
        (pa.string(), pa.large_string(), False),
        (pa.dictionary(pa.int8(), pa.int64()), pa.string(), False),
        (CATEGORIES, pa.int64(), False),
    ],
)
def test_categories_and_text_are_mixed(one, other, mixed):
    assert are_mixed_text(one, other) is are_mixed_text(other, one) is mixed


FRAMES = {
    "text": lambda rows: rows,
    "categories": lambda rows: rows.assign(department=rows["department"].astype("category")),
    "ordered": lambda rows: rows.assign(department=rows["department"].astype("category").cat.as_ordered()),
}


@pytest.mark.parametrize("kinds", list(itertools.permutations(FRAMES, 2)), ids="-".join)
@pytest.mark.parametrize("as_files", [True, False], ids=["files", "frames"])
def test_a_column_may_be_text_in_one_file_and_categories_in_another(tmp_path, kinds, as_files):
    parts = [datasets.hiring(300, random_state=i) for i in (0, 1)]
    frames = [FRAMES[kind](rows) for kind, rows in zip(kinds, parts, strict=True)]
    for i, frame in enumerate(frames):
        frame.to_parquet(tmp_path / f"{i}.parquet")
    source = str(tmp_path / "*.parquet") if as_files else frames
    mixed = Janus(random_state=0, n_trees=1).fit(source, sample_rows=400)
    plain = Janus(random_state=0, n_trees=1).fit(parts, sample_rows=400)
    assert mixed.n_rows_ == 600
    pd.testing.assert_frame_equal(mixed.sample(50, random_state=0), plain.sample(50, random_state=0))
