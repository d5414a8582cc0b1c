#!/usr/bin/env bash
# Prints a line with the public test suites that the conformance tests do not find, and nothing if they find all of them.
set -euo pipefail
cd "$(dirname "$0")/../.."

# The same folders as in Tests/WaybillTestSupport/ConformanceSuite.swift.
folder=../shared/conformance
[ -e "$folder" ] || folder=.build/conformance
folder=${WAYBILL_CONFORMANCE-$folder}
names=$(sed '/^#/d; s/ .*//' Tests/Conformance/suites.txt)
missing=()
for name in $names; do
    [ -e "$folder/$name" ] || missing+=("$name")
done
if [ ${#missing[@]} -gt 0 ]; then
    echo "not run: the conformance tests of ${missing[*]} (Tests/Conformance/fetch.sh fetches the suites)"
fi
