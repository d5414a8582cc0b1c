#!/usr/bin/env bash
# Installs what is needed and runs all tests; arguments go to swift test, such as --filter Conformance.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-packages.sh --tests
exec swift test "$@"
