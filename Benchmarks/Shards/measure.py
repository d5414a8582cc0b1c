#!/usr/bin/env python3
"""The rate of requests of one process, and of 2 and 8 shards at once; and the time and memory that merging them takes.

    python3 Benchmarks/Shards/measure.py WAYBILL [ELEMENTS [ROUNDS]]

Needs nginx. The numbers of shards take turns, so that a ratio holds when the machine's speed drifts; the medians are printed, with
the CPU time of Waybill and of nginx for each request, which shows what limits the rate."""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from servers import nginx

waybill = pathlib.Path(sys.argv[1]).resolve(strict=True)
elements = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3

MANIFEST = """
waybill: 1
services: {{shop: {{baseURL: "{base}"}}}}
data: {{ids: {{file: ids.json}}}}
graphs:
  main:
    chain:
      - id: orders
        forEach: {{in: data.ids, as: id, concurrency: 32, shard: true}}
        get: /orders/${{id}}
        write: {{to: orders.ndjson, aggregate: {{total: {{sum: item.id}}}}}}
"""


def measured(commands, folder):
    """Runs commands at once, and gives the seconds until all have ended, their CPU time, and the memory of the largest."""
    start = time.monotonic()
    processes = [subprocess.Popen([waybill, *command], cwd=folder, stdout=subprocess.DEVNULL) for command in commands]
    cpu = memory = 0
    for process in processes:
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"{commands} failed")
        cpu += usage.ru_utime + usage.ru_stime
        memory = max(memory, usage.ru_maxrss / 1024)
    return time.monotonic() - start, cpu, memory


def cpu_of_server(folder):
    """The CPU time that nginx and its worker have used."""
    master = pathlib.Path(folder, "nginx.pid").read_text().strip()
    total = 0
    for number in [master, *pathlib.Path(f"/proc/{master}/task/{master}/children").read_text().split()]:
        fields = pathlib.Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


with tempfile.TemporaryDirectory() as folder, nginx(folder) as base:
    pathlib.Path(folder, "pull.yaml").write_text(MANIFEST.format(base=base))
    pathlib.Path(folder, "ids.json").write_text(str(list(range(elements))))
    counts, runs, merges = [1, 2, 8], {}, {}
    for _ in range(rounds):
        for count in counts:
            results = pathlib.Path(folder, f"results-{count}")
            shutil.rmtree(results, ignore_errors=True)
            commands = [["run", "pull.yaml", "--quiet", "--out", f"{results}/one"]] if count == 1 else [
                ["run", "pull.yaml", "--quiet", "--shard", f"{shard}/{count}", "--out", f"{results}/{shard}"]
                for shard in range(1, count + 1)
            ]
            before = cpu_of_server(folder)
            wall, cpu, memory = measured(commands, folder)
            runs.setdefault(count, []).append((wall, cpu, memory, cpu_of_server(folder) - before))
            if count > 1:
                shards = [f"{results}/{shard}" for shard in range(1, count + 1)]
                merges.setdefault(count, []).append(measured([["merge", *shards, "--quiet", "--out", f"{results}/all"]], folder))
                merged = pathlib.Path(results, "all/orders.ndjson").read_bytes()
                assert merged == pathlib.Path(folder, "results-1/one/orders.ndjson").read_bytes()

    def medians(rows):
        return map(statistics.median, zip(*rows))

    for count in counts:
        wall, cpu, memory, server = medians(runs[count])
        ratio = statistics.median(one[0] / many[0] for one, many in zip(runs[1], runs[count]))
        print(f"{count} at once: {elements / wall:.0f} requests/s, {ratio:.2f} times one process; CPU per request: "
              f"Waybill {cpu / elements * 1e6:.0f} µs, nginx {server / elements * 1e6:.0f} µs; {memory:.0f} MB each; "
              f"{(cpu + server) / wall:.2f} cores in use")
    for count, rows in merges.items():
        wall, cpu, memory = medians(rows)
        print(f"merge of {count}: {wall:.2f} s, CPU {cpu:.2f} s, {memory:.0f} MB")
