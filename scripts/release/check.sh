#!/usr/bin/env bash
# check.sh VERSION: reports all that prevents the publication of the commit as VERSION, and ends with 1 if there is anything.
set -euo pipefail
version=$1
cd "$(dirname "$0")/../.."

status=0
problem() {
    echo "error: $1" >&2
    status=1
}

case $version in
*-dev) problem "$version is the version of the source between releases; see 'How a release is made' in CONTRIBUTING.md" ;;
esac
sed -n 's/^## \([^ ]*\).*/\1/p' CHANGELOG.md | grep -Fx -e "$version" -e "[$version]" >/dev/null ||
    problem "CHANGELOG.md has no section $version"
grep -qF "tag: \"v$version\"" Formula/waybill.rb || problem "Formula/waybill.rb does not have the tag v$version"
grep -qF "/releases/download/v$version/" README.md || problem "README.md installs another version than $version"
changes=$(git status --porcelain) || changes=unknown
[ -z "$changes" ] || problem "there are changes that are not committed"
scripts/release/address.py --check --release || status=1

expected=$(sed -n 's/^swift //p' scripts/release/versions.txt)
found=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([^ ]*\).*/\1/p')
[ "$found" = "$expected" ] || problem "Swift is $found, and scripts/release/versions.txt has $expected"
grep -qxF "    container: swift:$expected-bookworm" .github/workflows/release.yml ||
    problem ".github/workflows/release.yml does not use the image of Swift $expected"
exit "$status"
