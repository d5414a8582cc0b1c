#!/usr/bin/env python3
"""Compares reading and writing JSON with Python's json module and with jq: whole processes, the best of several rounds.

Usage, from anywhere: python3 Benchmarks/JSON/measure.py
"""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parent.parent / "Sources/WaybillData/JSON"
ROUNDS = 5
SIZE = 50_000_000


def generate(path):
    chance = random.Random(7)
    words = "alpha beta gamma delta épsilon Zürich 東京 данные signal carrier wave bill of lading".split()
    size = 0
    with open(path, "w", encoding="utf-8") as file:
        file.write("[")
        number = 0
        while size < SIZE:
            record = {
                "id": number,
                "name": " ".join(chance.choices(words, k=2)),
                "score": chance.random() * 100,
                "active": chance.random() < 0.5,
                "description": f'Line {number}\nand "quoted" text' if number % 10 == 0
                else " ".join(chance.choices(words, k=6)),
                "address": {
                    "street": f"{chance.randint(1, 9999)} Main Street",
                    "city": chance.choice(words),
                    "location": {"lat": round(chance.uniform(-90, 90), 6), "lon": round(chance.uniform(-180, 180), 6)},
                },
                "tags": chance.choices(words, k=3),
                "parent": None if number % 3 else number // 3,
                "createdAtTimestamp": 1700000000000 + number,
            }
            text = (",\n" if number else "\n") + json.dumps(record, ensure_ascii=False)
            file.write(text)
            size += len(text.encode())
            number += 1
        file.write("\n]\n")


def measure(commands):
    best = {name: (float("inf"), float("inf")) for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            start = time.monotonic()
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            if status:
                sys.exit(f"{name} failed")
            figures = (time.monotonic() - start, usage.ru_utime + usage.ru_stime)
            best[name] = tuple(map(min, best[name], figures))
    return best


with tempfile.TemporaryDirectory() as folder:
    data, program = f"{folder}/records.json", f"{folder}/json-benchmark"
    generate(data)
    settings = ["-O", "-wmo", "-swift-version", "6", "-package-name", "waybill", "-module-name", "benchmark"]
    features = ["ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault"]
    settings += [word for feature in features for word in ("-enable-upcoming-feature", feature)]
    sources = [str(path) for path in (*sorted(SOURCES.glob("*.swift")), HERE / "main.swift")]
    subprocess.run(["swiftc", *settings, *sources, "-o", program], check=True)
    commands = {
        "waybill, read": [program, "read", data],
        "waybill, read and write": [program, "rewrite", data],
        "Python, read": [sys.executable, "-c", f"import json; json.loads(open({data!r}, 'rb').read())"],
    }
    if jq := shutil.which("jq"):
        commands["jq, read and write"] = [jq, ".", data]
    subprocess.run([program, "layout", data], check=True)
    base_wall, base_cpu = None, None
    for name, (wall, cpu) in measure(commands).items():
        base_wall, base_cpu = base_wall or wall, base_cpu or cpu
        print(f"{name:24} {wall:6.3f} s wall ({wall / base_wall:4.2f})  {cpu:6.3f} s CPU ({cpu / base_cpu:4.2f})")
