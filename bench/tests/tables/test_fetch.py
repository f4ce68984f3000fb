import os
import threading
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from janus_bench.tables import fetch, read_named, table_names
from janus_bench.tables.fetch import NO_FILES, cached_file, content_checksum
from janus_bench.tables.sources import SOURCES
from janus_synth.errors import DataError
from tables.raw import WRITERS, packed

FRAME = pd.DataFrame({"n": [1, 2, 3], "x": [0.1, np.nan, 2.0], "word": ["a", None, "b\tc"]})


@pytest.mark.parametrize(
    "changed",
    [
        FRAME.assign(n=[1, 2, 4]),
        FRAME.assign(n=[1.0, 2.0, 3.0]),
        FRAME.assign(x=[np.nextafter(0.1, 1), np.nan, 2.0]),
        FRAME.assign(x=[0.1, 0.0, 2.0]),
        FRAME.assign(word=["a", "", "b\tc"]),
        FRAME.assign(word=["a", "None", "b\tc"]),
        FRAME.rename(columns={"n": "m"}),
        FRAME[["x", "n", "word"]],
        FRAME.iloc[:2],
        FRAME.iloc[[1, 0, 2]],
    ],
)
def test_whatever_a_table_says_counts(changed):
    assert content_checksum(changed) != content_checksum(FRAME)


def test_how_a_library_holds_it_does_not_count():
    for other in (
        FRAME.astype({"word": object}),
        FRAME.assign(word=pd.array(["a", pd.NA, "b\tc"], dtype="string")),
        FRAME.astype({"n": np.int32}),
        FRAME.set_index(pd.Index([7, 8, 9])),
    ):
        assert content_checksum(other) == content_checksum(FRAME)


def test_the_order_of_rows_counts_only_where_it_is_known():
    shuffled = FRAME.iloc[[2, 0, 1]]
    assert content_checksum(shuffled, ordered=False) == content_checksum(FRAME, ordered=False)
    assert content_checksum(FRAME.iloc[[2, 0, 0]], ordered=False) != content_checksum(FRAME, ordered=False)


FILES = os.environ.get("JANUS_DATA")
with_files = pytest.mark.skipif(not FILES, reason="needs the real tables: set JANUS_DATA")
CAR = pd.DataFrame(
    [["vhigh", "low", "2", "4", "small", "med", "unacc"], ["low", "low", "5more", "more", "big", "high", "vgood"]],
    columns=["buying", "maint", "doors", "persons", "lug_boot", "safety", "class"],
)


@pytest.fixture(autouse=True)
def nothing_at_hand(monkeypatch, tmp_path):
    monkeypatch.delenv("JANUS_DATA", raising=False)
    monkeypatch.setenv("JANUS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")


@contextmanager
def served(content, *, status=200, length=None, elsewhere=None):
    """A server on this machine that gives every request the same answer; yields its address and the requests.

    It may promise another ``length`` than it gives, and send the first request ``elsewhere``, to its other name.
    """
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            moved = elsewhere is not None and len(asked) == 1
            self.send_response(302 if moved else status)
            if moved:
                self.send_header("Location", f"http://{elsewhere}:{self.server.server_port}/moved")
            self.send_header("Content-Length", str(len(content) if length is None else length))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/table", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def put(monkeypatch, name, **changes):
    """Change a source for the length of a test."""
    monkeypatch.setitem(SOURCES, name, replace(SOURCES[name], **changes))


def kept_files(tmp_path):
    return [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


@with_files
@pytest.mark.parametrize("name", SOURCES)
def test_a_published_table_becomes_the_one_at_hand(name, monkeypatch, tmp_path):
    expected = pd.read_parquet(Path(FILES) / f"{name}.parquet")
    with served(WRITERS[name](expected)) as (address, asked):
        put(monkeypatch, name, address=address)
        table = read_named(name)
        assert asked == ["/table"]
    pd.testing.assert_frame_equal(table.frame, expected)
    assert table.target == SOURCES[name].target
    assert table.target in expected


def test_a_table_is_downloaded_once_with_a_message(monkeypatch, capsys):
    with served(WRITERS["car"](CAR)) as (address, asked):
        put(monkeypatch, "car", address=address, checksum=content_checksum(CAR))
        assert "car" not in table_names()
        assert not asked  # the default run never asks
        first = read_named("car")
        assert capsys.readouterr().err.startswith("downloading car from UCI, 0.0 MB: Bohanec 1988")
        again = read_named("car")
        assert asked == ["/table"]
    assert capsys.readouterr().err == ""
    pd.testing.assert_frame_equal(first.frame, CAR)
    pd.testing.assert_frame_equal(again.frame, CAR)
    assert "car" in table_names()


def test_own_files_come_before_the_cache_and_the_cache_before_a_download(monkeypatch, tmp_path):
    own = CAR.assign(doors=["3", "3"])
    own.to_parquet(tmp_path / "car.parquet")
    with served(WRITERS["car"](CAR)) as (address, asked):
        put(monkeypatch, "car", address=address, checksum=content_checksum(CAR))
        monkeypatch.setenv("JANUS_DATA", str(tmp_path))
        assert read_named("car").frame["doors"].tolist() == ["3", "3"]
        assert not asked
        assert not kept_files(tmp_path)
        monkeypatch.delenv("JANUS_DATA")
        assert read_named("car").frame["doors"].tolist() == ["2", "5more"]
        assert len(asked) == 1
        table = cached_file(SOURCES["car"])
        assert sorted(kept_files(tmp_path)) == [table, table.with_suffix(".raw")]
        CAR.assign(doors=["4", "4"]).to_parquet(cached_file(SOURCES["car"]))
        assert read_named("car").frame["doors"].tolist() == ["4", "4"]
        monkeypatch.setenv("JANUS_DATA", str(tmp_path))
        assert read_named("car").frame["doors"].tolist() == ["3", "3"]
        assert len(asked) == 1


def test_a_changed_table_is_refused_and_not_kept(monkeypatch, tmp_path):
    changed = CAR.assign(safety=["med", "low"])
    with served(WRITERS["car"](changed)) as (address, _):
        put(monkeypatch, "car", address=address, checksum=content_checksum(CAR))
        with pytest.raises(DataError) as caught:
            read_named("car")
    for words in (address, "2 rows", content_checksum(CAR)[:12], content_checksum(changed)[:12], "Set JANUS_DATA"):
        assert words in str(caught.value)
    assert not kept_files(tmp_path)


@pytest.mark.parametrize("content", [b"<html>Please log in</html>", packed({"readme.txt": "moved"}), b""])
def test_what_is_no_table_is_refused_and_not_kept(content, monkeypatch, tmp_path):
    with served(content) as (address, _):
        put(monkeypatch, "adult", address=address)
        with pytest.raises(DataError, match="cannot be read as the table 'adult'.*Set JANUS_DATA"):
            read_named("adult")
    assert not kept_files(tmp_path)


def test_a_damaged_archive_is_refused_and_not_kept(monkeypatch, tmp_path):
    content = bytearray(WRITERS["car"](pd.concat([CAR] * 500)))
    content[60:70] = bytes(10)
    with served(bytes(content)) as (address, _):
        put(monkeypatch, "car", address=address)
        with pytest.raises(DataError, match="It was not kept"):
            read_named("car")
    assert not kept_files(tmp_path)


def test_half_a_download_is_refused_and_not_kept(monkeypatch, tmp_path):
    with served(WRITERS["car"](CAR)[:50], length=5_000) as (address, _):
        put(monkeypatch, "car", address=address)
        with pytest.raises(DataError, match="'car' cannot be downloaded.*50 bytes read, 4950 more expected"):
            read_named("car")
    assert not kept_files(tmp_path)


def test_without_a_network_the_error_tells_the_address_and_two_ways_out(monkeypatch, tmp_path):
    with served(b"") as (address, _):
        pass  # nobody listens at that address any more
    put(monkeypatch, "adult", address=address)
    with pytest.raises(DataError) as caught:
        read_named("adult")
    for words in ("'adult'", address, "Set JANUS_DATA", "adult.parquet", "need no files", *NO_FILES):
        assert words in str(caught.value)
    assert not kept_files(tmp_path)


def test_a_server_that_says_no_is_quoted(monkeypatch):
    with served(b"gone", status=404) as (address, _):
        put(monkeypatch, "bank", address=address)
        with pytest.raises(DataError, match="'bank' cannot be downloaded.*404"):
            read_named("bank")


def test_only_safe_addresses_are_asked(monkeypatch):
    assert all(source.address.startswith("https://") for source in SOURCES.values())
    for address in ("http://example.org/car.zip", "ftp://127.0.0.1/car.zip", "file:///car.zip"):
        put(monkeypatch, "car", address=address)
        with pytest.raises(DataError, match="https only"):
            read_named("car")


def test_a_download_that_is_sent_to_an_unsafe_address_ends_there(monkeypatch, tmp_path):
    with served(WRITERS["car"](CAR), elsewhere="localhost") as (address, asked):
        put(monkeypatch, "car", address=address, checksum=content_checksum(CAR))
        monkeypatch.setattr(fetch, "LOOPBACK", ("127.0.0.1",))
        with pytest.raises(DataError, match="https only, not from http://localhost.*/moved"):
            read_named("car")
        assert asked == ["/table", "/moved"]
    assert not kept_files(tmp_path)


def test_a_damaged_file_in_the_cache_is_named_instead_of_downloaded_again(monkeypatch):
    with served(WRITERS["car"](CAR)) as (address, asked):
        put(monkeypatch, "car", address=address, checksum=content_checksum(CAR))
        read_named("car")
        path = cached_file(SOURCES["car"])
        path.write_bytes(path.read_bytes()[:100])
        with pytest.raises(DataError, match=f"Delete {path}"):
            read_named("car")
        assert len(asked) == 1


def test_a_cache_that_cannot_be_written_is_named(monkeypatch, tmp_path):
    (tmp_path / "cache").write_text("a file, no folder", encoding="utf-8")
    with served(WRITERS["car"](CAR)) as (address, _):
        put(monkeypatch, "car", address=address, checksum=content_checksum(CAR))
        with pytest.raises(DataError, match="Set JANUS_CACHE"):
            read_named("car")


def test_a_table_without_a_lasting_address_says_so():
    with pytest.raises(DataError, match="'law_students_lsac' is not downloaded.*Set JANUS_DATA"):
        read_named("law_students_lsac")


def test_every_source_says_whom_to_cite():
    assert all("CC BY 4.0" in source.cite or "licence" in source.cite for source in SOURCES.values())


def test_a_table_that_was_deleted_is_parsed_again_from_the_cached_file(monkeypatch):
    with served(WRITERS["car"](CAR)) as (address, asked):
        put(monkeypatch, "car", address=address, checksum=content_checksum(CAR))
        read_named("car")
        cached_file(SOURCES["car"]).unlink()
        pd.testing.assert_frame_equal(read_named("car").frame, CAR)
        assert len(asked) == 1
