#!/usr/bin/env bash
# Prints the folder of a Python environment with these packages from PyPI and no others, such as PyYAML==6.0.3. It is made
# in .build the first time.
set -euo pipefail
cd "$(dirname "$0")/../.."

folder=$PWD/.build/python-$(sha256sum <<<"$*" | cut -c -12)
if ! [ -e "$folder/complete" ]; then
    rm -rf "$folder"
    python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet "$@" >&2
    touch "$folder/complete"
fi
echo "$folder"
