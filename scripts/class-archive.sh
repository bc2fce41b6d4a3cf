#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# The classes of build/cassandra/lib, or of CASSANDRA_VERSION, that a node and nodetool load when they start, in an archive that the JVM maps instead of
# reading, checking and linking them one by one. Quick when it is there; with --name, says where it is or would be.
# The name tells the JDK and the jars that it was made from, and the JVM looks at them again: other jars go without.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
lib=$root/build/cassandra${CASSANDRA_VERSION:+-$CASSANDRA_VERSION}/lib
folder=$root/build/class-archive${CASSANDRA_VERSION:+-$CASSANDRA_VERSION}
START_LIMIT_S=300
SECONDS=0

fail() { echo "class-archive: $*" >&2; exit 1; }

key=$(stat -L -c '%n %s %Y' "$(command -v "$java")" "$lib"/*.jar | sha256sum)
archive=$folder/${key:0:16}.jsa
[ "${1:-}" != --name ] || { echo "$archive"; exit 0; }

mkdir -p "$folder"
exec 9> "$folder/.lock"
flock 9
[ ! -f "$archive" ] || exit 0
echo "class-archive: $archive"
rm -rf "${folder:?}"/*
work=$folder/work
mkdir "$work"

read -r cql storage jmx <<< "$(python3 -c '
import socket
held = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
print(*(server.getsockname()[1] for server in held))')"
"$root/scripts/node" --base "$work/node" --fast --heap 512m --cql-port "$cql" --storage-port "$storage" --jmx-port "$jmx" \
    --die-with $$ --jvm "-XX:DumpLoadedClassList=$work/node.list" > "$work/console" 2>&1 9>&- &
node=$!
trap 'kill -9 $node 2> /dev/null || true' EXIT
until grep -qs 'Starting listening for CQL clients' "$work/node/logs/system.log"; do
    kill -0 $node 2> /dev/null || fail "the node has ended: $(cat "$work/console")"
    [ $SECONDS -lt $START_LIMIT_S ] || fail "the node does not start: see $work"
    sleep 0.2
done
JAVA_TOOL_OPTIONS=-XX:DumpLoadedClassList=$work/nodetool.list "$root/scripts/nodetool" -p "$jmx" status > "$work/status" 2>&1 \
    || fail "$(cat "$work/status")"
kill $node
wait $node || true

awk '!seen[$0]++' "$work/node.list" "$work/nodetool.list" > "$work/all.list"
"$java" -Xshare:dump -XX:+UseSerialGC -XX:SharedClassListFile="$work/all.list" -XX:SharedArchiveFile="$work/made.jsa" -Xlog:disable \
    -cp "$lib/*" > "$work/dump" 2>&1 || fail "$(cat "$work/dump")"
# The JVM trusts what lies behind a good head: half a file would crash it.
"$java" -Xshare:on -XX:+VerifySharedSpaces -XX:+UseSerialGC -XX:SharedArchiveFile="$work/made.jsa" -cp "$lib/*" -version \
    > "$work/check" 2>&1 || fail "$(cat "$work/check")"
sync "$work/made.jsa"
mv "$work/made.jsa" "$archive"
rm -rf "$work"
