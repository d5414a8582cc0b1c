#!/usr/bin/env python3
"""A forEach of GETs at 32 at once and a chain of GETs with captures, whole processes with journal and results, beside
libcurl's multi interface in C (Tests/Baselines/curl_multi_baseline.c); nginx on loopback answers.

    swift build -c release --static-swift-stdlib --product waybill --scratch-path .build-release
    python3 Benchmarks/Run/scale.py [--requests 50000] [--chain 5000] [--rounds 5] [--program .build-release/release/waybill]

Needs nginx, gcc and libcurl's headers. The commands take turns; the ratios are of each round, their median and best. Those
by their own clocks are without the beginning and the end of the processes: what the C program prints, and run.json's times.
"""
import argparse, datetime, json, pathlib, re, statistics, subprocess, sys, tempfile, time

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "Benchmarks"))

from servers import nginx

parser = argparse.ArgumentParser()
parser.add_argument("--requests", type=int, default=50000)
parser.add_argument("--chain", type=int, default=5000)
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--program", default=str(root / ".build-release/release/waybill"))
arguments = parser.parse_args()


def timed(command, folder):
    start = time.perf_counter()
    output = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    return time.perf_counter() - start, output


def own_seconds(folder):
    """How long a run took by its own clock."""
    result = json.loads(pathlib.Path(folder, "run.json").read_text())
    start, end = (datetime.datetime.fromisoformat(result[name].rstrip("Z")) for name in ("startedAt", "finishedAt"))
    return (end - start).total_seconds()


with tempfile.TemporaryDirectory() as folder, nginx(folder) as base:
    baseline = folder + "/baseline"
    subprocess.run(["gcc", "-O2", "-o", baseline, root / "Tests/Baselines/curl_multi_baseline.c", "-lcurl"], check=True)
    head = f'waybill: 1\nservices:\n  s: {{baseURL: "{base}", maxConnections: 32}}\n'
    pathlib.Path(folder, "each.yaml").write_text(
        head + f'graphs:\n  main:\n    chain:\n      - id: each\n'
        f'        forEach: {{in: "range(0, {arguments.requests})", as: n, concurrency: 32}}\n        get: /item/${{n}}\n')
    steps = "".join(
        f'      - {{id: s{n}, get: "/item/{n}' + (f'/${{steps.s{n - 1}.outputs.value}}' if n else '') + '", outputs: {value: response.status}}\n'
        for n in range(arguments.chain))
    pathlib.Path(folder, "chain.yaml").write_text(head + "graphs:\n  main:\n    chain:\n" + steps)

    waybill = arguments.program
    pairs = [
        ("forEach", arguments.requests, [baseline, base + "/item", str(arguments.requests), "32"],
         [waybill, "run", "each.yaml", "--out", "forEach", "--quiet"]),
        ("chain", arguments.chain, [baseline, base + "/item", str(arguments.chain), "1"],
         [waybill, "run", "chain.yaml", "--out", "chain", "--quiet"]),
    ]
    for name, count, theirs, ours in pairs:
        ratios, own_ratios, best = [], [], [1e9, 1e9]
        for turn in range(arguments.rounds + 1):
            (their, text), (our, _) = timed(theirs, folder), timed(ours, folder)
            if turn:
                ratios.append(their / our)
                own_ratios.append(count / own_seconds(f"{folder}/{name}") / int(re.search(r"(\d+) requests/s", text)[1]))
                best = [min(best[0], their), min(best[1], our)]
        print(f"{name}: C {count / best[0]:.0f}/s, waybill {count / best[1]:.0f}/s; ratio median "
              f"{statistics.median(ratios):.2f}, best {max(ratios):.2f}, of the least times {best[0] / best[1]:.2f}; "
              f"by their own clocks median {statistics.median(own_ratios):.2f}")
