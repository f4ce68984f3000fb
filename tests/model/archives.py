"""Model files taken apart, changed and put together again with valid checksums, and what loading them must raise."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.errors import ModelFileError

MANIFEST, MANIFEST_SUM = "manifest.json", "manifest.sha256"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def npy(array: np.ndarray, *, allow_pickle: bool = False) -> bytes:
    """An array as the bytes of a ``.npy`` file."""
    out = io.BytesIO()
    np.save(out, array, allow_pickle=allow_pickle)
    return out.getvalue()


def npy_with_header(text: str, payload: bytes = bytes(16)) -> bytes:
    """A ``.npy`` file with any header."""
    header = text.encode()
    header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + payload


@dataclass
class Archive:
    """The parts of a model file."""

    manifest: dict[str, Any]
    members: dict[str, bytes]

    @classmethod
    def read(cls, path: Path) -> Archive:
        with zipfile.ZipFile(path) as file:
            members = {name: file.read(name) for name in file.namelist()}
        manifest = json.loads(members.pop(MANIFEST))
        del members[MANIFEST_SUM]
        return cls(manifest, members)

    def write(self, path: Path, *, relist: bool = True) -> Path:
        """Write the parts; ``relist`` puts the sizes and checksums of the members into the manifest."""
        if relist:
            self.manifest["members"] = {
                name: {"sha256": digest(data), "bytes": len(data)} for name, data in self.members.items()
            }
        text = json.dumps(self.manifest).encode()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr(MANIFEST, text)
            file.writestr(MANIFEST_SUM, digest(text))
            for name, data in self.members.items():
                file.writestr(name, data)
        return path

    def name(self, column: str, part: str) -> str:
        """Member of a column, such as ``bag/splits/left``."""
        number = [entry["name"] for entry in self.manifest["columns"]].index(column)
        return f"{number}/{part}.npy"

    def array(self, column: str, part: str) -> np.ndarray:
        return np.load(io.BytesIO(self.members[self.name(column, part)])).copy()

    def change(self, column: str, part: str, edit: Callable[[np.ndarray], np.ndarray]) -> None:
        """Replace an array by an edited one of the same type."""
        array = self.array(column, part)
        self.members[self.name(column, part)] = npy(np.asarray(edit(array), array.dtype))

    def entry(self, column: str) -> dict[str, Any]:
        """What the manifest says of a column."""
        return next(entry for entry in self.manifest["columns"] if entry["name"] == column)


def small_table(n: int = 150) -> pd.DataFrame:
    """A level, a count and a number, each dependent on those before it."""
    rng = np.random.default_rng(0)
    level = rng.integers(0, 3, n)
    count = rng.poisson(2 + 4 * level)
    return pd.DataFrame(
        {"level": np.array(["a", "b", "c"])[level], "count": count, "number": 3.0 * level + count + rng.normal(size=n)}
    )


def refused(path: Path, message: str | None = None) -> str:
    """The message of the error that loading must raise."""
    with pytest.raises(ModelFileError, match=message) as caught:
        Janus.load(path)
    assert str(path) in str(caught.value)
    return str(caught.value)
