#!/usr/bin/env bash
# release.sh VERSION [FOLDER]: builds the files of a release into FOLDER (dist): a tarball, a Debian package, a bill of
# materials, notes and checksums. The same commit, Swift and libraries give the same bytes. Runs on Debian with dpkg-dev.
set -euo pipefail
version=${1:?usage: scripts/release.sh VERSION [FOLDER]}
folder=$(realpath -m "${2:-dist}")
cd "$(dirname "$0")/.."

current=$(sed -n 's/.*static let current = "\(.*\)"/\1/p' Sources/WaybillRuntime/WaybillVersion.swift)
if [ "$version" != "$current" ]; then
    echo "error: the version of the source is $current, not $version (Sources/WaybillRuntime/WaybillVersion.swift)" >&2
    exit 1
fi
if [ -n "$(git status --porcelain 2>/dev/null)" ]; then
    echo "warning: the release contains changes that are not committed" >&2
fi
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
umask 022

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=waybill-$version-linux-$(uname -m)
deb=waybill_${version}_$(dpkg --print-architecture).deb
mkdir -p "$folder"
rm -f "$folder/$name".* "$folder/$deb" "$folder"/{SHA256SUMS,RELEASE-NOTES.md}

scripts/release/build.sh "$work/waybill"
scripts/release/stage.sh "$work/waybill" "$work/$name"
tar --create --directory "$work" --sort=name --format=ustar --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    "$name" | gzip -9n >"$folder/$name.tar.gz"
scripts/release/deb.sh "$work/$name" "$version" "$folder/$deb"

swift package --scratch-path "${SCRATCH:-.build-release}" show-dependencies --format json >"$work/packages.json"
scripts/release/sbom.py "$work/waybill" "$work/packages.json" >"$folder/$name.cdx.json"
scripts/release/notes.sh "$version" >"$folder/RELEASE-NOTES.md"

cd "$folder"
sha256sum "$name.tar.gz" >"$name.tar.gz.sha256"
sha256sum "$name.tar.gz" "$deb" "$name.cdx.json" RELEASE-NOTES.md | tee SHA256SUMS
