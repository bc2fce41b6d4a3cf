#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# release.sh set VERSION   writes the version where it must stand: VERSION, Maven's and cargo's files
# release.sh check         the release folder and the Debian package, made and looked into; changes nothing else
# release.sh tag           the same on a clean tree whose CHANGELOG has a date; then the tag
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "release: $*" >&2; exit 1; }

set_version() {
    [[ $1 =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "a version is three numbers, as 0.2.0, not '$1'"
    echo "$1" > VERSION
    echo "-Drevision=$1" > .mvn/maven.config
    sed -i "/^\[workspace.package\]/,/^\[/s/^version = .*/version = \"$1\"/" native/Cargo.toml lab/Cargo.toml
    local workspace
    for workspace in native lab; do # the lab's lock file has a package of native, too
        (cd $workspace && cargo update --quiet --workspace)
    done
}

check() {
    local version dist workspace
    version=$(< VERSION)
    dist=build/dist/cassiterite-5.0-$version
    grep -q "^## $version " CHANGELOG.md || fail "CHANGELOG.md has no section of $version"
    python3 -m unittest -q scripts/tests/test_version.py
    for workspace in native lab; do
        (cd $workspace && cargo metadata --locked --format-version 1 > /dev/null) || fail "$workspace/Cargo.lock does not follow"
    done
    make dist
    (cd "$dist" && sha256sum --quiet -c SHA256SUMS)
    ! grep -rlE '@[A-Z]+@' "$dist" --include='*.md' || fail "a placeholder is left in the folder"
    [ "$(unzip -p "$dist/cassiterite-5.0-$version.jar" io/cassiterite/engine/VERSION)" = "$version" ] || fail "the jar has another version"
    [ "$(dpkg-deb -f "build/dist/cassiterite-5.0_${version}_amd64.deb" Version)" = "$version" ] || fail "the package has another version"
    echo "release: $version can be released, once the tests of docs/contributing/release.md have passed"
}

case ${1:-} in
    set) set_version "${2:-}" ;;
    check) check ;;
    tag)
        [ -z "$(git status --porcelain)" ] || fail "there are changes that are not committed"
        grep -qE "^## $(< VERSION) \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$" CHANGELOG.md || fail "CHANGELOG.md has no date for $(< VERSION)"
        check
        git tag -a "v$(< VERSION)" -m "Cassiterite $(< VERSION)"
        ;;
    *) sed -n '4,6s/^# //p' "$0" >&2; exit 2 ;;
esac
