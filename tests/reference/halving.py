"""Reference for the code trees: splits that halve the mass, one slot at a time, and sums along them."""

from __future__ import annotations

import numpy as np


def halve(below, last_alone, most_levels):
    """The slot above each slot, and the last slot of each code, breadth first."""
    n = len(below) - 1
    slot_up, level, end = [0], [0], np.zeros(n, int)
    waiting = [(0, n)]
    for slot, (lo, hi) in enumerate(waiting):  # the list grows while it is read
        end[lo:hi] = slot
        if hi - lo < 2 or level[slot] == most_levels:
            continue
        half = (below[lo] + below[hi]) / 2
        middle = lo + 1 + int(np.argmin(np.abs(below[lo + 1 : hi] - half)))
        if slot == 0 and last_alone:
            middle = hi - 1
        waiting += [(lo, middle), (middle, hi)]
        slot_up += [slot, slot]
        level += [level[slot] + 1] * 2
    return np.array(slot_up), end


def slots_above(slot_up, slot):
    """Slots on the way from a slot to the root, the root last."""
    return [] if slot == 0 else [slot_up[slot], *slots_above(slot_up, slot_up[slot])]


def find_levels(slot_up):
    """Distance of each slot from the root."""
    return np.array([len(slots_above(slot_up, slot)) for slot in range(len(slot_up))])


def add_up(slot_up, rows):
    """What each slot and all below it have."""
    total = rows.copy()
    for slot in range(len(slot_up)):
        for above in slots_above(slot_up, slot):
            total[above] += rows[slot]
    return total


def multiply_down(slot_up, share):
    """Product of the shares of each slot and of all above it."""
    return np.array([share[[slot, *slots_above(slot_up, slot)]].prod() for slot in range(len(slot_up))])
