#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# Makes a Python environment from the locked packages of config/python. Quick when everything is there.
#   scripts/python-env.sh         build/venv: cqlsh, the Python driver and what the demo shows
#   scripts/python-env.sh drivers build/driver-venv: what drivers of other languages need that the node tests run
#   scripts/python-env.sh medusa  build/medusa-venv: Medusa, for the tests of tools
#   scripts/python-env.sh lint    build/lint-venv: the linters of `make lint`
#   scripts/python-env.sh nextest build/nextest-venv: cargo-nextest, which runs the Rust tests
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "python-env: $*" >&2; exit 1; }

case ${1:-demo} in
    demo) venv=build/venv locks=(config/python/demo.txt config/python/data.txt) what="cqlsh, the Python driver and a data set" ;;
    drivers) venv=build/driver-venv locks=(config/python/drivers.txt) what="the Python driver with compression, and Go" ;;
    lint) venv=build/lint-venv locks=(config/python/lint.txt) what="hadolint, ruff, rumdl, shellcheck and typos" ;;
    medusa) venv=build/medusa-venv locks=(config/python/medusa.txt) what="Medusa" ;;
    nextest) venv=build/nextest-venv locks=(config/python/nextest.txt) what="cargo-nextest" ;;
    *) fail "no environment is named $1: say demo, drivers, medusa, lint or nextest" ;;
esac

mkdir -p build
exec 9> "build/.$(basename "$venv").lock"
flock 9
cat "${locks[@]}" | cmp -s - "$venv/locked" && exit 0
if [ "$what" = Medusa ] && ! python3 -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 13))'; then
    fail "Medusa needs Python 3.11 or 3.12, python3 is $(python3 -V)"
fi
echo "python-env: $what from PyPI into $venv"
rm -rf "$venv"
python3 -m venv "$venv"
for lock in "${locks[@]}"; do
    # The lock names every package, so pip resolves nothing, and refuses a file whose hash is not there.
    "$venv/bin/pip" install -q --disable-pip-version-check --no-deps --require-hashes -r "$lock" < /dev/null \
        || fail "pip could not install $lock: without network, try again with it; another hash means that PyPI has another file"
done
cat "${locks[@]}" > "$venv/locked"
