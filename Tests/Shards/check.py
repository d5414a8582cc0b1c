#!/usr/bin/env python3
"""Runs the examples for job engines against a server on loopback, kills a shard of each in the middle with SIGKILL, and
compares the merged files with those of one undivided run. Nothing leaves the machine.

    python3 Tests/Shards/check.py WAYBILL [--short] [slurm] [kubernetes] [github] [parallel]

slurm: 100,000 elements in 8 shards on a cluster of two nodes. kubernetes and github: the files by their schemas, and the
commands in them. parallel: two hosts, which are network namespaces with an sshd. Without a name, all of them. --short is for CI:
only the commands, with fewer elements, in less than 30 seconds; it needs nginx and PyYAML, the others need root and the packages
that they name."""
import argparse
import importlib
import os
import pathlib
import sys
import tempfile

ENGINES = ["kubernetes", "github", "parallel", "slurm"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("waybill", type=lambda path: pathlib.Path(path).resolve(strict=True))
    parser.add_argument("engines", nargs="*", choices=[*ENGINES, []], metavar="ENGINE")
    parser.add_argument("--short", action="store_true")
    given = parser.parse_args()
    for name in given.engines or (["kubernetes", "github"] if given.short else ENGINES):
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
