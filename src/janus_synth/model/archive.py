"""A safe container for arrays: a zip of a JSON manifest and ``.npy`` members, each checked before it is used.

A reader trusts nothing: sizes are bounded before anything is inflated, headers are matched and never evaluated,
and an array is read only if its type and shape are those its user asks for.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import DTypeLike

from janus_synth.arrays import Array
from janus_synth.errors import ModelFileError
from janus_synth.files import whole_file

FORMAT = "janus-model"
MANIFEST = "manifest.json"
MANIFEST_SUM = "manifest.sha256"
MOST_BYTES = 16 * 2**30
"""No model is larger; a file that claims to be is refused unread."""
FREE_BYTES, MOST_RATIO = 64 * 2**20, 100
"""A file may inflate to so much, or to so many times its own size: models do to 2–4 times."""
MOST_MANIFEST_BYTES = 256 * 2**20
FREE_MANIFEST_BYTES, MOST_MANIFEST_RATIO = 4 * 2**20, 64
"""The same for the manifest: 400 constant columns, as repetitive as they come, reach 25 times."""
PIECE = 2**18
"""Bytes inflated at once, so that a member that lies about its size costs no more than this."""
KNOWN_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
MAGIC = b"\x93NUMPY\x01\x00"
HEADER = re.compile(
    rb"\{'descr': '(\|[biu]1|<[iu][248]|<f[248])', 'fortran_order': False, "
    rb"'shape': \((\d{1,12}),(?: (\d{1,12}))?\), \} *\n"
)
"""What numpy writes before plain arrays of numbers with one or two axes."""
UNREADABLE = (
    OSError, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, ValueError, OverflowError,
)  # fmt: skip
"""What ``zipfile`` and ``json`` raise on damaged bytes."""

Shape = tuple[int | None, ...]


def write_archive(path: str | os.PathLike[str], manifest: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Write all members to one file, whole or not at all."""
    try:
        with whole_file(path) as file:
            _write_members(file, manifest, arrays)
    except OSError as error:
        raise ModelFileError(str(error)) from error


def _write_members(file: Any, manifest: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    members = {}
    # Level 1: higher ones take a third longer and save a twentieth.
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in arrays.items():
            data = _to_npy(array)
            members[name] = {"sha256": _digest(data), "bytes": len(data)}
            archive.writestr(name, data)
        whole = {"format": FORMAT, **manifest, "members": members}
        text = json.dumps(whole, ensure_ascii=False, default=_plain).encode("utf-8", "surrogatepass")
        archive.writestr(MANIFEST, text)
        archive.writestr(MANIFEST_SUM, _digest(text))


def _plain(value: object) -> Any:
    """NumPy scalars as JSON has them."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a {type(value).__name__} cannot be written to a model file: {value!r}.")


def _to_npy(array: Array) -> bytes:
    out = io.BytesIO()
    np.save(out, np.ascontiguousarray(array, array.dtype.newbyteorder("<")), allow_pickle=False)
    return out.getvalue()


@dataclass(frozen=True, slots=True)
class ArchiveReader:
    """An open file whose manifest and list of members were found sound; arrays are read when asked for."""

    source: Path
    manifest: dict[str, Any]
    zip: zipfile.ZipFile
    taken: set[str] = field(default_factory=set)
    """Members that were read."""

    def array(self, name: str, *dtypes: DTypeLike, shape: Shape) -> Array:
        """Read a member that has one of these types and this shape, None standing for any length."""
        listed = self.manifest["members"].get(name)
        if listed is None:
            _damaged(self.source, f"it has no member {name}")
        self.taken.add(name)
        with self.zip.open(name) as member:
            start = member.read(len(MAGIC) + 2)
            start += member.read(int.from_bytes(start[len(MAGIC) :], "little"))
            array = self._room_for(name, start, listed["bytes"], dtypes, shape)
            found = hashlib.sha256(start)
            for piece in _fill(member, array):
                found.update(piece)
        if found.hexdigest() != listed["sha256"]:
            _changed(self.source, f"{name} does not match its checksum")
        if array.dtype == np.bool_ and np.any(array.view(np.uint8) > 1):
            _damaged(self.source, f"{name} has truth values other than 0 and 1")
        return array.astype(array.dtype.newbyteorder("="), copy=False)

    def require_all_taken(self) -> None:
        """Refuse a file with more arrays than its model has use for."""
        if spare := sorted(self.manifest["members"].keys() - self.taken):
            _damaged(self.source, f"it has members that no column needs, such as {spare[0]}")

    def _room_for(self, name: str, start: bytes, n_bytes: int, dtypes: tuple[DTypeLike, ...], shape: Shape) -> Array:
        """An empty array as the header says, if that is what is asked for and what the size allows."""
        header = HEADER.fullmatch(start, len(MAGIC) + 2) if start.startswith(MAGIC) else None
        if header is None:
            _refused(self.source, f"{name} is not a plain array of numbers")
        dtype = np.dtype(header[1].decode())
        found = tuple(int(length) for length in header.groups()[1:] if length is not None)
        if len(start) + math.prod(found) * dtype.itemsize != n_bytes:
            _refused(self.source, f"{name} is not a plain array of numbers of the size it states")
        fits = len(found) == len(shape) and all(n in (None, m) for n, m in zip(shape, found, strict=True))
        if not fits or dtype not in [np.dtype(wanted).newbyteorder("<") for wanted in dtypes]:
            wanted = f"{' or '.join(np.dtype(each).name for each in dtypes)} of shape {_shown(shape)}"
            _damaged(self.source, f"{name} is {dtype.name} of shape {_shown(found)} where {wanted} belongs")
        return np.empty(found, dtype)


@contextmanager
def open_archive(path: str | os.PathLike[str], *, version: int) -> Iterator[ArchiveReader]:
    """Open a file and check format, version, sizes and checksum of the manifest; nothing is executed.

    Whatever goes wrong while the file is open, damaged bytes in any member included, is a ``ModelFileError``.
    """
    source = Path(path)
    try:
        with zipfile.ZipFile(source) as archive:
            manifest = _read_manifest(archive, source, version)
            _check_members(archive, source, manifest.get("members"))
            yield ArchiveReader(source, manifest, archive)
    except ModelFileError:
        raise
    except FileNotFoundError as error:
        raise ModelFileError(f"there is no file {source}.") from error
    except IsADirectoryError as error:
        raise ModelFileError(f"{source} is a folder, not a model file.") from error
    except zipfile.BadZipFile as error:
        raise ModelFileError(
            f"{source} is not a JANUS model, or it was cut short: {error}. Save the model again."
        ) from error
    except OSError as error:
        raise ModelFileError(f"cannot read {source}: {error.strerror or error}.") from error
    except UNREADABLE as error:
        raise ModelFileError(f"{source} is damaged: {error or type(error).__name__}. Save the model again.") from error


def _read_manifest(archive: zipfile.ZipFile, source: Path, version: int) -> dict[str, Any]:
    names = archive.namelist()
    if MANIFEST not in names:
        raise ModelFileError(f"{source} is a zip file but not a JANUS model: it has no {MANIFEST}.")
    _check_sizes(archive, source)
    text = _read_text(archive, MANIFEST, MOST_MANIFEST_BYTES, source)
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{source} is damaged: its manifest is not JSON ({error}).") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ModelFileError(f"{source} is a zip file but not a JANUS model: its manifest names no {FORMAT}.")
    _check_version(manifest.get("version"), source, version)
    if MANIFEST_SUM not in names or _read_text(archive, MANIFEST_SUM, 64, source) != _digest(text).encode():
        _changed(source, "its manifest does not match its checksum")
    return manifest


def _check_version(found: object, source: Path, version: int) -> None:
    if type(found) is not int or found < 1:  # True is an int too
        _damaged(source, f"its format version is {found!r}, which never was")
    if found > version:
        raise ModelFileError(
            f"{source} has format version {found}; this janus-synth reads up to {version}. Upgrade janus-synth, or "
            "save the model with an older one."
        )


def _check_sizes(archive: zipfile.ZipFile, source: Path) -> None:
    """Refuse a bomb by what it promises; members that hold more than they promise are cut off as they are read."""
    members, on_disk = archive.infolist(), source.stat().st_size
    if odd := [member.filename for member in members if member.compress_type not in KNOWN_METHODS]:
        _refused(source, f"{odd[0]} is packed in a way that model files are not")
    manifest = archive.getinfo(MANIFEST)
    packed = min(manifest.compress_size, on_disk)
    if manifest.file_size > max(FREE_MANIFEST_BYTES, MOST_MANIFEST_RATIO * packed):
        _refused(source, f"{MANIFEST} would inflate to {manifest.file_size:,} bytes")
    total = sum(member.file_size for member in members)
    if total > min(MOST_BYTES, max(FREE_BYTES, MOST_RATIO * on_disk)):
        _refused(source, f"its {on_disk:,} bytes would inflate to {total:,}")


def _check_members(archive: zipfile.ZipFile, source: Path, members: Any) -> None:
    """The zip holds what the manifest lists, no more and no less, in the sizes it lists."""
    if not isinstance(members, dict) or not all(map(_is_member, members.values())):
        _damaged(source, "its manifest lists no members, or not their sizes and checksums")
    expected = {MANIFEST, MANIFEST_SUM, *members}
    if sorted(archive.namelist()) != sorted(expected):
        odd = sorted(set(archive.namelist()) ^ expected) or ["a member twice"]
        _changed(source, f"unexpected or missing {', '.join(odd[:3])}")
    for name, member in members.items():
        if (found := archive.getinfo(name).file_size) != member["bytes"]:
            _changed(source, f"{name} has {found} bytes where its manifest lists {member['bytes']}")


def _is_member(member: Any) -> bool:
    return isinstance(member, dict) and type(member.get("bytes")) is int and isinstance(member.get("sha256"), str)


def _read_text(archive: zipfile.ZipFile, name: str, most: int, source: Path) -> bytes:
    """A member of at most ``most`` bytes."""
    if archive.getinfo(name).file_size > most:
        _refused(source, f"{name} is larger than the {most} bytes it may have")
    with archive.open(name) as member:
        return b"".join(iter(lambda: member.read(PIECE), b""))


def _fill(member: Any, array: Array) -> Iterator[bytes]:
    """Read an array's bytes into it, piece by piece."""
    room = array.reshape(-1).view(np.uint8)
    for at in range(0, len(room), PIECE):
        part = room[at : at + PIECE]
        piece: bytes = member.read(len(part))
        if len(piece) < len(part):
            raise EOFError("a member ends early")
        part[:] = np.frombuffer(piece, np.uint8)
        yield piece


def _shown(shape: Shape) -> str:
    return f"({', '.join('n' if length is None else str(length) for length in shape)}{',' * (len(shape) == 1)})"


def _damaged(source: Path, problem: str) -> NoReturn:
    raise ModelFileError(f"{source} is damaged: {problem}. Save the model again.")


def _changed(source: Path, problem: str) -> NoReturn:
    raise ModelFileError(f"{source} was changed after it was saved: {problem}.")


def _refused(source: Path, problem: str) -> NoReturn:
    raise ModelFileError(f"{source} is refused: {problem}.")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
