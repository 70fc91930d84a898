# Dealfeed. `make help` lists the commands. Settings are environment variables (README), so `make run DAY=2026-11-21` works.
SHELL := /bin/bash
BIN := node_modules/.bin
NODE := $(BIN)/node
export PATH := $(CURDIR)/$(BIN):$(PATH)
# DuckDB calls wait on libuv workers; the default of four is shared with files and DNS.
export UV_THREADPOOL_SIZE ?= 16
# Compiled modules are kept: half of what the start of a process takes.
export NODE_COMPILE_CACHE ?= $(CURDIR)/node_modules/.cache/compiled
QUARTER_DIR ?= data-quarter
.DEFAULT_GOAL := help

# npm alone is needed to start: the package `node` brings the Node this project runs on. Not `npm ci`: it refuses a lock
# file that lacks the optional packages of other platforms, and a mirror of the registry may not carry those.
INSTALL_PACKAGES = npm install --no-save --no-progress --loglevel=error
# Left by `make setup PRODUCTION=1`: an update of this folder installs no development packages either.
PRODUCTION_MARK := node_modules/.production
$(NODE): package-lock.json package.json .npmrc
	@echo "installing what is missing (npm)"
	@$(INSTALL_PACKAGES) $(if $(wildcard $(PRODUCTION_MARK)),--omit=dev)
	@touch $(NODE)

setup: ## install what is missing; PRODUCTION=1 leaves out what only the sandbox and the tests need (docs/operating.md)
	@$(INSTALL_PACKAGES) $(if $(filter 1,$(PRODUCTION)),--omit=dev)
	@$(if $(filter 1,$(PRODUCTION)),touch,rm -f) $(PRODUCTION_MARK)
	@touch $(NODE)

run: $(NODE) ## read the sources, build the models, publish a snapshot (LIVE=1 the real web, DAY=... another day of the sandbox)
	@node sandbox/around.ts node pipelines/commands/cli.ts run

daily: $(NODE) ## the same for what changes every day: listings, tax lists, sheriff sales, parcels, rents
	@SOURCES=listings,tax,sheriff,parcels,fmr node sandbox/around.ts node pipelines/commands/cli.ts run

underwrite: $(NODE) ## build and publish from the rows already staged, reading nothing
	@SOURCES=none node sandbox/around.ts node pipelines/commands/cli.ts run

ohio: $(NODE) ## read the Ohio register and publish
	@SOURCES=ohio_sos,ohio_sos_amendments node sandbox/around.ts node pipelines/commands/cli.ts run

colorado: $(NODE) ## read the Colorado register and publish
	@SOURCES=colorado_sos node sandbox/around.ts node pipelines/commands/cli.ts run

worker: $(NODE) ## read the sources that runs with the same QUEUE and DATA_DIR put into the queue, until stopped (docs/scaling.md)
	@node pipelines/crawl/cli.ts

status: $(NODE) ## what is fresh, late or broken, and what it cost; JSON=1 for monitors; exit status 0 only when all is well
	@node pipelines/commands/cli.ts status

schedule: $(NODE) ## the scheduled runs as systemd timers or a crontab; INSTALL=1 installs them with the settings that are set
	@node pipelines/operate/cli.ts schedule

job: $(NODE) ## do a scheduled job if it is due: JOB=daily, colorado, underwrite or ohio
	@node pipelines/operate/cli.ts job

watch: $(NODE) ## do what the schedule missed, and tell ALERT_COMMAND of new trouble
	@node pipelines/operate/cli.ts watch

prune: $(NODE) ## what the declared policy no longer keeps of snapshots, pages and reads; APPLY=1 removes it
	@node pipelines/operate/cli.ts prune

reparse: $(NODE) ## parse the archived pages of SOURCE=... again (SINCE=YYYY-MM-DD) and show what changes; APPLY=1 keeps it
	@node pipelines/commands/cli.ts reparse

backtest: $(NODE) ## score decile against what happened within 30, 60 and 90 days, over all snapshots of DATA_DIR
	@node pipelines/commands/backtest.ts

quarter: $(NODE) ## eighteen weeks of the sandbox world in a folder of their own (QUARTER_DIR), and the back-test over them
	@for week in $$(seq 0 17); do \
	  day=$$(node -p "new Date(Date.UTC(2026, 9, 3) + $$week * 6048e5).toISOString().slice(0, 10)"); echo "week of $$day"; \
	  DATA_DIR=$(QUARTER_DIR) DAY=$$day LISTINGS=1500 PARCELS=2500 AUCTIONS=600 FILINGS=10 \
	    SOURCES=listings,tax,sheriff,parcels$$([ $$week -gt 0 ] || echo ,fmr) node sandbox/around.ts node pipelines/commands/cli.ts run > $(QUARTER_DIR).log || { cat $(QUARTER_DIR).log; exit 1; }; \
	done
	@DATA_DIR=$(QUARTER_DIR) node pipelines/commands/backtest.ts

reconcile: $(NODE) ## hold the current snapshot of the sandbox against what its world knows to be true
	@node sandbox/reconcile.ts

rebuild: $(NODE) ## make a published day again from archived pages and compare its bytes: RUN=2026-11-20.01; default: every snapshot
	@node pipelines/commands/rebuild.ts

identity: $(NODE) ## precision and recall of what is told to be one property: near-misses, and the current snapshot
	@node test/identity/run.ts

sql: $(NODE) ## a prompt on the current snapshot, read-only: history, completion, .help; Q='SELECT ...' answers one query
	@node pipelines/commands/sql.ts

explain: $(NODE) ## walk a number back to formula, assumptions, page and archived bytes: ID=... FIELD=noi_underwritten
	@node pipelines/analyse/explain_cli.ts

diff: $(NODE) ## what changed between two snapshots: A=2026-11-20 B=current; OUT=changes.ndjson or .parquet for all of it
	@node pipelines/analyse/diff_cli.ts

profile: $(NODE) ## a report of a snapshot as one HTML file with plots: OUT=profile.html
	@node pipelines/analyse/profile_cli.ts

query: $(NODE) ## answer a worked query of queries/: NAME=hidden_upside; without a name list them
	@node pipelines/analyse/query_cli.ts

serve: $(NODE) ## serve the current snapshot on PORT (4021), paid with test money unless configured
	@node api/server.ts

buy: $(NODE) ## pay for one call from the sandbox wallet: make buy URL='/api/deals?state=OH'; FULL=1 prints every record
	@node clients/buy.ts

collect: $(NODE) ## the same answer again, unbilled, by proof of the sandbox wallet: make collect RECEIPT=<Receipt-Id>
	@node clients/collect_cli.ts

mcp: $(NODE) ## an MCP server on standard input and output, through which an agent buys within caps (docs/agents.md)
	@node clients/mcp.ts

docs: $(NODE) ## write the data dictionary and the README's tables from the schemas
	@node docs/generate/cli.ts

county: $(NODE) ## the folder of a new county's source: NAME=oh_lorain_tax FAMILY=arcgis_parcels FIPS=39093 (docs/adding-a-county.md)
	@node sources/new_county.ts

screenshots: $(NODE) ## pictures of every page of the site, of terminal screens and of the profile report into docs/screenshots/, from the snapshot in DATA_DIR
	@node docs/generate/screenshots.ts
	@node docs/generate/screens.ts

fmt: $(NODE) ## format the TypeScript
	@prettier --log-level warn --write .

check: $(NODE) ## format, lint and types
	@prettier --log-level warn --check .
	@oxlint --deny-warnings
	@tsc --noEmit -p .

t: $(NODE) ## run one test file: make t FILE=test/models/rents.test.ts
	@node --test --test-timeout=600000 $(FILE)

test: $(NODE) ## set everything up and run every test
	@$(MAKE) --no-print-directory check
	@# Three files at once on two cores: in most a process, a lock or the disk is waited for a good part of the time.
	@node --test --test-concurrency=3 --test-timeout=600000 'test/**/*.test.ts'

properties: $(NODE) ## hold the fifteen properties of underwriting and leads on DEALS=10000 random deals and print the cases (SEED=...)
	@DEALS=$(or $(DEALS),10000) node --test test/models/properties.test.ts

fuzz: $(NODE) ## damage every family's recorded pages VARIANTS=10000 times and count what becomes of them; FUZZ_SEED= begins elsewhere, SHOW= prints some
	@node test/fuzz/run.ts

bench: $(NODE) ## speed and memory beside baselines of the same run; QUICK=1 ends in two minutes, ONLY=name chooses, WRITE_DOCS=1 writes docs/performance/
	@node bench/run.ts

crash-pipeline: $(NODE) ## kill -9 the pipeline at KILLS=200 random instants and hold what follows against an undisturbed run
	@node test/crash/pipeline.ts

simulate: $(NODE) ## sales in SCHEDULES=10000 simulated worlds with crashes, lost replies and dishonest callers; SEED=, ONLY=n shows one
	@node test/ledger/simulation/run.ts

fuzz-api: $(NODE) ## throw REQUESTS=20000 wild requests at the server and count the answers by status
	@node test/fuzz/run_api.ts

ledger: $(NODE) ## what was earned by endpoint and day, what is unknown, which leads are sold; PARQUET=folder exports for analysts
	@node ledger/cli.ts report

ledger-audit: $(NODE) ## hold every incoming transfer against the ledger and back, block FROM to TO (default: all final blocks)
	@node api/payments/audit/cli.ts audit

ledger-refunded: $(NODE) ## note that an owed transfer was refunded: TRANSFER=<hash>:<index> REFUND=<hash>, looked up on the chain; or NOTE='...'
	@node api/payments/audit/cli.ts refunded

ledger-backup: $(NODE) ## the ledger as one file, FILE=..., while servers run; read back and checked
	@node ledger/cli.ts backup

ledger-restore: $(NODE) ## a ledger from FILE=..., in either database; OVERWRITE=1 where there is one already
	@node ledger/cli.ts restore

crash-sales: $(NODE) ## kill -9 servers at KILLS=300 random instants while they sell, on both kinds of ledger, and hold the books against the chain
	@node test/crash/sales.ts

crash-clock: $(NODE) ## move the clocks of servers JUMPS=400 times by minutes, hours and days while they sell, on both kinds of ledger, and hold the books against the chain
	@node test/crash/clock.ts

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

.PHONY: worker quarter diff profile properties explain fmt t query rebuild prune schedule job watch crash-pipeline identity bench reconcile setup run daily underwrite ohio colorado status reparse backtest sql serve buy collect mcp docs county screenshots check test fuzz fuzz-api simulate ledger ledger-audit ledger-refunded ledger-backup ledger-restore crash-sales crash-clock help
