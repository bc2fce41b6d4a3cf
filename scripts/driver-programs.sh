#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# Builds what the node tests run of drivers in other languages than Java: see nodetest/drivers. Go and the Python driver come
# from PyPI, the Go driver from Go's module proxy. Quick when everything is there.
#   scripts/driver-programs.sh [PROFILE]    build/driver-venv, build/drivers/driver-go, and driver-rust beside cassiterite-node
#   scripts/driver-programs.sh lint         format and likely faults of the Go program
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

fail() { echo "driver-programs: $*" >&2; exit 1; }

scripts/python-env.sh drivers
# Nothing of the user's own Go: neither settings nor modules nor another version.
export GOENV=off GOFLAGS=-modcacherw GOTOOLCHAIN=local GOPATH=$root/build/go GOCACHE=$root/build/go/cache CGO_ENABLED=0
go=build/driver-venv/bin/go

if [ "${1:-}" = lint ]; then
    unformatted=$("$("$go" env GOROOT)/bin/gofmt" -l nodetest/drivers/go)
    [ -z "$unformatted" ] || fail "gofmt wants another format of $unformatted"
    "$go" -C nodetest/drivers/go vet
    exit
fi

mkdir -p build/drivers
"$go" -C nodetest/drivers/go build -o "$root/build/drivers/driver-go" \
    || fail "cannot build the Go program: without network, try again with it"
# A debug build goes together with the lab, which has the same driver: what both are made of is compiled once.
profile=${1:-release}
packages=(-p cassiterite-drivertest) with=()
[ "$profile" != dev ] || packages=(--workspace) with=("$root/scripts/with-clippy.sh")
cd lab
"${with[@]}" cargo build --quiet --locked --profile "$profile" "${packages[@]}"
