"""Reference for the solving kernels: sets as plain lists, and programs evaluated one value at a time."""

from __future__ import annotations

import numpy as np

from janus_synth.kernels.dtypes import UNKNOWN
from janus_synth.kernels.solving import AND, DOUBLE, EQ, GE, GT, LE, LINEAR, LT, MEMBER, NE, OR, TABLE, ULPS


def compares(gap, slack, whole, op):
    """Whether ``gap op 0``, within the rounding of the terms unless all are whole."""
    berth = 0.0 if whole else ULPS * slack
    return {
        LT: gap < -berth,
        LE: gap <= berth,
        GT: gap > berth,
        GE: gap >= -berth,
        EQ: abs(gap) <= berth,
        NE: abs(gap) > berth,
    }[op]


def may_compare(low, high, slack, op):
    """Whether ``gap op 0`` for some gap between two, or for one a rounding away."""
    berth = ULPS * slack
    return (low <= berth or op in (GT, GE, NE)) and (high >= -berth or op in (LT, LE, NE))


def intersect(first, second):
    """Values in both lists of closed intervals."""
    pairs = ((max(a[0], b[0]), min(a[1], b[1])) for a in first for b in second)
    return sorted((low, high) for low, high in pairs if low <= high)


def unite(first, second):
    """Values in one of two lists, intervals that touch joined."""
    joined = []
    for low, high in sorted([*first, *second]):
        if joined and low <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], high)
        else:
            joined.append((low, high))
    return joined


def contains(sets, value, berth=0.0):
    """Whether some interval holds a value, or one a rounding away."""
    return any(low <= value + berth and value - berth <= high for low, high in sets)


def insert_point(points, cell):
    """Sorted points with one more."""
    return sorted({*points, (cell, cell)})


def cut_point(intervals, cell, before, after):
    """Intervals without a point; its neighbours stay."""
    cut = []
    for low, high in intervals:
        cut += [(low, before), (after, high)] if low <= cell <= high else [(low, high)]
    return [(low, high) for low, high in cut if low <= high]


def is_same(cells, value, precision):
    """Whether values are stored as the same number: in single precision, or but for rounding in double."""
    if precision > DOUBLE:
        return (cells.astype(np.float32) == np.float32(value)) | (np.isnan(cells) & np.isnan(value))
    berth = ULPS * precision * (np.abs(cells) + abs(value))
    exact = (cells == np.rint(cells)) & (value == np.rint(value))
    return (np.abs(cells - value) <= np.where(exact, 0.0, berth)) | (np.isnan(cells) & np.isnan(value))


def push_linear(program, ground, s, x, values, r, v):
    """Whether a comparison holds, or may hold, where the free column is ``v``."""
    _, first, stop, op, number = program.code[s]
    bound = program.numbers[number]
    low = high = -bound
    slack, whole, known = DOUBLE * abs(bound), bound == np.rint(bound), True
    for column, size in zip(program.term_column[first:stop], program.term_size[first:stop], strict=True):
        if column != program.free and x[column, r] == UNKNOWN:
            ends = sorted(size * ground.box[column])
            known = known and ends[0] == ends[1]
        else:
            ends = [size * (v if column == program.free else values[column, r])] * 2
        if np.isnan(ends[0]):
            return False
        low, high = low + ends[0], high + ends[1]
        slack += ground.precision[column] * max(map(abs, ends))
        whole = whole and ends[0] == np.rint(ends[0])
    return compares(low, slack, whole, op) if known else may_compare(low, high, slack, op)


def push_member(program, ground, s, x, values, r, v):
    """Whether a column's value is in a set, or may be."""
    _, _, _, column, which = program.code[s]
    sets = program.sets[program.set_start[which] : program.set_start[which + 1]]
    if column != program.free and x[column, r] == UNKNOWN:
        return len(sets) > 0 or program.set_null[which] == 1 or program.code[s][1] > 0
    value = v if column == program.free else values[column, r]
    if np.isnan(value):
        return program.set_null[which] == 1
    if column != program.free and program.code[s][1]:
        step = program.numbers[program.code[s][2]]
        near = step * np.rint(value / step)
        whole = value == np.rint(value) and near == np.rint(near)
        berth = 0.0 if whole else ULPS * ground.precision[column] * (abs(value) + abs(near))
        return (abs(value - near) <= berth) == (program.code[s][1] == 1)
    as_it_is = column == program.free or value == np.rint(value)
    return contains(sets, value, 0.0 if as_it_is else 2 * ULPS * ground.precision[column] * abs(value))


def push_table(program, ground, s, x, values, r, v):
    """Whether a row is among known combinations, or may be."""
    _, which, negated, _, _ = program.code[s]
    columns = program.table_column[program.table_start[which] : program.table_start[which + 1]]
    cells = program.cells[program.cell_start[which] : program.cell_start[which + 1]].reshape(-1, len(columns))
    row = np.array([v if column == program.free else values[column, r] for column in columns])
    known = np.array([column == program.free or x[column, r] != UNKNOWN for column in columns])
    alike = [is_same(cells[:, c], row[c], ground.precision[column]) for c, column in enumerate(columns)]
    same = np.stack(alike, axis=1) | ~known
    matched = same.all(axis=1).any()
    return bool(not matched or not known.all()) if negated else bool(matched)


PUSH = {LINEAR: push_linear, MEMBER: push_member, TABLE: push_table}


def solve_row(program, ground, x, values, r, v):
    """Whether a row may satisfy all rules with ``v`` in the free column; NaN is null."""
    stack = []
    for s, (kind, *_) in enumerate(program.code):
        if kind in (AND, OR):
            one, other = stack.pop(), stack.pop()
            stack.append((one and other) if kind == AND else (one or other))
        else:
            stack.append(bool(PUSH[kind](program, ground, s, x, values, r, v)))
    return stack.pop()


def solve_rows(program, ground, x, values, candidates):
    """(rows, candidates) which values of the free column every row's other columns leave."""
    found = [[solve_row(program, ground, x, values, r, v) for v in candidates] for r in range(x.shape[1])]
    return np.array(found, bool).reshape(x.shape[1], len(candidates))
