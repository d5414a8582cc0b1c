#!/usr/bin/env python3
"""A chain and a batch of GETs, whole processes, beside curl with the same list; nginx on loopback answers.

    swift build -c release --static-swift-stdlib --product waybill --scratch-path .build-release
    python3 Benchmarks/Run/measure.py [REQUESTS [RUNS]]

Needs nginx and curl. The commands take turns, so that a ratio holds when the machine's speed drifts; the median of each
is printed, and its ratio to curl's.
"""
import pathlib, statistics, subprocess, sys, tempfile, time

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "Benchmarks"))

from servers import nginx

waybill = root / ".build-release/release/waybill"
requests = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 9


with tempfile.TemporaryDirectory() as folder, nginx(folder) as base:
    for order in ["chain", "batch"]:
        steps = "".join(f"      - get: /item/{number}\n" for number in range(requests))
        head = f'waybill: 1\nservices:\n  s: {{baseURL: "{base}"}}\ngraphs:\n  main:\n    {order}:\n'
        pathlib.Path(folder, f"{order}.yaml").write_text(head + steps)
    pathlib.Path(folder, "list").write_text(
        "".join(f'url = "{base}/item/{number}"\noutput = /dev/null\n' for number in range(requests)))
    pathlib.Path(folder, "one.yaml").write_text(f'waybill: 1\ngraphs: {{main: {{chain: [{{get: "{base}/"}}]}}}}\n')

    commands = {
        "curl -K list": ["curl", "-s", "-K", "list"],
        "curl -Z --parallel-max 8 -K list": ["curl", "-s", "-Z", "--parallel-max", "8", "-K", "list"],
        "waybill, chain": [waybill, "run", "chain.yaml", "--out", "chain"],
        "waybill, batch": [waybill, "run", "batch.yaml", "--out", "batch"],
        "curl, one request": ["curl", "-s", "-o", "/dev/null", base],
        "waybill, one request": [waybill, "run", "one.yaml", "--out", "one"],
    }
    seconds = {name: [] for name in commands}
    for turn in range(runs + 1):
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if turn > 0:
                seconds[name].append(time.perf_counter() - start)

    medians = {name: statistics.median(times) for name, times in seconds.items()}
    pairs = {
        "waybill, chain": "curl -K list",
        "waybill, batch": "curl -Z --parallel-max 8 -K list",
        "waybill, one request": "curl, one request",
    }
    for name, median in medians.items():
        count = 1 if "one" in name else requests
        against = f", {median / medians[pairs[name]]:.2f} times {pairs[name]}" if name in pairs else ""
        print(f"{name}: {median * 1000:.1f} ms, {count / median:.0f} requests/s{against}")
