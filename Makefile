# Lienbook. `make run` shows the market, `make test` proves it, `make bench` measures it.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

LISTEN ?= 127.0.0.1:8080
SEED ?= 21
FUZZ_SECONDS ?= 600
CARGO := cargo
LIENBOOK := target/debug/lienbook
# Huge pages for whatever is started here, as for what cargo starts (.cargo/config.toml).
export MIMALLOC_ALLOW_THP ?= 2

.PHONY: help run test regtest bench web-bench screenshots fuzz schema tools format lint tidy audit rust-test web-test e2e clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(LIENBOOK) ## build everything and serve the demo market at http://127.0.0.1:8080
	@exec $(LIENBOOK) demo --listen $(LISTEN) --seed $(SEED)

test: tools format lint tidy audit rust-test web-test e2e ## install what the tests need and run all of them
	@echo "All tests passed."

regtest: web/dist/.demo ## serve a market on a Bitcoin Core and an ord of its own, without simulation, until Ctrl-C
	@.ci/regtest-tools
	@echo "Building the server (some minutes the first time, seconds afterwards) ..."
	@$(CARGO) build -p lienbook --bin lienbook --example regtest_market
	@target/debug/examples/regtest_market

bench: ## measure (see benches/RESULTS.md); takes a while and wants a quiet machine
	@.ci/need node cargo
	$(CARGO) bench -p benches
	$(CARGO) run --release -p benches -- all

web-bench: web/dist/.demo ## measure the web app in Chromium (see benches/RESULTS.md); five minutes and a half
	node benches/web/feed-load.mjs --write
	node benches/web/first-load.mjs --write

screenshots: $(LIENBOOK) ## every screen of the web app in both themes and four widths, into web/screenshots/taken
	@.ci/with-demo npm run --silent screenshots

fuzz: ## feed whatever reads bytes of strangers with random ones, FUZZ_SECONDS (600) for each of the three targets
	@.ci/need cargo
	@.ci/fuzz $(FUZZ_SECONDS)

schema: web/node_modules/.installed ## renew what describes the API (api/openapi.json) and the types that the web app has of it
	LIENBOOK_WRITE_GOLDEN=1 $(CARGO) test -p lienbook --test server -- the_description_is
	cd web && npm run --silent schema

tools:
	@.ci/tools
	@.ci/regtest-tools

format:
	@echo "== formatting"
	$(CARGO) fmt --all --check

lint: web/dist/.demo
	@echo "== lints"
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings
	cd web && npm run --silent check

tidy:
	@.ci/tidy

audit: ## licences, sources and known vulnerabilities of what others wrote
	@.ci/audit

rust-test: web/dist/.demo
	@echo "== Rust tests"
	$(CARGO) test --workspace

web-test: web/node_modules/.installed
	@echo "== web unit tests"
	cd web && npm test --silent

# The Rust tests were built with the server in them, so no other is built.
e2e: web/dist/.demo
	@echo "== browser tests"
	@$(CARGO) test --workspace --no-run --quiet
	@.ci/browser-tests

clean: ## remove what was built
	$(CARGO) clean
	rm -rf web/dist web/node_modules

# The binary carries the web app, here with the dev wallet, so the web app comes first. Any other build of it has no mark.
.PHONY: $(LIENBOOK)
$(LIENBOOK): web/dist/.demo
	@.ci/need cargo
	@echo "Building the server (some minutes the first time, seconds afterwards) ..."
	@$(CARGO) build -p lienbook

web/dist/.demo: web/node_modules/.installed web/index.html web/vite.config.ts $(shell find web/src web/public -type f 2>/dev/null)
	@echo "Building the web app ..."
	@cd web && npm run --silent build:demo && touch dist/.demo

web/node_modules/.installed: web/package-lock.json
	@.ci/need node npm
	@echo "Installing the web app's packages ..."
	@cd web && npm ci --no-audit --no-fund --loglevel=error
	@touch $@
