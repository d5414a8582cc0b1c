#!/usr/bin/env python3
"""A forEach of GETs at 32 at once and a chain of GETs with captures, whole processes with journal and results, beside
libcurl's multi interface in C (Tests/Baselines/curl_multi_baseline.c); nginx on loopback answers.

    swift build -c release --static-swift-stdlib --product waybill --scratch-path .build-release
    python3 Benchmarks/Run/scale.py [--requests 50000] [--chain 5000] [--rounds 5] [--program .build-release/release/waybill]

Needs nginx, gcc and libcurl's headers. The commands take turns; the ratios are of each round, their median and best.
"""
import argparse, pathlib, statistics, subprocess, sys, tempfile, time

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
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


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
         [waybill, "run", "each.yaml", "--out", "each", "--quiet"]),
        ("chain", arguments.chain, [baseline, base + "/item", str(arguments.chain), "1"],
         [waybill, "run", "chain.yaml", "--out", "chain", "--quiet"]),
    ]
    for name, count, theirs, ours in pairs:
        ratios, best = [], [1e9, 1e9]
        for turn in range(arguments.rounds + 1):
            their, our = timed(theirs, folder), timed(ours, folder)
            if turn:
                ratios.append(their / our)
                best = [min(best[0], their), min(best[1], our)]
        print(f"{name}: C {count / best[0]:.0f}/s, waybill {count / best[1]:.0f}/s; ratio median "
              f"{statistics.median(ratios):.2f}, best {max(ratios):.2f}, of the least times {best[0] / best[1]:.2f}")
