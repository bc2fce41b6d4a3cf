#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# Assembles an unmodified Apache Cassandra from Maven Central in build/cassandra/lib; scripts/node starts it.
# CASSANDRA_VERSION=5.0.4 (or 6.0-alpha2) takes another version, into build/cassandra-5.0.4/lib. Quick when everything is there.
# With --pin it writes down the jars of a version that has no pin yet; read the list before you commit it.
set -euo pipefail
cd "$(dirname "$0")/.."

PINNED_VERSION=5.0.9
DEPENDENCY_PLUGIN=org.apache.maven.plugins:maven-dependency-plugin:3.8.1
HOME_DIR=build/cassandra${CASSANDRA_VERSION:+-$CASSANDRA_VERSION}
CASSANDRA_VERSION=${CASSANDRA_VERSION:-$PINNED_VERSION}
# Every jar by name and content: Maven compares a download only with what the same server says of it.
PIN=config/cassandra-versions/$CASSANDRA_VERSION.sha256
[ "$CASSANDRA_VERSION" != "$PINNED_VERSION" ] || PIN=config/cassandra-home.sha256

fail() { echo "cassandra-home: $*" >&2; exit 1; }

sums() { (cd "$HOME_DIR/lib" && LC_ALL=C sha256sum -- *.jar); }

[[ $CASSANDRA_VERSION =~ ^[0-9]+\.[0-9]+(\.[0-9]+|-(alpha|beta|rc)[0-9]+)$ ]] || fail "CASSANDRA_VERSION is '$CASSANDRA_VERSION': name a version as 5.0.4"
[ "${1:-}" != --pin ] || [ ! -f "$PIN" ] || fail "$PIN is there already"
[ "${1:-}" = --pin ] || [ -f "$PIN" ] \
    || fail "Apache Cassandra $CASSANDRA_VERSION has no pin, which would be $PIN: CASSANDRA_VERSION=$CASSANDRA_VERSION $0 --pin writes it"
mkdir -p "$HOME_DIR"
exec 9> "$HOME_DIR/.lock"
flock 9

[ "$(cat "$HOME_DIR/version" 2> /dev/null)" = "$CASSANDRA_VERSION" ] && cmp -s "$PIN" "$HOME_DIR/pinned" && exit 0
command -v mvn > /dev/null || fail "mvn is missing: install Maven"
echo "cassandra-home: Apache Cassandra $CASSANDRA_VERSION from Maven Central"
rm -rf "${HOME_DIR:?}/lib" "$HOME_DIR/version"
mvn -B -q -Dstyle.color=never -f config/cassandra-home.pom.xml "-Dcassandra.version=$CASSANDRA_VERSION" \
    "$DEPENDENCY_PLUGIN:copy-dependencies" -DincludeScope=runtime \
    "-DoutputDirectory=$PWD/$HOME_DIR/lib" < /dev/null \
    || fail "Maven could not fetch Apache Cassandra $CASSANDRA_VERSION"
[ "${1:-}" != --pin ] || sums > "$PIN"
differing=$(diff <(sums) "$PIN") \
    || fail "the jars differ from $PIN (< fetched, > pinned): remove the damaged ones from Maven's local repository and try again;" \
        $'pin other files only after all tests have passed with them\n'"$differing"
cp "$PIN" "$HOME_DIR/pinned"
echo "$CASSANDRA_VERSION" > "$HOME_DIR/version"
