#!/usr/bin/env python3
"""Counts the instructions of a request, with callgrind: they do not depend on what else the machine does.

    scripts/install.sh /tmp/waybill
    python3 Benchmarks/Run/instructions.py /tmp/waybill/bin/waybill [--short] [--limit WORK=INSTRUCTIONS]…

Prints for each kind of work the instructions of one piece of it, as the difference between runs of 2,000 and 1,000 of them, and
how many of these are spent in libcurl and below; for a run of one request and for `validate`, the whole process, and the same
of curl. Fails if a figure exceeds its limit. --short leaves out the chain and `validate`. Needs valgrind, nginx and curl.
"""
import argparse, pathlib, re, subprocess, sys, tempfile

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "Benchmarks"))

from servers import nginx

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--short", action="store_true")
parser.add_argument("--limit", action="append", default=[])
arguments = parser.parse_args()
limits = {work: int(limit) for work, limit in (text.split("=") for text in arguments.limit)}
program = str(pathlib.Path(arguments.program).resolve())
failed = False


def count(command, folder):
    """The instructions of a process, and those of its calls of libcurl, from outside and with what libcurl calls."""
    out = pathlib.Path(folder, "callgrind.out")
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *command],
        cwd=folder, capture_output=True, text=True,
    )
    if result.returncode:
        sys.exit(f"{command} failed:\n{result.stderr}\n{result.stdout}")
    total = int(re.search(r"Collected : (\d+)", result.stderr)[1])
    names, libcurl, caller, callee, is_call = {}, 0, "", "", False
    for line in out.open():
        if line.startswith(("ob=", "cob=")):
            number, _, name = line.partition("=")[2].strip().partition(" ")
            name = names.setdefault(number, name)
            if line[0] == "o":
                caller = name
            else:
                callee = name
        elif line.startswith(("fn=", "cfn=")):
            # The object of a called function is that of the caller unless it is named.
            if line[0] == "f":
                callee = caller
        elif line.startswith("calls="):
            is_call = True
        elif is_call:
            is_call = False
            if "libcurl" in callee and "libcurl" not in caller:
                libcurl += int(line.split()[1])
            callee = caller
    return total, libcurl


def report(work, total, detail=""):
    global failed
    limit = limits.get(work)
    print(f"{work}: {total:,}{detail}" + (f", limit {limit:,}" if limit else ""), flush=True)
    failed = failed or limit is not None and total > limit


def difference(work, manifest, folder):
    """Reports the instructions of one element or step of a manifest that has as many as asked for."""
    (less, less_curl), (more, more_curl) = (
        (pathlib.Path(folder, f"{work}.yaml").write_text(manifest(number)),
         count([program, "run", f"{work}.yaml", "--out", f"out-{work}", "--quiet"], folder))[1]
        for number in (1000, 2000)
    )
    report(work, (more - less) // 1000, f", {(more_curl - less_curl) // 1000:,} of them libcurl's")


with tempfile.TemporaryDirectory() as folder, nginx(folder) as base:
    head = f'waybill: 1\nservices:\n  s: {{baseURL: "{base}", maxConnections: 32}}\ngraphs:\n  main:\n    chain:\n'

    def each(number, more=""):
        return (head + f'      - id: each\n        forEach: {{in: "range(0, {number})", as: n, concurrency: 32}}\n'
                f'        get: /item/${{n}}\n' + more)

    def chain(number):
        return head + "".join(
            f'      - {{id: s{n}, get: "/item/{n}'
            + (f'/${{steps.s{n - 1}.outputs.value}}' if n else "") + '", outputs: {value: $.id}}\n'
            for n in range(number))

    difference("element", each, folder)
    difference("record", lambda number: each(number, "        write: {to: records.ndjson}\n"), folder)
    if not arguments.short:
        difference("chain", chain, folder)
    pathlib.Path(folder, "one.yaml").write_text(head + "      - {id: a, get: /item/1}\n")
    curl, _ = count(["curl", "-s", "-o", "/dev/null", base + "/item/1"], folder)
    report("one", count([program, "run", "one.yaml", "--out", "one", "--quiet"], folder)[0], f" (curl {curl:,})")
    if not arguments.short:
        subprocess.run([sys.executable, root / "Benchmarks/Validate/manifest.py", f"{folder}/large.yaml"], check=True)
        scan = folder + "/scan"
        subprocess.run(["gcc", "-O2", "-o", scan, root / "Benchmarks/Validate/scan.c", "-lyaml"], check=True)
        scanned, _ = count([scan, "large.yaml"], folder)
        report("validate", count([program, "validate", "large.yaml"], folder)[0], f" (the scan in C {scanned:,})")

sys.exit("more instructions than the limit" if failed else 0)
