#!/usr/bin/env bash
# Checks reports of a run by what reads them: JUnit's XML against the schema of Jenkins' xUnit plugin (junit-10.xsd, as
# pytest's source package has it), TAP with prove, the HTTP Archive against har.schema.json, the page with an HTML parser, and
# the annotations by the form that GitHub documents. The run has names and bodies with characters that mean something in
# each format. WAYBILL names the program (.build/debug/waybill).
set -euo pipefail
cd "$(dirname "$0")/../.."

waybill=$(realpath "${WAYBILL:-.build/debug/waybill}")
if ! [ -x "$waybill" ]; then
    swift build --product waybill
fi

tools=$(Tests/Tools/python-with.sh xmlschema==3.4.3 jsonschema==4.23.0)
if ! [ -e "$tools/junit-10.xsd" ]; then
    "$tools/bin/python" - "$tools" 8.3.4 <<'PYTHON'
import io, re, sys, tarfile, urllib.request

folder, version = sys.argv[1:]
index = urllib.request.urlopen("https://pypi.org/simple/pytest/", timeout=60).read().decode()
url = re.search(rf'href="([^"#]*/pytest-{re.escape(version)}\.tar\.gz)', index)[1]
with tarfile.open(fileobj=io.BytesIO(urllib.request.urlopen(url, timeout=60).read())) as source:
    schema = source.extractfile(f"pytest-{version}/testing/example_scripts/junit-10.xsd").read()
open(f"{folder}/junit-10.xsd", "wb").write(schema)
PYTHON
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/manifest.yaml" <<'YAML'
waybill: 1
services: {s: {baseURL: "http://127.0.0.1:9"}}
graphs:
  main:
    onFailure: continue
    chain:
      - {id: passes, name: "<&> \"quoted\" 'too' # 1 \\ | ` ]]>", get: "/a?b=1&c=<2>", mock: {body: {id: 1}}}
      - {id: tolerated, get: /t, mock: {status: 500, body: {message: "a \u0007bell, <b> & ]]> \uFFFF \u202E"}}}
      - {id: fails, get: /f, expect: {body: [$.a == 2, $.b == 'x']}, mock: {body: {a: "<", b: "# TODO"}}}
      - {id: skipped, when: run.id == 'never', get: /s, mock: {}}
      - id: each
        forEach: {in: "range(0, 12)", as: n}
        onFailure: continue
        get: /e/${n}
        mock: {status: 404}
      - {id: moved, get: /old, mock: {status: 302, headers: {Location: /a?b=1}}}
      - id: retried
        get: /r
        retry: {times: 1, for: [503], backoff: {first: 1ms}}
        mock: [{status: 503, body: no}, {status: 200}]
  other: {chain: [{id: fails, get: /f, expect: {status: 201}, mock: {status: 200}}]}
YAML
status=0
(cd "$folder" && GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=summary.md "$waybill" run manifest.yaml --mock --graph main \
    --graph other --out out --report junit=junit.xml,tap=run.tap --report json=run.json,har=run.har,html=run.html >/dev/null 2>annotations) || status=$?
[ "$status" = 1 ] || { cat "$folder/annotations"; echo "the run ended with status $status instead of 1"; exit 1; }

"$tools/bin/python" - "$tools/junit-10.xsd" "$folder" <<'PYTHON'
import collections, html.parser, json, jsonschema, re, sys, xml.etree.ElementTree as tree, xmlschema

schema, folder = sys.argv[1:]
xmlschema.XMLSchema(schema).validate(f"{folder}/junit.xml")
suite = tree.parse(f"{folder}/junit.xml").getroot().find("testsuite")
run = json.load(open(f"{folder}/run.json"))["runs"][0]
steps = run["steps"]
elements = sum(len(step.get("elements", {}).get("failures", [])) for step in steps)
cases = suite.findall("testcase")
# The elements of 'each', all of which failed, are cases instead of the step.
assert len(cases) == len(steps) - 1 + elements == int(suite.get("tests")), (len(cases), len(steps), elements)
assert len(suite.findall("testcase/failure")) == int(suite.get("failures")) == 1, suite.attrib
assert len(suite.findall("testcase/skipped")) == int(suite.get("skipped")) == 1
assert "<&> \"quoted\" 'too' # 1 \\ | ` ]]>" in cases[0].get("name"), cases[0].get("name")
# ::error file=…,line=…::message, where the properties escape ':' and ',' and the message line breaks.
lines = open(f"{folder}/annotations", encoding="utf-8").read().splitlines()
commands = [line for line in lines if line.startswith("::")]
assert len(commands) == sum(step["outcome"] in ("failed", "tolerated") for step in steps), commands
for command in commands:
    assert re.fullmatch(r"::(error|warning) (\w+=[^:,]+,)*title=[^:,]+::.+", command), command
assert open(f"{folder}/summary.md", encoding="utf-8").read().startswith("### ❌ `manifest.yaml`")
archive = json.load(open(f"{folder}/run.har", encoding="utf-8"))
jsonschema.Draft202012Validator(json.load(open("Tests/Tools/har.schema.json"))).validate(archive)
entries = archive["log"]["entries"]
of = lambda step: [entry for entry in entries if entry["_step"] == f"main.{step}"]
for entry in entries:
    timings = entry["timings"]
    known = sum(timings[name] for name in ("dns", "connect", "send", "wait", "receive") if timings[name] != -1)
    assert abs(known - entry["time"]) < 0.01, entry
    assert timings["ssl"] <= timings["connect"], entry
assert [entry["response"]["status"] for entry in of("moved")] == [302, 200], of("moved")
assert of("moved")[0]["response"]["redirectURL"] == of("moved")[1]["request"]["url"] == "http://127.0.0.1:9/a?b=1"
assert [(entry["_attempt"], entry["response"]["status"]) for entry in of("retried")] == [(1, 503), (2, 200)], of("retried")
assert json.loads(of("fails")[0]["response"]["content"]["text"]) == {"a": "<", "b": "# TODO"}, of("fails")

class Page(html.parser.HTMLParser):
    """Counts the elements of a page, and keeps the content of its scripts."""
    void = {"meta", "link", "img", "br", "hr", "input", "base"}

    def __init__(self):
        super().__init__()
        self.open, self.counts, self.scripts = [], collections.Counter(), []

    def handle_starttag(self, tag, attributes):
        self.counts[tag] += 1
        if tag == "script": self.scripts.append("")
        if tag not in self.void: self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script": self.scripts[-1] += data

page = Page()
page.feed(open(f"{folder}/run.html", encoding="utf-8").read())
assert not page.open and page.counts["script"] == 2 and page.counts["img"] == 0, page.counts
assert page.counts["article"] == sum(step["outcome"] in ("failed", "tolerated") for step in steps), page.counts
assert [step["path"] for step in json.loads(page.scripts[0])["steps"]] == [step["path"] for step in steps]
print(f"har.schema.json: {len(entries)} entries; the page has {page.counts['article']} failures")
print(f"junit-10.xsd: {len(cases)} cases; {len(commands)} annotations")
PYTHON
# The failure that is not tolerated is the only one that prove counts.
prove -v -e cat "$folder/run.tap" >"$folder/proved" 2>&1 && { cat "$folder/proved"; echo "prove found no failure"; exit 1; }
grep -q 'Tests: 8 Failed: 1)' "$folder/proved" || { cat "$folder/proved"; exit 1; }
if grep -qi 'parse errors' "$folder/proved"; then cat "$folder/proved"; exit 1; fi
echo "prove: 8 tests, 1 failed, as it should be"
