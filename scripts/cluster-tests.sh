#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# Runs a part of the cluster tests, `all` or a number (scripts/cluster_tests.py): those of the lab beside those of nodetest,
# which a part without any of the lab runs FORKS side by side. Each is told once it has ended.
#   scripts/cluster-tests.sh PART -- OPTION...     options as of `cargo nextest run`
#   FORKS, FRONT_DOOR, JOBS                        as of make
set -euo pipefail
cd "$(dirname "$0")/.."

part=$1
shift 2
lab=$(scripts/cluster_tests.py lab "$part")
java=$(scripts/cluster_tests.py java "$part")
log=build/cluster-tests-lab.log
rm -rf nodetest/target/cluster-reports lab/target/nextest/cluster

lab_tests() { scripts/rust-tests.sh cluster lab -- "$@" --filterset "$lab"; }
java_tests() {
    mvn -B -ntp -Dstyle.color=never -pl nodetest test -Dforks="$1" -Dfront.door="${FRONT_DOOR:-off}" -Dgroups=cluster \
        -Dleft.out= -Dreports=cluster-reports -Dtest="$java" | grep -E '^\[(ERROR|WARNING)\]|Tests run|BUILD'
}

failed=0
if [ -z "$lab" ]; then
    java_tests "${FORKS:-1}" || failed=1
elif [ "${JOBS:-2}" = 1 ]; then
    lab_tests "$@" || failed=1
    java_tests 1 || failed=1
else
    lab_tests "$@" > "$log" 2>&1 &
    beside=$!
    trap 'kill "$beside"' INT TERM
    java_tests 1 || failed=1
    wait "$beside" || failed=1
    cat "$log"
fi
exit $failed
