# JANUS: `make demo` shows it, `make test` checks it, `make help` lists the rest.
PYTHON ?= python3
BIN := .venv/bin
.DEFAULT_GOAL := help
SOURCES := src tests bench/src bench/tests
.PHONY: help demo test test-bench test-all check format bench clean

help:  ## List the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

.venv/bin/python:
	$(PYTHON) -m venv .venv

# One stamp per set of extras: a changed pyproject.toml installs again, nothing else does.
.venv/demo.stamp: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[plots,detection,fairness]'
	@touch $@

.venv/dev.stamp: .venv/bin/python pyproject.toml bench/pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]' -e ./bench
	@touch $@ .venv/demo.stamp

demo: .venv/demo.stamp  ## Learn the demo table, sample it, score it, write a page with pictures
	$(BIN)/janus demo

test: .venv/dev.stamp  ## Run the tests of the library (without the slow ones)
	$(BIN)/python -m pytest -q -m "not slow" -n 2

test-bench: .venv/dev.stamp  ## Run the tests of the benchmarks (without the slow ones)
	cd bench && ../$(BIN)/python -m pytest -q -m "not slow" -n 2

test-all: .venv/dev.stamp  ## Run all tests, then those of kernels once more without compilation
	$(BIN)/python -m pytest -q -n 2
	cd bench && ../$(BIN)/python -m pytest -q -n 2
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -q -m "not slow" -k "not signature" tests/kernels

check: .venv/dev.stamp  ## Format, lint, types and layers
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/dev.stamp  ## Format the code and fix what can be fixed
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

bench: .venv/dev.stamp  ## Run all benchmarks, small (rivals whose libraries are absent are reported as such)
	$(BIN)/janus bench all --quick

clean:  ## Remove what can be made again
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis dist janus-demo bench-results
