# The code tree of a column with its tables of logs and work space, see `add_sweep_gains`. Kernels pass it on by its
# address: a call with a dozen memory views takes longer than a small node. Rows of a slot on the left of a cut are in
# the lower half of one of the numbers ``sides``, those on the right in the upper half.
cdef struct Evidence:
    const int* path_start
    const int* path_slot
    const int* slot_up
    const int* inner
    const double* part
    const double* part_values
    const double* both
    const double* both_values
    const double* node_values
    int* whole
    unsigned long long* sides
    int* moved
    Py_ssize_t n_slots
