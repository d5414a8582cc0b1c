#!/usr/bin/env bash
# Completes command lines in bash, zsh and fish, as a person does with Tab, and compares the candidates; also those for
# names that a shell must not execute. The argument is the program (.build/debug/waybill). Installs zsh and fish.
set -euo pipefail
cd "$(dirname "$0")/../.."

waybill=$(realpath "${1:-.build/debug/waybill}")
if ! [ -x "$waybill" ]; then
    swift build --product waybill
fi

wanted=()
for shell in bash zsh fish; do
    command -v "$shell" >/dev/null || wanted+=("$shell")
done
if [ ${#wanted[@]} -gt 0 ]; then
    if ! command -v apt-get >/dev/null; then
        echo "please install: ${wanted[*]}" >&2
        exit 1
    fi
    sudo=()
    [ "$(id -u)" = 0 ] || sudo=(sudo)
    echo "installing ${wanted[*]}" >&2
    "${sudo[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${wanted[@]}" >/dev/null
fi

python3 Tests/Tools/check-completions.py "$waybill"
