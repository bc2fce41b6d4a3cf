#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
#
# deb.sh FOLDER GLIBC: the Debian package of a release folder that scripts/dist.sh has made, beside that folder. Needs no
# root. The same folder gives the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "deb: $*" >&2; exit 1; }

[ $# = 2 ] || fail "usage: deb.sh FOLDER GLIBC"
folder=$(realpath "$1")
glibc=$2
name=${folder##*/} # cassiterite-5.0-<version>
version=${name##*-}
package=${name%-*}
source=config/dist/debian
# As the jar: pom.xml, project.build.outputTimestamp.
export SOURCE_DATE_EPOCH=1767225600
command -v dpkg-deb > /dev/null || fail "dpkg-deb is missing: install dpkg"

umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
conf=$root/usr/share/cassiterite/conf.d
doc=$root/usr/share/doc/$package
install -D -m 644 "$folder/$name.jar" "$root/usr/share/cassandra/lib/$name.jar"
install -D -m 644 "$folder/cassandra.yaml-snippet.yaml" "$conf/50-cassandra.yaml"
install -D -m 644 "$folder/jvm-server.options-snippet.options" "$conf/50-jvm-server.options"
install -D -m 644 -t "$doc" "$folder/NOTICE" "$folder/THIRD-PARTY.txt" "$source/copyright"
install -m 644 "$folder/INSTALL.md" "$doc/README.md"
install -D -m 644 -t "$doc/monitoring" "$folder"/monitoring/*
# Completions and man pages: as the lab's command laid them out.
(cd "$folder/share" && find . -type f -printf '%P\n') | while read -r file; do
    install -D -m 644 "$folder/share/$file" "$root/usr/share/$file"
    case $file in man/*) gzip -9n "$root/usr/share/$file" ;; esac
done
gzip -9n < CHANGELOG.md > "$doc/CHANGELOG.md.gz"
sed "s/@PACKAGE@/$package/; s/@VERSION@/$version/; s/@DATE@/$(LC_ALL=C date -uRd "@$SOURCE_DATE_EPOCH")/" "$source/changelog" \
    | gzip -9n > "$doc/changelog.gz"

mkdir -m 755 "$root/DEBIAN"
kib=$(find "$root/usr" -type f -printf '%s\n' | awk '{ kib += int(($1 + 1023) / 1024) } END { print kib }')
sed "s/@VERSION@/$version/; s/@KIB@/$kib/; s/@GLIBC@/$glibc/" "$source/control" > "$root/DEBIAN/control"
install -m 755 "$source/postinst" "$source/prerm" "$root/DEBIAN/"
(cd "$root" && find usr -type f | LC_ALL=C sort | xargs -d '\n' md5sum > DEBIAN/md5sums)

# gzip, since its output does not depend on the number of cores
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zgzip --build "$root" "$work/package.deb" > /dev/null
mv "$work/package.deb" "${folder%/*}/${package}_${version}_amd64.deb"
