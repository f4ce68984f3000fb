"""The container of model files: anything but a sound archive is refused, without running or inflating it."""

from __future__ import annotations

import struct
import tempfile
import time
import tracemalloc
import warnings
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from janus_synth import Janus
from janus_synth.errors import ModelFileError
from janus_synth.model.archive import write_archive
from janus_synth.model.file import VERSION
from model.archives import MANIFEST, MANIFEST_SUM, npy, npy_with_header, refused, small_table
from model.tables import assert_same_model, fitted

ZEROS = bytes(2**20)


# Files that are no models


def test_a_file_that_is_not_there_is_named(tmp_path):
    refused(tmp_path / "nowhere.janus", "there is no file")


def test_a_folder_is_no_model(tmp_path):
    refused(tmp_path, "folder")


@pytest.mark.parametrize("content", [b"", b"PK", b"a,b\n1,2\n", b"\x80\x04\x95" + bytes(99), ZEROS])
def test_other_files_are_no_models(content, tmp_path):
    path = tmp_path / "m.janus"
    path.write_bytes(content)
    refused(path, "not a JANUS model")


@pytest.mark.parametrize(
    "members",
    [
        {"word/document.xml": b"<w:document/>", "[Content_Types].xml": b"<Types/>"},
        {MANIFEST: b"{}"},
        {MANIFEST: b'{"format": "other-model", "version": 1}'},
        {MANIFEST: b"[1, 2]"},
        {MANIFEST: b"null"},
        {},
    ],
    ids=["document", "empty manifest", "other format", "list", "null", "empty zip"],
)
def test_other_zip_files_are_no_models(members, tmp_path):
    path = tmp_path / "m.janus"
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members.items():
            file.writestr(name, data)
    refused(path, "zip file but not a JANUS model")


@pytest.mark.parametrize("text", [b"{", b"\xff\xfe", b"[" * 100_000, b"", b"{'format': 1}"])
def test_a_manifest_that_is_no_json_is_refused(text, tmp_path):
    path = tmp_path / "m.janus"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(MANIFEST, text)
    refused(path, "damaged")


# Damage


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0, 1, exclude_max=True))
def test_a_file_cut_short_anywhere_is_refused(saved, share):
    whole = saved.read_bytes()
    path = saved.with_name("cut.janus")
    path.write_bytes(whole[: int(share * len(whole))])
    refused(path)


def test_a_file_with_bytes_behind_its_end_is_refused_or_the_same(saved, model, tmp_path):
    path = tmp_path / "m.janus"
    path.write_bytes(saved.read_bytes() + b"more")
    try:
        loaded = Janus.load(path)
    except ModelFileError:
        return
    assert_same_model(loaded.model_, model.model_)


def test_a_changed_byte_is_refused_or_makes_no_difference(saved, model, tmp_path):
    whole, path = saved.read_bytes(), tmp_path / "m.janus"
    rng = np.random.default_rng(0)
    trouble = []
    for position in sorted(rng.choice(len(whole), 250, replace=False).tolist()):
        changed = bytearray(whole)
        changed[position] ^= int(rng.integers(1, 256))
        path.write_bytes(changed)
        try:
            loaded = Janus.load(path)
            assert_same_model(loaded.model_, model.model_)
        except ModelFileError:
            continue
        except Exception as error:  # an error of any other type is a failure
            trouble.append(f"byte {position}: {type(error).__module__}.{type(error).__name__}: {error}")
    assert not trouble, "\n".join(trouble[:10])


def test_a_member_more_is_refused(parts, tmp_path):
    path = parts.write(tmp_path / "m.janus")
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("extra.py", "print('hello')")
    refused(path, "unexpected or missing extra.py")


def test_a_member_less_is_refused(parts, tmp_path):
    name = parts.name("count", "bag/splits/left")
    path = parts.write(tmp_path / "m.janus")
    del parts.members[name]
    parts.write(path, relist=False)
    refused(path, f"unexpected or missing {name}")


@pytest.mark.parametrize("name", [MANIFEST, MANIFEST_SUM, "0/codec/own.npy"])
def test_a_member_twice_is_refused(name, parts, tmp_path):
    path = parts.write(tmp_path / "m.janus")
    with zipfile.ZipFile(path) as file:
        data = file.read(name)
    with zipfile.ZipFile(path, "a") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        file.writestr(name, data)
    refused(path, "twice")


def test_a_changed_array_is_refused(parts, tmp_path):
    path = parts.write(tmp_path / "m.janus")
    parts.change("number", "bag/forward/data", lambda counts: counts[::-1])
    parts.write(path, relist=False)
    refused(path, "changed after it was saved: .*data.npy does not match its checksum")


def test_a_changed_manifest_is_refused(saved, parts, tmp_path):
    path = tmp_path / "m.janus"
    with zipfile.ZipFile(saved) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data.replace(b'"n_rows": 150', b'"n_rows": 999') if name == MANIFEST else data)
    refused(path, "changed after it was saved: its manifest does not match its checksum")


def test_a_file_without_its_checksum_is_refused(saved, tmp_path):
    path = tmp_path / "m.janus"
    with zipfile.ZipFile(saved) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            if name != MANIFEST_SUM:
                new.writestr(name, old.read(name))
    refused(path, "checksum")


# Other versions


def test_a_file_from_the_future_asks_for_an_upgrade(parts, tmp_path):
    parts.manifest["version"] = VERSION + 1
    message = refused(parts.write(tmp_path / "m.janus"), "Upgrade janus-synth")
    assert f"version {VERSION + 1}" in message
    assert f"up to {VERSION}" in message


@pytest.mark.parametrize("version", [None, "1", 1.5, [1], 0, -1, True], ids=repr)
def test_versions_that_do_not_exist_are_refused(version, parts, tmp_path):
    parts.manifest["version"] = version
    refused(parts.write(tmp_path / "m.janus"), "version")


# Files made with care, their checksums right


class Trap:
    """Leaves a mark where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


def test_pickled_objects_are_refused_and_not_run(parts, tmp_path):
    trap = np.array([Trap(tmp_path / "sprung")], dtype=object)
    parts.members[parts.name("count", "codec/upper")] = npy(trap, allow_pickle=True)
    refused(parts.write(tmp_path / "m.janus"), "not a plain array of numbers")
    assert not (tmp_path / "sprung").exists()


HEADER = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }"


@pytest.mark.parametrize(
    "header",
    [
        HEADER % "(1000000000000,)",
        HEADER % f"({10**200}, {10**200})",
        HEADER % "(-1,)",
        HEADER % "(-1, -2)",
        HEADER % "(2.0,)",
        HEADER % "()",
        HEADER % "(0, 99999999999999999999)",
        HEADER.replace("False", "True") % "(2,)",
        HEADER.replace("<f8", "|V8") % "(2,)",
        HEADER.replace("<f8", "<M8[us]") % "(2,)",
        HEADER.replace("<f8", "<c16") % "(1,)",
        HEADER.replace("<f8", ">f8") % "(2,)",
        HEADER.replace("<f8", "what") % "(2,)",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,)}",
        "__import__('os').getcwd()",
        "{",
        "((((",
        "'''",
        "",
    ],
)
def test_arrays_with_an_unexpected_header_are_refused(header, parts, tmp_path):
    parts.members[parts.name("count", "codec/upper")] = npy_with_header(header)
    refused(parts.write(tmp_path / "m.janus"))


@pytest.mark.parametrize("data", [b"", b"\x93NUMPY", b"\x93NUMPY\x03\x00" + bytes(90), b"no array at all"], ids=len)
def test_members_that_are_no_arrays_are_refused(data, parts, tmp_path):
    parts.members[parts.name("count", "codec/upper")] = data
    refused(parts.write(tmp_path / "m.janus"))


def gigabyte_of_zeros() -> bytes:
    """A deflate stream that inflates to 2³⁰ zeros: one flushed block, over and over."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(ZEROS) + packer.flush(zlib.Z_FULL_FLUSH)
    return block * 1024 + packer.flush()


def bomb(path: Path, source: Path, name: str, *, claim: int) -> None:
    """Copy a file with one member inflating to a gigabyte, while its headers claim a size."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w") as new:
        for member in old.namelist():
            if member != name:
                new.writestr(member, old.read(member))
        new.writestr(name, gigabyte_of_zeros())
        local = new.getinfo(name).header_offset
    raw = bytearray(path.read_bytes())
    central = raw.rindex(name.encode()) - 46
    for method, size in ((local + 8, local + 22), (central + 10, central + 24)):
        struct.pack_into("<H", raw, method, zipfile.ZIP_DEFLATED)
        struct.pack_into("<I", raw, size, claim)
    path.write_bytes(raw)


@pytest.mark.parametrize("claim", [2**30, 144], ids=["honest", "lying"])
@pytest.mark.parametrize("name", ["0/codec/own.npy", MANIFEST])
def test_a_zip_bomb_is_refused_before_it_goes_off(name, claim, saved, tmp_path):
    path = tmp_path / "m.janus"
    bomb(path, saved, name, claim=claim)
    assert path.stat().st_size < 2e6
    start = time.perf_counter()
    tracemalloc.start()
    try:
        refused(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 50e6
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize("claim", [None, -1, "many", 10**18, 1.5], ids=repr)
def test_a_manifest_with_a_wrong_size_is_refused(claim, parts, tmp_path):
    path = parts.write(tmp_path / "m.janus")
    parts.manifest["members"][parts.name("count", "codec/upper")]["bytes"] = claim
    refused(parts.write(path, relist=False))


# Saving that does not succeed


def break_off(error):
    def fail(*args, **kwargs):
        raise error

    return fail


@pytest.mark.parametrize("step", ["os.replace", "os.fsync", "zipfile.ZipFile.writestr", "os.chmod"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["full", "stop"])
def test_a_save_that_breaks_off_leaves_the_old_file(step, error, model, tmp_path, monkeypatch):
    path = tmp_path / "m.janus"
    model.save(path)
    before = path.read_bytes()
    changed = fitted(small_table(60))
    monkeypatch.setattr(step, break_off(error))
    with pytest.raises(KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else ModelFileError) as caught:
        changed.save(path)
    monkeypatch.undo()
    if isinstance(caught.value, ModelFileError):
        assert "cannot write" in str(caught.value)
        assert "No space left" in str(caught.value)
    assert path.read_bytes() == before
    assert [item.name for item in tmp_path.iterdir()] == ["m.janus"]


def test_a_save_without_an_old_file_that_breaks_off_leaves_nothing(model, tmp_path, monkeypatch):
    monkeypatch.setattr("os.replace", break_off(OSError(5, "Input/output error")))
    with pytest.raises(ModelFileError, match="Input/output error"):
        model.save(tmp_path / "m.janus")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_named(model, tmp_path):
    with pytest.raises(ModelFileError, match="cannot write .*nowhere.*No such file"):
        model.save(tmp_path / "nowhere" / "m.janus")


def test_a_folder_that_may_not_be_written_is_named(model, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "mkstemp", break_off(PermissionError(13, "Permission denied")))
    with pytest.raises(ModelFileError, match="cannot write .*m.janus: Permission denied"):
        model.save(tmp_path / "m.janus")


def test_a_folder_is_not_overwritten(model, tmp_path):
    (tmp_path / "m.janus").mkdir()
    with pytest.raises(ModelFileError, match="cannot write .*m.janus"):
        model.save(tmp_path / "m.janus")
    assert [item.name for item in tmp_path.iterdir()] == ["m.janus"]


def test_equal_contents_are_equal_bytes_at_any_time(tmp_path, monkeypatch):
    for name, seconds in (("one", 1e9), ("two", 1.7e9)):
        monkeypatch.setattr(time, "time", lambda seconds=seconds: seconds)
        write_archive(tmp_path / name, {"version": 1, "b": 1, "a": 2}, {"x.npy": np.arange(5)})
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
