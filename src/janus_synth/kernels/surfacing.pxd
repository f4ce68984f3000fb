cdef class Effects:
    cdef const int[::1] parents
    cdef const double[::1] constant
    cdef const double[:, :, ::1] single
    cdef const int[:, ::1] pairs
    cdef const double[:, :, :, ::1] joint

    cdef (double, double) at(self, const unsigned short[:, :] x, Py_ssize_t r, Py_ssize_t skipped) noexcept nogil
