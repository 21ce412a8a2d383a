# Lienbook. `make run` serves the demo market, `make test` runs all tests, `make bench` measures.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

LISTEN ?= 127.0.0.1:8080
SEED ?= 21
FUZZ_SECONDS ?= 600
FAULT_SECONDS ?= 3600
ACTS ?= 20000
COMMANDS ?= 20000000
KILLS ?= 10000
POWER_CUTS ?= 100000
CARGO := cargo
BINARY ?=
KEY ?=
LIENBOOK := target/debug/lienbook
LONG_RUN := $(CARGO) test -p domain -p lending -p persistence --profile long-runs
LINT := $(CARGO) clippy --workspace --all-targets --quiet -- -D warnings
# Huge pages for every program started here, as for those that cargo starts (.cargo/config.toml).
export MIMALLOC_ALLOW_THP ?= 2

# With LINT_WHILE_BUILDING the linter, which is a whole compiler, compiles our crates for the tests, so that no crate is compiled
# for the lints alone. Other builds do not use that output.
ifdef LINT_WHILE_BUILDING
LINT := $(CARGO) build --workspace --all-targets --quiet
lint rust-test production e2e: export RUSTC_WORKSPACE_WRAPPER := clippy-driver
lint rust-test production e2e: export CLIPPY_ARGS := -Dwarnings
endif

.PHONY: help run market-maker check quick test nightly deb reproducible release package layout regtest faults bench web-bench screenshots fuzz schema tools format lint tidy monitoring types audit verifier rust-test production web-test e2e containers clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(LIENBOOK) ## build everything and serve the demo market at http://127.0.0.1:8080
	@exec $(LIENBOOK) demo --listen $(LISTEN) --seed $(SEED)

market-maker: $(LIENBOOK) ## run the market maker in the market of `make run`, beside its simulated users
	@LIENBOOK_URL=http://$(LISTEN) api/client/examples/market_maker/in-demo

check: format tidy layout lint types ## format, tidy rules, layout, lints and types of both languages; under a minute after a small change

quick: check web-test ## `check`, the unit tests of all crates, the main property tests, and those of the web app; some minutes
	@echo "== Rust unit and property tests"
	$(CARGO) test --workspace --lib
	$(CARGO) test --workspace --test order_book --test vault --test coin_selection

test: tools format tidy layout monitoring audit lint reproducible rust-test production web-test e2e containers ## install what the tests need and run the tests that each change must pass; as root also those of the package and the proxies
	@echo "All tests of make test passed."

# Each fuzz subject an hour, unless FUZZ_SECONDS is given.
nightly: FUZZ_SECONDS := $(if $(filter command line environment,$(origin FUZZ_SECONDS)),$(FUZZ_SECONDS),3600)
nightly: test verifier package fuzz faults bench web-bench screenshots ## `test`, then the other browser tests, a rebuild of the verifier, a release built twice and compared, its package, fuzzing, an hour of faults, long randomized runs, bugs planted for these to find, benchmarks and screenshots; a day and more, an hour for each fuzz subject
	.ci/browser-tests rest
	.ci/reproducible --binary
	.ci/deb-test --release
	LIENBOOK_TEST_ACTS=$(ACTS) $(LONG_RUN) --test everything -- --nocapture
	LIENBOOK_TEST_COMMANDS=$(COMMANDS) $(LONG_RUN) --test order_book -- --nocapture
	LIENBOOK_CRASH_KILLS=$(KILLS) LIENBOOK_POWER_CUTS=$(POWER_CUTS) $(LONG_RUN) --test crash --test power_cuts -- --nocapture
	node .ci/planted-bugs.mjs

reproducible: web/node_modules/.installed ## build the web app of a release twice in different folders, and compare all bytes
	@.ci/reproducible

release: ## build and sign what a release publishes, into target/release-files; KEY=FILE is the SSH key that signs
	@KEY=$(KEY) .ci/release target/release-files

deb: ## build the Debian package into target/debian; BINARY=FILE packs that server instead of a release build
	@BINARY=$(BINARY) .ci/deb

# As root: the tests start containers. After `test` the server is there already.
package: $(LIENBOOK) ## test the Debian package, the files of a release, the reverse proxies' examples, the page about three nodes and the container image; root only
	@.ci/deb-test
	@.ci/release-test
	@.ci/proxy-test
	@.ci/three-nodes-test
	@.ci/image-test

regtest: web/dist/.demo ## serve a market without simulation on its own Bitcoin Core and ord, until Ctrl-C
	@.ci/regtest-tools
	@echo "Building the server (some minutes the first time, seconds afterwards) ..."
	@$(CARGO) build -p lienbook --bin lienbook --example regtest_market
	@target/debug/examples/regtest_market

bench: web/node_modules/.installed ## run the benchmarks (see benches/RESULTS.md); takes a while and needs an otherwise idle machine
	@.ci/need node cargo
	$(CARGO) bench -p benches
	$(CARGO) run --release -p benches -- all

web-bench: web/dist/.demo ## benchmark the web app in Chromium (see benches/RESULTS.md); five and a half minutes
	node benches/web/feed-load.mjs --write
	node benches/web/first-load.mjs --write
	node benches/web/check-time.mjs --write

# A seed that is not given is drawn, and printed.
faults: web/dist/.demo ## run a cluster on a network of its own under faults, FAULT_SECONDS (3600) long; SEED=N repeats a plan
	@.ci/need cargo
	LIENBOOK_FAULT_SECONDS=$(FAULT_SECONDS) LIENBOOK_FAULT_SEED=$(if $(filter command line environment,$(origin SEED)),$(SEED)) \
	  $(if $(WRITE),LIENBOOK_FAULT_WRITE=1) $(CARGO) test -p lienbook --test faults -- --nocapture

screenshots: $(LIENBOOK) ## take every screen of the web app in both themes and at four widths, into web/screenshots/taken
	@.ci/with-demo npm run --silent screenshots

fuzz: ## fuzz the parsers of untrusted input, FUZZ_SECONDS (600) for each of FUZZ_SUBJECTS (all)
	@.ci/need cargo
	@.ci/fuzz $(FUZZ_SECONDS)

schema: web/node_modules/.installed ## regenerate the descriptions of the API and the feed (api/openapi.json, api/asyncapi.json), what version 1 promises, and the types of it of the web app and the clients
	LIENBOOK_WRITE_GOLDEN=1 $(CARGO) test -p lienbook --test server -- the_openapi_document_is the_asyncapi_document_is nothing_that_version_one_promises
	LIENBOOK_WRITE_GOLDEN=1 $(CARGO) test -p lienbook-client --test generated
	cd web && npm run --silent schema

tools:
	@echo "== tools"
	@.ci/tools
	@.ci/regtest-tools

format:
	@echo "== formatting"
	$(CARGO) fmt --all --check

lint: web/dist/.demo
	@echo "== lints"
	$(LINT)
	cd web && npm run --silent check

tidy:
	@.ci/tidy
	@.ci/verifier-wasm check

layout: ## check that dependencies between crates and between modules run one way
	@.ci/need node
	@node .ci/layout.mjs

monitoring: ## check the alerts, their tests and the dashboard
	@.ci/monitoring

types: web/node_modules/.installed
	@echo "== types of the web app"
	@cd web && npx tsc -b

verifier: ## build the second verifier's WebAssembly again and compare it with the one in web/src/shared/verifier
	@echo "== second verifier"
	@.ci/verifier-wasm rebuild

audit: ## check licences, sources and known vulnerabilities of dependencies
	@.ci/audit

rust-test: web/dist/.demo
	@echo "== Rust tests"
	$(CARGO) test --workspace

production: rust-test
	@.ci/production-build

web-test: web/node_modules/.installed
	@echo "== web unit tests"
	cd web && npm test --silent

# The Rust tests have built the server already.
e2e: web/dist/.demo
	@echo "== browser tests"
	@$(CARGO) test --workspace --no-run --quiet
	@.ci/browser-tests

# The last tests, as the server of the Rust tests has to be there again.
containers: e2e
	@.ci/container-tests

clean: ## remove all build output
	$(CARGO) clean
	rm -rf web/dist web/client/dist web/node_modules

# The binary embeds the web app, here with the dev wallet, so that is built first. Its other builds leave no dist/.demo.
.PHONY: $(LIENBOOK)
$(LIENBOOK): web/dist/.demo
	@.ci/need cargo
	@echo "Building the server (some minutes the first time, seconds afterwards) ..."
	@$(CARGO) build -p lienbook

web/dist/.demo: web/node_modules/.installed web/index.html web/embed.html web/lienbook-kit.html web/vite.config.ts web/vite.kit-page.config.ts web/single-file.ts $(shell find web/src web/public -type f 2>/dev/null)
	@echo "Building the web app ..."
	@cd web && npm run --silent build:demo && touch dist/.demo

web/node_modules/.installed: web/package-lock.json
	@.ci/need node npm
	@echo "Installing the web app's packages ..."
	@cd web && npm ci --no-audit --no-fund --loglevel=error
	@touch $@
