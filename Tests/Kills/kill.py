#!/usr/bin/env python3
"""Kills runs at random moments, resumes them until they are done, and compares what they leave with an undisturbed run.

    python3 Tests/Kills/kill.py [--kills 200] [--program .build/debug/waybill] [--seed 1]

The server is in this file and listens on 127.0.0.1. For each kill a run is started, killed with SIGKILL after a random
part of the time that an undisturbed run takes, and resumed; every third resumed run is killed once more. Every second run is
resumed without --repeat-unsure as long as that is possible: until a POST was in flight at a kill, which is then allowed to be
sent again. The server rejects requests that lack the cookie, the key or the token of the run. At the end

- outputs.json and the files of `write` must be the same bytes as those of the undisturbed run, and the tables of the database
  must have the same rows,
- after each kill the database must be sound, with all rows of a table or none,
- a POST whose response the journal had recorded at a kill must not have been sent again.

Exit status 0 when all of that held.
"""
import argparse
import asyncio
import collections
import gzip
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PAGES = 40


class Server:
    """Answers in a millisecond or two, and remembers every POST."""

    def __init__(self):
        self.posts = collections.Counter()
        self.tokens = set()
        self.visit = 100000
        self.port = None
        ready = threading.Event()
        threading.Thread(target=self._main, args=(ready,), daemon=True).start()
        ready.wait()

    def _main(self, ready):
        async def main():
            server = await asyncio.start_server(self._connection, "127.0.0.1", 0)
            self.port = server.sockets[0].getsockname()[1]
            ready.set()
            await asyncio.Event().wait()

        asyncio.run(main())

    async def _connection(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
                method, target, _ = head[0].split(" ")
                fields = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
                body = await reader.readexactly(int(fields.get("content-length", 0)))
                answer = json.dumps(self._answer(method, target, fields, body)).encode()
                status, extra = b"200 OK", b""
                if target == "/enter":
                    extra = b"Set-Cookie: visit=%d; Path=/\r\n" % self.visit
                elif target.startswith("/inside/") and fields.get("cookie") != "visit=%d" % self.visit:
                    status = b"401 Unauthorized"
                elif target == "/inside/key" and fields.get("x-key") != "key-of-visit-%d" % self.visit:
                    status = b"403 Forbidden"
                elif target == "/orders" and fields.get("authorization") not in self.tokens:
                    status = b"403 Forbidden"
                await asyncio.sleep(random.random() * 0.003)
                writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Type: application/json\r\n" + extra
                             + b"Content-Length: %d\r\n\r\n" % len(answer) + answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def _answer(self, method, target, fields, body):
        if target == "/login":
            token = "token-" + str(random.random())
            self.tokens.add("bearer " + token)
            return {"token": token}
        if target == "/enter":
            self.visit += 1
            return {"key": "key-of-visit-%d" % self.visit}
        if method == "POST":
            self.posts[fields["idempotency-key"]] += 1
            return {"id": json.loads(body)["number"] * 3}
        if target.startswith("/pages"):
            page = int(target.partition("after=")[2] or 0)
            items = [{"page": page, "item": item, "text": "a,b \"c\""} for item in range(25)]
            return {"items": items, "next": str(page + 1) if page + 1 < PAGES else None}
        return {"path": target, "value": len(target)}


def recorded_posts(folder):
    """The paths of the POSTs whose answers the journal has: they must not be sent again."""
    paths = set()
    with open(os.path.join(folder, "events.ndjson"), "rb") as journal:
        for line in journal:
            if not line.endswith(b"\n"):
                break
            event = json.loads(line)
            if event["type"] == "step.finished" and event["result"].get("method") == "POST":
                if not event["step"].startswith("session.") and event["result"]["outcome"] == "passed":
                    paths.add(event["step"])
            if event["type"] == "element.finished" and event["step"] == "main.placed" and event["outcome"] == "passed":
                paths.add("%s[%d]" % (event["step"], event["element"]))
    return paths


def keys_by_path(folder):
    """The idempotency key of each POST's first request, by the path of its step."""
    keys = {}
    with open(os.path.join(folder, "events.ndjson"), "rb") as journal:
        for line in journal:
            if not line.endswith(b"\n"):
                break
            event = json.loads(line)
            if event["type"] == "request.willSend":
                for field in event["headers"]:
                    if field["name"] == "Idempotency-Key":
                        keys.setdefault(event["step"], field["value"])
    return keys


def files(folder):
    names = ["outputs.json", "things.ndjson", "placed.csv", "pages.csv", "pages.ndjson.gz"]
    contents = {name: open(os.path.join(folder, name), "rb").read() for name in names}
    gzip.decompress(contents["pages.ndjson.gz"])
    for table in ("things", "pages"):
        contents["table " + table] = rows(folder, "SELECT * FROM %s ORDER BY 1, 2" % table)
    contents["integrity"] = rows(folder, "PRAGMA integrity_check")
    return contents


def rows(folder, query):
    database = sqlite3.connect(os.path.join(folder, "shop.sqlite"))
    try:
        return database.execute(query).fetchall()
    finally:
        database.close()


def check_database(folder):
    """Whatever a killed run left is a sound database, and a table in it has all of its rows or is not there."""
    if not os.path.exists(os.path.join(folder, "shop.sqlite")):
        return None
    # On a copy: reading rolls back what was not finished, and resume has to cope with that itself.
    with tempfile.TemporaryDirectory() as copy:
        for name in os.listdir(folder):
            if name.startswith("shop.sqlite"):
                shutil.copy(os.path.join(folder, name), copy)
        if rows(copy, "PRAGMA integrity_check") != [("ok",)]:
            return "the database is damaged"
        for table, count in (("things", 200), ("pages", 25 * PAGES)):
            if rows(copy, "SELECT name FROM sqlite_master WHERE name = '%s'" % table):
                found = rows(copy, "SELECT count(*) FROM " + table)[0][0]
                if found != count:
                    return "table %s has %d rows instead of %d" % (table, found, count)
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--program", default=os.path.join(HERE, "../../.build/debug/waybill"))
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    program = os.path.abspath(arguments.program)
    server = Server()
    work = tempfile.mkdtemp(prefix="waybill-kills-")
    manifest = os.path.join(work, "manifest.yaml")
    with open(os.path.join(HERE, "manifest.yaml")) as source, open(manifest, "w") as target:
        target.write(source.read().replace("127.0.0.1:1\n", "127.0.0.1:%d\n" % server.port))

    def start(*command):
        return subprocess.Popen([program, *command, "--quiet"], cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    began = time.monotonic()
    process = start("run", manifest, "--out", "undisturbed")
    output = process.communicate()[0]
    length = time.monotonic() - began
    if process.returncode != 0:
        sys.exit("the undisturbed run failed:\n" + output.decode())
    wanted = files(os.path.join(work, "undisturbed"))
    print("an undisturbed run takes %.2f s" % length)

    is_careful = False
    kills = resumes = recorded_count = stops = 0
    failures = []
    while kills < arguments.kills:
        server.posts.clear()
        is_careful = not is_careful
        folder = os.path.join(work, "killed")
        shutil.rmtree(folder, ignore_errors=True)
        command = ("run", manifest, "--out", folder)
        recorded = {}
        while True:
            process = start(*command)
            isKilled = kills < arguments.kills and (command[0] == "run" or random.random() < 0.33)
            if isKilled:
                try:
                    process.wait(random.random() * length)
                except subprocess.TimeoutExpired:
                    process.kill()
                    kills += 1
            output = process.communicate()[0]
            fault = check_database(folder) if os.path.exists(folder) else None
            if fault:
                failures.append("%s after %d kills" % (fault, kills))
            if os.path.exists(os.path.join(folder, "events.ndjson")) and os.path.getsize(os.path.join(folder, "events.ndjson")):
                keys = keys_by_path(folder)
                for path in recorded_posts(folder):
                    recorded.setdefault(path, server.posts[keys[path]])
                command = ("resume", folder) + (() if is_careful else ("--repeat-unsure",))
            if process.returncode == 0:
                break
            if is_careful and process.returncode != -9 and b"--repeat-unsure sends it again" in output:
                # A POST was in flight, or passed elements of it are in no file.
                is_careful = False
                stops += 1
                command = ("resume", folder, "--repeat-unsure")
                continue
            if process.returncode != -9:
                failures.append("exit status %d: %s" % (process.returncode, output.decode()[-2000:]))
                break
            resumes += 1
        keys = keys_by_path(folder)
        recorded_count += len(recorded)
        for path, count in recorded.items():
            if server.posts[keys[path]] != count:
                failures.append("%s was sent again after its response was recorded" % path)
        if process.returncode == 0:
            found = files(folder)
            for name, content in wanted.items():
                if found[name] != content:
                    failures.append("%s differs after %d kills" % (name, kills))
        if failures:
            print("\n".join(failures[:10]))
            sys.exit("failed; the folder is " + work)
    shutil.rmtree(work)
    print("%d kills, %d resumed runs, %d stopped for --repeat-unsure, %d recorded POSTs never sent again, all files the same"
          % (kills, resumes, stops, recorded_count))


if __name__ == "__main__":
    main()
