#!/usr/bin/env bash
# combine.sh FOLDER DIST: copies the files of a release, which release.sh made for each architecture in a folder of its own below
# FOLDER, into DIST, with one SHA256SUMS for all of them. Fails if a file does not have its checksum, if two folders have different
# files of one name, or if an architecture is missing.
set -euo pipefail
folder=$(realpath "$1")
dist=$(realpath -m "$2")
cd "$(dirname "$0")/../.."
version=$(sed -n 's/.*static let current = "\(.*\)"/\1/p' Sources/WaybillRuntime/WaybillVersion.swift)

rm -rf "$dist"
mkdir -p "$dist"
for part in "$folder"/*/; do
    (cd "$part" && sha256sum --check --strict --quiet SHA256SUMS)
    for file in "$part"*; do
        name=$(basename "$file")
        [ "$name" != SHA256SUMS ] || continue
        # The notes are the same for all.
        if [ -e "$dist/$name" ] && ! cmp "$file" "$dist/$name"; then
            echo "error: the parts of the release have different files $name" >&2
            exit 1
        fi
        cp "$file" "$dist/$name"
    done
done

expected=RELEASE-NOTES.md
for architecture in x86_64 aarch64; do
    for suffix in tar.gz tar.gz.sha256 cdx.json; do
        expected+=$'\n'waybill-$version-linux-$architecture.$suffix
    done
done
for architecture in amd64 arm64; do
    expected+=$'\n'waybill_${version}_$architecture.deb
done
cd "$dist"
if ! difference=$(LC_ALL=C diff <(LC_ALL=C sort <<<"$expected") <(LC_ALL=C ls)); then
    echo "error: these files are missing (<) or are not those of a release (>):"$'\n'"$difference" >&2
    exit 1
fi
LC_ALL=C sha256sum -- * >SHA256SUMS
cat SHA256SUMS
