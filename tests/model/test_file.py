"""Model files: what is written is what is read, and anything else is refused without running any of it."""

from __future__ import annotations

import json
import os
import struct
import tempfile
import time
import tracemalloc
import warnings
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from janus_synth import Dag, Janus, datasets
from janus_synth.errors import ModelFileError
from model.archives import MANIFEST, MANIFEST_SUM, Archive, npy, npy_with_header
from model.tables import FRAME_KINDS, as_kind, assert_same_frame, assert_same_model, fitted, mixed

GOLDEN = Path(__file__).with_name("golden_v1.janus")
EXPECTED = Path(__file__).with_name("golden_v1.json")
ZEROS = bytes(2**20)


def small_table(n: int = 150) -> pd.DataFrame:
    """A level, a count and a number, each leaning on those before it."""
    rng = np.random.default_rng(0)
    level = rng.integers(0, 3, n)
    count = rng.poisson(2 + 4 * level)
    return pd.DataFrame(
        {"level": np.array(["a", "b", "c"])[level], "count": count, "number": 3.0 * level + count + rng.normal(size=n)}
    )


@pytest.fixture(scope="module")
def model():
    return fitted(small_table(), structure="chain", n_bins=8)


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "model.janus"
    model.save(path)
    return path


@pytest.fixture
def parts(saved):
    return Archive.read(saved)


def refused(path: Path, message: str | None = None) -> str:
    """The message of the error that loading must raise."""
    with pytest.raises(ModelFileError, match=message) as caught:
        Janus.load(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


# What is written is what is read


@pytest.mark.parametrize("kind", FRAME_KINDS)
def test_a_model_comes_back_from_its_file(kind, tmp_path):
    frame = as_kind(mixed(200), kind)
    model = fitted(frame)
    model.save(tmp_path / "m.janus")
    loaded = Janus.load(tmp_path / "m.janus")
    assert_same_model(loaded.model_, model.model_)
    assert_same_frame(loaded.sample(300, random_state=4), model.sample(300, random_state=4))
    np.testing.assert_array_equal(loaded.log_prob(frame), model.log_prob(frame))
    for column in model.model_.codec.names:
        assert str(loaded.explain(column, tree=0)) == str(model.explain(column, tree=0))


def test_a_loaded_model_goes_on_learning(tmp_path):
    frame, more = mixed(150), mixed(80, seed=5)
    model = fitted(frame)
    model.save(str(tmp_path / "m.janus"))
    loaded = Janus.load(str(tmp_path / "m.janus")).update(more)
    assert_same_model(loaded.model_, model.update(more).model_)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"structure": "forest", "prior": "flat", "within": "uniform", "equal_mass": True},
        {"n_trees": np.int64(2), "min_samples_leaf": np.int64(7), "prior_strength": np.float32(2.0)},
        {"tiers": [["level"], ["count"]], "forbidden": [("level", "number")], "required": (("level", "count"),)},
        {"tiers": ["level", "count"]},
        {"structure": {"number": ["level"]}},
        {"structure": Dag({"level": (), "count": (), "number": ("count",)})},
        {"schema": {"count": {"low": 0, "high": 99}}},
        {"random_state": np.random.default_rng(0)},
    ],
    ids=lambda settings: ", ".join(settings) or "defaults",
)
def test_settings_come_back_so_that_the_model_can_be_fitted_again(settings, tmp_path):
    model = fitted(small_table(80), **settings)
    model.save(tmp_path / "m.janus")
    loaded = Janus.load(tmp_path / "m.janus")
    again = loaded.fit(small_table(80))
    assert set(again.dag_.edges) >= set(model.dag_.edges) if "structure" in settings else again.dag_ is not None
    for name in ("n_trees", "prior", "within", "equal_mass", "min_samples_leaf", "prior_strength"):
        assert getattr(loaded, name) == getattr(model, name)


def test_a_file_can_be_saved_over_itself(tmp_path):
    path = tmp_path / "m.janus"
    fitted(mixed(100)).save(path)
    loaded = Janus.load(path).update(mixed(50, seed=3))
    loaded.save(path)
    assert_same_model(Janus.load(path).model_, loaded.model_)
    assert [item.name for item in tmp_path.iterdir()] == ["m.janus"]


def test_a_file_may_be_saved_under_the_name_alone(tmp_path, monkeypatch, model):
    monkeypatch.chdir(tmp_path)
    model.save("here.janus")
    assert_same_model(Janus.load("here.janus").model_, model.model_)


def test_equal_models_have_equal_arrays_in_their_files(tmp_path, model, parts):
    model.save(tmp_path / "again.janus")
    again = Archive.read(tmp_path / "again.janus")
    assert again.members == parts.members
    assert again.manifest == parts.manifest


def test_a_file_holds_text_and_numbers_only(saved):
    with zipfile.ZipFile(saved) as file:
        for name in file.namelist():
            assert name in (MANIFEST, MANIFEST_SUM) or file.read(name).startswith(b"\x93NUMPY\x01\x00")


def test_a_repacked_file_is_still_the_model(parts, model, tmp_path):
    # The ground under the refusals below: only what they change makes the difference.
    assert_same_model(Janus.load(parts.write(tmp_path / "m.janus")).model_, model.model_)


@pytest.mark.skipif(os.name == "nt", reason="no umask")
def test_a_file_has_the_usual_permissions(tmp_path, model):
    before = os.umask(0o027)
    try:
        model.save(tmp_path / "m.janus")
    finally:
        os.umask(before)
    assert (tmp_path / "m.janus").stat().st_mode & 0o777 == 0o640


# The golden file: models of earlier versions stay readable


def golden_rows(rows: pd.DataFrame) -> dict[str, list]:
    """Some columns of every kind, as JSON can hold them."""
    shown = rows[["applicant_id", "age", "education", "commute_km", "remote", "offered_salary", "end_date"]]
    return json.loads(shown.to_json(orient="columns", date_format="iso", double_precision=12))


def write_golden() -> None:
    """Make the golden file anew: JANUS_REWRITE_GOLDEN=1 pytest tests/model/test_file.py -k golden."""
    Janus(random_state=0, n_trees=2, n_bins=20).fit(datasets.hiring(400, random_state=0)).save(GOLDEN)
    model = Janus.load(GOLDEN)
    rows = model.sample(5, random_state=1)
    expected = {"rows": golden_rows(rows), "log_prob": model.log_prob(rows[:3]).tolist()}
    EXPECTED.write_text(json.dumps(expected, indent=1) + "\n")


def test_the_golden_file_is_read_as_ever():
    if os.environ.get("JANUS_REWRITE_GOLDEN"):
        write_golden()
    model, expected = Janus.load(GOLDEN), json.loads(EXPECTED.read_text())
    rows = model.sample(5, random_state=1)
    assert golden_rows(rows) == expected["rows"]
    np.testing.assert_allclose(model.log_prob(rows[:3]), expected["log_prob"], rtol=1e-6)


def test_the_golden_file_is_small():
    assert GOLDEN.stat().st_size < 300_000


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
        except Exception as error:  # anything but a refusal is what this test is after
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
    version = parts.manifest["version"]
    parts.manifest["version"] = version + 1
    message = refused(parts.write(tmp_path / "m.janus"), "Upgrade janus-synth")
    assert f"version {version + 1}" in message
    assert f"up to {version}" in message


@pytest.mark.parametrize("version", [None, "1", 1.5, [1], 0, -1, True], ids=repr)
def test_versions_that_never_were_are_refused(version, parts, tmp_path):
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
def test_arrays_with_an_odd_header_are_refused(header, parts, tmp_path):
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


def first_split(parts: Archive, column: str) -> int:
    return int(np.flatnonzero(parts.array(column, "bag/splits/left") >= 0)[0])


def put(column: str, part: str, value: int):
    """Set what the first node that splits has in an array."""

    def edit(parts: Archive) -> None:
        node = first_split(parts, column)

        def with_value(array):
            array[node] = value
            return array

        parts.change(column, part, with_value)

    return edit


def mapped(column: str, part: str, change):
    return lambda parts: parts.change(column, part, change)


def set_node_of_the_last_tree(parts: Archive) -> None:
    """Let the first tree's root send its rows into the last tree."""
    last = len(parts.array("number", "bag/splits/left")) - 1
    put("number", "bag/splits/right", last)(parts)


def turned(array):
    return array[:, None]


ASTRAY = {
    "left child before its parent": put("number", "bag/splits/left", 0),
    "right child before its parent": put("number", "bag/splits/right", 0),
    "left child beyond the nodes": put("number", "bag/splits/left", 10**6),
    "right child beyond the nodes": put("number", "bag/splits/right", 10**6),
    "right child missing": put("number", "bag/splits/right", -1),
    "child in another tree": set_node_of_the_last_tree,
    "feature beyond the columns": put("number", "bag/splits/feature", 99),
    "feature below zero": put("number", "bag/splits/feature", -1),
    "feature is the column itself": put("number", "bag/splits/feature", 2),
    "level sets beyond their array": mapped("number", "bag/splits/left_levels", lambda sets: sets[:1]),
    "level sets other than 0 and 1": mapped("number", "bag/splits/left_levels", lambda sets: sets + 200),
    "level sets turned": mapped("number", "bag/splits/left_levels", turned),
    "roots beyond the nodes": mapped("number", "bag/splits/roots", lambda roots: roots + 10**6),
    "roots turned": mapped("number", "bag/splits/roots", turned),
    "no roots": mapped("number", "bag/splits/roots", lambda roots: roots[:0]),
    "nodes turned": mapped("number", "bag/splits/left", turned),
    "leaves numbered wrongly": mapped("number", "bag/splits/leaf_of_node", lambda leaves: leaves + 5),
    "forward codes out of range": mapped("number", "bag/forward/indices", lambda codes: codes + 200),
    "backward codes out of range": mapped("number", "bag/backward/indices", lambda codes: codes + 200),
    "rows of counts in disorder": mapped("number", "bag/forward/indptr", lambda starts: starts[::-1]),
    "counts too few": mapped("number", "bag/forward/data", lambda counts: counts[:-1]),
    "counts turned": mapped("number", "bag/forward/data", turned),
    "paths beyond the slots": mapped("number", "bag/tree/path_slot", lambda slots: slots + 1_000),
    "paths turned": mapped("number", "bag/tree/path_slot", turned),
    "paths that end too late": mapped("number", "bag/tree/path_start", lambda starts: starts + 1),
    "slots above themselves": mapped("number", "bag/tree/slot_up", lambda up: np.arange(len(up))),
    "allowed codes too few": mapped("number", "bag/allowed", lambda allowed: allowed[:-1]),
    "allowed codes turned": mapped("number", "bag/allowed", turned),
    "levels beyond the schema": mapped("level", "codec/own", lambda own: own + 99),
    "levels below zero": mapped("level", "codec/own", lambda own: own - 1),
    "levels twice": mapped("level", "codec/own", np.zeros_like),
    "levels turned": mapped("level", "codec/own", turned),
    "bins turned": mapped("count", "codec/upper", turned),
    "bins too few": mapped("count", "codec/upper", lambda upper: upper[:-1]),
}


@pytest.mark.parametrize("edit", ASTRAY.values(), ids=ASTRAY)
def test_arrays_that_would_send_a_kernel_astray_are_refused(edit, parts, tmp_path):
    edit(parts)
    refused(parts.write(tmp_path / "m.janus"), "damaged")


def noted(column: str, section: str, key: str, value):
    return lambda parts: parts.entry(column)[section].update({key: value})


def narrowed(parts: Archive) -> None:
    for part in ("knot", "level"):
        parts.members[parts.name("number", f"codec/{part}")] = npy(
            np.ascontiguousarray(parts.array("number", f"codec/{part}")[:, [0, -1]])
        )


SENSELESS = {
    "levels of knots are no numbers": mapped("number", "codec/level", lambda level: level * np.nan),
    "levels of knots beyond 1": mapped("number", "codec/level", lambda level: level * 5),
    "levels of knots descend": mapped("number", "codec/level", lambda level: level[:, ::-1]),
    "knots are no numbers": mapped("number", "codec/knot", lambda knot: knot * np.nan),
    "knots descend": mapped("number", "codec/knot", lambda knot: -knot),
    "two knots per bin": narrowed,
    "boundaries are no numbers": mapped("number", "codec/upper", lambda upper: upper * np.nan),
    "boundaries descend": mapped("number", "codec/upper", lambda upper: -upper),
    "weights are no numbers": mapped("level", "codec/weight", lambda weight: weight * np.nan),
    "weights below zero": mapped("level", "codec/weight", lambda weight: -weight),
    "lattice without a step": noted("count", "codec", "lattice", [0, 0, 1]),
    "lattice without a scale": noted("count", "codec", "lattice", [0, 1, 0]),
    "lattice beyond floats": noted("count", "codec", "lattice", [10**400, 1, 1]),
    "lattice of two": noted("count", "codec", "lattice", [0, 1]),
    "codec of another kind": noted("count", "codec", "kind", "neural"),
    "leaves of another kind": noted("count", "leaves", "family", "neural"),
    "prior without strength": noted("number", "leaves", "prior_strength", 0),
    "prior below zero": noted("number", "leaves", "prior_strength", -5.0),
    "prior is no number": noted("number", "leaves", "prior_strength", float("nan")),
    "rows below zero": lambda parts: parts.manifest.update(n_rows=-1),
    "graph with a loop": lambda parts: parts.manifest["graph"].update(level=["number"]),
    "graph without the edges that trees use": lambda parts: parts.manifest["graph"].update(number=[]),
    "graph with a stranger": lambda parts: parts.manifest["graph"].update(level=["nobody"]),
    "graph without a column": lambda parts: parts.manifest["graph"].pop("level"),
    "column listed twice": lambda parts: parts.manifest["columns"].append(parts.manifest["columns"][0]),
    "column not listed": lambda parts: parts.manifest["columns"].pop(),
    "schema with fewer levels": lambda parts: parts.manifest["schema"]["columns"][0].update(levels=["a"]),
    "settings that are a list": lambda parts: parts.manifest.update(settings=[1]),
}


@pytest.mark.parametrize("edit", SENSELESS.values(), ids=SENSELESS)
def test_numbers_that_make_no_sense_are_refused(edit, parts, tmp_path):
    edit(parts)
    refused(parts.write(tmp_path / "m.janus"))


HOLES = [
    *((key, "missing") for key in ("schema", "graph", "graph_given", "n_rows", "settings", "columns", "members")),
    *((key, 7) for key in ("schema", "graph", "settings", "columns", "members")),
    *((key, []) for key in ("schema", "graph", "n_rows", "columns", "members")),
]


@pytest.mark.parametrize(("key", "value"), HOLES, ids=str)
def test_a_manifest_with_a_hole_is_refused(key, value, parts, tmp_path):
    path = parts.write(tmp_path / "m.janus")
    if value == "missing":
        del parts.manifest[key]
    else:
        parts.manifest[key] = value
    refused(parts.write(path, relist=False))


@pytest.mark.parametrize("claim", [None, -1, "many", 10**18, 1.5], ids=repr)
def test_a_manifest_with_an_odd_size_is_refused(claim, parts, tmp_path):
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
