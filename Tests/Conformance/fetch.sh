#!/usr/bin/env bash
# fetch.sh [FOLDER [LIST]]: fetches the public test suites of LIST (suites.txt, beside this file) with git into FOLDER
# (.build/conformance), where the conformance tests look for them. A suite that FOLDER has at its commit is not fetched again.
# Ends with 1 if a suite could not be fetched; the others are there then.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
package=$(cd "$here/../.." && pwd)

folder=${1:-$package/.build/conformance}
list=${2:-$here/suites.txt}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
# Without a question for a password, and without waiting for a network that does not respond.
export GIT_TERMINAL_PROMPT=0
fetch=(git -c http.lowSpeedLimit=1000 -c http.lowSpeedTime=30 fetch --quiet --no-tags --depth 1)

work=$(mktemp -d "$folder/.fetch-XXXXXX")
trap 'rm -rf "$work"' EXIT
status=0
while read -r name repository commit paths; do
    case $name in '' | '#'*) continue ;; esac
    if [ "$(cat "$folder/$name/COMMIT" 2>/dev/null)" = "$commit" ]; then continue; fi
    echo "fetching $name from $repository" >&2
    # What git fetches by the name of a commit has that commit's checksum.
    # shellcheck disable=SC2086 # several paths
    if git init --quiet --bare "$work/$name.git" &&
        (cd "$work/$name.git" && "${fetch[@]}" "$repository" "$commit") &&
        mkdir "$work/$name" &&
        git -C "$work/$name.git" archive "$commit" $paths | tar -x -C "$work/$name"; then
        echo "$commit" >"$work/$name/COMMIT"
        rm -rf "${folder:?}/$name"
        mv "$work/$name" "$folder/$name"
    else
        echo "warning: the conformance suite $name could not be fetched from $repository" >&2
        status=1
    fi
done <"$list"
exit "$status"
