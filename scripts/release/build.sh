#!/usr/bin/env bash
# build.sh FILE: builds the release executable and writes it, stripped, to FILE. The same source, Swift and libraries give the
# same bytes in every folder. SCRATCH names the folder of the build, by default .build-release.
set -euo pipefail
file=$(realpath -m "$1")
cd "$(dirname "$0")/../.."

scratch=${SCRATCH:-.build-release}

# The compilers write the folder of the source into the debug information and into the messages of failed assertions. Both see
# "." instead. Without --disable-local-rpath, the executable would look for libraries in its own folder first. The build id is a
# hash of everything, also of the debug information that is removed below, which still has hashes of folders. All symbols are
# bound at the start, so that their table is read-only afterwards (full RELRO).
swift build -c release --static-swift-stdlib --product waybill --scratch-path "$scratch" --disable-local-rpath \
    -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=." -Xlinker --build-id=none \
    -Xlinker -z -Xlinker now

# The compiler's hash of the options of each module depends on the folder too. Nothing reads it at run time. It becomes zeros:
# without the section, objcopy would also drop the mark of the data that is read-only after relocation (RELRO).
zeros=$(mktemp)
trap 'rm "$zeros"' EXIT
truncate --size "$(size --format sysv "$scratch/release/waybill" | awk '$1 == ".swift_modhash" {print $2}')" "$zeros"
mkdir -p "$(dirname "$file")"
objcopy --strip-all --update-section ".swift_modhash=$zeros" "$scratch/release/waybill" "$file"
