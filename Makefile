# `make help` lists the commands. Settings are environment variables (docs/settings.md), so `make run DAY=2026-11-21`
# works. "##@" starts a group of the list, "##" behind a target is its line.
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
QUARTER_DIR ?= data-quarter
.DEFAULT_GOAL := help

# npm is enough to start: the package `node` contains the Node that this project runs on.
INSTALL_PACKAGES = node lib/install.mjs
# Written by `make setup PRODUCTION=1`, so that later updates install no development packages either.
PRODUCTION_MARK := node_modules/.production
$(NODE): package-lock.json package.json .npmrc
	@$(INSTALL_PACKAGES) $(if $(wildcard $(PRODUCTION_MARK)),--omit=dev)
	@touch $(NODE)

##@ Set up and run
.PHONY: setup run daily underwrite ohio colorado worker

setup: ## install missing packages; PRODUCTION=1 leaves out those for the sandbox and the tests
	@$(INSTALL_PACKAGES) $(if $(filter 1,$(PRODUCTION)),--omit=dev)
	@$(if $(filter 1,$(PRODUCTION)),touch,rm -f) $(PRODUCTION_MARK)
	@touch $(NODE)

run: $(NODE) ## read the sources, build the models, publish a snapshot; LIVE=1: the real web; DAY=...: another day
	@node sandbox/around.ts node pipelines/commands/cli.ts run

daily: $(NODE) ## make run, for listings, tax lists, sales, parcels, distress records, rents and benchmarks only
	@SOURCES=listings,tax,sheriff,auctions,parcels,distress,fmr,benchmarks node sandbox/around.ts node pipelines/commands/cli.ts run

underwrite: $(NODE) ## build and publish from the staged rows; read no source
	@SOURCES=none node sandbox/around.ts node pipelines/commands/cli.ts run

ohio: $(NODE) ## read the Ohio register and publish
	@SOURCES=ohio_sos,ohio_sos_amendments node sandbox/around.ts node pipelines/commands/cli.ts run

colorado: $(NODE) ## read the Colorado register and publish
	@SOURCES=colorado_sos node sandbox/around.ts node pipelines/commands/cli.ts run

worker: $(NODE) ## read and stage queued sources until stopped; needs the QUEUE of runs, and their DATA_DIR or STORE
	@node pipelines/crawl/cli.ts


##@ Operate
.PHONY: status schedule job probe watch tables prune rebuild backup backup-verify restore

status: $(NODE) ## show which sources are fresh, late or broken; JSON=1 for monitors; exits with 0 if all is well
	@node pipelines/commands/cli.ts status

schedule: $(NODE) ## print systemd timers or a crontab for the scheduled runs; INSTALL=1 installs them
	@node pipelines/operate/cli.ts schedule

job: $(NODE) ## run a scheduled job if it is due: JOB=daily, colorado, underwrite, ohio or prune
	@node pipelines/operate/cli.ts job

probe: $(NODE) ## compare real sites with their adapters: SOURCE=name or all
	@node pipelines/probe/cli.ts

watch: $(NODE) ## run missed jobs and send new alerts to ALERT_COMMAND
	@node pipelines/operate/cli.ts watch

tables: $(NODE) ## write missing Iceberg metadata, also in STORE; needed after DATA_DIR moved: TABLES_URL=...
	@node pipelines/open_tables/cli.ts

prune: $(NODE) ## list snapshots, pages and reads past their retention; APPLY=1 deletes them
	@node pipelines/operate/cli.ts prune

rebuild: $(NODE) ## rebuild published days from archived pages and compare; SOURCE=...: parse one source again, DRY=1
	@node pipelines/commands/cli.ts rebuild

backup: $(NODE) ## back up DATA_DIR and the ledger into TO=... while servers and runs work; KEEP_BACKUPS=30
	@node pipelines/operate/backup/cli.ts backup

backup-verify: $(NODE) ## read a backup in FROM=... and compare every hash; BACKUP=...: an older one
	@node pipelines/operate/backup/cli.ts verify

restore: $(NODE) ## restore the newest backup of FROM=... into an empty DATA_DIR, with its ledger; BACKUP=...
	@node pipelines/operate/backup/cli.ts restore


##@ Analyze
.PHONY: sql query explain diff release backtest quarter calibrate reconcile

sql: $(NODE) ## answer a query over the current snapshot: Q='SELECT ...'; without Q, print the duckdb command and tables
	@node pipelines/commands/sql.ts

query: $(NODE) ## run a worked query: NAME=hidden_upside; without NAME, list them
	@node pipelines/analyse/query_cli.ts

explain: $(NODE) ## trace a number to its formula, assumptions, page and bytes: ID=... FIELD=noi_underwritten
	@node pipelines/analyse/explain_cli.ts

diff: $(NODE) ## compare two snapshots: A=2026-11-20 B=current; OUT=changes.ndjson or .parquet writes every change
	@node pipelines/analyse/diff_cli.ts

release: $(NODE) ## copy a snapshot with dictionary, changes and checksums into DATA_DIR/releases/: SNAPSHOT=current
	@node pipelines/release/cli.ts

backtest: $(NODE) ## show outcomes by score decile and rank correlation on landmarks, over all snapshots of DATA_DIR
	@node pipelines/commands/backtest.ts

quarter: $(NODE) ## run 18 weeks of the sandbox into QUARTER_DIR, then the back-test
	@for week in $$(seq 0 17); do \
	  day=$$(node -p "new Date(Date.UTC(2026, 9, 3) + $$week * 6048e5).toISOString().slice(0, 10)"); \
	  sources=listings,tax,sheriff,auctions,parcels,distress,benchmarks; [ $$week -gt 0 ] || sources=$$sources,fmr; \
	  echo "week of $$day"; \
	  DATA_DIR=$(QUARTER_DIR) DAY=$$day SOURCES=$$sources LISTINGS=1500 PARCELS=2500 AUCTIONS=600 FILINGS=10 \
	    node sandbox/around.ts node pipelines/commands/cli.ts run > $(QUARTER_DIR).log \
	    || { cat $(QUARTER_DIR).log; exit 1; }; \
	done
	@DATA_DIR=$(QUARTER_DIR) node pipelines/commands/backtest.ts

calibrate: $(NODE) ## recompute the calibrated tables from FOLDER, compare underwriting with real NOI; WRITE=1
	@node pipelines/commands/calibrate.ts

reconcile: $(NODE) ## compare the current sandbox snapshot with the sandbox's known facts
	@node sandbox/reconcile.ts


##@ Serve and buy
.PHONY: serve buy collect verify receipt-key mcp

serve: $(NODE) ## serve the current snapshot and the site on PORT (4021); test money unless configured
	@node api/server.ts

buy: $(NODE) ## pay for one call from the sandbox wallet: URL='/api/deals?state=OH'; FULL=1: all records; SERVER=...
	@node clients/buy.ts

collect: $(NODE) ## fetch a paid answer again without a charge: RECEIPT=<Receipt-Id>
	@node clients/collect_cli.ts

verify: $(NODE) ## verify a bought answer offline: FILE=answer.json RECEIPT=answer.jws KEYS=jwks.json FOLDER=pages
	@node clients/verify_cli.ts

receipt-key: $(NODE) ## make the key that signs receipts: RECEIPT_KEY_FILE=...; ROTATE=1 replaces it, REVOKE=<kid>
	@node api/payments/receipts/key_cli.ts

mcp: $(NODE) ## run an MCP server on standard input and output: each endpoint is a tool; has spending caps
	@node clients/mcp.ts


##@ Ledger
.PHONY: ledger ledger-audit ledger-refunded ledger-backup ledger-restore

ledger: $(NODE) ## show revenue, open settlements and sold leads; DAYS=30; PARQUET=folder exports
	@node ledger/cli.ts report

ledger-audit: $(NODE) ## compare transfers on the chain with the ledger, blocks FROM to TO (default: all final)
	@node api/payments/audit/cli.ts audit

ledger-refunded: $(NODE) ## record the refund of an owed transfer: TRANSFER=<hash>:<index> REFUND=<hash>, or NOTE='...'
	@node api/payments/audit/cli.ts refunded

ledger-backup: $(NODE) ## write the ledger to FILE=... while servers run, and verify the file
	@node ledger/cli.ts backup

ledger-restore: $(NODE) ## restore the ledger from FILE=...; OVERWRITE=1 replaces an existing one
	@node ledger/cli.ts restore


##@ Develop
.PHONY: fmt check check-format check-lint check-types check-widths t test hooks docs help

fmt: $(NODE) ## format the TypeScript
	@prettier --log-level warn --write .

check: $(NODE) ## check format, lint, types, line widths and file lengths
	@$(MAKE) --no-print-directory -j4 --output-sync=target check-format check-lint check-types check-widths

# Both caches go by the content of files and the version of the tool.
check-format: $(NODE) ## check the format only
	@prettier --cache --cache-strategy content --cache-location $(CHECKED)/prettier --log-level warn --check .
check-lint: $(NODE) ## check the lint rules only
	@oxlint --deny-warnings
check-types: $(NODE) ## check the types only
	@tsc --noEmit -p . --incremental --tsBuildInfoFile $(CHECKED)/types
check-widths: $(NODE) ## check line widths and file lengths only
	@.ci/limits

t: $(NODE) ## run one test file: FILE=test/models/underwriting/rents.test.ts
	@node --test --test-timeout=600000 $(FILE)

test: $(NODE) ## run make check and all *.test.ts
	@$(MAKE) --no-print-directory check
	@node test/run.ts

hooks: $(NODE) ## install git hooks: format, lint and types before a commit, length of its subject
	@git config core.hooksPath .githooks
	@git config blame.ignoreRevsFile .git-blame-ignore-revs

docs: $(NODE) ## write the generated pages of docs/
	@node docs/generate/cli.ts

help: ## list the commands
	@awk '/^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z-]+:.*## / { split($$0, part, /:.*## /); printf "  make %-16s %s\n", part[1], part[2] }' $(MAKEFILE_LIST)

##@ Prove and measure
.PHONY: prove prove-tables properties bench

prove: $(NODE) ## run the long tests: test/**/*.proof.ts, and more cases of others; ONLY=crash: those whose path has it
	@node test/prove.ts

prove-tables: $(NODE) ## read the Iceberg tables with ClickHouse, which it installs (546 MB), and compare the figures
	@npm install --prefix node_modules/.cache/chdb --no-save --no-package-lock --silent chdb@3.4.0
	@node --test --test-timeout=600000 test/pipelines/publish/open_tables_in_clickhouse.ts

properties: $(NODE) ## check the underwriting properties on DEALS=10000 random deals; SEED=... chooses them
	@DEALS=$(or $(DEALS),10000) node --test test/models/properties.test.ts

bench: $(NODE) ## measure speed and memory against baselines; QUICK=1, ONLY=name, WRITE_DOCS=1, BASE=commit
	@node bench/run.ts
