#!/usr/bin/env bash
# deb.sh TREE VERSION FILE: makes the Debian package FILE from the tree that stage.sh made. Needs dpkg-dev. REPOSITORY and
# MAINTAINER are those of project.env.
set -euo pipefail
tree=$(realpath "$1")
# For Debian, a hyphen would start its own revision, and 0.2.0-dev would be newer than 0.2.0.
version=${2/-/\~}
file=$(realpath -m "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

root=$work/root
mkdir -p "$root/DEBIAN" "$work/debian"
cp -R "$tree" "$root/usr"
documents=$root/usr/share/doc/waybill

# Debian has other places for zsh's completions and for the text of licences, and compressed pages and changelogs.
mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
rm "$documents/LICENSE" "$documents/Apache-2.0.txt"
gzip -9n "$root"/usr/share/man/man1/*.1
{
    echo "waybill ($version) unstable; urgency=medium"
    printf '\n  * Waybill %s. CHANGELOG.md, beside this file, lists what is new.\n\n' "$2"
    echo " -- $MAINTAINER  $(LC_ALL=C date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")"
} | gzip -9n >"$documents/changelog.gz"

# dpkg-shlibdeps reads debian/control and finds the packages of the libraries that the executable is linked with; libxml2 is
# only loaded. An older libcurl has the functions, but not all of the options.
printf 'Source: waybill\n\nPackage: waybill\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O -e"$root/usr/bin/waybill" |
    sed -n 's/^shlibs:Depends=//; s/libcurl4 ([^)]*)/libcurl4 (>= 7.88)/p')

find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
cat >"$root/DEBIAN/control" <<CONTROL
Package: waybill
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: $MAINTAINER
Installed-Size: $(find "$root/usr" -type f -printf '%s\n' | awk '{size += int(($1 + 1023) / 1024)} END {print size}')
Depends: $depends, libxml2
Recommends: ca-certificates
Section: web
Priority: optional
Homepage: $REPOSITORY
Description: runs HTTP requests that are declared in YAML
 A manifest declares services, endpoints, filters, and graphs of requests.
 Waybill checks it before the first request is sent, runs it, and writes
 results. Use it for API workflows, for smoke tests and for repeatable data
 pulls. A run that was stopped can be resumed.
CONTROL
chmod 644 "$root"/DEBIAN/*
chmod 755 "$root/DEBIAN"

# More threads would compress other blocks, and so give other bytes.
dpkg-deb --root-owner-group -Zxz --threads-max=1 --build "$root" "$file" >/dev/null
