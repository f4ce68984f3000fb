from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy


cdef inline double scrambled(double uniform) noexcept nogil:
    """A uniform whose bits are those of another one, scrambled as in SplitMix64 (Steele, Lea & Flood 2014)."""
    cdef uint64_t bits
    memcpy(&bits, &uniform, 8)
    bits += <uint64_t> 0x9E3779B97F4A7C15ULL
    bits = (bits ^ (bits >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9ULL
    bits = (bits ^ (bits >> 27)) * <uint64_t> 0x94D049BB133111EBULL
    bits ^= bits >> 31
    return <int64_t> (bits >> 11) * (1.0 / 9007199254740992.0)
