"""Uploads: which files are tables, and what they may inflate to."""

from __future__ import annotations

import gzip
import subprocess
import sys
import zipfile

import pytest

from janus_synth.errors import DataError
from janus_synth.studio.limits import check_inflated, suffix_of, title_of


@pytest.mark.parametrize(
    "name", ["people.exe", "people", "", "people.csv.exe", "people.janus", "people.xls", "people.pkl"]
)
def test_other_files_are_refused_with_the_endings_that_are_read(name):
    with pytest.raises(DataError, match=r"\.csv.*\.xlsx"):
        suffix_of(name)


@pytest.mark.parametrize(
    ("name", "title"),
    [("../../etc/people.csv", "people.csv"), ("a\x00\nb.csv", "ab.csv"), ("/", "table"), ("x" * 500, "x" * 120)],
)
def test_a_title_has_no_folders_and_no_control_characters(name, title):
    assert title_of(name) == title


def bomb(path, n_bytes):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * n_bytes)
    return path


def test_a_zip_that_inflates_too_far_is_refused(tmp_path):
    path = bomb(tmp_path / "bomb.xlsx", 3_000_000)
    assert path.stat().st_size < 10_000
    with pytest.raises(DataError, match="inflates"):
        check_inflated(path, ".xlsx", most=2_000_000)
    check_inflated(path, ".xlsx", most=3_000_000)


def test_a_zip_that_lies_about_its_size_is_refused(tmp_path):
    """The declared size is replaced by a small one in both headers."""
    path = bomb(tmp_path / "bomb.xlsx", 3_000_000)
    path.write_bytes(path.read_bytes().replace((3_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little")))
    with pytest.raises(DataError):
        check_inflated(path, ".xlsx", most=2_000_000)


def test_many_small_members_count_together(tmp_path):
    path = tmp_path / "many.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for i in range(5):
            archive.writestr(f"{i}.xml", b"0" * 1000)
    with pytest.raises(DataError, match="inflates"):
        check_inflated(path, ".xlsx", most=4_500)


def test_a_gzip_that_inflates_too_far_is_refused(tmp_path):
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"0" * 3_000_000))
    with pytest.raises(DataError, match="inflates"):
        check_inflated(path, ".csv.gz", most=2_000_000)
    check_inflated(path, ".csv.gz", most=3_000_000)


@pytest.mark.parametrize("suffix", [".xlsx", ".csv.gz"])
@pytest.mark.parametrize("content", [b"", b"not compressed at all", b"PK\x03\x04 cut", b"\x1f\x8b cut"])
def test_damaged_files_are_refused_in_words(tmp_path, suffix, content):
    path = tmp_path / "damaged"
    path.write_bytes(content)
    if not (suffix == ".csv.gz" and not content):  # an empty gzip file holds nothing, which the reader reports
        with pytest.raises(DataError, match="not a readable"):
            check_inflated(path, suffix)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is one of Linux")
def test_the_memory_of_a_worker_is_bounded():
    code = (
        "import janus_synth.studio.limits as limits; limits.MOST_MEMORY = 2**28; limits.limit_process()\n"
        "try:\n    held = bytearray(2**29)\nexcept MemoryError:\n    print('refused')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "refused", done.stderr
