"""Settings of the whole test run, doctests included; they must precede the first import of scikit-learn or xgboost."""

import os

# The tables of tests are tiny, and tests run in parallel: several OpenMP threads per process would only wait for
# each other (the tests of fidelity took four times as long).
os.environ.setdefault("OMP_NUM_THREADS", "1")
