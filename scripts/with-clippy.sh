#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# Runs a command of cargo whose compiler is clippy's: it compiles our crates and lints them in one pass, where
# `cargo clippy` would first read all of them, and what they depend on, a second time. Warnings are errors.
# Not for what has to be fast: clippy turns off some optimizations.
#   scripts/with-clippy.sh cargo build --workspace --all-targets
set -euo pipefail

# As cargo-clippy hands `-D warnings` to its compiler.
export RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
exec "$@"
