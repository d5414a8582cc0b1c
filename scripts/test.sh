#!/usr/bin/env bash
# Installs what is needed and runs all tests; arguments go to swift test, such as --filter Conformance. Passing tests are
# not listed, and failures are printed again at the end. The last line says which conformance suites were missing, if any.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-packages.sh --tests
# Of a thousand tests at once, each would wait for all others whenever it waits for a server.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=16
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
swift test "$@" 2>&1 | tee "$log" | grep --line-buffered -vE '^(◇|✔ (Suite|Test case|Test "))' || status=$?
if ((status)); then
    printf '\n== what failed\n'
    grep -E '^(✘|↳)|error:' "$log" || tail -n 50 "$log"
fi
Tests/Conformance/missing.sh
exit "$status"
