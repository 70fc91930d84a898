# `make help` lists the commands. Settings and arguments follow a command or are environment variables
# (docs/settings.md). "##@" starts a group of the list, "##" behind a target is its line, "##+" one for rare tasks.
SHELL := /bin/bash
BIN := node_modules/.bin
NODE := $(BIN)/node
export PATH := $(CURDIR)/$(BIN):$(PATH)
# DuckDB calls use libuv workers. The default of four is shared with files and DNS.
export UV_THREADPOOL_SIZE ?= 16
# Caching compiled modules halves the start of a process.
export NODE_COMPILE_CACHE ?= $(CURDIR)/node_modules/.cache/compiled
# The brokers of the sandbox world. On the real web there are none.
ifneq ($(LIVE),1)
export EXTRA_SOURCES ?= sandbox/sources
endif
# Where the checks remember which files passed.
CHECKED := node_modules/.cache/checked
.DEFAULT_GOAL := help

# npm is enough to start: the package `node` contains the Node that this project runs on.
INSTALL_PACKAGES = node lib/install.mjs
# Written by `make setup PRODUCTION=1`, so that later updates install no development packages either.
PRODUCTION_MARK := node_modules/.production
$(NODE): package-lock.json package.json .npmrc
	@$(INSTALL_PACKAGES) $(if $(wildcard $(PRODUCTION_MARK)),--omit=dev)
	@touch $(NODE)

##@ Set up and run
.PHONY: setup run worker

setup: ##+ install missing packages; PRODUCTION=1 leaves out those for the sandbox and the tests
	@$(INSTALL_PACKAGES) $(if $(filter 1,$(PRODUCTION)),--omit=dev)
	@$(if $(filter 1,$(PRODUCTION)),touch,rm -f) $(PRODUCTION_MARK)
	@touch $(NODE)

run: $(NODE) ## read the sources, build the models, publish; LIVE=1: the real web; DAY=, SOURCES=daily|ohio|colorado|none|names
	@node sandbox/around.ts node pipelines/commands/cli.ts run

worker: $(NODE) ##+ read and stage queued sources until stopped; needs the QUEUE of runs, and their DATA_DIR or STORE
	@node pipelines/jobs/worker.ts


##@ Operate
.PHONY: status schedule probe prune rebuild backup restore

status: $(NODE) ## show which sources are fresh, late or broken; JSON=1 for monitors; exits with 0 if all is well
	@node pipelines/commands/cli.ts status

schedule: $(NODE) ## run the scheduled jobs and send alerts until stopped: daily, colorado, underwrite, ohio, prune
	@node pipelines/operate/scheduler.ts

probe: $(NODE) ## compare real sites with their adapters: SOURCE=name or all
	@node pipelines/commands/probe.ts

prune: $(NODE) ##+ list snapshots, pages and reads past their retention (KEEP_DAYS); APPLY=1 deletes them
	@node pipelines/operate/prune.ts

rebuild: $(NODE) ##+ rebuild a published day from archived pages and compare; SOURCE=...: parse one source again, DRY=1
	@node pipelines/commands/cli.ts rebuild

backup: $(NODE) ## back up DATA_DIR and the ledger into TO=... while servers and runs work; VERIFY=1 FROM=...: check one
	@node pipelines/operate/backup/cli.ts $(if $(filter 1,$(VERIFY)),verify,backup)

restore: $(NODE) ##+ restore the newest backup of FROM=... into an empty DATA_DIR, with its ledger; BACKUP=...
	@node pipelines/operate/backup/cli.ts restore


##@ Analyze
.PHONY: sql query explain release calibrate reconcile

sql: $(NODE) ## answer a query over the current snapshot: Q='SELECT ...'; without Q, print the duckdb command and tables
	@node pipelines/analyse/cli.ts sql

query: $(NODE) ## run a worked query: NAME=hidden_upside; without NAME, list them
	@node pipelines/analyse/cli.ts query

explain: $(NODE) ## trace a number to its formula, assumptions, page and bytes: ID=... FIELD=noi_underwritten
	@node pipelines/analyse/cli.ts explain

release: $(NODE) ##+ copy a snapshot with dictionary, changes and checksums into DATA_DIR/releases/: SNAPSHOT=current
	@node pipelines/commands/release.ts

calibrate: $(NODE) ##+ write what is fitted on the raw public files of FOLDER: tables, range, measured errors
	@node pipelines/commands/calibrate.ts

reconcile: $(NODE) ##+ compare the current sandbox snapshot with the sandbox's known facts
	@node sandbox/reconcile.ts


##@ Serve and buy
.PHONY: serve buy collect verify receipt-key mcp

serve: $(NODE) ## serve the current snapshot and the site on PORT (4021); test money unless configured
	@node api/server.ts

buy: $(NODE) ## pay for one call from the sandbox wallet: URL='/api/deals?state=OH'; FULL=1: all records; SERVER=...
	@node clients/buy.ts

collect: $(NODE) ##+ fetch a paid answer again without a charge: RECEIPT=<Receipt-Id>
	@node clients/buy.ts collect

verify: $(NODE) ##+ verify a bought answer offline: FILE=answer.json RECEIPT=answer.jws KEYS=jwks.json FOLDER=pages
	@node clients/verify_cli.ts

receipt-key: $(NODE) ##+ make the key that signs receipts: RECEIPT_KEY_FILE=...; ROTATE=1 replaces it, REVOKE=<kid>
	@node api/payments/receipts/key_cli.ts

mcp: $(NODE) ##+ run an MCP server on standard input and output: each endpoint is a tool; has spending caps
	@node clients/mcp.ts


##@ Ledger
.PHONY: ledger

ledger: $(NODE) ## show revenue, open settlements, sold leads; AUDIT=1: compare with the chain; REFUNDS=1: refunds to pay
	@node $(if $(AUDIT)$(REFUNDS)$(REFUNDED),api/payments/audit/cli.ts,ledger/cli.ts)


##@ Develop
.PHONY: fmt check test prove bench docs help

fmt: $(NODE) ##+ format the TypeScript
	@prettier --log-level warn --write .

# In parallel, each with its output in a log. The caches of format and types go by content and version.
check: $(NODE) ## check format, lint, types, line widths and file lengths
	@mkdir -p $(CHECKED); started=(); \
	begin() { "$$@" > $(CHECKED)/$$(basename $$1).log 2>&1 & started+=($$(basename $$1):$$!); }; \
	begin prettier --cache --cache-strategy content --cache-location $(CHECKED)/prettier --log-level warn --check .; \
	begin oxlint --deny-warnings; \
	begin tsc --noEmit -p . --incremental --tsBuildInfoFile $(CHECKED)/types; \
	begin .ci/limits; \
	failed=0; for one in $${started[@]}; do wait $${one#*:} || { failed=1; cat $(CHECKED)/$${one%:*}.log; }; done; \
	exit $$failed

test: $(NODE) ## run make check and all *.test.ts
	@$(MAKE) --no-print-directory check
	@node test/run.ts

prove: $(NODE) ##+ run the long tests: test/**/*.proof.ts, and more cases of others; ONLY=crash: those whose path has it
	@node test/prove.ts

bench: $(NODE) ##+ measure speed and memory against baselines; QUICK=1, ONLY=name, WRITE_DOCS=1, BASE=commit
	@node bench/run.ts

docs: $(NODE) ##+ write the generated pages of docs/
	@node docs/generate/generated.ts

help: ## list the commands; ALL=1: those for rare tasks too
	@awk -v all=$(ALL) '/^##@ / { group = substr($$0, 5) } \
	  /^[a-z-]+:.*##[+]? / && (all || !/##[+] /) { \
	    if (group) { printf "\n%s\n", group; group = "" } \
	    split($$0, part, /:.*##[+]? /); printf "  make %-12s %s\n", part[1], part[2] }' Makefile

# A misspelled command.
.DEFAULT:
	@similar=$$(grep -oE "^$$(printf %.2s $@)[a-z-]*:.*##" Makefile | cut -d: -f1 | paste -sd' '); \
	echo "make $@: there is no such command$${similar:+; similar: $$similar}. make help ALL=1 lists all." >&2; exit 2
