#!/usr/bin/env bash
# Checks fetch.sh with repositories of this machine: what it takes, that it takes the pinned commit, that it fetches nothing
# twice, that it leaves nothing of a suite that it could not fetch; and missing.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=$work/gitconfig GIT_CONFIG_NOSYSTEM=1
git config --global user.name test
git config --global user.email test@example.com
git config --global init.defaultBranch main
# As GitHub does it: a commit can be fetched by its name.
git config --global uploadpack.allowReachableSHA1InWant true

# expect WHAT EXPECTED FOUND: fails if the two differ.
expect() {
    if [ "$2" != "$3" ]; then
        printf 'failed: %s\nexpected: %s\nfound: %s\n' "$@" >&2
        exit 1
    fi
}

# commit TEXT: commits the file of the case with a text, and prints the name of the commit.
commit() {
    mkdir -p "$work/suite/tests/a b"
    echo "$1" >"$work/suite/tests/a b/case.json"
    echo "not taken" >"$work/suite/other.txt"
    echo MIT >"$work/suite/LICENSE"
    mkdir -p "$work/suite/tags"
    ln -sfn "../tests/a b" "$work/suite/tags/link"
    git -C "$work/suite" add .
    git -C "$work/suite" commit --quiet --message "$1"
    git -C "$work/suite" rev-parse HEAD
}

# fetch: runs the script; its exit status is in `status`, and what it printed is in the file `log`.
fetch() {
    status=0
    Tests/Conformance/fetch.sh "$work/suites" "$work/list" >"$work/log" 2>&1 || status=$?
}

# files: the files that were fetched.
files() { (cd "$work/suites" && find . -type f | sort | paste -sd ' '); }

export WAYBILL_SAMPLES=$work/samples
mkdir -p "$work/samples/curl"
expect "what is missing of the samples" "not run: the tests that import the samples of postman (WAYBILL_SAMPLES names their folder)" \
    "$(Tests/Conformance/missing.sh | tail -1)"
mkdir "$work/samples/postman"

git init --quiet "$work/suite"
first=$(commit 1)
second=$(commit 2)
printf '# a comment\nfirst file://%s %s LICENSE tests\n\nwhole file://%s %s . :!tags :!absent\n' "$work/suite" "$first" "$work/suite" "$second" \
    >"$work/list"
fetch
expect "the status" 0 "$status"
expect "what is taken" "./first/COMMIT ./first/LICENSE ./first/tests/a b/case.json ./whole/COMMIT ./whole/LICENSE ./whole/other.txt ./whole/tests/a b/case.json" \
    "$(files)"
expect "the commits" "1 2" "$(cat "$work"/suites/{first,whole}/tests/*/case.json | paste -sd ' ')"

# Nothing is fetched again, even if the repository is gone. A suite that is pinned to another commit is replaced as a whole.
mv "$work/suite" "$work/moved"
fetch
expect "a second time" "0 " "$status $(cat "$work/log")"
mv "$work/moved" "$work/suite"
sed -i "s/^first .*/first file:\/\/${work//\//\\/}\/suite $second tests/" "$work/list"
fetch
expect "another commit" "./first/COMMIT ./first/tests/a b/case.json" "$(cd "$work/suites" && find ./first -type f | sort | paste -sd ' ')"
expect "its content" "2" "$(cat "$work/suites/first/tests/a b/case.json")"

# A commit and a repository that do not exist, and a path that the commit does not have. The others are fetched.
{
    echo "absent file://$work/nothing $first ."
    echo "unknown file://$work/suite 0000000000000000000000000000000000000001 ."
    echo "partial file://$work/suite $first LICENSE missing"
    echo "last file://$work/suite $first LICENSE"
} >>"$work/list"
fetch
expect "suites that cannot be fetched" 1 "$status"
expect "the warnings" "absent unknown partial" "$(sed -n 's/^warning: the conformance suite \([a-z]*\) .*/\1/p' "$work/log" | paste -sd ' ')"
expect "the folders" "first last whole" "$(find "$work/suites" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | paste -sd ' ')"

# missing FOLDER: the suites that missing.sh does not find in a folder.
missing() { WAYBILL_CONFORMANCE=$1 Tests/Conformance/missing.sh | sed 's/^not run: the conformance tests of \(.*\) (.*/\1/'; }

mkdir "$work"/{none,some,all} "$work/some/yaml" "$work"/all/{json,json-schema,jsonpath,yaml}
expect "what is missing of nothing" "json json-schema jsonpath yaml" "$(missing "$work/none")"
expect "what is missing of some" "json json-schema jsonpath" "$(missing "$work/some")"
expect "what is missing of all" "" "$(missing "$work/all")"

# Each suite of the list is named by a whole commit, at an address that needs no account.
while read -r name repository commit paths; do
    [[ $name == \#* ]] && continue
    [[ $repository == https://* && $commit =~ ^[0-9a-f]{40}$ && -n $paths ]] || expect "the line of $name" "valid" "$repository $commit"
done <Tests/Conformance/suites.txt
echo "fetch.sh: passed"
