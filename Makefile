# Two commands do everything on a fresh machine with Python 3.11+, pip and make:  make demo   and   make test
PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= 2
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help setup demo test full slow site package derived coverage browser services check fmt bench clean

help:
	@echo "make demo      install, then score a real sheet and a photo"
	@echo "make test      the test suite (no torch, no browser, no network)"
	@echo "make full      the longer forms that CI checks too (300 random deals a rule set, 300 examples a property)"
	@echo "make slow      the longest forms, three to four hours of a core (20,000 melds and 10,000 deals a rule set);"
	@echo "               stopped and started again, it leaves out what passed on the same sources (build/slow.txt)"
	@echo "make browser   the page in a real Chromium (Debian: apt-get install chromium)"
	@echo "make services  the match book on a real PostgreSQL (Debian: apt-get install postgresql)"
	@echo "make check     lint and types, changes nothing;  make fmt  formats"
	@echo "make site      the documentation as a site, in site/"
	@echo "make package   sdist and wheel, tried in a clean environment with what the README shows"
	@echo "make derived   writes anew what is made from the rule sets, the cases and the messages (pages, shipped cases)"
	@echo "make coverage  lines and branches that make test runs; fails when a part falls behind"
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

# each file's tests stay in one process, so that a server is started once
PYTEST := $(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile

test: $(VENV)/.dev
	$(PYTEST)

full: $(VENV)/.dev
	$(PYTEST) --dist worksteal --hypothesis-profile=full -m "(long or hypothesis) and not (slow or torch or bench or browser or postgres)"

slow: $(VENV)/.dev
	$(PYTEST) --dist worksteal -p tests.resume --resume build/slow.txt -m "slow and not torch"

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

site: $(VENV)/.dev
	$(PIP) -e ".[docs]"
	$(BIN)/mkdocs build --quiet

coverage: $(VENV)/.dev
	$(PYTEST) --cov --cov-report=json:build/coverage.json
	$(BIN)/python tests/packaging/coverage_gate.py build/coverage.json

package: $(VENV)/.dev
	$(BIN)/python tests/packaging/clean_install.py $(PYTHONS)

derived: $(VENV)/.dev
	$(BIN)/python docs/generate.py
	$(BIN)/python tests/conformance/ship.py
	$(BIN)/python -m api.published
	$(BIN)/python tests/scorer/test_public_api.py > tests/scorer/golden/public_api.lst
	BURRACO_GOLDEN=write $(BIN)/python -m pytest -q tests/scorer/test_report.py

bench: $(VENV)/.dev
	@for script in bench/bench_*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean:
	rm -rf $(VENV) build dist site *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
