#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# `make test-versions`: the core of the node tests on each of the named versions of Cassandra, and whether each has all that
# the jar uses of it. Needs a finished `make node`.
# build/test-versions/VERSION.log has what Maven said, build/test-versions/results one line per version.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

# Tables and their types, counters, ALTER, refusals, nodetool on one node; restart, TRUNCATE, snapshots; a pair that repairs and
# streams, also with a stock node; indexes; the front door.
CORE=NativeTypesTest,CountersTest,TableChangesTest,SchemaRefusalTest,NodetoolVerbTest,TruncateSurvivesRestartTest
CORE+=,SnapshotRestoreTest,IndexCasesTest,RepairConvergesTest,GateTest
RESULTS=build/test-versions
REPORTS=nodetest/target/surefire-reports

# 5.0.0 and 5.0.1 have other metrics, and there the front door stays off.
core() { [[ $1 =~ ^5\.0\.[01]$ ]] && echo "${CORE%,GateTest}" || echo "$CORE"; }

linkage() {
    local lib=build/cassandra-$1/lib
    java -cp "nodetest/target/classes:$lib/*" io.cassiterite.nodetest.linkage.LinkageMain \
        "plugin/target/cassiterite-5.0-$(< VERSION).jar" "$lib/cassandra-all-$1.jar"
}

[ $# -gt 0 ] || { echo "usage: test-versions.sh VERSION..." >&2; exit 2; }
mkdir -p "$RESULTS"
: > "$RESULTS/results"
failed=0
for version in "$@"; do
    echo "== Apache Cassandra $version"
    rm -rf "$REPORTS"
    export CASSANDRA_VERSION=$version
    log=$RESULTS/$version.log
    if { scripts/cassandra-home.sh && { scripts/class-archive.sh || echo "nodes start without an archive of classes"; } \
        && mvn -B -ntp -Dstyle.color=never -pl nodetest test -Dforks="${FORKS:-1}" -Dleft.out= "-Dtest=$(core "$version")" \
        && linkage "$version"; } > "$log" 2>&1; then
        result=passed
    else
        result=FAILED
        failed=1
    fi
    rm -rf "${RESULTS:?}/$version" && cp -r "$REPORTS" "$RESULTS/$version" 2> /dev/null
    counts=$(grep -E '^\[[A-Z]+\] Tests run: [0-9]+, Failures: [0-9]+, Errors: [0-9]+, Skipped: [0-9]+$' "$log" | tail -1)
    echo "$version $result ${counts#* }" | tee -a "$RESULTS/results"
    [ $result = passed ] || grep -E '^\[ERROR\]|^cassandra-home|^missing: ' "$log" | head -40
done
exit $failed
