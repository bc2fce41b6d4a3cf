#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# Checks for the tools that the build needs. As root on Debian or alike it installs what is missing with apt-get, and
# says each package and why. It names what it cannot install. Quick and silent when everything is there.
set -euo pipefail

JAVA_MAJOR=17
PYTHON_MINOR=10
RUST_MINOR=89

java_is_right() { java -version 2>&1 | grep -q "version \"$JAVA_MAJOR" && javac -version; }
# A venv needs ensurepip, which Debian keeps in a package of its own.
python_is_right() {
    python3 -c "import ensurepip, venv, sys; assert sys.version_info >= (3, $PYTHON_MINOR)" && python3 -m pip --version
}
rust_is_right() {
    local minor
    minor=$(cargo --version | sed -n 's/^cargo 1\.\([0-9]*\)\..*/\1/p')
    [ "${minor:-0}" -ge "$RUST_MINOR" ] && cargo fmt --version && cargo clippy --version
}

# Pairs: the packages, why.
missing=()
look() {
    missing=()
    java_is_right || missing+=("openjdk-$JAVA_MAJOR-jdk-headless" "JDK $JAVA_MAJOR: compiles the plug-in, runs Cassandra")
    command -v mvn || missing+=(maven "Maven: builds the plug-in, fetches RocksDB and Cassandra from Maven Central")
    command -v gcc || missing+=(gcc "C compiler: links the native library, brings headers for bindgen")
    command -v g++ || missing+=(g++ "C++ compiler: compiles the shim over RocksDB")
    python_is_right || missing+=("python3 python3-venv python3-pip" \
        "Python 3.$PYTHON_MINOR or newer with venv and pip: fetches libclang and the linters, runs cqlsh and the demo")
    command -v flock || missing+=(util-linux "flock: lets two builds of one checkout wait for each other")
}

# Two lines for each pair.
name() { printf '  %s\n      %s\n' "$@"; }

look > /dev/null 2>&1
if [ ${#missing[@]} -gt 0 ] && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    packages=()
    for ((i = 0; i < ${#missing[@]}; i += 2)); do read -ra some <<< "${missing[i]}"; packages+=("${some[@]}"); done
    echo "need: installing with apt-get:"
    name "${missing[@]}"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"; } \
        < /dev/null > /dev/null || true
    look > /dev/null 2>&1
fi
rust_is_right > /dev/null 2>&1 \
    || missing+=("Rust 1.$RUST_MINOR or newer with rustfmt and clippy, from https://rustup.rs" "compiles the engine and the lab")
[ ${#missing[@]} -eq 0 ] && exit 0
{
    echo "need: missing on this machine; install:"
    name "${missing[@]}"
} >&2
exit 1
