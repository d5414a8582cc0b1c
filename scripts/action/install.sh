#!/usr/bin/env bash
# Installs a release of Waybill in a job of GitHub Actions. action.yml runs it and sets these variables:
#
#   INPUT_VERSION      the release; empty: the version of this copy of the sources
#   INPUT_BASE_URL     the folder with the release's files; empty: the release of ACTION_REPOSITORY on GitHub
#   ACTION_REPOSITORY  the repository of the action, such as NAME/waybill
#   RUNNER_TEMP, GITHUB_PATH, GITHUB_OUTPUT  as in every job
set -euo pipefail
sources=$(cd "$(dirname "$0")/../.." && pwd)

# Ends the step with an error that GitHub shows on the page of the job.
fail() {
    echo "::error title=Waybill::$1"
    exit 1
}

version=${INPUT_VERSION#v}
if [ -z "$version" ]; then
    version=$(sed -n 's/.* current = "\(.*\)"$/\1/p' "$sources/Sources/WaybillRuntime/WaybillVersion.swift")
    # Between releases the sources have a version that was not published.
    if [ -z "$INPUT_BASE_URL" ] && [ "$version" != "${version%-dev}" ]; then
        fail "this copy of the action is not that of a release ($version); set the input 'version'"
    fi
fi
# The version becomes a part of paths and addresses.
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] || fail "'$version' is not a version such as 0.2.0"

[ "$(uname -s)" = Linux ] || fail "there are releases for Linux only; build Waybill from its sources on $(uname -s)"
architecture=$(uname -m)
case $architecture in
x86_64 | aarch64) ;;
*) fail "there is no release for $architecture, only for x86_64 and aarch64" ;;
esac

name=waybill-$version-linux-$architecture
file=$name.tar.gz
if [ -n "$INPUT_BASE_URL" ]; then
    base=${INPUT_BASE_URL%/}
    protocols='=https,http'
else
    base=https://github.com/$ACTION_REPOSITORY/releases/download/v$version
    protocols='=https'
fi

folder=$(mktemp -d "$RUNNER_TEMP/waybill-XXXXXX")
cd "$folder"
for part in "$file" "$file.sha256"; do
    curl --fail --silent --show-error --location --proto "$protocols" --retry 3 --connect-timeout 20 --max-time 300 \
        --output "$part" "$base/$part" || fail "cannot download $base/$part"
done
# Only the checksum is read from the file: a file name in it could be that of another file.
read -r checksum _ <"$file.sha256" || [ -n "$checksum" ]
echo "$checksum  $file" | sha256sum --check --status || fail "$file does not have the checksum of $file.sha256"
tar -xzf "$file"
waybill=$folder/$name/bin/waybill
[ -x "$waybill" ] || fail "$file does not contain $name/bin/waybill"

# Ubuntu's runners have most libraries. 24.04 has some packages under names with t64, which provide these.
missing=$(ldd "$waybill" 2>&1 | grep 'not found' || true)
if [ -n "$missing" ]; then
    command -v apt-get >/dev/null || fail "libraries are missing: ${missing//$'\n'/ }"
    sudo=()
    [ "$(id -u)" = 0 ] || sudo=(sudo)
    "${sudo[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends \
        libcurl4 libyaml-0-2 libbrotli1 libzstd1 libidn2-0 libnettle8 libmicrohttpd12 libsqlite3-0 libxml2 zlib1g >/dev/null
fi
installed=$("$waybill" --version) || fail "$name does not run here; it needs glibc 2.36 or newer (Ubuntu 24.04, Debian 12)"
[ "$installed" = "$version" ] || fail "$file contains version $installed"

echo "$folder/$name/bin" >>"$GITHUB_PATH"
echo "version=$version" >>"$GITHUB_OUTPUT"
echo "installed waybill $version for $architecture"
