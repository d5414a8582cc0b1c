#!/usr/bin/env bash
# check-container.sh [DIST [ROOT]]: executes the run-time stage of the Containerfile without a container engine: its RUN in a
# Debian 12, then the executable of DIST (dist) as the user of the image, with a read-only root, on a folder that is mounted as
# /work. ROOT is a folder for the Debian, which is made if it is empty, and kept; otherwise the folder is temporary. Needs root,
# debootstrap and Debian's registry, and about 2 minutes.
set -euo pipefail
dist=$(realpath "${1:-dist}")
root=${2:+$(realpath -m "$2")}

# The checks run in namespaces of their own: their mounts and processes end with them, however they end.
if [ -z "${WAYBILL_CHECK_INSIDE:-}" ]; then
    if [ -z "$root" ]; then
        root=$(mktemp -d)
        chmod 755 "$root"
        trap 'rm -rf --one-file-system "$root"' EXIT
    fi
    export WAYBILL_CHECK_INSIDE=1
    timeout --foreground --kill-after=10 900 unshare --mount --pid --fork --kill-child "$(realpath "$0")" "$dist" "$root"
    exit
fi
cd "$(dirname "$0")/../.."

# instruction NAME: prints what follows NAME in the last stage of the Containerfile, with its continued lines.
instruction() {
    awk -v name="$1" '/^FROM /{text = ""} $1 == name {inside = 1; sub(/^[A-Z]+ /, "")} inside {text = text $0 "\n"}
        !/\\$/ {inside = 0} END {printf "%s", text}' Containerfile
}

if ! [ -x "$root/usr/bin/dpkg" ]; then
    log=$(debootstrap --variant=minbase bookworm "$root" 2>&1) || { echo "$log" >&2; exit 1; }
fi
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/resolv.conf"
chroot "$root" /bin/sh -ec "$(instruction RUN)" >/dev/null 2>&1
tar --extract --gzip --file "$dist"/waybill-*-linux-"$(uname -m)".tar.gz --directory "$root/usr/local/bin" --strip-components 2 \
    --wildcards '*/bin/waybill'
mkdir -p "$root/work"
echo "size without Debian itself: $(du -sk "$root/usr/local/bin/waybill" | cut -f1) KiB"

# As 'podman run --read-only --volume FOLDER:/work': all but /work is read-only, also for root.
mount --bind "$root" "$root"
mount -t tmpfs -o "uid=$(instruction USER | cut -d: -f1),mode=700" tmpfs "$root/work"
mount -o remount,bind,ro "$root"
cp manifests/quickstart.yaml "$root/work/"

# shellcheck disable=SC2016 # the shell in the Debian expands $(id)
chroot --userspec="$(instruction USER)" "$root" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin "$(instruction ENV)" \
    /bin/sh -euc "cd $(instruction WORKDIR)"'
        [ "$(id -u)" != 0 ]
        if touch /usr/local/bin/file 2>/dev/null || touch /tmp/file 2>/dev/null; then exit 1; fi
        waybill run quickstart.yaml --mock
        waybill run quickstart.yaml --mock --out results --quiet
        waybill cache info
        ls results/run.json waybill-results/latest/run.json'
echo "passed: the quickstart, as $(instruction USER), with a read-only root"
