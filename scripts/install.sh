#!/usr/bin/env bash
# install.sh [PREFIX]: builds the optimised program, and installs it with its manual pages and completion below PREFIX,
# by default /usr/local. Uses sudo if PREFIX is not writable.
set -euo pipefail
prefix=$(realpath -m "${1:-/usr/local}")
cd "$(dirname "$0")/.."

scripts/install-packages.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/release/build.sh "$work/waybill"
SOURCE_DATE_EPOCH=$(date +%s) scripts/release/stage.sh "$work/waybill" "$work/tree"

sudo=()
mkdir -p "$prefix" 2>/dev/null && [ -w "$prefix" ] || sudo=(sudo)
"${sudo[@]}" mkdir -p "$prefix"
"${sudo[@]}" cp -R --no-preserve=mode,ownership "$work/tree/." "$prefix/"
"${sudo[@]}" chmod 755 "$prefix/bin/waybill"
echo "installed $prefix/bin/waybill ($("$prefix/bin/waybill" --version))"
