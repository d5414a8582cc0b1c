#!/usr/bin/env bash
# check-workflows.sh release [--program FILE] [--twice] | ci: executes the steps of .github/workflows/release.yml, and of the
# GitLab template with the files that it publishes; or those of the job "linux" of .github/workflows/ci.yml. Each job runs in a
# Debian with the packages of the image swift:6.3.1-bookworm; run-workflows.py lists the differences from GitHub.
#
#     --program FILE   packages FILE and builds nothing: about 3 minutes instead of 10
#     --twice          does everything twice, in two folders, and compares all bytes
#
# Needs root, mmdebstrap, Debian's registry and 3 GB. DEBIAN names a folder for the Debian, which is made if it does not exist, and
# kept; otherwise it is temporary.
set -euo pipefail
cd "$(dirname "$0")/../.."

# The checks run in namespaces of their own: their mounts and processes end with them, however they end.
if [ -z "${WAYBILL_CHECK_INSIDE:-}" ]; then
    work=$(mktemp -d)
    trap 'rm -rf --one-file-system "$work"' EXIT
    WAYBILL_CHECK_INSIDE=$work unshare --mount --pid --fork --kill-child Tests/Tools/check-workflows.sh "$@"
    exit
fi
work=$WAYBILL_CHECK_INSIDE
workflow=${1:?usage: check-workflows.sh release|ci}
shift
program=()
times=1
while [ $# -gt 0 ]; do
    case $1 in
    --program) program=("$2") && shift 2 ;;
    --twice) times=2 && shift ;;
    *) echo "unknown option $1" >&2 && exit 64 ;;
    esac
done

tools=$(Tests/Tools/python-with.sh PyYAML==6.0.3)

debian=${DEBIAN:-$work/debian}
if ! [ -e "$debian" ]; then
    # From https://github.com/swiftlang/swift-docker, 6.2/debian/12/Dockerfile.
    packages=binutils,gcc,git,libcurl4-openssl-dev,libedit-dev,libicu-dev,libncurses-dev,libpython3-dev,libsqlite3-dev
    packages+=,libstdc++-12-dev,libxml2-dev,pkg-config,tzdata,uuid-dev
    mmdebstrap --quiet --variant=minbase --include="$packages" bookworm "$debian"
fi

for ((time = 1; time <= times; time++)); do
    # Other paths, so that none is in the files.
    folder=$work/$(printf 'x%.0s' $(seq "$time"))
    mkdir "$folder"
    "$tools/bin/python" Tests/Tools/run-workflows.py "$workflow" "$debian" "$folder" "${program[@]}"
    folders[time]=$folder
done
if [ "$times" = 2 ]; then
    diff --recursive "${folders[1]}/published" "${folders[2]}/published"
    echo "both times, the same bytes were published"
fi
