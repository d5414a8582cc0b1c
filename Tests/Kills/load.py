#!/usr/bin/env python3
"""Kills runs while their records are loaded into a database, and resumes them.

    python3 Tests/Kills/load.py [--kills 30] [--program .build/debug/waybill] [--seed 1]

After each kill a copy of the database must be sound (PRAGMA integrity_check) and have all rows of the table or none; the third
time, the run is resumed to its end, and the table has all rows. Exit status 0 when all of that held.
"""
import argparse
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS = 100_000
MANIFEST = """
waybill: 1
services: {s: {baseURL: "http://127.0.0.1:9"}}
graphs:
  main:
    chain:
      - forEach: {in: "range(0, 100)", as: n, concurrency: 4}
        get: /a
        mock: {body: 1}
        write:
          to: shop.sqlite
          table: t
          key: [id]
          records: "range(0, 1000)"
          columns: [{id: n * 1000 + item}, {text: "concat('long enough to fill pages ', string(item))"}]
"""


def rows(folder):
    """The number of rows, looked at in a copy: reading rolls back what was not finished, and resume has to cope with that."""
    with tempfile.TemporaryDirectory() as copy:
        for name in os.listdir(folder):
            if name.startswith("shop.sqlite"):
                shutil.copy(os.path.join(folder, name), copy)
        database = sqlite3.connect(os.path.join(copy, "shop.sqlite"))
        try:
            if database.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
                sys.exit("the database is damaged; the folder is " + folder)
            if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 't'").fetchall():
                return 0
            return database.execute("SELECT count(DISTINCT id) FROM t").fetchone()[0]
        finally:
            database.close()


parser = argparse.ArgumentParser()
parser.add_argument("--kills", type=int, default=30)
parser.add_argument("--program", default=os.path.join(HERE, "../../.build/debug/waybill"))
parser.add_argument("--seed", type=int, default=1)
arguments = parser.parse_args()
random.seed(arguments.seed)
program = os.path.abspath(arguments.program)
work = tempfile.mkdtemp(prefix="waybill-loads-")
with open(os.path.join(work, "manifest.yaml"), "w") as file:
    file.write(MANIFEST)
out = os.path.join(work, "out")
kills = during = 0
while kills < arguments.kills:
    shutil.rmtree(out, ignore_errors=True)
    command = ["run", os.path.join(work, "manifest.yaml"), "--mock", "--out", out, "--quiet"]
    for attempt in range(3):
        process = subprocess.Popen([program, *command], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        # SQLite's journal is there while the transaction is.
        while process.poll() is None and not os.path.exists(out + "/shop.sqlite-journal") and time.monotonic() < deadline:
            time.sleep(0.002)
        if attempt < 2 and process.poll() is None:
            time.sleep(random.random() * 0.5)
            process.kill()
            kills += 1
        process.wait()
        found = rows(out)
        if found not in (0, ROWS):
            sys.exit("the table has %d rows; the folder is %s" % (found, work))
        if process.returncode == 0:
            break
        during += found == 0
        command = ["resume", out, "--quiet"]
    if process.returncode != 0 or rows(out) != ROWS or os.path.exists(out + "/shop.sqlite.t.part"):
        sys.exit("the run was not finished; the folder is " + work)
shutil.rmtree(work)
print("%d kills, %d of them before the rows were there; the database was always sound, with all rows or none" % (kills, during))
