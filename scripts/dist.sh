#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# dist.sh LAB: for `make dist`, the folder that a Cassandra operator installs from, and the Debian package of it. Needs a
# finished build; LAB is the lab's command, which writes its completions and man pages.
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# = 1 ] || { echo "usage: dist.sh LAB" >&2; exit 1; }
lab=$1
VERSION=$(< VERSION)
NAME=cassiterite-5.0-$VERSION
JAR=plugin/target/$NAME.jar
DIST=build/dist/$NAME

rm -rf "$DIST"
mkdir -p "$DIST"
cp "$JAR" LICENSE NOTICE "$DIST/"
cp config/dist/cassandra.yaml-snippet.yaml "$DIST/"
cp config/cassandra/jvm-plugin.options "$DIST/jvm-server.options-snippet.options"
mkdir "$DIST/monitoring"
cp config/monitoring/{metrics.tsv,jmx-exporter.yml,prometheus-rules.yml,grafana-dashboard.json} "$DIST/monitoring/"
"$lab" shell-files "$DIST/share"

# The newest version of glibc that the two libraries ask for.
glibc=$(objdump -T native/target/plugin/libcassiterite.so build/deps/librocksdb.so \
    | grep -oE 'GLIBC_[0-9.]+' | sort -Vu | tail -1)
glibc=${glibc#GLIBC_}
sed "s/@GLIBC@/$glibc/; s/@VERSION@/$VERSION/g" config/dist/INSTALL.md > "$DIST/INSTALL.md"

{
    cat config/dist/THIRD-PARTY-head.txt
    (cd native && cargo tree --locked -p cassiterite-bridge -e normal --prefix none -f '{p} | {l} | {r}') \
        | sed 's/ (\*)$//; s/ (\*) / /; s/ (proc-macro)//' | grep -v '^cassiterite-' | sort -u
} > "$DIST/THIRD-PARTY.txt"

sums=$(cd "$DIST" && find . -type f -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum)
echo "$sums" > "$DIST/SHA256SUMS"
(cd "$DIST" && sha256sum --quiet -c SHA256SUMS)
scripts/deb.sh "$DIST" "$glibc"
echo "$DIST and the Debian package beside it:"
find "$DIST" "$DIST/.." -maxdepth 1 -type f -printf '  %12s  %P\n' | sort -k 2
