cpdef double power_of(double x, int p) noexcept nogil
cpdef void multiply_ranges(double[::1] product, double low, double high) noexcept nogil
cpdef void range_of_power(double low, double high, int p, double[::1] out) noexcept nogil
cpdef Py_ssize_t solve_powers(
    const double[::1] size, const double[::1] slack, bint divides, int op, double base, double gap, double scale,
    double[:, ::1] out, Py_ssize_t at
) noexcept nogil
cpdef Py_ssize_t solve_power_range(
    const double[::1] low, const double[::1] high, const double[::1] slack, int op, double base, double gap,
    double scale, double[:, ::1] out, Py_ssize_t at
) noexcept nogil
