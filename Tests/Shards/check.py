#!/usr/bin/env python3
"""Runs the examples for job engines against a server on loopback, kills a shard of each in the middle with SIGKILL, and
compares the merged files with those of one undivided run. Nothing leaves the machine.

    python3 Tests/Shards/check.py WAYBILL [--short] [slurm] [kubernetes] [github] [parallel]

slurm: 100,000 elements in 8 shards on a cluster of two nodes. kubernetes and github: the files by their schemas, and the
commands in them. parallel: two hosts, which are network namespaces with an sshd. Without a name, all of them. --short is for CI:
only the commands, with fewer elements, in less than 30 seconds; it needs nginx and PyYAML. The other checks name what they need:

    apt-get install nginx slurmctld slurmd slurm-client munge parallel openssh-server rsync
    pip install PyYAML kubernetes-validate 'moto[server]'"""
import argparse
import importlib
import os
import pathlib
import sys
import tempfile

SHORT = ["kubernetes", "github"]
ENGINES = [*SHORT, "parallel", "slurm"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("waybill", type=lambda path: pathlib.Path(path).resolve(strict=True))
    parser.add_argument("engines", nargs="*", metavar="ENGINE")
    parser.add_argument("--short", action="store_true")
    given = parser.parse_intermixed_args()
    if unknown := set(given.engines) - set(ENGINES):
        parser.error(f"there is no engine {', '.join(sorted(unknown))}")
    if given.short and set(given.engines) - set(SHORT):
        parser.error(f"--short is for {' and '.join(SHORT)} only")
    for name in given.engines or (SHORT if given.short else ENGINES):
        engine = importlib.import_module(f"check_{name}")
        if lacking := engine.missing():
            sys.exit(f"{name} needs: {', '.join(lacking)}")
        with tempfile.TemporaryDirectory(prefix="waybill-shards-") as folder:
            os.chmod(folder, 0o755)  # nginx reads a file of it as another user
            folder = os.path.realpath(folder)
            result = engine.check(folder, given.waybill, short=True) if given.short else engine.check(folder, given.waybill)
            print(f"{name}: {result}", flush=True)


if __name__ == "__main__":
    main()
