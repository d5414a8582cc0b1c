#!/usr/bin/env bash
# Checks that a release is built with the versions of scripts/release/versions.txt: in a copy of the repository, and with copies of
# the Swift packages that have newer versions. A list that does not fit is refused.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/clone/scripts/release" "$work/mirror"
cp Package.swift "$work/clone"
cp scripts/release/{resolve.sh,versions.txt} "$work/clone/scripts/release"
ln -s "$PWD/Sources" "$PWD/Tests" "$PWD/Benchmarks" "$PWD/Fuzz" "$work/clone"

# Copies of the packages, each with a newer version of the same content.
while read -r address version; do
    [[ $address == https://* ]] || continue
    copy=$work/mirror/${address#https://}
    git clone --quiet --bare "$address" "$copy"
    git -C "$copy" tag "${version%.*}.999" "$version"
done <scripts/release/versions.txt
cat >"$work/gitconfig" <<CONFIG
[url "$work/mirror/"]
    insteadOf = https://
[safe]
    directory = *
CONFIG
export GIT_CONFIG_GLOBAL=$work/gitconfig GIT_CONFIG_NOSYSTEM=1

# Nothing of these versions may get into the caches of the machine, nor into what it knows about their commits.
options=(--cache-path "$work/cache" --security-path "$work/security")

# expect WHAT STATUS [LINE]: resolves, and compares the exit status and a line of what is printed.
expect() {
    local status=0
    (cd "$work/clone" && scripts/release/resolve.sh "$work/graph.json" "${options[@]}") >"$work/log" 2>&1 || status=$?
    if [ "$status" != "$2" ] || ! { [ -z "${3:-}" ] || grep -qF -- "$3" "$work/log"; }; then
        echo "failed: $1: status $status instead of $2, or no line '${3:-}':" >&2
        cat "$work/log" >&2
        exit 1
    fi
    echo "passed: $1"
}

# versions: the versions in Package.resolved.
versions() { grep -o '"version" *: *"[^"]*"' "$work/clone/Package.resolved" | cut -d '"' -f 4 | sort | paste -sd ' '; }

(cd "$work/clone" && swift package --scratch-path .build-newest "${options[@]}" resolve >/dev/null 2>&1)
[[ $(versions) == *.999*.999 ]] || { echo "failed: without a list, the newest versions: $(versions)" >&2; exit 1; }
rm -rf "$work/clone/.build-newest"
expect "newer versions" 0 "resolved at"
expected=$(sed -n 's/^https.* //p' scripts/release/versions.txt | sort | paste -sd ' ')
[ "$(versions)" = "$expected" ] || { echo "failed: the versions are $(versions), not $expected" >&2; exit 1; }

mv "$work/mirror" "$work/moved"
expect "a second time, without a network" 0
mv "$work/moved" "$work/mirror"

list=$work/clone/scripts/release/versions.txt
cp "$list" "$work/list"
sed -i '/swift-collections/s/ .*/ 1.5.0/' "$list"
expect "a version that does not exist" 1 "has no version 1.5.0, which scripts/release/versions.txt names"
git -C "$work/mirror/github.com/apple/swift-collections" tag 1.5.0
expect "a version that the manifest does not allow" 1 "out-of-date resolved file"
sed '/swift-collections/d' "$work/list" >"$list"
expect "a package that is not in the list" 1 "out-of-date resolved file"
git clone --quiet --bare "$work/mirror/github.com/apple/swift-collections" "$work/mirror/github.com/apple/swift-other"
{ cat "$work/list" && echo "https://github.com/apple/swift-other 1.5.0"; } >"$list"
expect "a package that is not used" 1 "< https://github.com/apple/swift-other 1.5.0"
