#!/usr/bin/env bash
# Checks the library's documentation with DocC, which comes with Swift's toolchain: every link leads to a symbol or an
# article, and every public declaration has a comment.
set -euo pipefail
cd "$(dirname "$0")/../.."

swift package dump-symbol-graph --minimum-access-level public --skip-synthesized-members >/dev/null
graphs=$(swift build --show-bin-path)/../symbolgraph

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
mkdir "$work/graphs"
cp "$graphs/Waybill.symbols.json" "$work/graphs"

docc convert Sources/Waybill/Waybill.docc \
    --fallback-display-name Waybill --fallback-bundle-identifier waybill.Waybill \
    --additional-symbol-graph-dir "$work/graphs" --output-dir "$work/archive" --warnings-as-errors

python3 - "$work/graphs/Waybill.symbols.json" <<'PYTHON'
import json, sys
symbols = json.load(open(sys.argv[1]))["symbols"]
bare = [".".join(symbol["pathComponents"]) for symbol in symbols if not symbol.get("docComment")]
for name in bare:
    print(f"no comment: {name}", file=sys.stderr)
print(f"{len(symbols)} public symbols, {len(bare)} without a comment")
sys.exit(1 if bare or not symbols else 0)
PYTHON
