cdef class Divergence:
    cdef double[::1] whole
    cdef double[::1] left

cpdef void count_slots(
    const unsigned short[::1] codes, const int[::1] path_start, const int[::1] path_slot, const int[::1] slot_up,
    int[::1] whole
) noexcept nogil
cpdef void add_sweep_gains(
    const unsigned short[::1] codes, const int[::1] ends, double weight, const int[::1] path_start,
    const int[::1] path_slot, const int[::1] slot_up, const int[::1] inner, const double[:, ::1] child,
    const double[:, ::1] node, const double[:, ::1] both, const int[::1] whole, int[::1] left, int[::1] moved,
    double[::1] gains
) noexcept nogil
cdef void add_divergence(
    const unsigned short[::1] codes, const int[::1] ends, double weight, Py_ssize_t n_codes, double[::1] gains,
    Divergence work
) noexcept nogil
cpdef void count_table(
    const unsigned short[::1] codes, const unsigned short[::1] slots, Py_ssize_t n_codes, Py_ssize_t n_slots,
    int[:, ::1] table
) noexcept nogil
cpdef void add_table_gains(
    int[::1] table, const int[::1] levels, const int[::1] slot_up, const int[::1] inner,
    const double[:, ::1] child, const double[:, ::1] node, const double[:, ::1] both, const int[::1] whole,
    int[::1] left, int[::1] ends, double[::1] gains
) noexcept nogil
