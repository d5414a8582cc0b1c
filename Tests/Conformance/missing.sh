#!/usr/bin/env bash
# Prints a line with the public test suites that the conformance tests do not find, one if the samples of other tools for the
# tests of imports are missing, and nothing if all are there.
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

# The same folders as in Tests/WaybillTestSupport/SampleFolder.swift.
samples=../shared/samples
[ -z "${WAYBILL_CONFORMANCE-}" ] || samples=$WAYBILL_CONFORMANCE/../samples
samples=${WAYBILL_SAMPLES-$samples}
missing=()
for name in curl postman; do
    [ -e "$samples/$name" ] || missing+=("$name")
done
if [ ${#missing[@]} -gt 0 ]; then
    echo "not run: the tests that import the samples of ${missing[*]} (WAYBILL_SAMPLES names their folder)"
fi
