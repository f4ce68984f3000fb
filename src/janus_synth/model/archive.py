"""A safe container for arrays: a zip of a JSON manifest and ``.npy`` members, checked before anything is used."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from janus_synth.errors import ModelFileError

FORMAT = "janus-model"
MANIFEST = "manifest.json"
MANIFEST_SUM = "manifest.sha256"
MOST_BYTES = 16 * 2**30
"""No model is larger; a file that claims to be is refused unread."""
MOST_MANIFEST_BYTES = 256 * 2**20
ARRAY_KINDS = "biuf"


def write_archive(
    path: str | os.PathLike[str], manifest: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write all members to a temporary neighbour, flush it to disk, then rename: whole or not at all."""
    target = Path(path)
    packed = {name: _to_npy(array) for name, array in arrays.items()}
    members = {name: {"sha256": _digest(data), "bytes": len(data)} for name, data in packed.items()}
    text = json.dumps({"format": FORMAT, **manifest, "members": members}, ensure_ascii=False).encode()
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise ModelFileError(f"cannot write {target}: {error.strerror or error}.") from error
    try:
        with os.fdopen(handle, "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
                archive.writestr(MANIFEST, text)
                archive.writestr(MANIFEST_SUM, _digest(text))
                for name, data in packed.items():
                    archive.writestr(name, data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except OSError as error:
        raise ModelFileError(f"cannot write {target}: {error.strerror or error}.") from error
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def read_archive(path: str | os.PathLike[str], *, version: int) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read and check a file: format, version, sizes, checksums and array types; nothing is executed."""
    source = Path(path)
    try:
        with zipfile.ZipFile(source) as archive:
            manifest = _read_manifest(archive, source, version)
            return manifest, _read_members(archive, source, manifest["members"])
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
    except (NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(f"{source} is damaged: {error}. Save the model again.") from error


def _read_manifest(archive: zipfile.ZipFile, source: Path, version: int) -> dict[str, Any]:
    names = archive.namelist()
    if MANIFEST not in names:
        raise ModelFileError(f"{source} is a zip file but not a JANUS model: it has no {MANIFEST}.")
    text = _bounded(archive, MANIFEST, MOST_MANIFEST_BYTES, source)
    try:
        manifest = json.loads(text)
    except ValueError as error:
        raise ModelFileError(f"{source} is damaged: its manifest is not JSON ({error}).") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ModelFileError(f"{source} is a zip file but not a JANUS model: its manifest names no {FORMAT}.")
    found = manifest.get("version")
    if not isinstance(found, int) or found > version:
        raise ModelFileError(
            f"{source} has format version {found}; this janus-synth reads up to {version}. Upgrade janus-synth, or "
            "save the model with an older one."
        )
    if MANIFEST_SUM not in names or _bounded(archive, MANIFEST_SUM, 64, source) != _digest(text).encode():
        raise ModelFileError(f"{source} was changed after it was saved: its manifest does not match its checksum.")
    return manifest


def _read_members(
    archive: zipfile.ZipFile, source: Path, members: Mapping[str, Mapping[str, Any]]
) -> dict[str, NDArray[Any]]:
    expected = {MANIFEST, MANIFEST_SUM, *members}
    if sorted(archive.namelist()) != sorted(expected):
        odd = sorted(set(archive.namelist()) ^ expected) or ["a member twice"]
        raise ModelFileError(f"{source} was changed after it was saved: unexpected or missing {', '.join(odd[:3])}.")
    if sum(int(member["bytes"]) for member in members.values()) > MOST_BYTES:
        raise ModelFileError(f"{source} claims more than {MOST_BYTES // 2**30} GiB of arrays; it is refused.")
    return {name: _read_member(archive, source, name, member) for name, member in members.items()}


def _read_member(archive: zipfile.ZipFile, source: Path, name: str, member: Mapping[str, Any]) -> NDArray[Any]:
    data = _bounded(archive, name, int(member["bytes"]), source)
    if len(data) != member["bytes"] or _digest(data) != member["sha256"]:
        raise ModelFileError(f"{source} was changed after it was saved: {name} does not match its checksum.")
    return _from_npy(data, name, source)


def _bounded(archive: zipfile.ZipFile, name: str, most: int, source: Path) -> bytes:
    """At most ``most`` bytes of a member, whatever its header promises."""
    if archive.getinfo(name).file_size > most:
        raise ModelFileError(f"{source} is refused: {name} is larger than the {most} bytes it may have.")
    with archive.open(name) as member:
        data = member.read(most + 1)
    if len(data) > most:
        raise ModelFileError(f"{source} is refused: {name} is larger than the {most} bytes it may have.")
    return data


def _to_npy(array: NDArray[Any]) -> bytes:
    out = io.BytesIO()
    np.save(out, np.ascontiguousarray(array), allow_pickle=False)
    return out.getvalue()


def _from_npy(data: bytes, name: str, source: Path) -> NDArray[Any]:
    stream = io.BytesIO(data)
    version = np.lib.format.read_magic(stream)
    if version != (1, 0):
        raise ModelFileError(f"{source} is refused: {name} has an unknown array format.")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    size = int(np.prod(shape, dtype=np.float64)) * dtype.itemsize
    if dtype.kind not in ARRAY_KINDS or fortran or size != len(data) - stream.tell():
        raise ModelFileError(f"{source} is refused: {name} is not a plain array of numbers of the size it states.")
    return np.frombuffer(data, dtype, offset=stream.tell()).reshape(shape)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
