cdef void send_down(
    const unsigned short[:, ::1] x, int root, int first, int last, const int[::1] feature, const int[::1] cut,
    const int[::1] left, const int[::1] right, const int[::1] set_start, const unsigned char[::1] left_levels,
    const int[::1] name, int[::1] rows, int[::1] spare, int[:, ::1] stack, int[::1] out
) noexcept nogil
