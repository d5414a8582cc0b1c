#!/usr/bin/env python3
"""A run of one request as a whole process, beside `curl` doing the same; nginx on loopback answers.

    swift build -c release --static-swift-stdlib --product waybill --scratch-path .build-release
    python3 Benchmarks/Run/one.py [--rounds 200] [--program .build-release/release/waybill] [--results FOLDER]

Needs nginx and curl. The two take turns, so that both have the same of what else the machine does. The run has a folder of
its own each time, under waybill-results of FOLDER (a temporary one), with its journal and results on the disk.
"""
import argparse, os, pathlib, statistics, sys, tempfile, time

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "Benchmarks"))

from servers import nginx

parser = argparse.ArgumentParser()
parser.add_argument("--rounds", type=int, default=200)
parser.add_argument("--program", default=str(root / ".build-release/release/waybill"))
parser.add_argument("--results")
arguments = parser.parse_args()


def timed(command):
    start = time.perf_counter()
    process = os.posix_spawnp(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    _, status = os.waitpid(process, 0)
    elapsed = time.perf_counter() - start
    if status:
        sys.exit(f"{command} failed")
    return 1000 * elapsed


program = os.path.abspath(arguments.program)
with tempfile.TemporaryDirectory(dir=arguments.results) as folder, nginx(folder) as base:
    pathlib.Path(folder, "one.yaml").write_text(
        f"waybill: 1\nservices:\n  s: {{baseURL: \"{base}\"}}\ngraphs:\n  main:\n    chain:\n      - {{id: a, get: /item/1}}\n")
    os.chdir(folder)
    commands = [["curl", "-s", "-o", "/dev/null", base + "/item/1"], [program, "run", "one.yaml", "--quiet"]]
    times = [[], []]
    for turn in range(arguments.rounds + 10):
        for command, list in zip(commands, times):
            elapsed = timed(command)
            if turn >= 10:
                list.append(elapsed)
    for name, measure in [("least", min), ("median", statistics.median)]:
        theirs, ours = (measure(list) for list in times)
        print(f"{name}: curl {theirs:.2f} ms, waybill {ours:.2f} ms, ratio {ours / theirs:.2f}")
    ratios = statistics.quantiles([ours / theirs for theirs, ours in zip(*times)], n=4)
    print("ratio of neighbours: quartiles " + ", ".join(f"{ratio:.2f}" for ratio in ratios))
