#!/usr/bin/env python3
"""Compares reading and writing JSON with Python's json module and with jq: whole processes, the best of several rounds.

Usage, from anywhere: python3 Benchmarks/JSON/measure.py
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from records import least, measure, write_records

SOURCES = HERE.parent.parent / "Sources"
ROUNDS = 5
SIZE = 50_000_000


with tempfile.TemporaryDirectory() as folder:
    data, program = f"{folder}/records.json", f"{folder}/json-benchmark"
    write_records(data, SIZE)
    header = SOURCES / "CPlatform/include/CPlatform.h"
    pathlib.Path(folder, "module.modulemap").write_text(f'module CPlatform {{ header "{header}" export * }}')
    # The sources import this module, and the compiler ignores that in the module itself.
    settings = ["-O", "-wmo", "-swift-version", "6", "-package-name", "waybill", "-module-name", "WaybillPlatform"]
    settings += ["-suppress-warnings", "-I", folder]
    features = ["ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault"]
    settings += [word for feature in features for word in ("-enable-upcoming-feature", feature)]
    patterns = ["WaybillPlatform/*.swift", "WaybillJSON/*.swift", "WaybillJSON/Text/*.swift"]
    sources = [str(path) for pattern in patterns for path in sorted(SOURCES.glob(pattern))]
    subprocess.run(["swiftc", *settings, *sources, str(HERE / "main.swift"), "-o", program], check=True)
    commands = {
        "waybill, read": [program, "read", data],
        "waybill, read and write": [program, "rewrite", data],
        "Python, read": [sys.executable, "-c", f"import json; json.loads(open({data!r}, 'rb').read())"],
    }
    if jq := shutil.which("jq"):
        commands["jq, read and write"] = [jq, ".", data]
    subprocess.run([program, "layout", data], check=True)
    base_wall, base_cpu = None, None
    for name, times in measure(commands, ROUNDS).items():
        wall, cpu = least(times)
        base_wall, base_cpu = base_wall or wall, base_cpu or cpu
        print(f"{name:24} {wall:6.3f} s wall ({wall / base_wall:4.2f})  {cpu:6.3f} s CPU ({cpu / base_cpu:4.2f})")
