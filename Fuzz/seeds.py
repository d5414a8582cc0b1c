#!/usr/bin/env python3
"""Writes the texts that fuzzing of a target begins with, one a file.

Usage: seeds.py TARGET FOLDER, where TARGET is YAML, JSON, JSONPath or Expression. They are taken from the conformance
suites (WAYBILL_CONFORMANCE, by default beside the repository), the manifests and the tests, and never committed.
"""

import hashlib
import json
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUITES = pathlib.Path(os.environ.get("WAYBILL_CONFORMANCE", ROOT.parent / "shared/conformance"))


def manifests():
    return [path.read_bytes() for path in ROOT.glob("manifests/**/*.yaml")]


def queries():
    suite = SUITES / "jsonpath/cts.json"
    if not suite.exists():
        return []
    return [case["selector"].encode("utf-8", "surrogatepass") for case in json.loads(suite.read_text())["tests"]]


def expressions():
    embedded = [text for manifest in manifests() for text in re.findall(rb"\$\{[^}\n]*\}", manifest)]
    tests = [path.read_bytes() for path in ROOT.glob("Tests/WaybillDataTests/*.swift")]
    literals = [text for test in tests for text in re.findall(rb'"((?:[^"\\\n]|\\.)*)"', test)]
    return embedded + [literal.replace(rb"\"", b'"').replace(rb"\\", b"\\") for literal in literals]


SEEDS = {
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
