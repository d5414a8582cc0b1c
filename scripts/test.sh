#!/usr/bin/env bash
# Installs what is needed and runs all tests; arguments go to swift test, such as --filter Conformance.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-packages.sh --tests
# Of a thousand tests at once, each would wait for all others whenever it waits for a server.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=16
exec swift test "$@"
