cdef enum:
    N_BINS = 64  # N_RESIDUALS and
    REACH = 5  # REACH of `dtypes`, known to the compiler


cdef inline double place_of(double residual, double bend) noexcept nogil:
    """Place among the bins of a residual within reach; bent bins are finer near 0 (`trees.residual_grid`)."""
    cdef double size = residual if residual >= 0.0 else -residual
    if bend == 0.0:  # the same number without a division
        return residual * 2.0 * (N_BINS / (4.0 * REACH)) + N_BINS / 2.0
    return residual * (1.0 + (1.0 + bend * REACH) / (1.0 + bend * size)) * (N_BINS / (4.0 * REACH)) + N_BINS / 2.0
