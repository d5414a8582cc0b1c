#!/usr/bin/env bash
# release.sh [VERSION [FOLDER]]: builds the files of a release into FOLDER (dist): a tarball, a Debian package, a bill of
# materials, notes and checksums. The same commit and Debian packages give the same bytes: scripts/release/versions.txt has the
# versions of all else. VERSION is by default that of the source. Runs on Debian with dpkg-dev, Python 3 and Swift.
#
# With TRIAL=1, what would prevent a publication (scripts/release/check.sh) is only a warning. With PROGRAM=FILE, that executable
# is packaged, and nothing is built; it is a trial, too.
set -euo pipefail
folder=$(realpath -m "${2:-dist}")
cd "$(dirname "$0")/.."

current=$(sed -n 's/.*static let current = "\(.*\)"/\1/p' Sources/WaybillRuntime/WaybillVersion.swift)
version=${1:-$current}
if [ "$version" != "$current" ]; then
    echo "error: the version of the source is $current, not $version (Sources/WaybillRuntime/WaybillVersion.swift)" >&2
    exit 1
fi
for command in dpkg-deb dpkg-shlibdeps objcopy python3 swift; do
    if ! command -v "$command" >/dev/null; then
        echo "error: '$command' is not installed; on Debian it is in the package dpkg-dev, binutils or python3, or is Swift's" >&2
        exit 1
    fi
done
if ! scripts/release/check.sh "$version" && [ -z "${TRIAL:-}${PROGRAM:-}" ]; then
    echo "error: this cannot be published; TRIAL=1 makes the files for a trial" >&2
    exit 1
fi
# shellcheck source=/dev/null
. scripts/release/project.env
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH REPOSITORY MAINTAINER LC_ALL=C TZ=UTC
umask 022

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=waybill-$version-linux-$(uname -m)
deb=waybill_${version}_$(dpkg --print-architecture).deb
mkdir -p "$folder"
rm -f "$folder/$name".* "$folder/$deb" "$folder"/{SHA256SUMS,RELEASE-NOTES.md}

scripts/release/resolve.sh "$work/packages.json"
if [ -n "${PROGRAM:-}" ]; then
    cp "$PROGRAM" "$work/waybill"
else
    scripts/release/build.sh "$work/waybill"
fi
scripts/release/stage.sh "$work/waybill" "$work/$name"
tar --create --directory "$work" --sort=name --format=ustar --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    "$name" | gzip -9n >"$folder/$name.tar.gz"
scripts/release/deb.sh "$work/$name" "$version" "$folder/$deb"
scripts/release/sbom.py "$work/waybill" "$work/packages.json" >"$folder/$name.cdx.json"
scripts/release/notes.sh "$version" >"$folder/RELEASE-NOTES.md"

cd "$folder"
sha256sum "$name.tar.gz" >"$name.tar.gz.sha256"
sha256sum "$name.tar.gz" "$deb" "$name.cdx.json" RELEASE-NOTES.md | tee SHA256SUMS
