"""Values of ordered columns and their bins: codes and uniforms in, values out; values in, codes out."""

import cython
from cython.cimports.libc.math import INFINITY, NAN, nextafter, rint


def values_in_bins(
    codes: cython.const[cython.ushort][::1],
    u: cython.const[cython.double][::1],
    level: cython.const[cython.double][:, ::1],
    knot: cython.const[cython.double][:, ::1],
    upper: cython.const[cython.double][::1],
    base: cython.double,
    gap: cython.double,
    scale: cython.double,
    out: cython.double[::1],
) -> None:
    """Invert each code's quantile function at ``u``; codes beyond the bins (missing) become NaN.

    With ``scale > 0`` values are rounded onto the lattice (base + gap · m) / scale. Rounding never leaves the bin.

    codes (n,) CODE | u, out (n,) REAL | level, knot (K, q) REAL | upper (K−1,) REAL
    """
    n_bins: cython.Py_ssize_t = level.shape[0]
    n_knots: cython.Py_ssize_t = level.shape[1]
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    t: cython.Py_ssize_t
    width: cython.Py_ssize_t
    half: cython.Py_ssize_t
    value: cython.double
    below: cython.double
    above: cython.double
    along: cython.double
    m: cython.double
    knots: cython.pointer[cython.const[cython.double]]
    levels: cython.pointer[cython.const[cython.double]]
    with cython.nogil:
        for i in range(codes.shape[0]):
            k = codes[i]
            if k >= n_bins:
                out[i] = NAN
                continue
            knots, levels = cython.address(knot[k, 0]), cython.address(level[k, 0])
            value = knots[0]
            if knots[n_knots - 1] > value:
                # The first knot whose level is not below u; levels are mostly even, and then the first guess is right.
                t = min(cython.cast(cython.Py_ssize_t, u[i] * (n_knots - 1)) + 1, n_knots - 1)
                if levels[t] < u[i] or (t > 1 and levels[t - 1] >= u[i]):
                    t, width = 1, n_knots - 1
                    while width > 1:
                        half = width // 2
                        t += half if levels[t + half - 1] < u[i] else 0
                        width -= half
                below, above = levels[t - 1], levels[t]
                along = (u[i] - below) / (above - below) if above > below else 0.0
                value = knots[t - 1] + along * (knots[t] - knots[t - 1]) if along < 1.0 else knots[t]
                if scale > 0.0:
                    m = rint((value * scale - base) / gap)
                    value = (base + gap * m) / scale
                    if value < knots[0]:
                        value = (base + gap * (m + 1.0)) / scale
                    elif value > knots[n_knots - 1]:
                        value = (base + gap * (m - 1.0)) / scale
                else:
                    value = min(value, upper[k] if k < n_bins - 1 else knots[n_knots - 1])
                    if k > 0 and value <= upper[k - 1]:
                        value = nextafter(upper[k - 1], INFINITY)
            out[i] = value


def bins_of_values(
    values: cython.const[cython.double][::1],
    upper: cython.const[cython.double][::1],
    missing: cython.ushort,
    base: cython.double,
    gap: cython.double,
    scale: cython.double,
    out: cython.ushort[::1],
) -> None:
    """Write the bin of each value: the first whose upper bound it does not exceed; NaN becomes ``missing``.

    With ``scale > 0`` values are first rounded onto the lattice (base + gap · m) / scale.

    values (n,) REAL | upper (K−1,) REAL, ascending | out (n,) CODE
    """
    n_upper: cython.Py_ssize_t = upper.shape[0]
    i: cython.Py_ssize_t
    start: cython.Py_ssize_t
    width: cython.Py_ssize_t
    half: cython.Py_ssize_t
    value: cython.double
    with cython.nogil:
        for i in range(values.shape[0]):
            value = values[i]
            if value != value:
                out[i] = missing
                continue
            if scale > 0.0:
                value = (base + gap * rint((value * scale - base) / gap)) / scale
            start, width = 0, n_upper
            while width > 0:  # no branch depends on the value, so that none is mispredicted
                half = (width + 1) // 2
                start += half if upper[start + half - 1] < value else 0
                width -= half
            out[i] = start


def count_between_knots(
    values: cython.const[cython.double][::1],
    codes: cython.const[cython.ushort][::1],
    knot: cython.const[cython.double][:, ::1],
    counts: cython.longlong[:, ::1],
) -> None:
    """Add 1 for every value to the interval of its bin in which it lies; values outside count in the nearest.

    values (n,) REAL | codes (n,) CODE: bins, or beyond them for missing | knot (K, q) REAL | counts (K, q−1) int64
    """
    n_bins: cython.Py_ssize_t = knot.shape[0]
    last: cython.Py_ssize_t = knot.shape[1] - 2
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    with cython.nogil:
        for i in range(values.shape[0]):
            k = codes[i]
            if k >= n_bins:
                continue
            low, high = 0, last
            while low < high:  # the first interval whose upper knot the value does not exceed
                middle = (low + high) // 2
                if values[i] <= knot[k, middle + 1]:
                    high = middle
                else:
                    low = middle + 1
            counts[k, low] += 1
