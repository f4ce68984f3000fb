"""Large tables through the public class: files, updates, lazy frames, and a cluster of real processes."""

from __future__ import annotations

import os
import signal
import threading
import time

import pandas as pd
import pytest

from janus_synth import Janus, datasets
from janus_synth.errors import DataError

ROWS = datasets.hiring(2_000, random_state=0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    for i in range(8):
        ROWS[250 * i : 250 * (i + 1)].to_parquet(folder / f"{i}.parquet", index=False)
    return folder


def small(**changes) -> Janus:
    return Janus(random_state=0, n_trees=2, **changes)


def parts() -> list[pd.DataFrame]:
    return [ROWS[250 * i : 250 * (i + 1)] for i in range(8)]


def saved(model: Janus, path) -> bytes:
    model.save(path)
    return path.read_bytes()


def test_csv_files_give_the_model_of_parquet_files(folder, tmp_path):
    plain = ["age", "sex", "experience", "department", "hired", "commute_km"]
    for i, part in enumerate(parts()):
        part[plain].to_csv(tmp_path / f"{i}.csv", index=False)
        part[plain].to_parquet(tmp_path / f"{i}.parquet", index=False)
    from_csv = small().fit(str(tmp_path / "*.csv"), sample_rows=500).sample(200, random_state=1)
    from_parquet = small().fit(str(tmp_path / "*.parquet"), sample_rows=500).sample(200, random_state=1)
    pd.testing.assert_frame_equal(from_csv, from_parquet)


def test_an_update_reads_a_source_batch_by_batch(folder):
    structure = ROWS.head(500)
    whole = small().fit(structure).update(ROWS)
    by_files = small().fit(structure).update(str(folder))
    assert by_files.n_rows_ == whole.n_rows_ == 2_500
    pd.testing.assert_frame_equal(by_files.sample(100, random_state=1), whole.sample(100, random_state=1))
    again = small().fit(structure).update(str(folder), forget=True)
    assert again.n_rows_ == 2_000


def test_a_lazy_frame_holds_the_rows_of_sample():
    pytest.importorskip("dask.dataframe")
    model = small(rules="experience <= age - 18").fit(ROWS)
    lazy = model.sample_dask(9_000, where="age > 40", piece_rows=4_096, random_state=2).compute()
    rows = model.sample(9_000, where="age > 40", random_state=2)
    assert lazy.astype(str).equals(rows.astype(str))


def test_bad_arguments_say_what_is_wrong(folder, tmp_path):
    with pytest.raises(ValueError, match="sample_rows"):
        small().fit(str(folder), sample_rows=0)
    with pytest.raises(DataError, match="no file matches"):
        small().fit(str(tmp_path / "none*.parquet"))
    with pytest.raises(ValueError, match="piece_rows"):
        small().fit(ROWS).sample_to(tmp_path / "out", 10, piece_rows=0)


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.filterwarnings("default")
def test_a_cluster_of_processes_gives_the_same_model_and_files(cluster, folder, tmp_path):
    here = small().fit(str(folder), sample_rows=600)
    there = small().fit(str(folder), sample_rows=600, client=cluster)
    in_memory = small().fit(parts(), sample_rows=600)
    assert saved(here, tmp_path / "a") == saved(there, tmp_path / "b")
    pd.testing.assert_frame_equal(here.sample(300, random_state=1), in_memory.sample(300, random_state=1))
    one = here.sample_to(tmp_path / "one", 20_000, piece_rows=4_096, random_state=1)
    two = there.sample_to(tmp_path / "two", 20_000, piece_rows=4_096, random_state=1, client=cluster)
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_killed_worker_changes_nothing(cluster, folder, tmp_path):
    here = small().fit(str(folder), sample_rows=600)
    pids = list(cluster.run(os.getpid).values())
    killer = threading.Thread(target=lambda: (time.sleep(0.3), os.kill(pids[0], signal.SIGKILL)))
    killer.start()
    there = small().fit(str(folder), sample_rows=600, client=cluster)
    killer.join()
    assert saved(here, tmp_path / "a") == saved(there, tmp_path / "b")
