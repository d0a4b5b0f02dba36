# The README's two commands are `make play` and `make test`.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: play test quick setup setup-dev browser servers check page site fuzz bench lock audit lowest clean

play: setup
	@$(BIN)/damier web

test: setup-dev browser servers check

# A stamp per kind of install: nothing is asked of the network while pyproject.toml stands.
setup: .venv/installed
setup-dev: .venv/installed-dev node_modules/installed

# The browser tests need Chromium. Where it is missing and Debian's packages can be installed, it
# is; elsewhere those tests are skipped, except in CI, where they then fail.
browser:
	@command -v chromium >/dev/null || [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null \
		|| { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; }

# Online play is tested with a PostgreSQL and behind an nginx of the tests' own: the same for them.
servers:
	@{ ls /usr/lib/postgresql/*/bin/postgres && command -v nginx; } >/dev/null 2>&1 \
		|| [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null \
		|| { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql nginx >/dev/null; }

# Where venv fails half-way (Debian without python3-venv), what it leaves would pass for whole.
.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "damier needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

.venv/installed: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/installed-dev: requirements-dev.txt pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement $<
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@ .venv/installed

# What checks the page's scripts, in the versions that package-lock.json names. It names what there
# is for some systems only, and npm finds those of others by package.json; `npm ci` would not.
node_modules/installed: package.json package-lock.json .npmrc | .venv/installed-dev
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/npm install --no-save --loglevel=error
	@touch $@

# Browsers and servers that share two cores can starve each other: what fails there is tried once
# more, alone, and what fails twice fails. Nothing else has a second try.
check: page
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/pytest -n 2 --dist worksteal -m 'not browser'
	$(BIN)/pytest -n 2 --dist worksteal -m browser || $(BIN)/pytest -m browser --last-failed
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
	$(BIN)/node node_modules/typescript/bin/tsc --project tsconfig.site.json

# The versions that development uses, each held to its digest: for every system, and every Python
# from the lowest that is allowed. Names no place to fetch them from.
lock: setup-dev
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --extra dev \
		--generate-hashes --only-binary :all: --emit-build-options --no-emit-index-url \
		--custom-compile-command 'make lock' --output-file requirements-dev.txt pyproject.toml

# What is known to be unsafe, of all that development installs. Asks databases elsewhere.
audit: setup-dev
	@PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/python tools/audit.py

# The lowest versions that pyproject.toml allows work too: those of what damier needs, with the
# newest of what tests it. Old packages use what newer ones warn of: that is not ours to mend.
LOWEST := $(RULES) $(wildcard tests/test_web_*.py) tests/test_api.py tests/test_cli.py \
	tests/test_jit.py tests/test_search.py tests/test_solve.py tests/test_two_speeds.py
lowest: setup-dev
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv/lowest
	$(BIN)/uv pip compile --quiet --python $(BIN)/python --resolution lowest-direct \
		--only-binary :all: --no-header --no-annotate --output-file .venv/lowest.txt pyproject.toml
	$(BIN)/uv pip install --quiet --python .venv/lowest --requirement .venv/lowest.txt \
		pytest pytest-xdist hypothesis httpx
	$(BIN)/uv pip install --quiet --python .venv/lowest --no-deps --editable .
	.venv/lowest/bin/pytest -n 2 -q -o filterwarnings=ignore -m 'not browser' \
		$(filter-out tests/test_web_fuzz.py,$(LOWEST))

# The page as files that need no server, in build/site.
site: setup-dev
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/damier site

# Whatever comes, by chance, for as long as you like; SEED=… does the same again.
MINUTES ?= 1
fuzz: setup-dev
	$(BIN)/python tools/fuzz.py --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

bench: setup-dev
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/speed.py
	$(BIN)/python bench/solve.py
	$(BIN)/python bench/search.py

clean:
	rm -rf .venv node_modules
