#!/usr/bin/env python3
"""What traces cost: a forEach of GETs at 32 at once, without traces, with `trace`, and with their export; nginx on loopback
responds and is the collector.

    swift build -c release --static-swift-stdlib --product waybill --scratch-path .build-release
    python3 Benchmarks/Run/traces.py [--requests 20000] [--rounds 7] [--program .build-release/release/waybill] [--before PROGRAM]

Needs nginx. The commands take turns; each figure is the median of the rounds. The ratio is to the first command in the same
round; on a busy machine, the processor's time says more. --before names a program of an earlier version, to compare runs
without traces.
"""
import argparse, os, pathlib, re, statistics, subprocess, sys, tempfile, time

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "Benchmarks"))

from servers import nginx

parser = argparse.ArgumentParser()
parser.add_argument("--requests", type=int, default=20000)
parser.add_argument("--rounds", type=int, default=7)
parser.add_argument("--program", default=str(root / ".build-release/release/waybill"))
parser.add_argument("--before")
arguments = parser.parse_args()

with tempfile.TemporaryDirectory() as folder, nginx(folder) as base:
    for name, setting in (("plain", ""), ("traced", "defaults: {trace: true}\n")):
        pathlib.Path(folder, name + ".yaml").write_text(
            f'waybill: 1\n{setting}services:\n  s: {{baseURL: "{base}", maxConnections: 32}}\n'
            f'graphs:\n  main:\n    chain:\n      - id: each\n'
            f'        forEach: {{in: "range(0, {arguments.requests})", as: n, concurrency: 32}}\n        get: /item/${{n}}\n')
    collector = {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": base + "/item"}
    file = {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"file://{folder}/traces.jsonl"}
    variants = [
        ("without traces", arguments.program, "plain", {}),
        ("trace: true", arguments.program, "traced", {}),
        ("export without trace", arguments.program, "plain", collector),
        ("trace: true, export to a collector", arguments.program, "traced", collector),
        ("trace: true, export to a file", arguments.program, "traced", file),
    ]
    if arguments.before:
        variants.insert(1, ("without traces, before", arguments.before, "plain", {}))
    times = {name: [] for name, *_ in variants}
    ratios = {name: [] for name, *_ in variants}
    processor = {name: [] for name, *_ in variants}
    memory, dropped = {}, {}
    for turn in range(arguments.rounds + 1):
        for name, program, manifest, variables in variants:
            pathlib.Path(folder, "traces.jsonl").unlink(missing_ok=True)
            start = time.perf_counter()
            process = subprocess.Popen(
                [program, "run", manifest + ".yaml", "--out", "out", "--quiet"],
                cwd=folder, env=os.environ | variables, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            errors = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - start
            assert status == 0, errors
            if turn:
                times[name].append(seconds)
                ratios[name].append(seconds / times[variants[0][0]][-1])
                processor[name].append(usage.ru_utime + usage.ru_stime)
                memory[name] = max(memory.get(name, 0), usage.ru_maxrss // 1024)
                lost = re.search(r"(\d+) spans were dropped", errors)
                dropped[name] = max(dropped.get(name, 0), int(lost[1]) if lost else 0)
                assert lost or "trace-export" not in errors, errors
    for name in times:
        middle = statistics.median(times[name])
        print(f"{name:36} {middle:6.3f} s  {arguments.requests / middle:7.0f}/s  x{statistics.median(ratios[name]):.2f}  "
              f"{statistics.median(processor[name]):6.3f} s of processor  "
              f"{memory[name]:4} MB  {dropped[name]} dropped")
