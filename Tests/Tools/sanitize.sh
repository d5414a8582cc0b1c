#!/usr/bin/env bash
# Runs the transfer layer's tests with the address sanitizer and with the thread sanitizer; fails when one of them
# finds something. Each has a build of its own, which takes some minutes the first time.
#
#     Tests/Tools/sanitize.sh [address|thread [FILTER]]
set -euo pipefail
cd "$(dirname "$0")/../.."

filter=${2:-WaybillTransportTests}
# As in scripts/test.sh: a request times out after a minute, which many slow tests at once exceed.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=16
export TSAN_OPTIONS="suppressions=$PWD/Tests/Tools/thread-sanitizer.supp"

run() {
    echo "== $1 sanitizer"
    swift test --disable-xctest --sanitize="$1" --scratch-path ".build-$1-sanitizer" --filter "$filter"
}

case ${1:-all} in
address) run address ;;
thread) run thread ;;
all)
    run address
    run thread
    ;;
*)
    echo "usage: $0 [address|thread [FILTER]]" >&2
    exit 64
    ;;
esac
