from janus_synth.kernels.evidence cimport Evidence

cdef class Divergence:
    cdef double[::1] whole
    cdef double[::1] left

cdef void count_rows(const unsigned short* codes, Py_ssize_t n, Evidence* tree) noexcept nogil
cdef void add_gains(
    const unsigned short* codes, const int* ends, Py_ssize_t n_groups, double weight, Evidence* tree, double* gains
) noexcept nogil
cdef void add_divergence(
    const unsigned short[::1] codes, const int[::1] ends, double weight, Py_ssize_t n_codes, double[::1] gains,
    Divergence work
) noexcept nogil
cdef void fill_table(
    const unsigned short* codes, const unsigned short* slots, Py_ssize_t n, Py_ssize_t n_codes, Py_ssize_t n_slots,
    int* table, int* other
) noexcept nogil
cdef void add_gains_of_levels(
    int* table, const int* levels, Py_ssize_t n_levels, Evidence* tree, int* ends, double* gains
) noexcept nogil
