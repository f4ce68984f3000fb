"""Reference implementations of the kernels: the same names in readable NumPy, written from the formulas."""
