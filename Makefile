# The README's two commands are `make play` and `make test`.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: play test setup check bench clean

play: setup
	@$(BIN)/damier play

test: setup-dev check

# A stamp per kind of install: nothing is asked of the network while pyproject.toml stands.
setup: .venv/installed
setup-dev: .venv/installed-dev
.PHONY: setup-dev

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "damier needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/installed-dev: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ .venv/installed

check:
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pytest -n 2

bench: setup-dev
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/speed.py

clean:
	rm -rf .venv
