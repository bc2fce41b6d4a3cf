#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# Checks for the tools that the build needs. What Debian has is installed with apt-get when this runs as root; what is
# still missing is named in one line. Quick when everything is there.
set -euo pipefail

JAVA_MAJOR=17
RUST_MINOR=89

packages=()
want() {
    local package=$1
    shift
    "$@" > /dev/null 2>&1 || packages+=("$package")
}

java_is_right() { java -version 2>&1 | grep -q "version \"$JAVA_MAJOR" && command -v javac; }
# A venv needs ensurepip, which Debian keeps in a package of its own.
python_is_right() { python3 -c 'import ensurepip, venv, sys; assert sys.version_info >= (3, 9)' && python3 -m pip --version; }
rust_is_right() {
    local minor
    minor=$(cargo --version | sed -n 's/^cargo 1\.\([0-9]*\)\..*/\1/p')
    [ "${minor:-0}" -ge "$RUST_MINOR" ] && cargo fmt --version && cargo clippy --version
}

look() {
    packages=()
    want "openjdk-$JAVA_MAJOR-jdk-headless" java_is_right
    want maven command -v mvn
    want gcc command -v gcc
    want g++ command -v g++
    want "python3 python3-venv python3-pip" python_is_right
    want util-linux command -v flock
}

look
if [ ${#packages[@]} -gt 0 ] && [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    echo "need: installing ${packages[*]}"
    # shellcheck disable=SC2086
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ${packages[*]}; } \
        < /dev/null > /dev/null || true
    look
fi
rust_is_right > /dev/null 2>&1 || packages+=("Rust 1.$RUST_MINOR or newer with rustfmt and clippy (https://rustup.rs)")
[ ${#packages[@]} -eq 0 ] && exit 0
printf -v missing '%s, ' "${packages[@]}"
echo "need: missing on this machine: ${missing%, }" >&2
exit 1
