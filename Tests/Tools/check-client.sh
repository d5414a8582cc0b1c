#!/usr/bin/env bash
# Builds and runs Tests/Client, a package that depends on the library by version: on a tag of a temporary clone of the last
# commit. Builds the library and everything below it once more (not the program), in .build/client.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The path is the same each time, so that only what has changed is built again. The version is new each time, because SwiftPM
# relies on a version never changing.
clone=$root/.build/client/waybill
rm -rf "$clone"
git clone -q --no-hardlinks --depth 1 "file://$root" "$clone"
version=99.0.$(date +%s)
git -C "$clone" tag "$version"

cp -R Tests/Client "$work/client"
export WAYBILL_ADDRESS=file://$clone WAYBILL_VERSION=$version
swift run --package-path "$work/client" --scratch-path "$root/.build/client/build" Client
