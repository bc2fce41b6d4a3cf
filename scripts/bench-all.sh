#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# `make bench-all`: every comparison of docs/benchmarks.md, one after the other, on an otherwise idle machine. Takes
# some eight hours with two cores, by the sum of its parts. build/bench gets the text, the JSON and the page of each.
#   scripts/bench-all.sh [SCENARIO...]    all of them, or those named; ROUNDS=5 for more rounds than 3
set -uo pipefail
cd "$(dirname "$0")/.." || exit

lab=${CASSITERITE_LAB:-lab/target/release/cassiterite}
results=build/bench
all=(requests reads writes mixed emp features scan restart indexes stream)

# Rates and rows that leave room on two cores. A result of docs/benchmarks.md tells its own, which may be older.
options() {
    case $1 in
        requests) echo "--engines stock,cassiterite-door --rows 100000 --seconds 10 --warmup 150 --rate 3000 --heap 2g" ;;
        reads) echo "--engines stock,cassiterite --rows 500000 --seconds 15 --warmup 150 --rate 4000 --heap 2g" ;;
        writes) echo "--engines stock,cassiterite --rows 300000 --seconds 18 --warmup 150 --heap 2g" ;;
        mixed) echo "--engines stock,cassiterite --rows 100000 --seconds 25 --warmup 150 --rate 2000 --heap 2g" ;;
        emp) echo "--engines stock,cassiterite,cassiterite-door --seconds 10 --warmup 150 --rate 500 --heap 2g" ;;
        features) echo "--engines stock,cassiterite --seconds 15 --warmup 150 --heap 2g" ;;
        scan) echo "--engines stock,cassiterite,cassiterite-door --seconds 10 --warmup 150 --heap 2g" ;;
        restart) echo "--engines stock,cassiterite --rows 100000 --heap 2g" ;;
        indexes) echo "--engines stock-sai,stock,cassiterite --rows 100000 --seconds 6 --warmup 60" ;;
        stream) echo "--engines stock,cassiterite --scale full --samples 10 --seconds 15 --warmup 30 --vnodes 16" ;;
        *) echo "bench-all: no scenario $1; there are ${all[*]}" >&2; return 2 ;;
    esac
}

# A run of stream has a sample for each node that it replaces.
rounds() { [ "$1" = stream ] && echo 1 || echo "${ROUNDS:-3}"; }

chosen=("$@")
[ $# -gt 0 ] || chosen=("${all[@]}")
for scenario in "${chosen[@]}"; do options "$scenario" > /dev/null || exit; done

mkdir -p "$results"
failed=()
for scenario in "${chosen[@]}"; do
    read -ra words <<< "$(options "$scenario")"
    echo "== compare $scenario ($(date +%H:%M))"
    # A comparison without a verdict does not end the others.
    "$lab" compare "$scenario" "${words[@]}" --rounds "$(rounds "$scenario")" --json "$results/$scenario.json" \
        --html "$results/$scenario.html" > "$results/$scenario.txt" || failed+=("$scenario")
done
[ ${#failed[@]} -eq 0 ] || { echo "bench-all: failed or without a verdict: ${failed[*]}" >&2; exit 1; }
echo "bench-all: all valid; results in $results"
