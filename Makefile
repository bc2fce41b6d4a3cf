# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# Hides the builds: cargo for native/ and, a workspace of its own, for lab/; Maven for plugin/ and nodetest/.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# bash has a variable SECONDS of its own: only what was said to make counts
ORACLE_SECONDS := $(if $(filter undefined,$(origin SECONDS)),$(if $(OPERATIONS),86400,3600),$(SECONDS))
ROUNDS ?= 50
SCENARIO ?= mixed
ENGINES ?= stock,stock-default,cassiterite
STREAM_ENGINES ?= $(if $(filter command line,$(origin ENGINES)),$(ENGINES),stock$(comma)cassiterite)
STREAM_OPTIONS = $(if $(SAMPLES),--samples $(SAMPLES)) $(if $(filter command line,$(origin ROUNDS)),--rounds $(ROUNDS))
SCALE ?= full
comma := ,
# JOBS=1 for a small machine
JOBS ?= $(shell nproc)
# Java test classes, and tests of the lab with nodes, that run side by side: one core gains nothing, and a third pair of
# nodes wants more memory.
FORKS ?= $(if $(filter 1,$(JOBS)),1,2)
# front_door of the node tests' nodes
FRONT_DOOR ?= off
# front_door_responses and front_door_verdicts of those that have a front door
FRONT_DOOR_RESPONSES ?= pair
FRONT_DOOR_VERDICTS ?= connection
DOOR := -Dfront.door=$(FRONT_DOOR) -Dfront.door.responses=$(FRONT_DOOR_RESPONSES) -Dfront.door.verdicts=$(FRONT_DOOR_VERDICTS)

# of Cassandra, each with a pin in config
VERSIONS ?= 5.0.0 5.0.2 5.0.4 5.0.6 5.0.8 5.0.9

# the frame oracle has nothing to compare without the door
ORACLE_FRONT_DOOR := $(if $(filter off,$(FRONT_DOOR)),reads,$(FRONT_DOOR))

MVN := mvn -B -ntp -Dstyle.color=never
LIB := native/target/plugin/libcassiterite.so
# Tests want no speed of the lab: they take what the Rust tests have compiled anyway, and all with the features of the
# whole workspace, or the driver would be compiled once more.
LAB_PROFILE ?= $(if $(filter test test-%,$(MAKECMDGOALS)),dev,release)
LAB_TARGET := lab/target/$(patsubst dev,debug,$(LAB_PROFILE))
# Clippy reads along where tests are compiled, so what they take from each other has to be compiled under it everywhere.
READ_ALONG := $(if $(filter dev,$(LAB_PROFILE)),$(CURDIR)/scripts/with-clippy.sh)
LAB := $(LAB_TARGET)/cassiterite
LAB_PACKAGES := $(if $(filter dev,$(LAB_PROFILE)),--workspace,-p cassiterite-lab -p cassiterite-lab-node)
# All of the lab that starts nodes and clusters: without a driver, it is built in a fraction of the time.
NODE := $(LAB_TARGET)/cassiterite-node
NODE_PACKAGES := $(if $(filter dev,$(LAB_PROFILE)),$(LAB_PACKAGES),-p cassiterite-lab-node)
# what scripts/node and the node tests start nodes with
export CASSITERITE_LAB := $(CURDIR)/$(NODE)
JAR := plugin/target/cassiterite-5.0-$(file < VERSION).jar
JAR_PATH := io/cassiterite/native/linux-x86_64
SCRIPTS_LOG := build/test-scripts.log
PLUGIN_SOURCES := $(shell find plugin/src/main -type f 2> /dev/null)
NODETEST_CLASSPATH := nodetest/target/classpath

.PHONY: help
help: ## this list
	@echo "Cassiterite, for Apache Cassandra: make TARGET"
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r t d; do printf '  %-12s %s\n' "$$t" "$$d"; done

.PHONY: need
need:
	@scripts/need.sh

.PHONY: deps
deps: need ## fetch what the builds need into build/: RocksDB, libclang, Apache Cassandra
	@scripts/native-deps.sh
	@scripts/cassandra-home.sh

.PHONY: build
build: deps $(JAR) ## the native library and the plug-in jar; only what is missing or older than its sources

# cargo knows best what is stale, and leaves the file's time alone when nothing is.
.PHONY: FORCE
FORCE:

$(LIB): FORCE | deps
	@cd native && cargo build --quiet --locked --profile plugin -p cassiterite-bridge -j $(JOBS)

$(LAB): FORCE | deps
	@cd lab && $(READ_ALONG) cargo build --quiet --locked --profile $(LAB_PROFILE) $(LAB_PACKAGES) -j $(JOBS)

$(NODE): FORCE | deps
	@cd lab && $(READ_ALONG) cargo build --quiet --locked --profile $(LAB_PROFILE) $(NODE_PACKAGES) -j $(JOBS)

.PHONY: lab
lab: build $(LAB) ## the command lab/target/release/cassiterite: clusters, loads, comparisons

.PHONY: node
node: build $(NODE) ## the command lab/target/release/cassiterite-node: nodes and clusters alone; all that scripts/node needs

# Made in a folder of its own and then moved: a test run or another build beside this one never sees half a jar.
$(JAR): $(LIB) $(PLUGIN_SOURCES) VERSION pom.xml plugin/pom.xml | deps
	@echo "build: $(JAR)"
	@exec 9> build/.jar.lock && flock 9 && \
	    $(MVN) -q -pl plugin -Dbuild.dir=target/jar -Dmaven.test.skip=true package && \
	    list=$$(python3 -m zipfile -l plugin/target/jar/$(notdir $(JAR))) && \
	    for file in libcassiterite.so librocksdb.so; do \
	        grep -q "$(JAR_PATH)/$$file" <<< "$$list" || { echo "build: $$file is not in the jar" >&2; exit 1; }; \
	    done && \
	    cp plugin/target/jar/$(notdir $(JAR)) $(JAR).new && mv $(JAR).new $(JAR)

.PHONY: run
run: node ## a node with the plug-in on 127.0.0.1:9042 in the foreground; data in ./data; Ctrl-C stops it
	@scripts/python-env.sh
	@scripts/run

.PHONY: demo
demo: node ## guided tour: flights in, queries, reads during garbage collections, kill -9 during writes, a node of a cluster replaced, a stock table moved in and out; every acknowledged row checked
	@scripts/python-env.sh
	@build/venv/bin/python scripts/demo.py

.PHONY: class-archive
class-archive: node
	@scripts/class-archive.sh

# Each stage of `make test` ends by its name and the time in here; what it has to build first counts for it.
STAGES := build/test-stages
ended = @mkdir -p build && echo "$(1) $$(date +%s)" >> $(STAGES)

.PHONY: test-begun
test-begun:
	@mkdir -p build
	@rm -f $(STAGES) $(SCRIPTS_LOG)
	@rm -rf {plugin,nodetest}/target/{surefire,surface,cluster}-reports {native,lab}/target/nextest
	@touch build/test-begun

.PHONY: check
check: test-begun lint test-scripts test-rust test-java ## lint and all tests without a node

# What guards no data waits for what does, and is left out where that took longer than so many seconds.
if_before = @if [ $$(($$(date +%s) - $$(stat -c %Y build/test-begun))) -lt $(2) ]; then $(MAKE) --no-print-directory $(1); \
    else echo "make test: no $(1), for the others took long today"; fi

.PHONY: test
test: check test-node ## check and the tests with a node that guard data; if there is time, those of the lab, of the surface, and the day's part of the cluster tests
	$(call if_before,test-lab,3900)
	$(call if_before,test-surface,3300)
	$(call if_before,test-cluster-part,2700)
	@python3 scripts/test_summary.py

.PHONY: test-scripts
test-scripts: deps
	@echo "== tests of scripts"
	@python3 -m unittest discover -s scripts/tests 2>&1 | tee $(SCRIPTS_LOG)
	$(call ended,scripts)

# Each writes its report, which the summary reads, and removes the one before.
RUST_TESTS := --workspace --build-jobs $(JOBS)
NODE_TESTS := $(RUST_TESTS) --run-ignored only

.PHONY: test-rust
test-rust: deps
	@echo "== Rust tests"
	@scripts/in-memory.sh rust scripts/rust-tests.sh rust native lab -- $(RUST_TESTS) --test-threads $(JOBS)
	$(call ended,Rust)

# Those of the lab that take minutes.
LAB_CLUSTER_TESTS := compare_stream compare_scenarios plan_on_nodes network_on_nodes
LAB_TESTS := $(filter-out $(LAB_CLUSTER_TESTS),$(sort $(notdir $(basename $(wildcard lab/*/tests/*.rs))) \
    $(notdir $(patsubst %/main.rs,%,$(wildcard lab/*/tests/*/main.rs)))))

.PHONY: test-lab
test-lab: class-archive
	@echo "== lab tests with nodes"
	@scripts/in-memory.sh lab scripts/rust-tests.sh lab lab -- $(NODE_TESTS) --test-threads $(FORKS) $(addprefix --test ,$(LAB_TESTS))
	$(call ended,lab)

.PHONY: test-java
test-java: build
	@echo "== Java tests"
	@rm -rf plugin/target/surefire-reports
	@$(MVN) -pl plugin test -Dforks=$(FORKS) | grep -E '^\[(ERROR|WARNING)\]|Tests run|BUILD'
	$(call ended,Java)

.PHONY: test-surface
test-surface: class-archive driver-programs dist ## what clients, drivers and operators see, and no data depends on: TLS, drivers, hostile input, figures, package
	@echo "== tests of the surface"
	@rm -rf nodetest/target/surface-reports
	@scripts/in-memory.sh surface $(MVN) -pl nodetest test -Dforks=$(FORKS) $(DOOR) -Dgroups=surface -Dleft.out= -Dreports=surface-reports \
	    | grep -E '^\[(ERROR|WARNING)\]|Tests run|BUILD'
	$(call ended,surface)

.PHONY: driver-programs
driver-programs: node
	@scripts/driver-programs.sh $(LAB_PROFILE)

# `make test` ends on a slow machine, too: after so many seconds no test of a node begins, and the summary names those left
# out. Each day has an order of its own, so that they are not always the same.
NODE_TESTS_UNTIL_S := 4600
DAY := $(shell echo $$(($$(date +%s) / 86400)))
WITHIN_TIME = $(if $(filter test,$(MAKECMDGOALS)),-Dtests.until=$$(($$(stat -c %Y build/test-begun) + $(NODE_TESTS_UNTIL_S))))
ORDER_OF_DAY := -Dsurefire.runOrder=random -Dsurefire.runOrder.random.seed=$(DAY)

.PHONY: test-node
test-node: class-archive
	@echo "== node tests"
	@rm -rf nodetest/target/surefire-reports
	@scripts/in-memory.sh nodes $(MVN) -pl nodetest test -Dforks=$(FORKS) $(DOOR) $(WITHIN_TIME) $(ORDER_OF_DAY) \
	    | grep -E '^\[(ERROR|WARNING)\]|Tests run|BUILD'
	@grep -hE '^(oracle|crash|crash-move): ' nodetest/target/surefire-reports/*-output.txt 2> /dev/null | tail -20 || true
	$(call ended,node)

# Seven of them, by the day: each cluster test runs within a week of landings.
PART := $(or $(PART),$(shell echo $$(($(DAY) % 7))))

.PHONY: test-cluster
test-cluster: ## clusters that lose and gain nodes, damaged streams, repair beside stock nodes, Medusa's restores, some slow tests of one node, every comparison once
	@scripts/python-env.sh medusa
	@$(MAKE) --no-print-directory test-cluster-part PART=all

.PHONY: test-cluster-part
test-cluster-part: class-archive
	@echo "== cluster tests, part $(PART)"
	@FORKS=$(FORKS) FRONT_DOOR=$(FRONT_DOOR) JOBS=$(JOBS) scripts/cluster-tests.sh $(PART) -- $(NODE_TESTS) \
	    $(addprefix --test ,$(LAB_CLUSTER_TESTS))
	@scripts/cluster_tests.py passed $(PART)
	@scripts/cluster_tests.py stale
	$(call ended,cluster)

.PHONY: test-drivers
test-drivers: class-archive driver-programs ## five drivers through the front door and through stock, in every version of the protocol: `make test-surface` has the newest one
	@echo "== drivers' tests"
	@rm -rf nodetest/target/surefire-reports
	@$(MVN) -pl nodetest test -Dforks=1 -Dgroups=drivers -Dleft.out= | grep -E '^\[(ERROR|WARNING)\]|Tests run|BUILD'

.PHONY: tool-programs
tool-programs: need
	@scripts/tool-programs.sh

.PHONY: test-tools
test-tools: class-archive tool-programs ## DSBulk, COPY, Spark, mappers, JanusGraph, Temporal and others beside engine tables
	@echo "== tests of tools"
	@rm -rf nodetest/target/tools-reports
	@$(MVN) -pl nodetest test -Dforks=1 -Dfront.door=$(FRONT_DOOR) -Dgroups=tools -Dleft.out= -Dreports=tools-reports | \
	    grep -E '^\[(ERROR|WARNING)\]|Tests run|BUILD'

.PHONY: test-versions
test-versions: node ## the core of the node tests on several versions of Cassandra: make test-versions VERSIONS="5.0.0 5.0.9"
	@FORKS=$(FORKS) scripts/test-versions.sh $(VERSIONS)

LINT := build/lint-venv/bin
PYTHON := scripts nodetest/drivers
SHELL_SCRIPTS = $(shell grep -lrE '^\#!.*[ /](ba)?sh$$' scripts .ci)

.PHONY: lint-env
lint-env: need
	@scripts/python-env.sh lint

# What fetches and what runs on one core goes beside the compiler.
.PHONY: lint
lint: deps lint-env ## format and lint of all languages; warnings are errors
	@$(MAKE) --no-print-directory --output-sync=target -j $(JOBS) lint-rust lint-others
	$(call ended,lint)

.PHONY: lint-rust
lint-rust: deps
	@echo "== lint of Rust"
	@cd native && cargo fmt --all --check
	@cd lab && cargo fmt --all --check
	@cd native && ../scripts/with-clippy.sh cargo build --quiet --locked --workspace --all-targets -j $(JOBS)
	@cd lab && ../scripts/with-clippy.sh cargo build --quiet --locked --workspace --all-targets -j $(JOBS)

.PHONY: lint-others
lint-others: deps lint-docs deny
	@echo "== lint of Java, scripts and spelling"
	@$(MVN) -Plint -fae process-test-classes | grep -E '^\[(ERROR|WARNING)\]|BUILD' | grep -v 'The POM for'
	@$(LINT)/shellcheck $(SHELL_SCRIPTS)
	@sed -n '/^```dockerfile$$/,/^```$$/{//!p}' docs/operating/containers.md | $(LINT)/hadolint -
	@$(LINT)/ruff check --quiet --config config/ruff.toml $(PYTHON)
	@$(LINT)/ruff format --quiet --check --config config/ruff.toml $(PYTHON)
	@scripts/driver-programs.sh lint
	@$(LINT)/typos --config config/typos.toml

.PHONY: lint-docs
lint-docs: lint-env ## Markdown: 100 columns, no broken links
	@echo "== lint of documents"
	@$(LINT)/rumdl check --quiet --config config/rumdl.toml .

.PHONY: check-docs
check-docs: lint-docs test-scripts ## for a change of documents alone: lint, links, spelling, pictures
	@$(LINT)/typos --config config/typos.toml

.PHONY: deny
deny: need ## licences, bans and sources of the crates (deny.toml of native and lab)
	@scripts/cargo-deny.sh

.PHONY: format
format: lint-env ## bring the sources into the format that lint wants, as far as a tool can
	@cd native && cargo fmt --all
	@cd lab && cargo fmt --all
	@$(MVN) -q spotless:apply
	@$(LINT)/ruff check --quiet --fix --config config/ruff.toml --select I $(PYTHON)
	@$(LINT)/ruff format --quiet --config config/ruff.toml $(PYTHON)

$(NODETEST_CLASSPATH): nodetest/pom.xml pom.xml
	@$(MVN) -q -pl nodetest compile dependency:build-classpath -Dmdep.outputFile=target/classpath -Dmdep.includeScope=test

.PHONY: nodetest-classes
nodetest-classes: node $(NODETEST_CLASSPATH)
	@$(MVN) -q -pl nodetest compile

PLUGIN_CLASSPATH := plugin/target/classpath
$(PLUGIN_CLASSPATH): plugin/pom.xml pom.xml
	@$(MVN) -q -pl plugin compile dependency:build-classpath -Dmdep.outputFile=target/classpath -Dmdep.includeScope=test

.PHONY: bench-boundary
bench-boundary: build $(PLUGIN_CLASSPATH) ## what a call from Java into the engine costs
	@$(MVN) -q -pl plugin test-compile
	@java @config/jvm17.options -Xmx512m -cp "plugin/target/test-classes:plugin/target/classes:$$(cat $(PLUGIN_CLASSPATH))" io.cassiterite.engine.BoundaryBench

.PHONY: oracle
oracle: nodetest-classes ## random statements on twin tables, compared: make oracle SECONDS=3600 SEED=1, or OPERATIONS=3000000
	@java -Xmx1g -Dcassiterite.front_door=$(FRONT_DOOR) $(if $(OPERATIONS),-Doracle.operations=$(OPERATIONS)) -cp "nodetest/target/classes:$$(cat $(NODETEST_CLASSPATH))" io.cassiterite.nodetest.oracle.OracleMain $(ORACLE_SECONDS) $(SEED)

# stock-only compares stock's own indexes, to test the oracle
INDEX_MODE ?= engine

.PHONY: oracle-index
oracle-index: nodetest-classes ## random queries by secondary indexes on an engine table and on stock ones, compared: make oracle-index SECONDS=3600 SEED=1 INDEX_MODE=engine
	@java -Xmx1g -Dcassiterite.front_door=$(FRONT_DOOR) -Dindex.mode=$(INDEX_MODE) -cp "nodetest/target/classes:$$(cat $(NODETEST_CLASSPATH))" io.cassiterite.nodetest.oracle.IndexOracleMain $(ORACLE_SECONDS) $(SEED)

.PHONY: oracle-frames
oracle-frames: nodetest-classes ## random requests to the front door and to a stock transport, compared: make oracle-frames SECONDS=3600 SEED=1 FRONT_DOOR=reads FRONT_DOOR_RESPONSES=pair FRONT_DOOR_VERDICTS=connection REPLICAS=3
	@java -Xmx1g -Doracle.front_door=$(ORACLE_FRONT_DOOR) $(if $(REPLICAS),-Doracle.replicas=$(REPLICAS)) -Dcassiterite.front_door_responses=$(FRONT_DOOR_RESPONSES) -Dcassiterite.front_door_verdicts=$(FRONT_DOOR_VERDICTS) -cp "nodetest/target/classes:$$(cat $(NODETEST_CLASSPATH))" io.cassiterite.nodetest.frontdoor.FrameOracleMain $(ORACLE_SECONDS) $(SEED)

.PHONY: crash
crash: nodetest-classes ## kill -9 during writes, again and again: make crash ROUNDS=50
	@java -Xmx1g -Dcassiterite.front_door=$(FRONT_DOOR) -cp "nodetest/target/classes:$$(cat $(NODETEST_CLASSPATH))" io.cassiterite.nodetest.crash.CrashMain $(ROUNDS)

.PHONY: crash-move
crash-move: class-archive ## kill -9 while tables move in and out, by seeds: make crash-move ROUNDS=50 SEED=1
	@rm -rf nodetest/target/crash-move-reports
	@status=0; $(MVN) -pl nodetest test -Dforks=1 -Dfront.door=$(FRONT_DOOR) -Dreports=crash-move-reports \
	    -Dtest=MoveCrashTest -Dmove.seeds=$(ROUNDS) -Dmove.first.seed=$(or $(SEED),1) | \
	    grep -E '^\[(ERROR|WARNING)\]|Tests run|BUILD' || status=$$?; \
	    grep -h '^crash-move: ' nodetest/target/crash-move-reports/*-output.txt; exit $$status

.PHONY: bench-engine
bench-engine: deps ## the engine alone: put, get, slice, merge (CPU of the calling thread); shipments whole and as rows
	@cd native && CASSITERITE_BENCH_CPU=1 cargo bench --quiet --locked -p cassiterite-engine -p cassiterite-codec

.PHONY: bench-node
bench-node: lab ## engines side by side on this machine: make bench-node SCENARIO=mixed ROUNDS=6 ENGINES=stock,cassiterite
	@$(LAB) compare $(SCENARIO) --engines $(ENGINES) \
	    --rounds $(if $(filter command line,$(origin ROUNDS)),$(ROUNDS),6) \
	    --json build/compare-$(SCENARIO).json --html build/compare-$(SCENARIO).html

BENCH = $(if $(filter command line,$(origin ROUNDS)),--rounds $(ROUNDS)) $(if $(DRY_RUN),--dry-run) $(SCENARIOS)

# A plan needs no build.
.PHONY: bench-readme
bench-readme: $(if $(DRY_RUN),,lab) ## most rows of README.md at this commit, unattended, some two hours on two cores; again goes on; raw JSON in build/bench: make bench-readme DRY_RUN=1
	@CASSITERITE_LAB=$(LAB) scripts/bench.py readme $(BENCH)

.PHONY: bench-all
bench-all: $(if $(DRY_RUN),,lab) ## the same of every comparison of docs/benchmarks.md, some seven hours: make bench-all SCENARIOS="requests stream" ROUNDS=3
	@CASSITERITE_LAB=$(LAB) scripts/bench.py all $(BENCH)

# As many vnodes as a cluster has by default; then stock Cassandra's best case, where its sstables can go whole, too.
.PHONY: bench-stream
bench-stream: lab ## nodes die and are replaced, engines side by side: make bench-stream SCALE=full SAMPLES=4
	@$(LAB) compare stream --engines $(STREAM_ENGINES) --scale $(SCALE) $(STREAM_OPTIONS) --vnodes 16 \
	    --json build/compare-stream-16-vnodes.json --html build/compare-stream-16-vnodes.html
	@$(LAB) compare stream --engines $(STREAM_ENGINES) --scale $(SCALE) $(STREAM_OPTIONS) --vnodes 1 \
	    --compaction LeveledCompactionStrategy \
	    --json build/compare-stream-1-token.json --html build/compare-stream-1-token.html

.PHONY: pictures
pictures: ## draw docs/pictures from the raw results in docs/benchmarks
	@python3 scripts/pictures.py

.PHONY: dist
dist: build $(LAB) ## the release folder that a Cassandra operator installs from, and a Debian package: build/dist
	@scripts/dist.sh $(LAB)

.PHONY: release-check
release-check: ## what a release would be, made and looked into: docs/contributing/release.md
	@scripts/release.sh check

.PHONY: clean
clean: ## remove everything that was built; ./data stays
	@rm -rf build native/target lab/target plugin/target nodetest/target
