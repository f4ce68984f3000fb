# JANUS: `make demo` shows it, `make test` checks it, `make help` lists the rest.
PYTHON ?= python3
BIN := .venv/bin
.DEFAULT_GOAL := help
SOURCES := setup.py src tests bench/src bench/tests notebooks
KERNELS := setup.py $(wildcard src/janus_synth/kernels/*.py src/janus_synth/kernels/*.pxd)
CHECKED := build/checked
READY := .venv/dev.stamp .venv/kernels.stamp
COMPILER := $(if $(shell command -v cc || command -v gcc || command -v clang),,ziglang)
.PHONY: browser help demo test test-bench test-all check check-sklearn docs format bench clean

help:  ## List the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

.venv/bin/python:
	$(PYTHON) -m venv .venv

# One stamp per set of extras: a changed pyproject.toml installs again, a changed kernel compiles again, nothing else does.
.venv/demo.stamp: .venv/bin/python pyproject.toml $(KERNELS)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[plots,detection,fairness]'
	@touch $@

.venv/dev.stamp: .venv/bin/python pyproject.toml bench/pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]' -e ./bench $(COMPILER)
	@touch $@ .venv/demo.stamp .venv/kernels.stamp

.venv/kernels.stamp: $(KERNELS) | .venv/dev.stamp
	$(BIN)/python setup.py --quiet build_ext --inplace
	@touch $@

demo: .venv/demo.stamp  ## Learn the demo table, sample it, score it, write a page with pictures
	$(BIN)/janus demo

test: $(READY)  ## Run the tests of the library (without the slow ones)
	$(BIN)/python -m pytest -q -m "not slow" -n 2

test-bench: $(READY)  ## Run the tests of the benchmarks (without the slow ones)
	cd bench && ../$(BIN)/python -m pytest -q -m "not slow" -n 2

test-all: $(READY)  ## Run all tests, then those of kernels once more with bounds checks
	$(BIN)/python -m pytest -q -n 2
	cd bench && ../$(BIN)/python -m pytest -q -n 2
	JANUS_KERNEL_CHECKS=1 $(BIN)/python setup.py --quiet build --build-base $(CHECKED) --build-lib $(CHECKED)/lib
	PYTHONPATH=$(CHECKED)/lib $(BIN)/python -m pytest -q -m "not slow" tests/kernels

check: $(READY)  ## Format, lint, types and layers
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports

.venv/docs.stamp: .venv/dev.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@

browser:  ## Install a browser for the tests of the studio, where apt-get may (they are skipped without one)
	command -v chromium || (apt-get update -qq && apt-get install -y -qq chromium)

docs: $(READY) .venv/docs.stamp  ## Build the documentation into build/site; a warning is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

SKLEARN ?= 1.7 1.8 1.9
SKLEARN_TESTS := tests/estimators tests/janus/test_contract.py

# pytest 9 warns about how older releases of scikit-learn hand over their checks.
check-sklearn: $(READY)  ## Check the estimators with the current and the two previous releases of scikit-learn
	@mkdir -p build
	$(BIN)/python -c "import tomllib; project = tomllib.load(open('pyproject.toml', 'rb'))['project']; \
	print(*(name for name in project['dependencies'] if not name.startswith('scikit-learn')), sep='\n')" > build/needed.txt
	set -e; for version in $(SKLEARN); do \
	    test -d build/sklearn-$$version || $(BIN)/python -m venv build/sklearn-$$version; \
	    build/sklearn-$$version/bin/python -m pip install --quiet --disable-pip-version-check -r build/needed.txt \
	        "scikit-learn==$$version.*" polars "pytest<9"; \
	    PYTHONPATH=src build/sklearn-$$version/bin/python -m pytest -q -p no:cacheprovider $(SKLEARN_TESTS); \
	done

format: $(READY)  ## Format the code and fix what can be fixed
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

bench: $(READY)  ## Run all benchmarks, small (rivals whose libraries are absent are reported as such)
	$(BIN)/janus bench all --quick

clean:  ## Remove what can be made again
	rm -rf .venv build src/janus_synth/kernels/*.so .pytest_cache .mypy_cache .ruff_cache .hypothesis dist janus-demo bench-results
