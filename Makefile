# `make help` lists the targets. Prerequisites: make, and Python 3.11 or newer with its venv module.

PYTHON  ?= $(shell python3.11 -c '' 2>/dev/null && echo python3.11 || echo python3)
PYTHONS ?= python3.11 python3.12 python3.13
REPORTS ?=
WORKERS ?= auto
MINUTES ?= 10
VERSION ?= Unreleased

VENV      := .venv
BIN       := $(VENV)/bin
LOCKED    := $(VENV)/.locked
INSTALLED := $(VENV)/.installed
COMPILED  := $(VENV)/.compiled
TOOLS     := $(VENV)/.tools
COMPILE   := engine bus nic machine ethernet storage topology golden
READY     := $(INSTALLED) $(if $(filter 1,$(NETSIM_PURE)),,$(COMPILED))
LOG       := build/compile.log
# Each processor has a process of its own: threads of linear algebra would only take it from each other.
PYTEST    := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup
# Python caches the bytecode of imported modules, which are a small part of those installed.
INSTALL   := $(BIN)/python -m pip install --quiet --no-compile --require-hashes --requirement

# Otherwise each of hundreds of processes would compile all that it imports; the bytecode stays in .venv and this folder.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help venv dev reproduce test check fast interpreted lint docs bench notebooks fuzz wheels notes clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# A changed lock file creates a new environment; changed metadata only reinstalls netsim.
$(LOCKED): requirements/run.txt requirements/dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "netsim needs Python 3.11 or newer: make PYTHON=/path/to/python ..." >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(INSTALL) requirements/run.txt
	@touch $@

$(INSTALLED): $(LOCKED) setup.cfg setup.py pyproject.toml
	NETSIM_PURE=1 $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# Without a compiler only speed is lost. The command itself checks whether the existing library is of these sources.
$(COMPILED): $(INSTALLED) $(shell find netsim -name '*.py')
	@mkdir -p $(dir $(LOG))
	@$(BIN)/python setup.py --quiet build_ext --inplace >$(LOG) 2>&1 && touch $@ \
	    || echo "$$(tail -n 1 $(LOG)): netsim runs interpreted ($(LOG))"

# The requirements of tests, documentation and notebooks are more than twice as large as those of running.
$(TOOLS): $(LOCKED) | $(INSTALLED)
	$(INSTALL) requirements/dev.txt
	@touch $@

venv: $(READY) ## build .venv from the pinned requirements, and compile (not with NETSIM_PURE=1)

dev: ## the same, with all extras and the requirements of tests, documentation and notebooks
	@$(MAKE) --no-print-directory --jobs=2 $(READY) $(TOOLS)

reproduce: $(READY) ## run the experiments; REPORTS="..." passes arguments, such as the names of some reports
	$(BIN)/python -m experiments $(REPORTS)

test: dev ## ruff, mypy, documentation, all tests, all notebooks
	@$(MAKE) --no-print-directory --jobs=2 lint docs
	$(PYTEST)

check: ## ruff, mypy, documentation and the fast tests
	@$(MAKE) --no-print-directory --jobs=2 lint docs
	@$(MAKE) --no-print-directory fast

fast: $(READY) $(TOOLS) ## the fast tests alone (with NETSIM_PURE=1: interpreted)
	$(PYTEST) -m "not validation"

interpreted: $(INSTALLED) $(TOOLS) ## the fast tests of the compiled parts, interpreted
	NETSIM_PURE=1 $(PYTEST) -m "not validation" $(COMPILE:%=tests/%)

lint: $(TOOLS) ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/mypy

docs: $(READY) $(TOOLS) ## build the documentation into build/docs, and check its links (external ones are only counted)
	@rm -rf build/docs
	$(BIN)/python -m sphinx -W --keep-going -q docs build/docs
	$(BIN)/python docs/links.py build/docs

bench: $(READY) $(TOOLS) ## run the benchmarks
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.scale
	$(BIN)/python -m benchmarks.sweeps
	$(BIN)/python -m benchmarks.first_answer
	$(BIN)/python -m benchmarks.tracing

notebooks: $(READY) $(TOOLS) ## run every notebook from top to bottom
	$(PYTEST) tests/docs/test_notebook_runs.py

fuzz: $(READY) $(TOOLS) ## random input for MINUTES (10): no traceback, no hang, no implausible number
	$(BIN)/python -m tests.fuzz $(MINUTES)

wheels: $(INSTALLED) ## a wheel for each of PYTHONS and a pure one into dist/, each tested in its own environment
	PYTHON=$(BIN)/python .ci/wheels $(PYTHONS)

notes: ## the release notes of VERSION (Unreleased), from the changelog
	@awk -v version='[$(VERSION)]' '/^## / { here = $$2 == version; next } here { print; any = 1 } END { exit !any }' CHANGELOG.md \
	    || { echo "CHANGELOG.md has no version $(VERSION)" >&2; exit 1; }

clean: ## remove .venv, build results and caches
	rm -f netsim/compiled/native__mypyc.*
	rm -rf $(VENV) build docs/notebooks dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage .coverage.* htmlcov
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
