#!/usr/bin/env python3
"""A forEach whose records go to a file: its memory at 10,000 elements and at 1,000,000; nginx on loopback answers.

    swift build -c release --static-swift-stdlib --product waybill --scratch-path .build-release
    python3 Benchmarks/Write/measure.py [ELEMENTS] [--program .build-release/release/waybill]

Needs nginx. Prints the greatest resident memory of each process and its requests/s; ends with 1 when the larger run needs
20 % more than the smaller one, or more than 150 MB, or when its file is not whole and in order.
"""
import argparse, os, pathlib, subprocess, sys, tempfile, time

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "Benchmarks"))

from servers import nginx

parser = argparse.ArgumentParser()
parser.add_argument("elements", type=int, nargs="?", default=1_000_000)
parser.add_argument("--program", default=str(root / ".build-release/release/waybill"))
arguments = parser.parse_args()
waybill = os.path.abspath(arguments.program)
counts = [10_000, arguments.elements]


def check(path, count):
    """Whether each line is the record of its element."""
    with open(path) as file:
        number = -1
        for number, line in enumerate(file):
            if line != f'{{"n":{number},"name":"demo"}}\n':
                return False
    return number + 1 == count


memory = []
is_whole = True
with tempfile.TemporaryDirectory() as folder, nginx(folder) as base:
    for count in counts:
        manifest = pathlib.Path(folder, f"{count}.yaml")
        manifest.write_text(f"""
waybill: 1
services: {{s: {{baseURL: "{base}", maxConnections: 32}}}}
graphs:
  main:
    chain:
      - forEach: {{in: "range(0, {count})", as: n, concurrency: 32}}
        get: /${{n}}
        write: {{to: items.ndjson, columns: [{{n: n}}, name]}}
""")
        command = [waybill, "run", manifest, "--out", f"{folder}/{count}", "--quiet"]
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        if status:
            sys.exit("waybill failed")
        # Linux gives KiB.
        memory.append(usage.ru_maxrss / 1024)
        is_whole = is_whole and check(f"{folder}/{count}/items.ndjson", count)
        print(f"{count} elements: {memory[-1]:.1f} MiB, {count / seconds:.0f} requests/s, "
              f"{usage.ru_utime + usage.ru_stime:.1f} s of CPU")

if not is_whole:
    sys.exit("the file is not whole and in order")
if memory[1] > 1.2 * memory[0] or memory[1] > 150:
    sys.exit("the memory grows")
