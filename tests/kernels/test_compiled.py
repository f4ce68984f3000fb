"""Kernels run as compiled: a module that imports cython would also run as plain Python, a hundred times slower."""

from __future__ import annotations

from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import numpy as np
import pytest

from janus_synth import kernels
from janus_synth.kernels.dtypes import INDEX
from janus_synth.kernels.routing import leaf_of_row

FOLDER = Path(kernels.__file__).parent
PLAIN = {"__init__", "dtypes", "views"}
COMPILED = sorted({path.stem for path in FOLDER.glob("*.py")} - PLAIN)


@pytest.mark.parametrize("name", COMPILED)
def test_a_kernel_is_compiled_and_has_a_stub(name):
    module = import_module(f"janus_synth.kernels.{name}")
    assert module.__file__.endswith(tuple(EXTENSION_SUFFIXES))
    assert (FOLDER / f"{name}.pyi").is_file()


def test_a_kernel_reads_arrays_that_nobody_may_write():
    x = np.zeros((1, 3), np.uint16)
    leaf = np.full(1, -1, INDEX)
    x.flags.writeable = leaf.flags.writeable = False
    out = np.full(3, -1, INDEX)
    leaf_of_row(x, 0, leaf, leaf, leaf, leaf, leaf, np.zeros(0, np.uint8), out)
    assert out.tolist() == [0, 0, 0]


def test_a_kernel_refuses_arrays_of_another_type():
    leaf = np.full(1, -1, INDEX)
    with pytest.raises(ValueError, match="Buffer dtype mismatch"):
        leaf_of_row(np.zeros((1, 3)), 0, leaf, leaf, leaf, leaf, leaf, np.zeros(0, np.uint8), np.zeros(3, INDEX))
