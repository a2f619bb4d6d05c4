# provider-kupenstack. `make help` lists what there is. Everything installs what it needs by itself.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PRESET ?= release
PARTS ?= all
SECONDS ?= 600
CLUSTER := test/cluster/cluster

help: ## What there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

test: ## Everything: lint, unit, cluster, openstack, e2e (brings up all it needs, takes it down again)
	@test/run

demo: ## Real Kubernetes, Crossplane and OpenStack; the provider installed, a machine declared, kept and gone
	@scripts/demo

build: ## Compile everything, or TARGETS (PRESET=release|debug|asan|tsan)
	@scripts/install-packages build
	@cmake --preset $(PRESET) --log-level=WARNING >/dev/null
	@cmake --build --preset $(PRESET) $(if $(TARGETS),--target $(TARGETS))

package: ## The provider's package for Crossplane: build/packages/provider-kupenstack.xpkg
	@scripts/install-packages build
	@cmake --preset release --log-level=WARNING >/dev/null
	@cmake --build --preset release --target provider-kupenstack
	@scripts/package

unit: TARGETS = tests-unit
unit: build ## The quick inner loop: unit tests only
	@ctest --preset $(PRESET) --label-regex '^unit$$' --output-on-failure

asan: ## Unit tests with the address and undefined-behaviour sanitizers
	@$(MAKE) --no-print-directory unit PRESET=asan

tsan: ## Unit tests with the thread sanitizer
	@$(MAKE) --no-print-directory unit PRESET=tsan

sanitized: TARGETS = tests-unit tests-cluster tests-lab
sanitized: build ## Unit, cluster and lab tests, the provider's process too, with sanitizers (PRESET=asan|tsan)
	@ctest --preset $(PRESET) --label-regex '^(unit|cluster|lab)$$' --output-on-failure

fuzz-build:
	@scripts/install-packages build fuzz
	@cmake --preset fuzz --log-level=WARNING >/dev/null
	@cmake --build --preset fuzz

fuzz: fuzz-build ## All fuzzers, a long run (SECONDS=600 each); finds are kept in build/fuzz
	@scripts/fuzz $(SECONDS)

generate: ## Rewrite what is made from apis/: package/crds and docs/reference
	@scripts/install-packages build
	@cmake --preset $(PRESET) --log-level=WARNING >/dev/null
	@cmake --build --preset $(PRESET) --target generate

lint: build ## Format, clang-tidy, layers, shell, Python, YAML
	@scripts/install-packages lint
	@scripts/lint build/$(PRESET)

format: ## Reformat the C++ sources
	@scripts/install-packages lint
	@git ls-files '*.cc' '*.h' '*.c' | xargs clang-format-19 -i

soak: build ## The long runs: all of clang-tidy, the thread sanitizer, every part killed in turn
	@scripts/install-packages lint
	@KUPENSTACK_LINT=full scripts/lint build/$(PRESET)
	@$(MAKE) --no-print-directory sanitized PRESET=tsan
	@ctest --preset $(PRESET) --label-regex '^soak$$' --verbose

bench: ## What the provider costs, against its bars and beside a peer: 25 minutes (docs/performance.md)
	@scripts/install-packages build
	@cmake --preset release --log-level=WARNING >/dev/null
	@cmake --build --preset release --target provider-kupenstack kupenstack-simulator
	@test/bench/bench

cluster-up: ## Bring up the test cluster (PARTS="control node crossplane openstack", default all)
	@$(CLUSTER) up $(PARTS)

cluster-down: ## Stop the test cluster, keep its state
	@$(CLUSTER) down

cluster-wipe: ## Stop the test cluster and remove its state
	@$(CLUSTER) wipe

cluster-status: ## A table of its parts: version, state, memory, log
	@$(CLUSTER) status

shell: ## A shell with kubectl, crossplane, helm and openstack pointed at the test cluster
	@$(CLUSTER) shell

clean: ## Remove what was built in this checkout
	@rm -rf build

.PHONY: help test demo build package unit asan tsan sanitized fuzz-build fuzz generate lint format soak bench cluster-up cluster-down cluster-wipe cluster-status shell clean
