#!/usr/bin/env python3
"""Writes the texts that fuzzing of a target begins with, one a file.

Usage: seeds.py TARGET FOLDER, where TARGET is YAML, JSON, JSONPath, Expression or Journal. They are taken from the conformance
suites (WAYBILL_CONFORMANCE, by default beside the repository or in .build/conformance), the manifests and the tests, and never committed.
"""

import hashlib
import json
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# As in Tests/WaybillTestSupport/ConformanceSuite.swift.
SHARED = ROOT.parent / "shared/conformance"
SUITES = pathlib.Path(os.environ.get("WAYBILL_CONFORMANCE", SHARED if SHARED.exists() else ROOT / ".build/conformance"))


def manifests():
    return [path.read_bytes() for path in ROOT.glob("manifests/**/*.yaml")]


def queries():
    suite = SUITES / "jsonpath/cts.json"
    if not suite.exists():
        return []
    return [case["selector"].encode("utf-8", "surrogatepass") for case in json.loads(suite.read_text())["tests"]]


def expressions():
    embedded = [text for manifest in manifests() for text in re.findall(rb"\$\{[^}\n]*\}", manifest)]
    tests = [path.read_bytes() for path in ROOT.glob("Tests/Waybill[JFSE]*Tests/*.swift")]
    literals = [text for test in tests for text in re.findall(rb'"((?:[^"\\\n]|\\.)*)"', test)]
    return embedded + [literal.replace(rb"\"", b'"').replace(rb"\\", b"\\") for literal in literals]


def journals():
    lines = [
        {"type": "run.started", "at": "2026-11-21T05:27:03Z", "run": "20261121-052703-k3v9qa", "manifest": "m.yaml", "graphs": ["main"]},
        {"type": "request.willSend", "step": "main.a", "attempt": 1, "method": "POST"},
        {"type": "step.finished", "step": "main.a", "result": {"id": "a", "path": "main.a", "graph": "main", "outcome": "passed",
         "time": {"total": 1.5}}, "kept": {"use": "taken", "record": {"ok": True}, "lost": ["outputs.t"], "cookies": [".a.b"]}},
        {"type": "element.finished", "step": "main.e", "element": 0, "outcome": "passed", "offset": 4, "records": 1,
         "kept": {"use": "taken", "element": "x"}},
        {"type": "element.finished", "step": "main.e", "element": 2, "outcome": "passed", "held": "4", "records": 1,
         "kept": {"use": "taken"}},
        {"type": "page.finished", "step": "main.p", "page": 1, "items": 2, "next": "/2", "offset": 9, "records": 2, "kept": [1]},
        {"type": "write.cut", "step": "main.e", "count": 0, "records": 0, "bytes": 0, "path": "a"},
        {"type": "write.committing", "step": "main.e", "records": 0, "bytes": 0, "path": "a"},
        {"type": "graph.finishing", "graph": "main"},
        {"type": "graph.finished", "graph": "main", "outcome": "passed"},
        {"type": "run.finished", "outcome": "passed"},
    ]
    texts = [json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines]
    return [b"".join(texts[:count]) for count in range(1, len(texts) + 1)] + [texts[0] + text for text in texts]


SEEDS = {
    "Journal": journals,
    "YAML": lambda: [path.read_bytes() for path in SUITES.glob("yaml/**/in.yaml")] + manifests(),
    "JSON": lambda: [path.read_bytes() for path in SUITES.glob("json/**/*.json")]
    + [path.read_bytes() for path in ROOT.glob("schemas/*.json")],
    "JSONPath": queries,
    "Expression": lambda: queries() + expressions(),
}


def main():
    target, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for seed in SEEDS[target]():
        (folder / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)


main()
