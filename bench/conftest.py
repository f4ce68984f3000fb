"""Settings of the whole test run, doctests included; they must precede the first import of scikit-learn or xgboost."""

import os

# Tests run in parallel, so one OpenMP thread per process keeps them off each other's cores. How much that saves is not
# known: on two busy cores a single test with scikit-learn's boosting took as long with one thread as with two.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Two threads of linear algebra take ten times the CPU of one on small matrices (see janus_synth/threads.py).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
