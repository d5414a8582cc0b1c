#!/usr/bin/env python3
"""Prints the LLVM instructions and the processor time of each target, from the compiler's statistics of a release build:

    mkdir -p .build-stats/statistics
    swift build -c release --static-swift-stdlib --product waybill --scratch-path .build-stats \
        -Xswiftc -stats-output-dir -Xswiftc "$PWD/.build-stats/statistics"
    python3 Benchmarks/Build/instructions.py .build-stats/statistics
"""
import collections, json, pathlib, re, sys

instructions, seconds = collections.Counter(), collections.Counter()
for path in pathlib.Path(sys.argv[1]).glob("stats-*-swift-frontend-*.json"):
    target = re.match(r"stats-\d+-swift-frontend-(\w+)", path.name)[1]
    for name, value in json.loads(path.read_text()).items():
        if name == "IRModule.NumIRInsts":
            instructions[target] += value
        elif re.fullmatch(r"time\.swift-frontend\..*\.(user|sys)", name):
            seconds[target] += value
for target, count in instructions.most_common():
    print(f"{target:28} {count:10,} {seconds[target]:8.1f} s")
print(f"{'all':28} {instructions.total():10,} {seconds.total():8.1f} s")
