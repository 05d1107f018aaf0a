# Two commands do everything on a fresh machine with Python 3.11+, pip and make:  make demo   and   make test
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help setup demo test slow browser services check fmt bench clean

help:
	@echo "make demo      install, then score a real sheet and a photo"
	@echo "make test      the test suite (no torch, no browser, no network)"
	@echo "make slow      the long forms of the tests (oracle, random play, mutation of every rule)"
	@echo "make browser   the page in a real Chromium (Debian: apt-get install chromium)"
	@echo "make services  the match book on a real PostgreSQL (Debian: apt-get install postgresql)"
	@echo "make check     lint and types, changes nothing;  make fmt  formats"
	@echo "make bench     how fast, side by side"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.user: pyproject.toml | $(BIN)/python
	$(PIP) -e ".[vision]"
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(PIP) -e ".[vision,api,cluster,plot,dev]"
	@touch $@ $(VENV)/.user

setup: $(VENV)/.dev

demo: $(VENV)/.user
	@$(BIN)/python samples/demo.py

test: $(VENV)/.dev
	$(BIN)/python -m pytest -q

slow: $(VENV)/.dev
	$(BIN)/python -m pytest -q -m "slow and not torch"

browser: $(VENV)/.dev
	$(BIN)/python -m pytest -q -m browser

services: $(VENV)/.dev
	$(BIN)/python -m pytest -q -m postgres

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

fmt: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev
	@for script in bench/bench_*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
