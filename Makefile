# The README's two commands are `make play` and `make test`; `make help` lists the others.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: play test test-all quick setup setup-dev browser servers check page coverage docs site dist \
	fuzz bench lock audit lowest clean help

play: setup ## Install damier and open the page
	@$(BIN)/damier web

test: setup-dev browser servers check ## Install the development tools and run all tests

# One stamp file per kind of installation: no network access while pyproject.toml and the version are
# unchanged.
setup: .venv/installed ## Install the command .venv/bin/damier
setup-dev: .venv/installed-dev node_modules/installed ## Install the development tools

# The browser tests need Chromium; its headless shell takes less processor time. It is installed from
# Debian's packages if it is missing and this is possible. Without it, those tests are skipped; in CI
# they fail.
browser:
	@{ command -v chromium-headless-shell || command -v chromium; } >/dev/null \
		|| [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null \
		|| { apt-get update -qq && export DEBIAN_FRONTEND=noninteractive \
			&& { apt-get install -y -qq chromium-headless-shell || apt-get install -y -qq chromium; } >/dev/null; }

# The tests of online play start their own PostgreSQL and nginx, installed in the same way.
servers:
	@{ ls /usr/lib/postgresql/*/bin/postgres && command -v nginx; } >/dev/null 2>&1 \
		|| [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null \
		|| { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql nginx >/dev/null; }

# If venv fails half-way (Debian without python3-venv), remove the incomplete directory.
.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "damier needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

.venv/installed: pyproject.toml src/damier/__init__.py | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/installed-dev: requirements-dev.txt pyproject.toml src/damier/__init__.py | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement $<
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@ .venv/installed

# Tools that check the page's scripts, in the versions of package-lock.json. The lock file lists
# packages for some systems only; npm finds those of others by package.json; `npm ci` would not.
node_modules/installed: package.json package-lock.json .npmrc | .venv/installed-dev
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/npm install --no-save --loglevel=error
	@touch $@

# Tests run in a random order that is the same every time; `make test TEST_SEED=7` is another order.
TEST_SEED ?= 1
ORDER = --randomly-seed=$(TEST_SEED)

# Browsers and servers that share two cores can starve each other: failed browser tests are run once
# more, alone. No other test is retried.
# The kernels are compiled beforehand, because two processes of pytest would each compile them.
check: page ## Run all checks and tests
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/damier warmup >/dev/null & $(BIN)/mypy; status=$$?; wait; exit $$status
	$(BIN)/lint-imports --no-logo
	$(BIN)/pytest -n 2 --dist worksteal $(ORDER) \
		-m 'not browser and not exhaustive'
	$(BIN)/pytest -n 2 --dist worksteal $(ORDER) -m 'browser and not exhaustive' \
		|| $(BIN)/pytest -m 'browser and not exhaustive' --last-failed
	$(QUICK)

# Fast tests: no browser, and plain Python instead of compiled code.
QUICK = NUMBA_DISABLE_JIT=1 $(BIN)/pytest -n 2 -q $(ORDER) -m 'not slow and not browser and not exhaustive'

# All tests, including the exhaustive proofs; run it before a release.
test-all: test ## Run all tests, including the exhaustive proofs
	$(BIN)/pytest -n 2 --dist worksteal -m exhaustive

# Branch coverage of the tests without a browser, with a floor. Kernels run compiled and are not
# measured; the tests of `make quick` run them as plain Python. Measured: 81 % without the slow tests
# of most folders, which add some points.
COVERAGE_FLOOR = 80
coverage: setup-dev servers ## Measure the branch coverage and compare it with its floor
	$(BIN)/pytest -n 2 -q --dist worksteal $(ORDER) -m 'not browser and not exhaustive' \
		--cov --cov-report=term --cov-fail-under=$(COVERAGE_FLOOR)

# Tests of the rules.
RULES := tests/games/test_rule_numbers.py tests/games/test_perft.py tests/games/test_golden.py \
	tests/core/test_gameplay.py tests/core/test_notation.py tests/core/test_properties.py

# Fast selection while working.
quick: setup-dev ## Run the linters and a fast selection of tests
	$(BIN)/ruff check
	$(BIN)/mypy
	$(QUICK)

# Format, lint and type-check the page's scripts and styles. The types are generated from the schemas
# of the HTTP interface and of the online messages.
page: node_modules/installed ## Check the page's scripts and styles
	$(BIN)/python tools/page_types.py tools/types/api.d.ts tools/types/online.d.ts
	$(BIN)/node node_modules/@biomejs/biome/bin/biome check --error-on-warnings
	$(BIN)/node node_modules/typescript/bin/tsc
	$(BIN)/node node_modules/typescript/bin/tsc --project tsconfig.site.json

# Pin the versions used for development, with digests, for every system and every supported Python.
# The lock file names no package index.
lock: setup-dev ## Update the pinned versions of the dependencies
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --extra dev \
		--generate-hashes --only-binary :all: --emit-build-options --no-emit-index-url \
		--custom-compile-command 'make lock' --output-file requirements-dev.txt pyproject.toml

# Check the development dependencies for known vulnerabilities (needs network access).
audit: setup-dev ## Check the dependencies for known vulnerabilities
	@PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/python tools/audit.py

# Run tests with the lowest versions of the dependencies that pyproject.toml allows, and the newest
# test tools. Warnings are ignored: old packages use features that newer ones deprecate.
LOWEST := $(RULES) $(wildcard tests/web/test_*.py) tests/core/test_api.py tests/cli/test_cli.py \
	tests/jit/test_jit.py tests/jit/test_two_speeds.py tests/search/test_search.py \
	tests/solve/test_solve.py
lowest: setup-dev ## Run tests with the lowest versions of the dependencies
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv/lowest
	$(BIN)/uv pip compile --quiet --python $(BIN)/python --resolution lowest-direct \
		--only-binary :all: --no-header --no-annotate --output-file .venv/lowest.txt pyproject.toml
	$(BIN)/uv pip install --quiet --python .venv/lowest --requirement .venv/lowest.txt \
		pytest pytest-xdist hypothesis httpx
	$(BIN)/uv pip install --quiet --python .venv/lowest --no-deps --editable .
	.venv/lowest/bin/pytest -n 2 -q -o filterwarnings=ignore -m 'not browser' \
		$(filter-out tests/web/test_web_fuzz.py,$(LOWEST))

# Build the documentation in build/docs, strictly: a warning is an error. English is at the root.
SPHINX = $(BIN)/sphinx-build -q -W --keep-going
docs: setup-dev ## Build the documentation in build/docs
	$(SPHINX) -d build/doctrees/en docs build/docs
	$(SPHINX) -d build/doctrees/fr -t fr docs build/docs/fr

# The documentation is at docs/ of the site.
site: setup-dev docs ## Build the static site, with the documentation, in build/site
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/damier site --docs build/docs

# Build the package in dist, without network access, and check its metadata.
dist: setup-dev ## Build the wheel and the source distribution in dist
	rm -rf dist
	$(BIN)/uv build --quiet --no-build-isolation --python $(BIN)/python --out-dir dist
	$(BIN)/twine check --strict dist/*.whl dist/*.tar.gz

# Fuzz for some minutes; SEED=… repeats a run.
MINUTES ?= 1
fuzz: setup-dev ## Fuzz for MINUTES (default 1)
	$(BIN)/python tools/fuzz.py --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

bench: setup-dev ## Run the benchmarks
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/speed.py
	$(BIN)/python bench/solve.py
	$(BIN)/python bench/search.py

clean: ## Remove what was installed and built
	rm -rf .venv node_modules build dist

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | sort | expand -t 12
