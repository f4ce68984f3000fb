"""Sort rows by rank and part them at a cut: codes in, rows in order out."""

import cython

BIT_PLACE = cython.declare(cython.int[64])
for _place in range(64):
    BIT_PLACE[((0x03F79D71B4CB0A89 << _place) % 2**64) >> 58] = _place


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def lowest_bit(bits: cython.ulonglong) -> cython.Py_ssize_t:
    """Place of the lowest bit that is set, by a de Bruijn sequence: each of its 64 windows of 6 bits is different."""
    lowest: cython.ulonglong = bits & (~bits + 1)
    return BIT_PLACE[(lowest * cython.cast(cython.ulonglong, 0x03F79D71B4CB0A89)) >> 58]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_ranks(
    rank_of_row: cython.pointer[cython.const[cython.ushort]],
    n: cython.Py_ssize_t,
    n_ranks: cython.Py_ssize_t,
    order: cython.p_int,
    ends: cython.p_int,
    ranks: cython.p_int,
    start: cython.p_int,
    stop: cython.p_int,
    seen: cython.pointer[cython.ulonglong],
) -> cython.Py_ssize_t:
    """`sort_by_rank` of ``n`` rows."""
    n_groups: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    r: cython.Py_ssize_t
    word: cython.Py_ssize_t
    bits: cython.ulonglong
    one: cython.ulonglong = 1
    late: cython.Py_ssize_t
    half: cython.Py_ssize_t = n // 2
    before: cython.int = 0
    size: cython.int
    if n < n_ranks:
        for i in range(n):
            r = rank_of_row[i]
            start[r] += 1
            seen[r >> 6] |= one << (r & 63)
        for word in range((n_ranks + 63) >> 6):
            bits = seen[word]
            seen[word] = 0
            while bits != 0:
                r = (word << 6) + lowest_bit(bits)
                bits &= bits - 1
                size = start[r]
                start[r] = before
                before += size
                stop[r] = before
                ends[n_groups], ranks[n_groups] = before, cython.cast(cython.int, r)
                n_groups += 1
    else:
        for i in range(half):
            start[rank_of_row[i]] += 1
            stop[rank_of_row[n - 1 - i]] += 1
        if n & 1:
            start[rank_of_row[half]] += 1
        for r in range(n_ranks):
            size = start[r] + stop[r]
            if size > 0:
                start[r] = before
                before += size
                stop[r] = before
                ends[n_groups], ranks[n_groups] = before, cython.cast(cython.int, r)
                n_groups += 1
    for i in range(half):
        r = rank_of_row[i]
        order[start[r]] = cython.cast(cython.int, i)
        start[r] += 1
        late = n - 1 - i
        r = rank_of_row[late]
        stop[r] -= 1
        order[stop[r]] = cython.cast(cython.int, late)
    if n & 1:
        order[start[rank_of_row[half]]] = cython.cast(cython.int, half)
    for i in range(n_groups):
        start[ranks[i]] = stop[ranks[i]] = 0
    return n_groups


def sort_by_rank(
    rank_of_row: cython.const[cython.ushort][::1],
    n_ranks: cython.Py_ssize_t,
    order: cython.int[::1],
    ends: cython.int[::1],
    ranks: cython.int[::1],
    start: cython.int[::1],
    stop: cython.int[::1],
    seen: cython.ulonglong[::1],
) -> int:
    """Stable sort of rows by rank; returns the number of groups of equal rank.

    Few rows have few of the ranks: these are kept as a set of bits, which saves walking through all ranks. Rows are
    counted and placed from both ends at once, so that rows of equal rank do not wait for one another.

    rank_of_row (n,) CODE | order (n,) INDEX receives the rows in order of their rank
    ends, ranks (≥ groups,) INDEX receive where each group ends and its rank
    start, stop (n_ranks,) INDEX, seen (≥ n_ranks / 64,) uint64: work space, all zero before and after
    """
    return sort_ranks(
        cython.address(rank_of_row[0]), rank_of_row.shape[0], n_ranks, cython.address(order[0]),
        cython.address(ends[0]), cython.address(ranks[0]), cython.address(start[0]), cython.address(stop[0]),
        cython.address(seen[0]),
    )  # fmt: skip


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def gather(
    codes: cython.pointer[cython.const[cython.ushort]],
    rows: cython.p_const_int,
    n: cython.Py_ssize_t,
    out: cython.pointer[cython.ushort],
) -> cython.bint:
    """Write the codes of ``n`` rows; returns whether they are all the same."""
    i: cython.Py_ssize_t
    first: cython.ushort
    code: cython.ushort
    different: cython.int = 0
    if n == 0:
        return True
    first = codes[rows[0]]
    for i in range(n):
        code = codes[rows[i]]
        out[i] = code
        different |= code ^ first
    return different == 0


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def choose_left_levels(
    codes: cython.const[cython.ushort][::1],
    rank: cython.const[cython.int][::1],
    cut: cython.int,
    out: cython.uchar[::1],
) -> cython.void:
    """Mark the levels that go left: those up to the cut; a level without rows here follows the majority.

    codes (n,) CODE | rank (≥ K,) INDEX | out (K,) uint8
    """
    i: cython.Py_ssize_t
    level: cython.Py_ssize_t
    n_left: cython.Py_ssize_t = 0
    goes: cython.bint
    for level in range(out.shape[0]):
        out[level] = 0
    for i in range(codes.shape[0]):
        out[codes[i]] = 1  # this level has rows
        n_left += 1 if rank[codes[i]] <= cut else 0
    for level in range(out.shape[0]):
        goes = rank[level] <= cut if out[level] else 2 * n_left >= codes.shape[0]
        out[level] = 1 if goes else 0


@cython.ccall
@cython.nogil
@cython.exceptval(check=False)
def part_rows(
    rows: cython.int[::1],
    codes: cython.const[cython.ushort][::1],
    cut: cython.int,
    levels: cython.const[cython.uchar][::1],
    spare: cython.int[::1],
) -> cython.Py_ssize_t:
    """Bring the rows that go left to the front, keeping their order; returns how many they are.

    rows, spare (n,) INDEX | codes (n,) CODE | levels (K,) uint8: which levels go left; empty for an ordered column
    """
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    late: cython.Py_ssize_t = 0
    row: cython.int
    goes_left: cython.int
    by_level: cython.bint = levels.shape[0] > 0
    # Every row is written to both sides and counted on one: sides are hard to predict, and a wrong guess of the
    # processor costs more than a write.
    for i in range(rows.shape[0]):
        row = rows[i]
        goes_left = levels[codes[i]] if by_level else codes[i] <= cut
        rows[at], spare[late] = row, row
        at += goes_left
        late += 1 - goes_left
    for i in range(late):
        rows[at + i] = spare[i]
    return at
