#!/usr/bin/env bash
# Runs manifests in a job of GitHub Actions and ends with the exit status of the run. The program itself annotates failures
# and adds the summary. action.yml runs this script in the working directory and sets these variables:
#
#   INPUT_MANIFESTS, INPUT_ARGUMENTS  words, separated by white space, with quotes as in a shell
#   INPUT_ENVIRONMENT                 the value of --env, or empty
#   INPUT_INPUTS                      lines NAME=VALUE
#   INPUT_REPORTS                     the folder of the reports
#   GITHUB_WORKSPACE, GITHUB_OUTPUT   as in every job
set -euo pipefail

# Sets `words` to the words of a string. xargs handles quotes, and expands nothing.
split() {
    local list
    list=$(mktemp)
    if ! xargs -r printf '%s\0' <<<"$1" >"$list"; then
        echo "::error title=Waybill::a quote is missing in: ${1//$'\n'/ }"
        exit 64
    fi
    mapfile -d '' -t words <"$list"
    rm "$list"
}

split "$INPUT_MANIFESTS"
manifests=(${words[@]+"${words[@]}"})
if [ ${#manifests[@]} = 0 ] && ! [ -e waybill.yaml ]; then manifests=(.); fi
split "$INPUT_ARGUMENTS"
arguments=(${words[@]+"${words[@]}"})

options=()
[ -z "$INPUT_ENVIRONMENT" ] || options+=(--env "$INPUT_ENVIRONMENT")
while IFS= read -r line; do
    line=${line%$'\r'}
    [ -z "$line" ] || options+=(--input "$line")
done <<<"$INPUT_INPUTS"

mkdir -p "$INPUT_REPORTS"
reports=$(realpath "$INPUT_REPORTS")
echo "reports=$reports" >>"$GITHUB_OUTPUT"

before=$(readlink waybill-results/latest || true)
status=0
waybill run "${options[@]}" --report "junit=$reports/junit.xml,html=$reports/report.html" "${arguments[@]}" \
    -- "${manifests[@]}" || status=$?
after=$(readlink waybill-results/latest || true)

echo "status=$status" >>"$GITHUB_OUTPUT"
if [ "$after" != "$before" ]; then
    echo "results=$(realpath waybill-results/latest)" >>"$GITHUB_OUTPUT"
fi
exit "$status"
