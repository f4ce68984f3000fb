# Fetch a line of memory into the cache before it is needed.
cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define JANUS_PREFETCH(at) __builtin_prefetch(at)
    #else
    #define JANUS_PREFETCH(at) ((void)(at))
    #endif
    """
    void prefetch "JANUS_PREFETCH"(const void *at) noexcept nogil
