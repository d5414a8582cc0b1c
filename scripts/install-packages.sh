#!/usr/bin/env bash
# Installs the C libraries that Waybill is built with, and with --tests the servers and tools that its tests need.
# Does nothing where they are there already. On Debian and its kin; elsewhere it says what is missing.
set -euo pipefail

wanted=()
pkg-config --exists yaml-0.1 libcurl 2>/dev/null || wanted+=(pkg-config libyaml-dev libcurl4-openssl-dev)
if command -v apt-get >/dev/null; then
    # The archives that a release build takes libcurl from; without them the program loads the system's (Package.swift).
    while read -r archive package; do
        compgen -G "/usr/lib/*-linux-gnu/lib$archive.a" >/dev/null || wanted+=("$package")
    done <<-END
		nghttp2 libnghttp2-dev
		psl libpsl-dev
		idn2 libidn2-dev
		unistring libunistring-dev
		ssl libssl-dev
		zstd libzstd-dev
		brotlidec libbrotli-dev
		z zlib1g-dev
	END
fi
if [ "${1:-}" = --tests ]; then
    [ -x /usr/sbin/nginx ] || wanted+=(nginx-light)
    [ -x /usr/bin/dot ] || wanted+=(graphviz)
    [ -x /usr/bin/tinyproxy ] || wanted+=(tinyproxy-bin)
    [ -x /usr/bin/microsocks ] || wanted+=(microsocks)
    command -v openssl >/dev/null || wanted+=(openssl)
    python3 -m ensurepip --version >/dev/null 2>&1 || wanted+=(python3-venv)
fi
[ ${#wanted[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "please install: libyaml, libcurl (7.85 or newer), pkg-config${1:+, nginx, Graphviz, tinyproxy, microsocks, openssl, Python with venv}" >&2
    exit 1
fi
sudo=()
[ "$(id -u)" = 0 ] || sudo=(sudo)
echo "installing ${wanted[*]}" >&2
"${sudo[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${wanted[@]}" >/dev/null
