# Dealfeed. `make help` lists the commands.
SHELL := /bin/bash
BIN := node_modules/.bin
NODE := $(BIN)/node
export PATH := $(CURDIR)/$(BIN):$(PATH)
export UV_THREADPOOL_SIZE ?= 16
.DEFAULT_GOAL := help

# npm alone is needed to start: the package `node` brings the Node this project runs on.
$(NODE): package-lock.json package.json .npmrc
	npm ci --no-progress
	@touch $(NODE)

setup: $(NODE) ## install what is missing
check: $(NODE) ## types and lint
	tsc --noEmit -p .
	oxlint --deny-warnings
test: $(NODE) ## set everything up and run every test
	@$(MAKE) --no-print-directory check
	node --test 'test/**/*.test.ts'
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 18
.PHONY: setup check test help
