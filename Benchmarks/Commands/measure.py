#!/usr/bin/env python3
"""Measures `waybill eval` and `waybill schema check` as whole processes, against Python and jq doing the same.

Usage: python3 Benchmarks/Commands/measure.py [PROGRAM], by default the release build in .build-release:
swift build -c release --static-swift-stdlib --scratch-path .build-release --product waybill
Python's validator is the package jsonschema.
"""

import json
import pathlib
import random
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from records import least, measure, median, write_records

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else str(HERE.parent.parent / ".build-release/release/waybill")

SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["id", "name", "score", "tags"],
    "properties": {
        "id": {"type": "integer", "minimum": 0},
        "name": {"type": "string", "minLength": 1, "maxLength": 40},
        "score": {"$ref": "#/$defs/score"},
        "state": {"enum": ["new", "open", "done"]},
        "tags": {"type": "array", "items": {"type": "string", "pattern": "^[a-z]+$"}, "maxItems": 5},
    },
    "additionalProperties": False,
    "$defs": {"score": {"type": "number", "minimum": 0, "maximum": 100}},
}

PYTHON_CHECK = """
import json, sys
from jsonschema import Draft202012Validator
validator = Draft202012Validator(json.load(open(sys.argv[1])))
with open(sys.argv[2]) as lines:
    if not all(validator.is_valid(json.loads(line)) for line in lines):
        sys.exit(1)
"""


def write_lines(path, count):
    chance = random.Random(7)
    with open(path, "w") as file:
        for number in range(count):
            record = {
                "id": number,
                "name": f"record {number}",
                "score": round(chance.uniform(0, 100), 3),
                "state": chance.choice(["new", "open", "done"]),
                "tags": chance.choices(["red", "green", "blue"], k=2),
            }
            file.write(json.dumps(record) + "\n")


def report(title, commands, rounds):
    print(title)
    times = measure(commands, rounds)
    for name, figures in times.items():
        (best, cpu), (middle, _) = least(figures), median(figures)
        print(f"  {name:34} {best:6.3f} s least, {middle:6.3f} s median, {cpu:6.3f} s CPU")
    return {name: (least(figures)[0], median(figures)[0]) for name, figures in times.items()}


with tempfile.TemporaryDirectory() as folder:
    data, lines, schema = f"{folder}/records.json", f"{folder}/records.ndjson", f"{folder}/schema.json"
    write_records(data, 50_000_000)
    write_lines(lines, 100_000)
    pathlib.Path(schema).write_text(json.dumps(SCHEMA))

    commands = {
        "waybill eval 'length($)'": [PROGRAM, "eval", "length($)", data],
        "waybill eval, the query": [PROGRAM, "eval", "$[?@.score > 10].name", data],
        "Python json.loads": [sys.executable, "-c", f"import json; json.loads(open({data!r}, 'rb').read())"],
    }
    if jq := shutil.which("jq"):
        commands["jq ."] = [jq, ".", data]
        commands["jq length"] = [jq, "length", data]
        commands["jq, the query"] = [jq, "[.[] | select(.score > 10).name]", data]
    times = report("a query on a JSON array of 50 MB", commands, 7)
    for index, which in enumerate(["least", "median"]):
        parse, query = times["waybill eval 'length($)'"][index], times["waybill eval, the query"][index]
        print(f"  the query takes {(query - parse) / parse:4.2f} of the time of reading ({which})")

    commands = {
        "waybill schema check": [PROGRAM, "schema", "check", schema, lines],
        "Python jsonschema": [sys.executable, "-c", PYTHON_CHECK, schema, lines],
    }
    times = report("100,000 records in NDJSON against a schema", commands, 5)
    for index, which in enumerate(["least", "median"]):
        ratio = times["Python jsonschema"][index] / times["waybill schema check"][index]
        print(f"  Python takes {ratio:5.1f} times as long ({which})")
