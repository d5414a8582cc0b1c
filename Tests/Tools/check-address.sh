#!/usr/bin/env bash
# Checks scripts/release/address.py in a copy of the repository: it writes the address into all files, and a release without an
# address, or with two, is refused.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git ls-files --cached --others --exclude-standard -z | tar --create --null --files-from - | tar --extract --directory "$work"
cd "$work"
git init --quiet
git add --all
address=scripts/release/address.py
# The script would take an address in this file for that of the repository.
placeholder=OWNER name=Some-1

# refuses LINE: the check for a release fails with this line.
refuses() {
    if $address --check --release >log 2>&1 || ! grep -qF -- "$1" log; then
        echo "failed: no '$1' in:" >&2
        cat log >&2
        exit 1
    fi
}

# A copy that was published has an address already.
$address "https://github.com/$placeholder/waybill" >/dev/null
sed -i 's/^MAINTAINER=.*/MAINTAINER="A <a@example.com>"/' scripts/release/project.env
$address --check
refuses "project.env has no address of the repository"
refuses "project.env has no address of the maintainer"
sed -i 's/^MAINTAINER=.*/MAINTAINER="A <a@example.org>"/' scripts/release/project.env

$address "https://github.com/$name/waybill" >/dev/null
$address --check --release
if git grep -n "$placeholder/waybill" -- . ":!$address"; then
    echo "failed: these lines have no address" >&2
    exit 1
fi
grep -qF "image: ghcr.io/${name,,}/waybill:" examples/kubernetes/job.yaml
grep -qF "uses: $name/waybill@v" docs/ci.md
grep -qF "url \"https://github.com/$name/waybill.git\"" Formula/waybill.rb

sed -i "s/$name/Other/" docs/ci.md
refuses "docs/ci.md has another address of the repository"
for wrong in "http://github.com/$name/waybill" "https://github.com/$name/other" "https://github.com/$name/b/waybill" \
    "https://example.org/$name/waybill"; do
    ! $address "$wrong" >/dev/null 2>&1 || { echo "failed: accepted $wrong" >&2; exit 1; }
done
echo "the address of the repository: passed"
