#!/usr/bin/env python3
"""Lets several processes use one HTTP cache, kills some of them, and checks what is in the cache.

    python3 Tests/Tools/share-cache.py [--seconds 60] [--jobs 2] [--program .build/debug/waybill]

A server on 127.0.0.1 (in this file) responds to /N with a JSON list of N repeated, of a random length. The jobs run a
manifest that reads 24 of these URLs again and again with all modes of the cache and expects each list to contain only its
own number; every fifth process is killed with SIGKILL. Then no run that was not killed may have failed, and every file of
the cache must be an entry that `waybill cache list` accepts. Exit status 1 otherwise.
"""

import argparse
import http.server
import os
import random
import re
import signal
import subprocess
import tempfile
import threading
import time

MANIFEST = """
waybill: 1
defaults: {baseURL: "http://127.0.0.1:PORT", concurrency: 4, cookies: false}
graphs:
  main:
    chain:
      - forEach: {in: NUMBERS, as: n}
        batch:
          - {get: "/${n}", cache: default, expect: {body: ["$[0] == n"]}}
          - {get: "/${n}", cache: reload, expect: {body: ["$[0] == n"]}}
          - {get: "/${n}", cache: force-cache, expect: {body: ["$[0] == n"]}}
          - {get: "/${n}", cache: no-cache, expect: {body: ["$[0] == n"]}}
"""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        tag = '"%s"' % self.path
        if self.headers.get("If-None-Match") == tag and random.random() < 0.5:
            self.send_response(304)
            body = b""
        else:
            number = self.path.strip("/")
            body = ("[%s]" % ",".join([number] * random.randrange(1, 20000))).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", tag)
        self.send_header("Cache-Control", "max-age=%d" % random.randrange(3))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, address):
        # The process that had sent the request was killed.
        pass


def work(options, folder, job, end, counts):
    number = 0
    while time.time() < end:
        number += 1
        command = [options.program, "run", folder + "/manifest.yaml", "--out", "%s/run-%d" % (folder, job), "--no-color"]
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(os.environ, XDG_CACHE_HOME=folder + "/cache"),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if number % 5 == 0:
            time.sleep(random.uniform(0.02, 0.3))
            process.send_signal(signal.SIGKILL)
        output = process.communicate(timeout=120)[0].decode()
        if process.returncode == 0:
            counts["passed"] += 1
            counts["hits"] += output.count("cache hit")
        elif process.returncode == -signal.SIGKILL:
            counts["killed"] += 1
        else:
            counts["failed"] += 1
            print(output[-3000:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--program", default=".build/debug/waybill")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/manifest.yaml", "w") as file:
            numbers = str(list(range(1, 25)))
            file.write(MANIFEST.replace("PORT", str(server.server_port)).replace("NUMBERS", numbers))
        counts = {"passed": 0, "killed": 0, "failed": 0, "hits": 0}
        end = time.time() + options.seconds
        jobs = [
            threading.Thread(target=work, args=(options, folder, job, end, counts)) for job in range(options.jobs)
        ]
        for job in jobs:
            job.start()
        for job in jobs:
            job.join()
        cache = folder + "/cache/waybill/http"
        files = [name for name in os.listdir(cache) if re.fullmatch("[0-9a-f]{64}", name)]
        listed = subprocess.run(
            [options.program, "cache", "list"],
            env=dict(os.environ, XDG_CACHE_HOME=folder + "/cache"),
            capture_output=True,
            text=True,
        ).stdout.splitlines()
        print("%s, %d entries, %d accepted" % (counts, len(files), len(listed)))
        isGood = counts["failed"] == 0 and counts["passed"] > 0 and len(files) == len(listed) > 0
        raise SystemExit(0 if isGood else 1)


main()
