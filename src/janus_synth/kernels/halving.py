"""Build code trees and add along them: slots come after the slot above them, see `trees.code_tree`."""

import cython
import numpy as np
from cython.cimports.libc.math import fabs

from janus_synth.kernels.dtypes import INDEX


def halve(
    below: cython.const[cython.double][::1],
    last_alone: cython.bint,
    most_levels: cython.Py_ssize_t,
    slot_up: cython.int[::1],
    end: cython.int[::1],
) -> cython.Py_ssize_t:
    """Build the slots of a tree of binary splits that halve the mass of its codes; returns their number.

    below (K+1,) REAL: mass below each code | last_alone: the first split separates the last code
    slot_up (≥ 2 K,) INDEX receives the slot above each, 0 for the root | end (K,) INDEX receives each code's last slot
    """
    n_codes: cython.Py_ssize_t = below.shape[0] - 1
    first: cython.int[::1] = np.empty(slot_up.shape[0], INDEX)
    stop: cython.int[::1] = np.empty(slot_up.shape[0], INDEX)
    level: cython.int[::1] = np.zeros(slot_up.shape[0], INDEX)
    n_slots: cython.Py_ssize_t = 1
    slot: cython.Py_ssize_t = 0
    middle: cython.Py_ssize_t
    at: cython.Py_ssize_t
    half: cython.double
    nearest: cython.double
    first[0], stop[0], slot_up[0] = 0, cython.cast(cython.int, n_codes), 0
    with cython.nogil:
        while slot < n_slots:
            for at in range(first[slot], stop[slot]):
                end[at] = cython.cast(cython.int, slot)
            if stop[slot] - first[slot] >= 2 and level[slot] < most_levels:
                middle = stop[slot] - 1
                if slot > 0 or not last_alone:
                    half = (below[first[slot]] + below[stop[slot]]) / 2
                    middle = first[slot] + 1
                    nearest = fabs(below[middle] - half)
                    for at in range(middle + 1, stop[slot]):
                        if fabs(below[at] - half) < nearest:
                            middle, nearest = at, fabs(below[at] - half)
                first[n_slots], stop[n_slots] = first[slot], cython.cast(cython.int, middle)
                first[n_slots + 1], stop[n_slots + 1] = cython.cast(cython.int, middle), stop[slot]
                slot_up[n_slots] = slot_up[n_slots + 1] = cython.cast(cython.int, slot)
                level[n_slots] = level[n_slots + 1] = level[slot] + 1
                n_slots += 2
            slot += 1
    return n_slots


def find_levels(slot_up: cython.const[cython.int][::1], out: cython.int[::1]) -> None:
    """Write the distance of each slot from the root.

    slot_up, out (s,) INDEX
    """
    slot: cython.Py_ssize_t
    with cython.nogil:
        out[0] = 0
        for slot in range(1, slot_up.shape[0]):
            out[slot] = out[slot_up[slot]] + 1


def add_up(slot_up: cython.const[cython.int][::1], rows: cython.double[::1]) -> None:
    """Add what each slot has to all slots above it.

    slot_up (s,) INDEX | rows (s,) REAL
    """
    slot: cython.Py_ssize_t
    with cython.nogil:
        for slot in range(slot_up.shape[0] - 1, 0, -1):
            rows[slot_up[slot]] += rows[slot]


def multiply_down(slot_up: cython.const[cython.int][::1], share: cython.double[::1]) -> None:
    """Multiply each slot's share by those of all slots above it.

    slot_up (s,) INDEX | share (s,) REAL
    """
    slot: cython.Py_ssize_t
    with cython.nogil:
        for slot in range(1, slot_up.shape[0]):
            share[slot] *= share[slot_up[slot]]
