# Every task is one command; each sets up what it needs and is quick when nothing changed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := PIP_CONSTRAINT=constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install -qq
CORES := $(shell nproc 2>/dev/null || echo 2)

.PHONY: help setup run test test-all lint format bench clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

setup: $(VENV)/.ready  ## make .venv with everything the project needs

$(VENV)/.ready: pyproject.toml constraints.txt
	@echo "Setting up $(VENV) (once; a minute or two)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) -e '.[dev]'
	@touch $@

run: setup  ## play a game of Linko against bots in the terminal
	@$(BIN)/lynxden play linko

test: setup lint  ## prove that everything works (minutes)
	$(BIN)/python -m pytest -q -n $(CORES) -m "not slow"

test-all: setup lint  ## the same with the long checks
	$(BIN)/python -m pytest -q -n $(CORES)

lint: setup  ## style, types, and who imports whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: setup  ## bring the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup $(VENV)/.bench-ready  ## measure, with OpenSpiel in the same run
	$(BIN)/lynxden bench

$(VENV)/.bench-ready: pyproject.toml constraints.txt
	@$(PIP) -e '.[bench]'
	@touch $@

clean:  ## remove what was set up and built
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
