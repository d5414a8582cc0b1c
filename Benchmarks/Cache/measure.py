#!/usr/bin/env python3
"""A chain of GETs whose responses are all in the HTTP cache, beside the same chain sent to nginx on loopback.

    swift build -c release --static-swift-stdlib --product waybill --scratch-path .build-release
    python3 Benchmarks/Cache/measure.py [--chain 2000] [--rounds 5] [--program .build-release/release/waybill]

Needs nginx. A first run fills a cache in a temporary folder; then the two manifests, which differ only in `cache`, take turns.
Each run is timed by its own clock (run.json), and fails the measurement unless every step is a hit, or none is.
"""
import argparse, datetime, json, os, pathlib, statistics, subprocess, sys, tempfile

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "Benchmarks"))

from servers import nginx

parser = argparse.ArgumentParser()
parser.add_argument("--chain", type=int, default=2000)
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--program", default=str(root / ".build-release/release/waybill"))
arguments = parser.parse_args()
program = os.path.abspath(arguments.program)


def run(mode, expected, folder):
    """Runs the chain with a mode of the cache, checks what each step has as `cache`, and gives the microseconds of a step."""
    environment = os.environ | {"XDG_CACHE_HOME": folder + "/cache"}
    command = [program, "run", f"{mode}.yaml", "--out", mode, "--quiet"]
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    result = json.loads(pathlib.Path(folder, mode, "run.json").read_text())
    uses = [step.get("cache") for step in result["steps"] if step.get("url")]
    if uses != [expected] * arguments.chain:
        sys.exit(f"'cache: {mode}': expected {expected} {arguments.chain} times, found {set(uses)} in {len(uses)} steps")
    start, end = (datetime.datetime.fromisoformat(result[name].rstrip("Z")) for name in ("startedAt", "finishedAt"))
    return 1e6 * (end - start).total_seconds() / arguments.chain


with tempfile.TemporaryDirectory() as folder, nginx(folder, "add_header Cache-Control max-age=86400;") as base:
    steps = "".join(f"      - {{id: s{n}, get: /item/{n}}}\n" for n in range(arguments.chain))
    for mode in ("default", "no-store"):
        pathlib.Path(folder, f"{mode}.yaml").write_text(
            f'waybill: 1\ndefaults: {{cache: {mode}}}\nservices:\n  s: {{baseURL: "{base}"}}\n'
            f"graphs:\n  main:\n    chain:\n{steps}")
    run("default", "miss", folder)
    pairs = [(run("no-store", None, folder), run("default", "hit", folder)) for _ in range(arguments.rounds)]
    sent, hits = (statistics.median(times) for times in zip(*pairs))
    ratios = [hit / request for request, hit in pairs]
    print(f"a request to nginx {sent:.0f} us, a hit {hits:.0f} us; ratio median {statistics.median(ratios):.2f}, "
          f"{min(ratios):.2f} to {max(ratios):.2f}")
