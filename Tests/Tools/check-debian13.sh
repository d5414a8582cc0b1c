#!/usr/bin/env bash
# check-debian13.sh [TARGET…]: runs test targets (WaybillTransportTests) with the libraries of Debian 13: libcurl 8.14 and OpenSSL
# 3.5. The tests are those that 'swift build --build-tests' has built for Debian 12: they run on Debian 13 as well, with Swift's own
# libraries. The Debian is in the folder $ROOT (.build/debian13), which is made if it is missing, and kept. Needs root and Debian's
# registry, and about 2 minutes; where it cannot have them, it says so and runs nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."
repository=$PWD
root=$(realpath -m "${ROOT:-.build/debian13}")
[ $# -gt 0 ] || set -- WaybillTransportTests

# skip REASON: ends the check, which is not a failure.
skip() {
    echo "skipped: $1, so nothing was tested with Debian 13" >&2
    exit 0
}

# The libraries of the program, and the servers and tools of the tests.
packages=(libyaml-0-2 libcurl4t64 zlib1g libbrotli1 libzstd1 libidn2-0 libnettle8t64 libmicrohttpd12t64 libsqlite3-0 libxml2 libstdc++6
    ca-certificates curl openssl python3-minimal libpython3-stdlib nginx-light tinyproxy-bin microsocks sqlite3)

# make_root: makes the Debian. A folder that is not complete is removed.
make_root() {
    command -v mmdebstrap >/dev/null || apt-get -qq install --no-install-recommends mmdebstrap >/dev/null ||
        skip "mmdebstrap cannot be installed"
    local log
    rm -rf --one-file-system "$root" "$root.new"
    mkdir -p "$(dirname "$root")"
    if ! log=$(mmdebstrap --variant=essential --quiet --include="$(IFS=,; echo "${packages[*]}")" trixie "$root.new" 2>&1); then
        rm -rf --one-file-system "$root.new"
        printf '%s\n' "$log" >&2
        skip "mmdebstrap cannot make a Debian 13 here"
    fi
    echo "127.0.0.1 localhost" >"$root.new/etc/hosts"
    echo "${packages[*]}" >"$root.new/packages"
    mv "$root.new" "$root"
}

# The Debian is in namespaces of its own: its mounts and processes end with them, however they end.
if [ -z "${WAYBILL_CHECK_INSIDE:-}" ]; then
    [ "$(uname)" = Linux ] && [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null || skip "only root can mount folders"
    [ "$(cat "$root/packages" 2>/dev/null)" = "${packages[*]}" ] || make_root
    export WAYBILL_CHECK_INSIDE=1
    ROOT=$root timeout --foreground --kill-after=10 1200 \
        unshare --mount --pid --fork --kill-child "$(realpath "$0")" "$@"
    exit
fi

# The repository and Swift's libraries have the same paths as outside.
swift=$(realpath "$(dirname "$(realpath "$(command -v swift)")")/../lib/swift")
mount -t tmpfs tmpfs "$root/tmp"
mkdir -p "$root$repository" "$root$swift"
mount --bind "$repository" "$root$repository"
mount --bind "$swift" "$root$swift"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"

bundles=(.build/debug/*PackageTests.xctest)
chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 CI="${CI:-}" \
    SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=16 \
    bash -euo pipefail -s "$repository" "$repository/${bundles[0]}" "$@" <<'COMMANDS'
cd "$1"
tests=$2
shift 2
echo "$(. /etc/os-release; echo "$PRETTY_NAME"), $(curl --version | head -n 1 | cut -d ' ' -f 4,5)"
status=0
for target; do
    "$tests" --testing-library swift-testing --filter "^$target\\." >/tmp/log 2>&1 || status=1
    grep -E '^(✘|↳)|error:' /tmp/log || true
    tail -n 1 /tmp/log
done
exit "$status"
COMMANDS
