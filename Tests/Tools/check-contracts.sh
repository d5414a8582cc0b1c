#!/usr/bin/env bash
# Checks calls of the operations of OpenAPI documents, and the mock server's responses to them, with openapi-core (Python). The
# documents are those of Tests/Contracts. WAYBILL names the program (.build/debug/waybill).
set -euo pipefail
cd "$(dirname "$0")/../.."

waybill=${WAYBILL:-.build/debug/waybill}
if ! [ -x "$waybill" ]; then
    swift build --product waybill
fi

tools=$(Tests/Tools/python-with.sh openapi-core==0.23.1)
"$tools/bin/python" -B Tests/Tools/check-contracts.py --program "$waybill" --minimum 64
