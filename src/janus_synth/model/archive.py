"""A safe container for arrays: a zip of a JSON manifest and ``.npy`` members, each checked before it is used.

`write_archive` takes a manifest and named arrays and writes one file; `open_archive` takes a file and gives an
`ArchiveReader`. A reader treats the file as untrusted: sizes are bounded before anything is inflated, headers are
matched and never evaluated, and an array is read only if it has the type and shape that the caller expects.
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
"""Upper bound on a model's size; a file that declares more is rejected before it is read."""
FREE_BYTES, MOST_RATIO = 64 * 2**20, 100
"""A file may inflate to this many bytes, or to this multiple of its own size; models reach 2 to 4 times."""
MOST_MANIFEST_BYTES = 256 * 2**20
FREE_MANIFEST_BYTES, MOST_MANIFEST_RATIO = 4 * 2**20, 64
"""The same for the manifest: the most repetitive one tried, of 400 constant columns, reaches 25 times."""
LEVEL = 1
"""Level of compression: higher ones take a third longer and save a twentieth."""
CHUNK_BYTES = 2**18
"""Bytes inflated at once: a member that understates its size costs no more memory than this."""
KNOWN_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
MAGIC = b"\x93NUMPY\x01\x00"
HEADER = re.compile(
    rb"\{'descr': '(\|[biu]1|<[iu][248]|<f[248])', 'fortran_order': False, "
    rb"'shape': \((\d{1,12}),(?: (\d{1,12}))?\), \} *\n"
)
"""Header that NumPy writes for plain numeric arrays with one or two axes."""
DAMAGE_ERRORS = (
    OSError, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, ValueError, OverflowError,
)  # fmt: skip
"""Errors that ``zipfile`` and ``json`` raise on damaged bytes."""

Shape = tuple[int | None, ...]
LEVEL = 1
"""Level of compression: higher ones take a third longer and save a twentieth."""


def write_archive(path: str | os.PathLike[str], manifest: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Write all members to one file, atomically: a failed write leaves an old file as it was."""
    try:
        with whole_file(path) as file:
            _write_members(file, manifest, arrays)
    except OSError as error:
        raise ModelFileError(str(error)) from error


def _write_members(file: Any, manifest: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    members = {}
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            data = _to_npy(array)
            members[name] = {"sha256": _sha256(data), "bytes": len(data)}
            archive.writestr(_member(name), data, compresslevel=LEVEL)
        whole = {"format": FORMAT, **manifest, "members": members}
        text = json.dumps(whole, ensure_ascii=False, default=_to_json).encode("utf-8", "surrogatepass")
        archive.writestr(_member(MANIFEST), text, compresslevel=LEVEL)
        archive.writestr(_member(MANIFEST_SUM), _sha256(text), compresslevel=LEVEL)


def _member(name: str) -> zipfile.ZipInfo:
    """Header of a member without the time, so that equal models give equal files."""
    member = zipfile.ZipInfo(name)
    member.compress_type = zipfile.ZIP_DEFLATED
    return member


def _to_json(value: object) -> Any:
    """Turn NumPy scalars into plain Python ones for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a {type(value).__name__} cannot be written to a model file: {value!r}.")


def _to_npy(array: Array) -> bytes:
    out = io.BytesIO()
    np.save(out, np.ascontiguousarray(array, array.dtype.newbyteorder("<")), allow_pickle=False)
    return out.getvalue()


@dataclass(frozen=True, slots=True)
class ArchiveReader:
    """An open file with a checked manifest and list of members; arrays are read on demand."""

    source: Path
    manifest: dict[str, Any]
    zip: zipfile.ZipFile
    names_read: set[str] = field(default_factory=set)
    """Members read so far."""

    def array(self, name: str, *dtypes: DTypeLike, shape: Shape) -> Array:
        """Read a member that must have one of these types and this shape; None stands for any length."""
        listed = self.manifest["members"].get(name)
        if listed is None:
            _raise_damaged(self.source, f"it has no member {name}")
        self.names_read.add(name)
        with self.zip.open(name) as member:
            start = member.read(len(MAGIC) + 2)
            start += member.read(int.from_bytes(start[len(MAGIC) :], "little"))
            array = self._allocate(name, start, listed["bytes"], dtypes, shape)
            found = hashlib.sha256(start)
            for piece in _read_into(member, array):
                found.update(piece)
        if found.hexdigest() != listed["sha256"]:
            _raise_altered(self.source, f"{name} does not match its checksum")
        if array.dtype == np.bool_ and np.any(array.view(np.uint8) > 1):
            _raise_damaged(self.source, f"{name} has truth values other than 0 and 1")
        return array.astype(array.dtype.newbyteorder("="), copy=False)

    def require_all_read(self) -> None:
        """Raise ModelFileError if the file has arrays that its model did not read."""
        if spare := sorted(self.manifest["members"].keys() - self.names_read):
            _raise_damaged(self.source, f"it has members that no column needs, such as {spare[0]}")

    def _allocate(self, name: str, start: bytes, n_bytes: int, dtypes: tuple[DTypeLike, ...], shape: Shape) -> Array:
        """An empty array of the header's type and shape, if these are expected and agree with the member's size."""
        header = HEADER.fullmatch(start, len(MAGIC) + 2) if start.startswith(MAGIC) else None
        if header is None:
            _raise_refused(self.source, f"{name} is not a plain array of numbers")
        dtype = np.dtype(header[1].decode())
        found = tuple(int(length) for length in header.groups()[1:] if length is not None)
        if len(start) + math.prod(found) * dtype.itemsize != n_bytes:
            _raise_refused(self.source, f"{name} is not a plain array of numbers of the size it states")
        fits = len(found) == len(shape) and all(n in (None, m) for n, m in zip(shape, found, strict=True))
        if not fits or dtype not in [np.dtype(wanted).newbyteorder("<") for wanted in dtypes]:
            wanted = f"{' or '.join(np.dtype(each).name for each in dtypes)} of shape {_format_shape(shape)}"
            _raise_damaged(
                self.source, f"{name} is {dtype.name} of shape {_format_shape(found)} where {wanted} is expected"
            )
        return np.empty(found, dtype)


@contextmanager
def open_archive(path: str | os.PathLike[str], *, version: int) -> Iterator[ArchiveReader]:
    """Open a file and check format, version, sizes and checksum of the manifest; nothing is executed.

    Any failure while the file is open, damaged bytes in a member included, is raised as ``ModelFileError``.
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
    except DAMAGE_ERRORS as error:
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
    if MANIFEST_SUM not in names or _read_text(archive, MANIFEST_SUM, 64, source) != _sha256(text).encode():
        _raise_altered(source, "its manifest does not match its checksum")
    return manifest


def _check_version(found: object, source: Path, version: int) -> None:
    if type(found) is not int or found < 1:  # True is an int too
        _raise_damaged(source, f"its format version is {found!r}, which does not exist")
    if found > version:
        raise ModelFileError(
            f"{source} has format version {found}; this janus-synth reads up to {version}. Upgrade janus-synth, or "
            "save the model with an older one."
        )


def _check_sizes(archive: zipfile.ZipFile, source: Path) -> None:
    """Refuse a zip bomb by the sizes it declares; members that hold more than declared are cut off while reading."""
    members, on_disk = archive.infolist(), source.stat().st_size
    if unknown := [member.filename for member in members if member.compress_type not in KNOWN_METHODS]:
        _raise_refused(source, f"{unknown[0]} uses a compression method that model files do not use")
    manifest = archive.getinfo(MANIFEST)
    packed = min(manifest.compress_size, on_disk)
    if manifest.file_size > max(FREE_MANIFEST_BYTES, MOST_MANIFEST_RATIO * packed):
        _raise_refused(source, f"{MANIFEST} would inflate to {manifest.file_size:,} bytes")
    total = sum(member.file_size for member in members)
    if total > min(MOST_BYTES, max(FREE_BYTES, MOST_RATIO * on_disk)):
        _raise_refused(source, f"its {on_disk:,} bytes would inflate to {total:,}")


def _check_members(archive: zipfile.ZipFile, source: Path, members: Any) -> None:
    """Raise unless the zip holds exactly the members that the manifest lists, in the sizes listed."""
    if not isinstance(members, dict) or not all(map(_is_member, members.values())):
        _raise_damaged(source, "its manifest lists no members, or not their sizes and checksums")
    expected = {MANIFEST, MANIFEST_SUM, *members}
    if sorted(archive.namelist()) != sorted(expected):
        difference = sorted(set(archive.namelist()) ^ expected) or ["a member twice"]
        _raise_altered(source, f"unexpected or missing {', '.join(difference[:3])}")
    for name, member in members.items():
        if (found := archive.getinfo(name).file_size) != member["bytes"]:
            _raise_altered(source, f"{name} has {found} bytes where its manifest lists {member['bytes']}")


def _is_member(member: Any) -> bool:
    return isinstance(member, dict) and type(member.get("bytes")) is int and isinstance(member.get("sha256"), str)


def _read_text(archive: zipfile.ZipFile, name: str, most: int, source: Path) -> bytes:
    """Read a member of at most ``most`` bytes."""
    if archive.getinfo(name).file_size > most:
        _raise_refused(source, f"{name} is larger than the {most} bytes allowed")
    with archive.open(name) as member:
        return b"".join(iter(lambda: member.read(CHUNK_BYTES), b""))


def _read_into(member: Any, array: Array) -> Iterator[bytes]:
    """Read a member's bytes into an array, chunk by chunk."""
    room = array.reshape(-1).view(np.uint8)
    for at in range(0, len(room), CHUNK_BYTES):
        part = room[at : at + CHUNK_BYTES]
        piece: bytes = member.read(len(part))
        if len(piece) < len(part):
            raise EOFError("a member ends early")
        part[:] = np.frombuffer(piece, np.uint8)
        yield piece


def _format_shape(shape: Shape) -> str:
    return f"({', '.join('n' if length is None else str(length) for length in shape)}{',' * (len(shape) == 1)})"


def _raise_damaged(source: Path, problem: str) -> NoReturn:
    raise ModelFileError(f"{source} is damaged: {problem}. Save the model again.")


def _raise_altered(source: Path, problem: str) -> NoReturn:
    raise ModelFileError(f"{source} was changed after it was saved: {problem}.")


def _raise_refused(source: Path, problem: str) -> NoReturn:
    raise ModelFileError(f"{source} is refused: {problem}.")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
