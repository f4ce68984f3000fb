"""Settings of the whole test run, doctests included; they must precede the first import of scikit-learn or xgboost."""

import os

# Tests run in parallel and their tables are tiny: more OpenMP threads than one per process gain nothing. On two busy
# cores a test that trains XGBoost took 5.3 to 5.6 s with one thread and 5.7 to 6.1 s with two, three runs each.
os.environ.setdefault("OMP_NUM_THREADS", "1")
