#!/usr/bin/env python3
"""`waybill validate` on a large manifest, against scanning its YAML events in C: whole processes, in turn.

    swift build -c release --static-swift-stdlib --product waybill --scratch-path .build-release
    python3 Benchmarks/Validate/measure.py [PROGRAM [ROUNDS]]

PROGRAM is the release build in .build by default. Needs a C compiler and libyaml. Prints the least and the median time
of each command with its ratio to the scan's, and the greatest memory. On a busy machine the CPU time is the better one.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from manifest import MISTAKES, manifest
from records import least, median

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else str(HERE.parent.parent / ".build-release/release/waybill")
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 9


def run(command, status):
    """One run of a command: its wall time and its CPU time in seconds, and the most memory that it had in MB."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, found, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(found) != status:
        sys.exit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(found)}, not {status}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


with tempfile.TemporaryDirectory() as folder:
    texts = {"one": manifest(), "several": manifest(graphs=20), "small": manifest(endpoints=1, steps=1)}
    texts |= {mistake: manifest(mistake=mistake) for mistake in MISTAKES}
    for name, text in texts.items():
        pathlib.Path(folder, f"{name}.yaml").write_text(text)
    scan = f"{folder}/scan"
    subprocess.run(["cc", "-O2", "-o", scan, str(HERE / "scan.c"), "-lyaml"], check=True)

    commands = {
        "C, scan of the events": ([scan, f"{folder}/one.yaml"], 0),
        "waybill, one graph": ([PROGRAM, "validate", f"{folder}/one.yaml"], 0),
        "waybill, twenty graphs": ([PROGRAM, "validate", f"{folder}/several.yaml"], 0),
        "waybill, a wrong name at the end": ([PROGRAM, "validate", f"{folder}/name.yaml"], 2),
        "waybill, a wrong key at the end": ([PROGRAM, "validate", f"{folder}/shape.yaml"], 2),
        "waybill, one endpoint": ([PROGRAM, "validate", f"{folder}/small.yaml"], 0),
    }
    runs = {name: [] for name in commands}
    for turn in range(ROUNDS + 1):
        for name, (command, status) in commands.items():
            figures = run(command, status)
            if turn > 0:
                runs[name].append(figures)

    print(f"{len(texts['one']) / 1e6:.1f} MB; ratios to the scan in brackets")
    (base_wall, base_cpu, _), (base_middle, _) = least(runs["C, scan of the events"]), median(
        [figures[:2] for figures in runs["C, scan of the events"]]
    )
    for name, figures in runs.items():
        wall, cpu, _ = least(figures)
        middle, _ = median([each[:2] for each in figures])
        print(
            f"{name:32} least {wall * 1000:6.1f} ms ({wall / base_wall:5.2f})"
            f"  median {middle * 1000:6.1f} ms ({middle / base_middle:5.2f})"
            f"  CPU {cpu * 1000:6.1f} ms ({cpu / base_cpu:5.2f})  {max(each[2] for each in figures):4.0f} MB"
        )
