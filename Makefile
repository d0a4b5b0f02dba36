# The README's two commands are `make play` and `make test`.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: play test setup setup-dev browser check bench clean

play: setup
	@$(BIN)/damier web

test: setup-dev browser check

# A stamp per kind of install: nothing is asked of the network while pyproject.toml stands.
setup: .venv/installed
setup-dev: .venv/installed-dev

# The browser tests need Chromium. Where it is missing and Debian's packages can be installed, it
# is; elsewhere those tests are skipped, except in CI, where they then fail.
browser:
	@command -v chromium >/dev/null || [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null \
		|| { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; }

# Where venv fails half-way (Debian without python3-venv), what it leaves would pass for whole.
.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "damier needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

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
	$(BIN)/lint-imports --no-logo
	$(BIN)/pytest -n 2

bench: setup-dev
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/speed.py
	$(BIN)/python bench/solve.py
	$(BIN)/python bench/search.py

clean:
	rm -rf .venv
