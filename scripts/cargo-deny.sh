#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# Checks the licences, the bans and the sources of native/deny.toml and lab/deny.toml. Compiles cargo-deny once, into
# build/cargo-tools: about 90 s of CPU without optimisation, which saves 150 s of them and costs nothing that can be felt.
set -euo pipefail
cd "$(dirname "$0")/.."

VERSION=0.20.2
tools=$PWD/build/cargo-tools

fail() { echo "cargo-deny: $*" >&2; exit 1; }

mkdir -p "$tools"
exec 9> "$tools/.lock"
flock 9
if [ "$("$tools/bin/cargo-deny" --version 2> /dev/null)" != "cargo-deny $VERSION" ]; then
    echo "cargo-deny: compiling cargo-deny $VERSION from crates.io"
    CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR=$tools/target cargo install -q cargo-deny --version "$VERSION" --locked \
        --no-default-features --debug --force --root "$tools" < /dev/null || fail "cargo could not install cargo-deny $VERSION"
    rm -rf "$tools/target"
fi
for workspace in native lab; do
    "$tools/bin/cargo-deny" --manifest-path "$PWD/$workspace/Cargo.toml" --config "$PWD/$workspace/deny.toml" --locked --log-level warn \
        check --hide-inclusion-graph licenses bans sources
done
