#!/usr/bin/env bash
# build.sh FILE: builds the release executable with the Swift packages of versions.txt and writes it, stripped, to FILE. The same
# source, Swift and libraries give the same bytes in every folder. SCRATCH names the folder of the build (.build-release).
set -euo pipefail
file=$(realpath -m "$1")
cd "$(dirname "$0")/../.."

scratch=${SCRATCH:-.build-release}
scripts/release/resolve.sh /dev/null

# There is no debug information, which would be stripped. The compilers write the folder of the source into the messages of failed
# assertions: they see "." instead. Without --disable-local-rpath, the executable would look for libraries in its own folder first.
# A build id would be a hash of what is stripped too. All symbols are bound at the start, so that their table is read-only
# afterwards (full RELRO).
swift build --force-resolved-versions -c release --static-swift-stdlib --product waybill --scratch-path "$scratch" \
    --disable-local-rpath -debug-info-format none \
    -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=." -Xlinker --build-id=none \
    -Xlinker -z -Xlinker now

# The compiler's hash of the options of each module depends on the folder too. Nothing reads it at run time. It becomes zeros:
# without the section, objcopy would also drop the mark of the data that is read-only after relocation (RELRO).
zeros=$(mktemp)
trap 'rm "$zeros"' EXIT
truncate --size "$(size --format sysv "$scratch/release/waybill" | awk '$1 == ".swift_modhash" {print $2}')" "$zeros"
mkdir -p "$(dirname "$file")"
objcopy --strip-all --update-section ".swift_modhash=$zeros" "$scratch/release/waybill" "$file"
