cdef Py_ssize_t sort_ranks(
    const unsigned short* rank_of_row, Py_ssize_t n, Py_ssize_t n_ranks, int* order, int* ends, int* ranks, int* start,
    int* stop, unsigned long long* seen
) noexcept nogil
cdef bint gather(
    const unsigned short* codes, const int* rows, Py_ssize_t n, unsigned short* out
) noexcept nogil
cpdef void choose_left_levels(
    const unsigned short[::1] codes, const int[::1] rank, int cut, unsigned char[::1] out
) noexcept nogil
cpdef Py_ssize_t part_rows(
    int[::1] rows, const unsigned short[::1] codes, int cut, const unsigned char[::1] levels, int[::1] spare
) noexcept nogil
