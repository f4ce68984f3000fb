cdef class Ranking:
    cdef double[::1] size
    cdef double[::1] score
    cdef double[:, ::1] profile
    cdef double[::1] overall
    cdef double[::1] axis
    cdef double[::1] following
    cdef double[::1] key
    cdef int[::1] order
    cdef int[::1] spare
    cdef int[::1] present
    cdef int[::1] place
    cdef long long[:, ::1] sums

cdef void score_by_mean(
    const unsigned short* parent_codes, const unsigned short* y, Py_ssize_t n, Py_ssize_t n_levels, Ranking work
) noexcept nogil
cdef Py_ssize_t copy_profiles(
    const int* table, const int* whole, Py_ssize_t n_slots, Py_ssize_t n_levels, Ranking work
) noexcept nogil
cdef void score_by_axis(
    double n, Py_ssize_t n_levels, Py_ssize_t n_classes, Ranking work
) noexcept nogil
cdef Py_ssize_t rank_by_score(
    Py_ssize_t n_levels, Ranking work, int[::1] rank
) noexcept nogil
cdef void rank_into(
    const unsigned short* parent_codes, const unsigned short* y, Py_ssize_t n, Py_ssize_t n_levels,
    Py_ssize_t n_targets, bint y_ordered, Ranking work, int[::1] rank
) noexcept nogil
