#!/usr/bin/env bash
# check-formula.sh [WAYBILL]: checks Formula/waybill.rb, the formula of Homebrew, by executing its steps and its test in a copy of the
# repository, with a stand-in for Homebrew (check-formula.rb). With WAYBILL, that executable is installed, and nothing is built.
# Needs Ruby.
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${1:+$(realpath "$1")}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ruby -c Formula/waybill.rb >/dev/null
mkdir "$work/source"
git ls-files --cached --others --exclude-standard -z | tar --create --null --files-from - | tar --extract --directory "$work/source"
date=$(git log -1 --format=%ct)
tests=$PWD/Tests/Tools
formula=$PWD/Formula/waybill.rb
(cd "$work/source" &&
    SOURCE_DATE_EPOCH=$date ruby "$tests/check-formula.rb" "$formula" "$work/prefix" ${program:+"$program"})

# The same files as in the tarball, in Homebrew's folders.
cd "$work/prefix"
for file in bin/waybill share/man/man1/waybill.1 share/man/man1/waybill-run.1 etc/bash_completion.d/waybill \
    share/zsh/site-functions/_waybill share/fish/vendor_completions.d/waybill.fish share/waybill/schemas/manifest.schema.json \
    share/waybill/examples/quickstart.yaml share/doc/waybill/docs/guide.md; do
    [ -s "$file" ] || { echo "failed: $file was not installed" >&2; exit 1; }
done
echo "the formula: $(find . -type f | wc -l) files"
