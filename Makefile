# The README's two commands are `make play` and `make test`.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: play test quick setup setup-dev browser check page bench clean

play: setup
	@$(BIN)/damier web

test: setup-dev browser check

# A stamp per kind of install: nothing is asked of the network while pyproject.toml stands.
setup: .venv/installed
setup-dev: .venv/installed-dev node_modules/installed

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

# What checks the page's scripts, in the versions that package-lock.json names. It names what there
# is for some systems only, and npm finds those of others by package.json; `npm ci` would not.
node_modules/installed: package.json package-lock.json .npmrc | .venv/installed-dev
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/npm install --no-save --loglevel=error
	@touch $@

check: page
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/pytest -n 2
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n 2 -q $(RULES)

# The tests of the rules, which also run as plain Python.
RULES := tests/test_rule_numbers.py tests/test_perft.py tests/test_golden.py tests/test_game.py \
	tests/test_notation.py tests/test_properties.py

# What to run while working: no browser, and no compiler.
quick: setup-dev
	$(BIN)/ruff check
	$(BIN)/mypy
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n 2 -q -m 'not slow and not browser'

# The page's scripts and styles: how they are written, what looks wrong in them, and their types,
# which the schema of the HTTP interface gives.
page: node_modules/installed
	$(BIN)/python tools/page_types.py tools/types/api.d.ts
	$(BIN)/node node_modules/@biomejs/biome/bin/biome check --error-on-warnings
	$(BIN)/node node_modules/typescript/bin/tsc

bench: setup-dev
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/speed.py
	$(BIN)/python bench/solve.py
	$(BIN)/python bench/search.py

clean:
	rm -rf .venv node_modules
