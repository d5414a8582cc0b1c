#!/usr/bin/env bash
# stage.sh WAYBILL FOLDER: puts the executable WAYBILL and all that is installed with it into FOLDER, as bin and share below
# /usr/local. All files have the time SOURCE_DATE_EPOCH.
set -euo pipefail
waybill=$(realpath "$1")
folder=$(realpath -m "$2")
cd "$(dirname "$0")/../.."

share=$folder/share
documents=$share/doc/waybill
mkdir -p "$folder/bin" "$share"/{bash-completion/completions,zsh/site-functions,fish/vendor_completions.d} \
    "$share/waybill/schemas" "$documents/examples"

cp "$waybill" "$folder/bin/waybill"
scripts/release/man-pages.py "$waybill" "$share/man/man1"

completions() { "$waybill" completions "$1"; }
# bash reads the file, so that it needs no first line for the system.
completions bash | sed '1{/^#!/d}' >"$share/bash-completion/completions/waybill"
completions zsh >"$share/zsh/site-functions/_waybill"
completions fish >"$share/fish/vendor_completions.d/waybill.fish"

cp schemas/*.schema.json "$share/waybill/schemas/"
cp README.md CHANGELOG.md LICENSE "$documents/"
cp scripts/release/copyright "$documents/copyright"
cp "${SCRATCH:-.build-release}/checkouts/swift-collections/LICENSE.txt" "$documents/Apache-2.0.txt"
cp -R docs "$documents/docs"
cp -R manifests/. "$documents/examples/"

chmod -R u=rwX,go=rX "$folder"
chmod 755 "$folder/bin/waybill"
find "$folder" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
