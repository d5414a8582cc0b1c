#!/usr/bin/env bash
# Installs what is needed, builds the program, and runs the quickstart on the embedded mock server.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-packages.sh
swift build -c release --static-swift-stdlib --product waybill
exec .build/release/waybill run manifests/quickstart.yaml --mock
