#!/usr/bin/env bash
# Builds one fuzz target and runs it: Fuzz/run.sh TARGET SECONDS [libFuzzer options and inputs], where TARGET is YAML, JSON,
# JSONPath, Expression or Journal. Inputs given at the end are run once each instead, so that a finding can be reproduced.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
target="${1:?which target: YAML, JSON, JSONPath, Expression or Journal}"
seconds="${2:?for how many seconds}"
shift 2

# SwiftPM takes one sanitizer for Swift; the second comes by the compiler's own option.
build=(swift build --package-path "$here" -c release --sanitize fuzzer -Xswiftc -sanitize=fuzzer,address)
"${build[@]}" --product "Fuzz$target"
program="$("${build[@]}" --show-bin-path)/Fuzz$target"

work="$here/.build/fuzzing/$target"
mkdir -p "$work/corpus" "$work/findings"
python3 "$here/seeds.py" "$target" "$work/seeds"

inputs=("$work/corpus" "$work/seeds")
for argument in "$@"; do [ -f "$argument" ] && inputs=(); done

exec "$program" \
    -dict="$here/Dictionaries/$target.dict" -artifact_prefix="$work/findings/" \
    -timeout=10 -report_slow_units=1 -rss_limit_mb=4096 -max_len=65536 -max_total_time="$seconds" -print_final_stats=1 \
    "$@" "${inputs[@]}"
