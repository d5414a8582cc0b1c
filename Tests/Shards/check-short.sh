#!/usr/bin/env bash
# The short form of check.py, for CI: the commands in examples/kubernetes and examples/github-actions, with a server of nginx.
# WAYBILL names the program (.build/debug/waybill).
set -euo pipefail
cd "$(dirname "$0")/../.."

waybill=${WAYBILL:-.build/debug/waybill}
if ! [ -x "$waybill" ]; then
    swift build --product waybill
fi

tools=$(Tests/Tools/python-with.sh PyYAML==6.0.3)
timeout 300 "$tools/bin/python" Tests/Shards/check.py "$waybill" --short
