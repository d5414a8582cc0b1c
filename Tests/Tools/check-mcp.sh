#!/usr/bin/env bash
# Checks 'waybill mcp' with PyPI's client for the Model Context Protocol. WAYBILL names the program (.build/debug/waybill).
set -euo pipefail
cd "$(dirname "$0")/../.."

waybill=${WAYBILL:-.build/debug/waybill}
if ! [ -x "$waybill" ]; then
    swift build --product waybill
fi

tools=$(Tests/Tools/python-with.sh mcp==2.3.0 jsonschema==4.26.0)
"$tools/bin/python" -B Tests/Tools/check-mcp.py "$waybill" "$@"
