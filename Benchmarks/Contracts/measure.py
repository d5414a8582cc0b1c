#!/usr/bin/env python3
"""A forEach of GETs as calls of an OpenAPI operation, beside the same GETs without a document; nginx on loopback answers.

    swift build -c release --static-swift-stdlib --product waybill --scratch-path .build-release
    python3 Benchmarks/Contracts/measure.py [--requests 20000] [--rounds 4] [--program .build-release/release/waybill]

Needs nginx. Prints the least processor time for each request, of the whole process: without a document, with the contract off,
and with requests and responses checked. The commands take turns.
"""
import argparse, pathlib, resource, subprocess, sys, tempfile

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "Benchmarks"))

from servers import nginx

parser = argparse.ArgumentParser()
parser.add_argument("--requests", type=int, default=20_000)
parser.add_argument("--rounds", type=int, default=4)
parser.add_argument("--program", default=str(root / ".build-release/release/waybill"))
options = parser.parse_args()

DOCUMENT = """openapi: 3.1.0
info: {title: Items, version: "1"}
paths:
  /item/{id}:
    get:
      operationId: item
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses:
        "200":
          description: An item.
          content:
            application/json:
              schema: {type: object, required: [id], properties: {id: {type: integer}, name: {type: string}}}
"""
CASES = {
    "without a document": ("", 'get: "/item/${i}"'),
    "contract off": (", openapi: api.yaml, contract: {request: off, response: off}", 'call: s.item, with: {id: "${i}"}'),
    "contract": (", openapi: api.yaml", 'call: s.item, with: {id: "${i}"}'),
}

with tempfile.TemporaryDirectory() as folder, nginx(folder) as base:
    pathlib.Path(folder, "api.yaml").write_text(DOCUMENT)
    least = {}
    for turn in range(options.rounds):
        for number, (name, (service, step)) in enumerate(CASES.items()):
            pathlib.Path(folder, f"{number}.yaml").write_text(
                f'waybill: 1\nservices: {{s: {{baseURL: "{base}"{service}}}}}\ngraphs: {{main: {{chain: [{{'
                f'forEach: {{in: "range(0, {options.requests})", as: i, concurrency: 32}}, {step}}}]}}}}\n'
            )
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            command = [options.program, "run", f"{number}.yaml", "--out", f"{number}-{turn}"]
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            least[name] = min(least.get(name, seconds), seconds)
for name, seconds in least.items():
    print(f"{name}: {seconds / options.requests * 1e6:.1f} µs of processor time a request")
