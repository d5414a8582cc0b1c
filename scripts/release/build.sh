#!/usr/bin/env bash
# build.sh FILE: builds the release executable and writes it, stripped, to FILE. The same source, Swift and libraries give the
# same bytes in every folder. SCRATCH names the folder of the build, by default .build-release.
set -euo pipefail
file=$(realpath -m "$1")
cd "$(dirname "$0")/../.."

# The compilers write the folder of the source into the debug information and into the messages of failed assertions. Both see
# "." instead. Without --disable-local-rpath, the executable would look for libraries in its own folder first.
swift build -c release --static-swift-stdlib --product waybill --scratch-path "${SCRATCH:-.build-release}" \
    --disable-local-rpath -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=."

# Two sections still differ between folders, and nothing reads them at run time: the compiler's hashes of its options for each
# module, and the linker's hash of everything, with the debug information that is removed here.
mkdir -p "$(dirname "$file")"
strip --remove-section=.swift_modhash --remove-section=.note.gnu.build-id -o "$file" \
    "${SCRATCH:-.build-release}/release/waybill"
