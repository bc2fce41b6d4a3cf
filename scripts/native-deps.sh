#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# Puts what the Rust build needs, beside cargo, into build/deps:
#   librocksdb.so   the prebuilt RocksDB of Maven's org.rocksdb:rocksdbjni (nobody compiles RocksDB)
#                   (its file is pinned: the shim in native/engine/src/raw uses headers that are RocksDB's own)
#   libclang.so     for bindgen, from PyPI's libclang
#   uplot/          the charts of the lab's pages, from Maven's org.webjars.npm:uplot
#   gcc-include     link to gcc's own headers (stddef.h and friends), which PyPI's libclang does not bring
# native/.cargo/config.toml names these paths. Quick when everything is there.
set -euo pipefail
cd "$(dirname "$0")/.."

ROCKSDB_VERSION=11.8.1
UPLOT_VERSION=1.6.30
UPLOT_SHA256=35b1d5d332ae25876ebd3b96c4a6180f29bec7675ad22dda9d3dc803691d19c9
DEPENDENCY_PLUGIN=org.apache.maven.plugins:maven-dependency-plugin:3.8.1
ROCKSDB_PIN=config/rocksdb.sha256
LIBCLANG_LOCK=config/python/libclang.txt
DEPS=build/deps
PYTHON=${PYTHON:-python3}

fail() { echo "native-deps: $*" >&2; exit 1; }

[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] \
    || fail "only Linux on x86_64 is supported yet, this is $(uname -s) on $(uname -m)"
mkdir -p "$DEPS"

# Two builds may start at the same time.
exec 9> "$DEPS/.lock"
flock 9

# The version alone would let another build of the same RocksDB pass.
is_pinned() { [ -f "$1/librocksdb.so" ] && (cd "$1" && sha256sum --status -c -) < "$ROCKSDB_PIN"; }

fetch_rocksdb() {
    local fetched=$DEPS/jar/x pinned found
    is_pinned "$DEPS" && return
    echo "native-deps: RocksDB $ROCKSDB_VERSION from Maven Central"
    command -v mvn > /dev/null || fail "mvn is missing: install Maven"
    rm -rf "$DEPS/jar"
    mvn -B -q -Dstyle.color=never "$DEPENDENCY_PLUGIN:copy" "-Dartifact=org.rocksdb:rocksdbjni:$ROCKSDB_VERSION" \
        "-DoutputDirectory=$PWD/$DEPS/jar" < /dev/null || fail "Maven could not fetch rocksdbjni $ROCKSDB_VERSION"
    "$PYTHON" -m zipfile -e "$DEPS/jar/rocksdbjni-$ROCKSDB_VERSION.jar" "$fetched"
    mv "$fetched/librocksdbjni-linux64.so" "$fetched/librocksdb.so"
    if ! is_pinned "$fetched"; then
        read -r pinned _ < "$ROCKSDB_PIN"
        read -r found _ <<< "$(sha256sum "$fetched/librocksdb.so")"
        fail "librocksdbjni-linux64.so of rocksdbjni $ROCKSDB_VERSION has SHA-256 $found, but $ROCKSDB_PIN says $pinned." \
            "The download is damaged or another build: remove org/rocksdb from Maven's local repository and try again;" \
            "pin another build only after all tests have passed with it"
    fi
    chmod 755 "$fetched/librocksdb.so"
    mv "$fetched/librocksdb.so" "$DEPS/librocksdb.so"
    rm -rf "$DEPS/jar"
}

fetch_libclang() {
    [ -s "$DEPS/libclang.so" ] && cmp -s "$LIBCLANG_LOCK" "$DEPS/libclang.locked" && return
    echo "native-deps: libclang from PyPI"
    rm -rf "$DEPS/python"
    "$PYTHON" -m pip install -q --no-deps --require-hashes --root-user-action=ignore --target "$DEPS/python" \
        -r "$LIBCLANG_LOCK" < /dev/null || fail "pip could not fetch what $LIBCLANG_LOCK names"
    mv "$DEPS/python/clang/native/libclang.so" "$DEPS/libclang.so"
    rm -rf "$DEPS/python"
    cp "$LIBCLANG_LOCK" "$DEPS/libclang.locked"
}

fetch_uplot() {
    [ -s "$DEPS/uplot/LICENSE" ] && [ "$(cat "$DEPS/uplot.version" 2> /dev/null)" = "$UPLOT_VERSION" ] && return
    echo "native-deps: uPlot $UPLOT_VERSION from Maven Central"
    command -v mvn > /dev/null || fail "mvn is missing: install Maven"
    local jar="$DEPS/webjar/uplot-$UPLOT_VERSION.jar" inside="META-INF/resources/webjars/uplot/$UPLOT_VERSION"
    rm -rf "$DEPS/webjar" "$DEPS/uplot"
    mvn -B -q -Dstyle.color=never "$DEPENDENCY_PLUGIN:copy" "-Dartifact=org.webjars.npm:uplot:$UPLOT_VERSION" \
        "-DoutputDirectory=$PWD/$DEPS/webjar" < /dev/null || fail "Maven could not fetch uplot $UPLOT_VERSION"
    sha256sum --quiet -c - <<< "$UPLOT_SHA256  $jar" || fail "$jar is not the uPlot $UPLOT_VERSION that was pinned"
    "$PYTHON" -m zipfile -e "$jar" "$DEPS/webjar/x"
    mkdir -p "$DEPS/uplot"
    mv "$DEPS/webjar/x/$inside/dist/uPlot.iife.min.js" "$DEPS/webjar/x/$inside/dist/uPlot.min.css" \
        "$DEPS/webjar/x/$inside/LICENSE" "$DEPS/uplot/"
    rm -rf "$DEPS/webjar"
    echo "$UPLOT_VERSION" > "$DEPS/uplot.version"
}

link_gcc_headers() {
    local include
    include=$(gcc -print-file-name=include) || fail "gcc is missing: install gcc and g++"
    [ -f "$include/stddef.h" ] || fail "gcc has no headers at $include"
    ln -sfn "$include" "$DEPS/gcc-include"
}

fetch_rocksdb
fetch_libclang
fetch_uplot
link_gcc_headers
