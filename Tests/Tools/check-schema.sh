#!/usr/bin/env bash
# Checks schemas/manifest.schema.json with check-jsonschema (Python), the validator behind many editors' and CI hooks: the
# schemas follow their meta-schema, the manifests that must be accepted are, and of all others, the invalid cases
# included, it says the same as 'waybill schema check'. WAYBILL names the program (.build/debug/waybill).
set -euo pipefail
cd "$(dirname "$0")/../.."

waybill=${WAYBILL:-.build/debug/waybill}
if ! [ -x "$waybill" ]; then
    swift build --product waybill
fi

tools=$(Tests/Tools/python-with.sh check-jsonschema==0.39.0)

"$tools/bin/check-jsonschema" --check-metaschema schemas/*.schema.json

schema=schemas/manifest.schema.json
accepted=$(find manifests Tests/Manifests -name '*.yaml')
"$tools/bin/check-jsonschema" --schemafile "$schema" $accepted
# The form for editors, of draft 7.
"$tools/bin/check-jsonschema" --schemafile schemas/manifest.flat.schema.json $accepted

cases=$(find Tests/WaybillCLITests/Cases/{ok,failed,invalid} -name '*.yaml' | sort)
answers=$(mktemp -d)
trap 'rm -r "$answers"' EXIT
# They end with 1 and 2 when a file is invalid; what they said of each file is compared below.
"$tools/bin/check-jsonschema" -o json --schemafile "$schema" $cases >"$answers/theirs" || [ $? -eq 1 ]
"$waybill" schema check --no-formats "$schema" $cases >"$answers/ours" 2>/dev/null || [ $? -eq 2 ]

python3 - "$answers" $cases <<'PYTHON'
import json
import sys

folder, *cases = sys.argv[1:]
report = json.load(open(f"{folder}/theirs"))
unreadable = {error["filename"] for error in report["parse_errors"]}
refused = {error["filename"] for error in report["errors"]}
valid = {line.removesuffix(" is valid\n") for line in open(f"{folder}/ours")}
# Which texts are YAML at all is not the schema's business.
disagreements = [case for case in cases if case not in unreadable and (case in refused) == (case in valid)]
for case in disagreements:
    print(f"{case}: {'refused' if case in refused else 'accepted'} by check-jsonschema alone")
print(f"{len(cases)} cases, {len(refused)} refused by their shape, {len(disagreements)} disagreements")
sys.exit(1 if disagreements or not refused else 0)
PYTHON
