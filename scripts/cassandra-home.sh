#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# Assembles an unmodified Apache Cassandra from Maven Central in build/cassandra/lib; scripts/node starts it.
# Quick when everything is there.
set -euo pipefail
cd "$(dirname "$0")/.."

CASSANDRA_VERSION=5.0.9
DEPENDENCY_PLUGIN=org.apache.maven.plugins:maven-dependency-plugin:3.8.1
HOME_DIR=build/cassandra
# Every jar by name and content: Maven compares a download only with what the same server says of it.
PIN=config/cassandra-home.sha256

fail() { echo "cassandra-home: $*" >&2; exit 1; }

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
differing=$(diff <(cd "$HOME_DIR/lib" && export LC_ALL=C && sha256sum -- *.jar) "$PIN") \
    || fail "the jars differ from $PIN (< fetched, > pinned): remove the damaged ones from Maven's local repository and try again;" \
        $'pin other files only after all tests have passed with them\n'"$differing"
cp "$PIN" "$HOME_DIR/pinned"
echo "$CASSANDRA_VERSION" > "$HOME_DIR/version"
