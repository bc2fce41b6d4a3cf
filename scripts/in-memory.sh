#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# Runs tests whose files are in memory, where that has room for them: they sync thousands of times, and what a disk takes
# for it differs from hour to hour. What is left there is removed, unless the tests fail.
#   scripts/in-memory.sh NAME COMMAND...
#   MEMORY_FILES=FOLDER                another file system than /dev/shm; `no` has them on the disk
#   ROOM_GIB=6 FREE_MEMORY_GIB=12      what has to be free there, and of memory
set -euo pipefail

name=$1
shift
files=${MEMORY_FILES:-/dev/shm}
checkout=$(cd "$(dirname "$0")/.." && pwd -P | sha256sum)
folder=$files/cassiterite-$(id -u)-${checkout:0:8}/$name

has_room() {
    [ -d "$files" ] && [ -w "$files" ] && [ "$(df --output=avail "$files" | tail -1)" -ge $((${ROOM_GIB:-6} << 20)) ] \
        && [ "$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)" -ge $((${FREE_MEMORY_GIB:-12} << 20)) ]
}

remove() {
    rm -rf "$folder"
    rmdir --ignore-fail-on-non-empty "${folder%/*}" 2> /dev/null || true
}

remove
has_room || exec "$@"
mkdir -p "$folder"
status=0
TMPDIR=$folder CASSITERITE_NODES=$folder/nodes "$@" || status=$?
if [ $status = 0 ]; then remove; else echo "in-memory: what the tests have left is in $folder" >&2; fi
exit $status
