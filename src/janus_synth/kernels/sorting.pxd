cpdef void argsort(const double[::1] key, int[::1] order, int[::1] spare) noexcept nogil
