#!/usr/bin/env bash
# notes.sh VERSION: prints the section of CHANGELOG.md for VERSION; without one, and with a warning, the section Unreleased.
set -euo pipefail
cd "$(dirname "$0")/../.."

# section NAME: what is between the heading of NAME and the next one of that level. The heading may go on, as with a date.
section() {
    awk -v name="$1" '/^## /{inside = ($2 == name || $2 == "[" name "]")} inside' CHANGELOG.md
}

notes=$(section "$1")
if [ -z "$notes" ]; then
    echo "warning: CHANGELOG.md has no section $1; the notes are those of Unreleased" >&2
    notes=$(section Unreleased)
fi
printf '# Waybill %s\n\n%s\n' "$1" "$(tail -n +2 <<<"$notes" | sed '/./,$!d')"
