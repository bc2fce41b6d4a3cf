#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# Runs Rust tests with cargo-nextest, by a profile of .config/nextest.toml of the workspace. What the tests did is then in
# WORKSPACE/target/nextest/PROFILE/junit.xml, which scripts/test_summary.py and scripts/cluster_tests.py read.
#   scripts/rust-tests.sh PROFILE WORKSPACE... -- OPTION...     options as of `cargo nextest run`
#   NEXTEST=PROGRAM                                             another cargo-nextest than that of PyPI, of the same version
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "rust-tests: $*" >&2; exit 1; }
report() { echo "$1/target/nextest/$profile/junit.xml"; }

profile=$1 workspaces=()
shift
while [ $# -gt 0 ] && [ "$1" != -- ]; do workspaces+=("$1"); shift; done
[ $# -gt 0 ] && shift

# Of all, or a run that ends at the first of them would leave an old report of the second.
for workspace in "${workspaces[@]}"; do rm -f "$(report "$workspace")"; done

if [ -z "${NEXTEST:-}" ]; then
    version=$(sed -n 's/.*==//p' config/python/nextest.in)
    scripts/python-env.sh nextest || fail "no cargo-nextest from PyPI, so no Rust test runs. Another way:" \
        "cargo install --locked cargo-nextest --version $version --root build/cargo-tools," \
        "then again with NEXTEST=\$PWD/build/cargo-tools/bin/cargo-nextest"
    NEXTEST=$PWD/build/nextest-venv/bin/cargo-nextest
fi
for workspace in "${workspaces[@]}"; do
    (cd "$workspace" && ../scripts/with-clippy.sh "$NEXTEST" nextest run --profile "$profile" --locked --cargo-quiet --show-progress none "$@")
    [ -s "$(report "$workspace")" ] || fail "the tests have left no $(report "$workspace")"
done
