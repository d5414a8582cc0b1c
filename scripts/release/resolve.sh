#!/usr/bin/env bash
# resolve.sh FILE [OPTION...]: resolves the Swift packages of versions.txt into the folder SCRATCH (.build-release), and fails if
# the build would use other packages or versions. Writes the graph of the packages as JSON to FILE. Package.resolved is replaced.
# It is kept, and no network is needed, if it has these versions already. The options are for "swift package". Runs on Linux and
# macOS.
set -euo pipefail
file=$1
shift
case $file in
/*) ;;
*) file=$PWD/$file ;;
esac
cd "$(dirname "$0")/../.."
expected=$(grep '^https://' scripts/release/versions.txt | sort)

# resolved: the packages in Package.resolved, as lines of versions.txt.
resolved() {
    tr -d '\n' <Package.resolved | grep -o '"location" *: *"[^}]*"version" *: *"[^"]*"' |
        sed 's/"location" *: *"\([^"]*\)".*"\([^"]*\)"$/\1 \2/' | sort
}

# write_resolved: writes Package.resolved. It also has the commit of each version, which is not the same in every mirror of a
# package: that is what the package's address has now.
write_resolved() {
    local address version tags commit name pins=
    while read -r address version; do
        # A tag with a message is an object of its own; the line with ^{} has its commit, and comes after it.
        tags=$(git ls-remote "$address" "refs/tags/$version" "refs/tags/$version^{}")
        commit=$(tail -n 1 <<<"$tags" | cut -f 1)
        if [ -z "$commit" ]; then
            echo "error: $address has no version $version, which scripts/release/versions.txt names" >&2
            exit 1
        fi
        name=$(basename "$address" .git | tr '[:upper:]' '[:lower:]')
        pins+="${pins:+, }{\"identity\": \"$name\", \"kind\": \"remoteSourceControl\", \"location\": \"$address\","
        pins+=" \"state\": {\"revision\": \"$commit\", \"version\": \"$version\"}}"
    done <<<"$expected"
    echo "{\"pins\": [$pins], \"version\": 2}" >Package.resolved
}

if ! [ -e Package.resolved ] || [ "$(resolved)" != "$expected" ]; then
    write_resolved
fi

package=(swift package --scratch-path "${SCRATCH:-.build-release}" --force-resolved-versions "$@")
"${package[@]}" resolve >&2
# Each line of the text has the name, the address and the version of a package: name<https://address@version>.
found=$("${package[@]}" show-dependencies --format text | sed -n 's/.*<\(https:.*\)@\([^@>]*\)>.*/\1 \2/p' | sort -u)
if [ "$found" != "$expected" ]; then
    echo "error: the packages that would be built (>) are not those in scripts/release/versions.txt (<):" >&2
    diff <(echo "$expected") <(echo "$found") >&2 || true
    exit 1
fi
"${package[@]}" show-dependencies --format json >"$file"
