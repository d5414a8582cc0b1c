#!/usr/bin/env bash
# Installs what is needed, builds the program for development, and runs the quickstart on the embedded mock server.
# scripts/test.sh uses the same build; scripts/install.sh builds and installs the optimised program.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-packages.sh
swift build --product waybill
exec .build/debug/waybill run manifests/quickstart.yaml --mock
