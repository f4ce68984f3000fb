"""Settings of all tests."""

import os

# Tests run beside one another, and call parts of the library outside of the functions that limit these threads: two of
# them take ten times the CPU of one on the small matrices here (see one_blas_thread in janus_synth/threads.py).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
