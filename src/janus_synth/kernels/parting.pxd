cpdef Py_ssize_t sort_by_rank(
    const unsigned short[::1] rank_of_row, Py_ssize_t n_ranks, int[::1] order, int[::1] ends, int[::1] ranks,
    int[::1] start, int[::1] stop, unsigned long long[::1] seen
) noexcept nogil
cdef bint gather(
    const unsigned short[::1] codes, const int[::1] rows, unsigned short[::1] out
) noexcept nogil
cpdef void choose_left_levels(
    const unsigned short[::1] codes, const int[::1] rank, int cut, unsigned char[::1] out
) noexcept nogil
cpdef Py_ssize_t part_rows(
    int[::1] rows, const unsigned short[::1] codes, int cut, const unsigned char[::1] levels, int[::1] spare
) noexcept nogil
