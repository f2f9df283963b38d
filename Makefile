# What a developer does with Selvedge; `make` alone lists it.

PYTHON ?= python3
VENV := .venv
PEERS := benchmarks/.peers
GENERATORS := tests/generated/.tools
CONNECTORS := tests/connectors/.tools
CONNECTOR_TOOLS := dlt singer airbyte
PAGE_TOOLS := page/node_modules/.installed
BIN := $(VENV)/bin
INSTALL := $(BIN)/python .ci/install.py
COMPILE := CUSTOM_COMPILE_COMMAND="make requirements" $(BIN)/pip-compile --quiet --upgrade \
	--generate-hashes --strip-extras --allow-unsafe --no-emit-options \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host

# The packages of an extra, a line each.
EXTRA = $(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"][ \
	"optional-dependencies"]["$(1)"], sep="\n")'

# Tests start hundreds of processes: without bytecode each would compile every module anew.
unexport PYTHONDONTWRITEBYTECODE

.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: client release demo-files bench bench-scale bench-webhooks bench-cluster soak help run migrate demo test test-all docs peers generators connectors sql screenshots faults fuzz attack lint format types hooks requirements clean clean-data

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(VENV)/.installed ## Serve on http://127.0.0.1:8080, with demo data on an embedded PostgreSQL
	@$(BIN)/selvedge run

migrate: $(VENV)/.installed ## Bring the database's schema up to date
	@$(BIN)/selvedge migrate

demo: $(VENV)/.installed ## Load the demo data into an empty database
	@$(BIN)/selvedge demo load

test: ## Run all tests on a throw-away PostgreSQL, with samples of generated cases; ARGS="-k cursor" chooses
	@$(MAKE) --no-print-directory --jobs --keep-going $(VENV)/.installed-dev connectors \
		$(if $(shell command -v npm),generators) || $(MAKE) --question $(VENV)/.installed-dev
	@$(BIN)/python -m pytest -n auto --maxschedchunk 16 $(ARGS)

test-all: export TEST_SAMPLE := off
test-all: test ## Run every case of all tests, before a release

docs: $(VENV)/.installed-dev ## Write the generated parts of documents and of the client: settings, commands, index of tests
	@$(BIN)/python -m tests.support.generated_parts

client: $(VENV)/.installed-build ## Build the Python client as a wheel of its own in dist/
	@$(BIN)/python -m build --wheel --no-isolation --outdir dist client

release: $(VENV)/.installed-dev ## Check, build, list and tag VERSION; writes dist/VERSION
	@test -n "$(VERSION)" || { echo "Name the version: make release VERSION=0.5.0" >&2; exit 1; }
	@$(BIN)/python .ci/release.py $(VERSION)

peers: $(PEERS)/.installed ## Install what the benchmark's peers and plots need (needs Node.js)

generators: $(GENERATORS)/.installed ## Install what makes clients of the OpenAPI document and checks pages (needs Node.js)

connectors: $(CONNECTOR_TOOLS:%=$(CONNECTORS)/%/.installed) ## Install the data-integration tools that the connectors are tested with

sql: $(VENV)/.installed-dev ## Print the statements that operations send; ARGS="colors size-range-sizes" chooses
	@$(BIN)/python -m tests.support.sql_recorder $(ARGS)

demo-files: $(VENV)/.installed-dev ## Write the demo data's rows and import files, after their generator has changed
	@$(BIN)/python -m tests.support.demo.files

screenshots: $(VENV)/.installed-dev ## Write the pictures of the pages to docs/images (needs Chromium)
	@$(BIN)/python -m tests.support.screenshots

faults: $(VENV)/.installed-dev ## Strike at ROUNDS batches in flight; writes docs/reliability.md
	@mkdir -p docs
	@$(BIN)/python -m tests.faults --rounds $(or $(ROUNDS),1000) --report docs/reliability.md

fuzz: $(VENV)/.installed-dev ## Make up CASES requests, from SEED if given; writes docs/reliability.md
	@$(BIN)/python -m tests.fuzz --cases $(or $(CASES),20000) $(if $(SEED),--seed $(SEED)) \
		--report docs/reliability.md

attack: $(VENV)/.installed-dev ## Attack for SECONDS each while another organization reads; writes docs/reliability.md
	@$(BIN)/python -m pytest -m measures
	@$(BIN)/python -m tests.attacks --seconds $(or $(SECONDS),10) --report docs/reliability.md $(ARGS)

# Scripts and styles of the pages are checked where Node.js is, as in .ci/run.
WITH_PAGE := $(if $(shell command -v npm),$(PAGE_TOOLS))
IN_PAGE = $(if $(WITH_PAGE),cd page && PATH="node_modules/.bin:$$PATH" &&,: )

lint: $(VENV)/.installed-dev $(WITH_PAGE) ## Check style and format
	@$(BIN)/ruff check --no-cache .
	@$(BIN)/ruff format --check .
	@$(IN_PAGE) eslint src
	@$(IN_PAGE) prettier --check --log-level warn "src/**/*.{js,css}"

format: $(VENV)/.installed-dev $(WITH_PAGE) ## Format, and mend what can be mended
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@$(IN_PAGE) prettier --write --log-level warn "src/**/*.{js,css}"

types: $(VENV)/.installed-dev $(WITH_PAGE) ## Check types
	@$(BIN)/mypy
	@$(IN_PAGE) tsc --project .

hooks: ## Check style and types before every commit
	@git config core.hooksPath .githooks

requirements: $(VENV)/.installed-dev ## Pin the newest versions that pyproject.toml allows
	@$(COMPILE) --output-file requirements.txt pyproject.toml
	@$(call EXTRA,embedded) | \
		$(COMPILE) --constraint requirements.txt --output-file requirements-embedded.txt -
	@$(call EXTRA,tracing) | \
		$(COMPILE) --constraint requirements.txt --output-file requirements-tracing.txt -
	@$(COMPILE) --extra dev --extra embedded --extra tracing --constraint requirements.txt \
		--constraint requirements-embedded.txt --constraint requirements-tracing.txt \
		--output-file requirements-dev.txt pyproject.toml
	@$(call EXTRA,build) | \
		$(COMPILE) --constraint requirements-dev.txt --output-file requirements-build.txt -
	@$(COMPILE) --output-file benchmarks/peers/requirements.txt \
		benchmarks/peers/requirements.in
	@for tool in $(CONNECTOR_TOOLS); do \
		$(COMPILE) --output-file tests/connectors/$$tool/requirements.txt \
			tests/connectors/$$tool/requirements.in || exit 1; done

# Measurements are best taken on a machine that does nothing else.
bench: $(PEERS)/.installed ## Measure beside peers (needs Node.js); ARGS="--rounds 3 --only put --pythons python3.12" chooses
	@$(BIN)/python -m benchmarks bench $(ARGS)

bench-scale: $(PEERS)/.installed ## Measure lists and searches of up to 10^7; ARGS="--largest 1000000" for less
	@$(BIN)/python -m benchmarks scale $(ARGS)

bench-webhooks: $(VENV)/.installed-dev ## Measure deliveries of webhooks; ARGS="--rounds 2 --seconds 5" for less
	@$(BIN)/python -m benchmarks webhooks $(ARGS)

bench-cluster: $(VENV)/.installed-dev ## Measure the cluster of TEST_CITUS_URL beside its coordinator alone
	@$(BIN)/python -m benchmarks cluster $(ARGS)

soak: $(PEERS)/.installed ## Measure memory and latency under mixed load for MINUTES (10), with two workers and with one
	@$(BIN)/python -m benchmarks soak --minutes $(or $(MINUTES),10)

clean: ## Remove what was installed, built and cached; the data stays
	rm -rf $(VENV) $(GENERATORS) $(CONNECTORS) page/node_modules build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

clean-data: ## Remove the embedded database and the demo keys
	@test ! -e .data/lock || $(PYTHON) -c 'import fcntl; \
		fcntl.flock(open(".data/lock"), fcntl.LOCK_EX | fcntl.LOCK_NB)' 2>/dev/null || \
		{ echo "Selvedge is at work on .data: stop it first." >&2; exit 1; }
	rm -rf .data

$(BIN)/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; (3, 11) <= v < (3, 15) or sys.exit( \
		"Selvedge needs Python 3.11 to 3.14, and this is %d.%d: make PYTHON=python3.12" % v)'
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "Python has no venv here: Debian and Ubuntu have it in python3-venv." >&2; exit 1; }

$(VENV)/.installed: requirements.txt requirements-embedded.txt pyproject.toml | $(BIN)/python
	@echo "Installing what Selvedge runs on ..."
	@$(INSTALL) --require-hashes --requirement requirements.txt --requirement requirements-embedded.txt
	@$(INSTALL) --no-deps --editable .
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt $(VENV)/.installed
	@echo "Installing what its tests need ..."
	@$(INSTALL) --no-compile --require-hashes --requirement requirements-dev.txt
	@touch $@

$(VENV)/.installed-build: requirements-build.txt | $(BIN)/python
	@echo "Installing what builds wheels ..."
	@$(INSTALL) --require-hashes --requirement requirements-build.txt
	@touch $@

$(GENERATORS)/.installed: tests/generated/package.json tests/generated/package-lock.json
	@command -v npm >/dev/null || { echo "This needs Node.js 20 or newer, and npm."; exit 1; }
	@echo "Installing what makes clients of the OpenAPI document and checks pages ..."
	@mkdir -p $(GENERATORS)
	@rm -f $@
	@cp tests/generated/package.json tests/generated/package-lock.json $(GENERATORS)/
	@cd $(GENERATORS) && npm ci --silent --no-audit --no-fund --engine-strict
	@touch $@

$(PAGE_TOOLS): page/package.json page/package-lock.json
	@echo "Installing what checks the pages ..."
	@cd page && npm ci --silent --no-audit --no-fund
	@touch $@

# Their dependencies conflict: each tool has an environment of its own. pip is that of $(VENV), which
# .installed-dev replaces, and modules are compiled when they are first imported.
$(CONNECTORS)/%/.installed: tests/connectors/%/requirements.txt | $(VENV)/.installed-dev
	@echo "Installing $* for the tests of its connector ..."
	@$(BIN)/python -m venv --clear --without-pip $(CONNECTORS)/$*
	@PIP_PYTHON=$(CONNECTORS)/$*/bin/python $(INSTALL) --no-compile --require-hashes --requirement $<
	@touch $@

$(PEERS)/.installed: benchmarks/peers/requirements.txt \
		$(wildcard benchmarks/peers/fastify/*) $(VENV)/.installed-dev
	@command -v npm >/dev/null || { echo "This needs Node.js 18.18 or newer, and npm."; exit 1; }
	@echo "Installing what the benchmark's peers need ..."
	@rm -f $@
	@$(BIN)/python -m venv $(PEERS)/python
	@$(PEERS)/python/bin/python -m pip --disable-pip-version-check --quiet install \
		--require-hashes --requirement benchmarks/peers/requirements.txt
	@mkdir -p $(PEERS)/fastify
	@cp benchmarks/peers/fastify/* $(PEERS)/fastify/
	@cd $(PEERS)/fastify && npm ci --silent --no-audit --no-fund
	@touch $@
