#!/usr/bin/env python3
"""GETs through the transport, beside the same with libcurl's multi interface in C; nginx on loopback answers.

    swift build -c release --product TransportBenchmark
    python3 Benchmarks/Transport/measure.py [ROUNDS [PROGRAM]]

Needs nginx, a C compiler and libcurl. The programs take turns, so that a ratio holds when the machine's speed drifts;
the median and the best of each are printed, and their ratios to C's. `engine` runs the tasks that send on the
transport's own thread (`Transport.taskExecutor`), `pool` on Swift's.
"""
import pathlib, re, statistics, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))

from servers import nginx

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 7
PROGRAM = sys.argv[2] if len(sys.argv) > 2 else str(ROOT / ".build/release/TransportBenchmark")
WORK = {"50,000 GETs, 32 at once": ["50000", "32"], "20,000 GETs in sequence": ["20000", "1"]}


def rate(command):
    """The requests per second that a program prints."""
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {result.returncode}: {result.stdout}{result.stderr}")
    return int(re.search(r"(\d+) requests/s", result.stdout)[1])


with tempfile.TemporaryDirectory() as folder, nginx(folder) as url:
    baseline = f"{folder}/curl_multi_baseline"
    source = str(ROOT / "Tests/Baselines/curl_multi_baseline.c")
    subprocess.run(["cc", "-O2", "-o", baseline, source, "-lcurl"], check=True)
    for name, arguments in WORK.items():
        commands = {
            "C": [baseline, url, *arguments],
            "waybill, engine": [PROGRAM, url, *arguments, "engine"],
            "waybill, pool": [PROGRAM, url, *arguments, "pool"],
        }
        rates = {program: [] for program in commands}
        for turn in range(ROUNDS + 1):
            for program, command in commands.items():
                found = rate(command)
                # The first turn warms up.
                if turn > 0:
                    rates[program].append(found)
        print(f"{name}, {ROUNDS} rounds; ratios to C in brackets")
        for program, found in rates.items():
            median, best = statistics.median(found), max(found)
            print(
                f"  {program:16} median {median:7.0f} requests/s ({median / statistics.median(rates['C']):.2f})"
                f"  best {best:7.0f} ({best / max(rates['C']):.2f})"
            )
