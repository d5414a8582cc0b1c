#!/usr/bin/env bash
# Installs the C libraries that Waybill is built with, and with --tests the servers and tools that its tests need.
# Does nothing where they are there already. On Debian and its kin; elsewhere it says what is missing.
set -euo pipefail

wanted=()
while read -r module package; do
    pkg-config --exists "$module" 2>/dev/null || wanted+=("$package")
done <<-END
	yaml-0.1 libyaml-dev
	libcurl libcurl4-openssl-dev
	zlib zlib1g-dev
	libbrotlidec libbrotli-dev
	libzstd libzstd-dev
	libidn2 libidn2-dev
	nettle nettle-dev
	libmicrohttpd libmicrohttpd-dev
	sqlite3 libsqlite3-dev
	libxml-2.0 libxml2-dev
END
command -v pkg-config >/dev/null || wanted+=(pkg-config)
if [ "${1:-}" = --tests ]; then
    [ -x /usr/sbin/nginx ] || wanted+=(nginx-light)
    [ -x /usr/bin/dot ] || wanted+=(graphviz)
    [ -x /usr/bin/tinyproxy ] || wanted+=(tinyproxy-bin)
    [ -x /usr/bin/microsocks ] || wanted+=(microsocks)
    command -v openssl >/dev/null || wanted+=(openssl)
    command -v sqlite3 >/dev/null || wanted+=(sqlite3)
    python3 -m ensurepip --version >/dev/null 2>&1 || wanted+=(python3-venv)
fi
[ ${#wanted[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "please install: pkg-config, libyaml, libcurl (7.88 or newer), zlib, brotli, zstd, libidn2, nettle, libmicrohttpd, SQLite, libxml2${1:+, nginx, Graphviz, tinyproxy, microsocks, openssl, sqlite3, Python with venv}" >&2
    exit 1
fi
sudo=()
[ "$(id -u)" = 0 ] || sudo=(sudo)
echo "installing ${wanted[*]}" >&2
"${sudo[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${wanted[@]}" >/dev/null
