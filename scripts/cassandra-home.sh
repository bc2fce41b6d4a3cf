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

fail() { echo "cassandra-home: $*" >&2; exit 1; }

mkdir -p "$HOME_DIR"
exec 9> "$HOME_DIR/.lock"
flock 9

[ "$(cat "$HOME_DIR/version" 2> /dev/null)" = "$CASSANDRA_VERSION" ] && exit 0
command -v mvn > /dev/null || fail "mvn is missing: install Maven"
echo "cassandra-home: Apache Cassandra $CASSANDRA_VERSION from Maven Central"
rm -rf "$HOME_DIR/lib" "$HOME_DIR/version"
mvn -B -q -Dstyle.color=never -f config/cassandra-home.pom.xml "-Dcassandra.version=$CASSANDRA_VERSION" \
    "$DEPENDENCY_PLUGIN:copy-dependencies" -DincludeScope=runtime \
    "-DoutputDirectory=$PWD/$HOME_DIR/lib" < /dev/null \
    || fail "Maven could not fetch Apache Cassandra $CASSANDRA_VERSION"
[ -s "$HOME_DIR/lib/cassandra-all-$CASSANDRA_VERSION.jar" ] || fail "no cassandra-all in $HOME_DIR/lib"
echo "$CASSANDRA_VERSION" > "$HOME_DIR/version"
