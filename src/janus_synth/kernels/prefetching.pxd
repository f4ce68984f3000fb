cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define JANUS_PREFETCH(address) __builtin_prefetch(address)
    #else
    #define JANUS_PREFETCH(address) ((void) (address))
    #endif
    """
    void prefetch_line_of "JANUS_PREFETCH"(const void *address) noexcept nogil


cdef inline void prefetch(const void *start, Py_ssize_t size) noexcept nogil:
    """Ask for the cache lines of some bytes, which arrive while other work goes on."""
    cdef Py_ssize_t at = 0
    while at < size:
        prefetch_line_of(<const char *> start + at)
        at += 64
