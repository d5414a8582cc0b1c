#!/usr/bin/env python3
"""Kills runs at random moments, resumes them until they are done, and compares what they leave with an undisturbed run.

    python3 Tests/Kills/kill.py [--kills 200] [--program .build/debug/waybill] [--seed 1] [--load SEED] [--keep-going]

The loads are manifest.yaml, every fifth time, and otherwise manifests of random steps, which generate.py makes of the seed that
is printed; --load takes such a seed and uses only that load. The server (server.py) listens on 127.0.0.1, and what it responds
depends on the requests only, so that two undisturbed runs of a load have the same results. Then runs of the load are interrupted:
by SIGKILL, and sometimes by SIGINT or SIGTERM, perhaps with a second signal shortly afterwards. The moment is a random part of
the time that an undisturbed run takes, or before or after the response to one of its requests. The run is resumed, and half of
the resumed runs are interrupted again. Half of the runs are resumed without --repeat-unsure as long as that is possible: until a
POST was in flight, which is then allowed to be sent again. The server rejects requests of manifest.yaml that lack the cookie, the
key or the token of the run. Some runs replace the results of an earlier one, and some start with the state that an earlier one
has stored.

At the end, all must be as after the undisturbed run: the exit status, outputs.json, the files, the rows of the database, the
outcomes, counts and failures in run.json, and the state. In addition

- after each interruption the database must be sound, with all rows of a table or none, and the state must be the one from
  before or the new one,
- what the journal has recorded as passed or tolerated must not be sent again, be it a step or an element: no POST, and in runs
  with --verbose, whose journals have all requests, nothing else either,
- no element may be recorded as passed twice.

Exit status 0 when all of that held. With --keep-going the other loads are run, too, after one has failed.
"""
import argparse
import collections
import gzip
import itertools
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from generate import Load
from server import Server

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS = 3
# What a run writes for itself; and what differs between two runs that do the same.
RUN_FILES = {"events.ndjson", "run.json", "sources.json"}
OWN_MEMBERS = {"id", "manifest", "startedAt", "finishedAt", "time", "responseTimes", "attempts", "polls", "bytes"}
INTERRUPTED = {-signal.SIGKILL, -signal.SIGINT, -signal.SIGTERM, 130, 143}
UNSURE = b"--repeat-unsure sends"


class Violation(Exception):
    pass


def expect(condition, *reason):
    if not condition:
        raise Violation(" ".join(map(str, reason)))


class FixedLoad:
    """The load of manifest.yaml."""

    seed, toleratesPosts, hasState = "manifest.yaml", False, False
    repeated = {"leave", "clean"}

    def text(self, port):
        with open(os.path.join(HERE, "manifest.yaml")) as file:
            return file.read().replace("127.0.0.1:1\n", "127.0.0.1:%d\n" % port)


# What a run leaves.

def events(folder):
    """The events of a journal whose lines are complete."""
    try:
        with open(os.path.join(folder, "events.ndjson"), "rb") as journal:
            return [json.loads(line) for line in journal if line.endswith(b"\n")]
    except FileNotFoundError:
        return []


def contents(folder, tag):
    """The contents of all files in a folder, with TAG in place of the tag; databases as their rows, run.json without its times."""
    found = {}
    for parent, _, names in os.walk(folder):
        for name in sorted(set(names) - RUN_FILES):
            path = os.path.join(parent, name)
            key = os.path.relpath(path, folder)
            if name.endswith(".sqlite"):
                found[key] = tables(parent, name)
                continue
            with (gzip.open if name.endswith(".gz") else open)(path, "rb") as file:
                content = file.read().replace(tag.encode(), b"TAG")
            # The body of an attempt that failed is kept, and a killed run may have had one before.
            if b'"state": "busy"' not in content:
                found[key] = content
    if os.path.exists(os.path.join(folder, "run.json")):
        with open(os.path.join(folder, "run.json")) as file:
            found.update(summary(json.loads(file.read().replace(tag, "TAG"))))
    return found


def summary(result):
    """What run.json says of the run and of its steps, without what depends on the time or on the number of attempts."""
    steps = {}
    for step in result.pop("steps"):
        rest = {key: value for key, value in step.items() if key not in OWN_MEMBERS}
        if rest.get("status") in (200, 206):
            # The last response to a download is one or the other.
            del rest["status"]
        if "elements" in rest:
            # Those of the last process.
            rest["elements"].pop("responseTimes", None)
            rest["elements"]["failures"].sort(key=lambda failure: failure["element"])
            for element in rest["elements"].get("cases", []):
                element.pop("time", None)
            for failure in rest["elements"]["failures"]:
                failure.pop("time", None)
                if failure["kind"] == "timeout":
                    # The deadline may have passed before the request was built.
                    failure.pop("url", None)
        if "elements" in rest or "group" in rest:
            # The one that was the first.
            rest.pop("failure", None)
        steps["run.json of " + step["path"]] = rest
    steps["run.json"] = {key: value for key, value in result.items() if key not in OWN_MEMBERS}
    return steps


def tables(folder, name):
    """The rows of a database, read from a copy: reading rolls back what was not finished, and resume has to cope with that."""
    with tempfile.TemporaryDirectory() as copy:
        for file in os.listdir(folder):
            if file.startswith(name):
                shutil.copy(os.path.join(folder, file), copy)
        database = sqlite3.connect(os.path.join(copy, name))
        try:
            expect(database.execute("PRAGMA integrity_check").fetchall() == [("ok",)], "the database is damaged")
            names = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
            return {table: database.execute('SELECT * FROM "%s" ORDER BY 1, 2' % table).fetchall() for table in names}
        finally:
            database.close()


class Journal:
    """What the journal of an interrupted run has recorded."""

    def __init__(self, folder, repeated):
        self.repeated = repeated
        self.events = events(folder)

    def is_of(self, tag):
        start = next((event for event in self.events if event["type"] == "run.started"), None)
        return start is not None and start.get("inputs", {}).get("tag", tag) == tag

    def is_repeated(self, path):
        return any(segment.partition("[")[0] in self.repeated for segment in path.split("."))

    def recorded(self):
        """The requests that must not be sent again, each by its key or its URL."""
        # The requests that each step and element has sent, with their own paths.
        sent, recorded, unsure = collections.defaultdict(list), set(), set()
        for event in self.events:
            path = event.get("step", "")
            if event["type"] == "element.finished":
                path += "[%d]" % event["element"]
            if "kept" in event and event["type"] in ("step.finished", "element.finished"):
                # The response of a tolerated failure may have been lost: --repeat-unsure sends the request again.
                (unsure.add if event["kept"]["use"] == "unsure" else unsure.discard)(path)
            if event["type"] == "request.willSend" and not path.startswith("session."):
                keys = [field["value"] for field in event["headers"] if field["name"] == "Idempotency-Key"]
                if event["method"] == "POST" or not self.is_repeated(path):
                    request = keys[0] if keys else "/" + event["url"].split("/", 3)[3]
                    for outer in [path] + [path[:match.start()] for match in re.finditer(r"[.\[]", path)]:
                        sent[outer].append((path, request))
            elif event["type"] in ("step.finished", "element.finished"):
                if event.get("result", event)["outcome"] in ("passed", "tolerated"):
                    recorded |= {request for other, request in sent[path] if other not in unsure}
        return recorded

    def check_elements(self):
        passed = set()
        for event in self.events:
            isPassed = event["type"] == "element.finished" and event["outcome"] == "passed"
            if isPassed and not self.is_repeated(event["step"]):
                element = (event["step"], event["element"])
                expect(element not in passed, "an element was recorded as passed twice:", *element)
                if event["kept"]["use"] == "taken":
                    passed.add(element)


# Runs

class Kills:
    def __init__(self, program):
        self.program = os.path.abspath(program)
        self.server = Server()
        self.work = tempfile.mkdtemp(prefix="waybill-kills-")
        self.counts = collections.Counter()
        self.tags = itertools.count(100000)

    def path(self, name):
        return os.path.join(self.work, name)

    def new_tag(self):
        return "t%d" % next(self.tags)

    def run(self, command, interrupts=None):
        """Runs the program, perhaps until it is interrupted, and returns its exit status and its output."""
        self.log.append(" ".join(command))
        with open(self.path("output"), "wb") as output:
            process = subprocess.Popen([self.program, *command], cwd=self.work, stdout=output, stderr=subprocess.STDOUT)
            try:
                if interrupts:
                    self.interrupt(process, *interrupts)
                process.wait(120)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise Violation("the program does not end")
            finally:
                self.server.trap = None
        with open(self.path("output"), "rb") as output:
            return process.returncode, output.read()

    def interrupt(self, process, length, requests):
        """Sends a signal at a random moment, and sometimes a second one; a process that ends before that is left alone."""
        first = random.choices([signal.SIGKILL, signal.SIGINT, signal.SIGTERM], [6, 2, 1])[0]
        done = threading.Event()

        def send():
            if process.poll() is None:
                # Before the signal: the other thread waits for the end of the process, too.
                self.counts[first.name] += 1
                self.log.append("  %s after %d requests" % (first.name, self.server.requests - before))
                process.send_signal(first)
            done.set()

        before = self.server.requests
        if random.random() < 0.5 and requests:
            self.server.set_trap(random.randrange(requests), random.random() < 0.5, send)
            while not done.wait(0.01) and process.poll() is None:
                pass
        else:
            try:
                process.wait(random.random() * 1.1 * length)
                return
            except subprocess.TimeoutExpired:
                send()
        if first != signal.SIGKILL and random.random() < 0.3:
            try:
                process.wait(random.random() * 0.1)
            except subprocess.TimeoutExpired:
                second = random.choice([signal.SIGKILL, first])
                process.send_signal(second)
                self.counts["second signal"] += 1
                self.log.append("  then " + second.name)

    # Loads

    def check(self, load, rounds, kills):
        """Interrupts some runs of a load, until there were so many kills."""
        self.log = []
        shutil.rmtree(self.path("killed"), ignore_errors=True)
        with open(self.path("manifest.yaml"), "w") as file:
            file.write(load.text(self.server.port))
        wanted = self.undisturbed(load, None)
        if load.hasState:
            wanted = [wanted, self.undisturbed(load, wanted["state"])]
        else:
            again = self.undisturbed(load, None)
            self.compare(again["contents"], wanted["contents"], "another undisturbed run")
            # The first run of a program takes longer.
            wanted = [again]
        for _ in range(rounds):
            if self.killed() >= kills:
                return
            self.log = []
            self.round(load, random.choice(wanted))

    def killed(self):
        return sum(self.counts[name] for name in ("SIGKILL", "SIGINT", "SIGTERM"))

    def undisturbed(self, load, state):
        """Runs a load to its end, and returns what it takes and what it leaves."""
        self.server.clear()
        tag = self.new_tag()
        folder = self.path("undisturbed")
        shutil.rmtree(folder, ignore_errors=True)
        requests, began = self.server.requests, time.monotonic()
        status, output = self.run(self.run_command(load, folder, tag, state) + ("--quiet",))
        length = time.monotonic() - began
        expect(status in (0, 1), "an undisturbed run has the exit status", status, output.decode()[-2000:])
        return {"status": status, "length": length, "requests": self.server.requests - requests, "before": state,
                "contents": contents(folder, tag), "state": self.stored_state() if load.hasState else None}

    def run_command(self, load, folder, tag, state):
        command = ("run", self.path("manifest.yaml"), "--out", folder)
        if load.seed != FixedLoad.seed:
            command += ("--input", "tag=" + tag)
        if load.hasState:
            command += ("--state", self.path("state.json"))
            if os.path.exists(self.path("state.json")):
                os.remove(self.path("state.json"))
            if state is not None:
                with open(self.path("state.json"), "w") as file:
                    file.write(state["text"])
        return command

    def stored_state(self):
        """The state: its text, and its values."""
        try:
            with open(self.path("state.json")) as file:
                text = file.read()
            return {"text": text, "values": json.loads(text)["graphs"]}
        except FileNotFoundError:
            return None

    def round(self, load, wanted):
        """Runs a load, interrupts it, and resumes it until it is done."""
        self.server.clear()
        tag, folder = self.new_tag(), self.path("killed")
        if random.random() < 0.7 or not os.path.exists(folder):
            shutil.rmtree(folder, ignore_errors=True)
        else:
            self.log.append("the folder has the results of an earlier run")
        isCareful, isSkipped = random.random() < 0.5, False
        command = self.run_command(load, folder, tag, wanted["before"])
        level = random.choices(["--quiet", "--verbose"], [7, 3])[0]
        command += (level,)
        recorded = {}
        for count in itertools.count():
            expect(count < 60, "the run is never done")
            interrupts = (wanted["length"], wanted["requests"]) if count == 0 or count < 12 and random.random() < 0.5 else None
            kills = self.killed()
            status, output = self.run(command, interrupts)
            isInterrupted = self.killed() > kills and status in INTERRUPTED
            self.counts["resumed"] += command[0] == "resume"
            journal = Journal(folder, load.repeated)
            self.check_interrupted(load, folder, wanted)
            if journal.is_of(tag):
                command = ("resume", folder, level) + (() if isCareful else ("--repeat-unsure",))
                for request in journal.recorded():
                    recorded.setdefault(request, self.server.answered[request])
                journal.check_elements()
                self.check_sent(recorded, isCareful)
            isSkipped |= load.toleratesPosts and isCareful
            if isInterrupted:
                continue
            if isCareful and status not in (0, wanted["status"]) and UNSURE in output:
                # A POST was in flight, or passed elements of it are in no file.
                isCareful = False
                command += ("--repeat-unsure",)
                self.counts["stopped"] += 1
                continue
            expect(status in (0, 1), "the exit status is", status, output.decode()[-2000:])
            expect(status == wanted["status"] or isSkipped, "the exit status is", status, "instead of", wanted["status"],
                   output.decode()[-2000:])
            break
        self.counts["recorded"] += len(recorded)
        self.counts["rounds"] += 1
        if not isSkipped:
            found = contents(folder, tag)
            for name in set(found) - set(wanted["contents"]):
                # A step of 'finally' may have failed when the run was interrupted, and passed later.
                if name.startswith("bodies/") and journal.is_repeated(name[len("bodies/"):]):
                    del found[name]
            self.compare(found, wanted["contents"], "the run")
            if load.hasState:
                found = self.stored_state()
                expect((found or {}).get("values") == (wanted["state"] or {}).get("values"), "the state is", found)

    def check_interrupted(self, load, folder, wanted):
        """Whatever a killed run left is a sound database, in which a table has all of its rows or is not there."""
        for name, expected in wanted["contents"].items():
            if name.endswith(".sqlite") and os.path.exists(os.path.join(folder, name)):
                for table, rows in tables(folder, name).items():
                    if load.toleratesPosts:
                        continue
                    expect(len(rows) == len(expected.get(table, [])), "table", table, "has", len(rows), "rows instead of",
                           len(expected.get(table, [])))
        if load.hasState:
            found = self.stored_state()
            states = [state["values"] if state else None for state in (wanted["before"], wanted["state"])]
            expect((found["values"] if found else None) in states or load.toleratesPosts, "the state became", found)

    def check_sent(self, recorded, isCareful):
        for request, count in recorded.items():
            expect(self.server.answered[request] == count, request, "was sent again after its response was recorded")
        if isCareful:
            twice = [request for request, count in self.server.posts.items() if count > 1]
            expect(not twice, "sent twice without --repeat-unsure:", twice)

    def compare(self, found, wanted, what):
        expect(set(found) == set(wanted), what, "has", sorted(set(found) - set(wanted)), "and has not",
               sorted(set(wanted) - set(found)))
        for name in sorted(wanted):
            expect(found[name] == wanted[name], name, "of", what, "differs:\n" + shown(found[name]),
                   "\ninstead of\n" + shown(wanted[name]))


def shown(content):
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else json.dumps(content)
    return text if len(text) < 2000 else "%d characters, %s" % (len(text), text[:2000])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--program", default=os.path.join(HERE, "../../.build/debug/waybill"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--load")
    parser.add_argument("--keep-going", action="store_true")
    arguments = parser.parse_args()
    kills = Kills(arguments.program)
    failed = []
    for index in itertools.count():
        if kills.killed() >= arguments.kills:
            break
        seed = arguments.load or "%d-%d" % (arguments.seed, index)
        isFixed = seed == FixedLoad.seed or not arguments.load and index % 5 == 4
        random.seed("%s %d" % (seed, index))
        load = FixedLoad() if isFixed else Load(seed)
        print("load %s" % load.seed, flush=True)
        try:
            kills.check(load, ROUNDS, arguments.kills)
        except Violation as violation:
            print("\n".join(kills.log) + "\n%s" % violation)
            folder = "%s-%s" % (kills.work, load.seed)
            shutil.copytree(kills.work, folder, dirs_exist_ok=True)
            print("load %s failed, after %d kills; the folder is %s" % (load.seed, kills.killed(), folder), flush=True)
            failed.append(load.seed)
            if not arguments.keep_going:
                break
    shutil.rmtree(kills.work)
    counts, names = kills.counts, ("SIGKILL", "SIGINT", "SIGTERM", "second signal")
    print("%d kills: %s; %d rounds, %d resumed runs, %d stopped for --repeat-unsure, %d recorded requests, %d requests for ranges"
          % (kills.killed(), ", ".join("%d %s" % (counts[name], name) for name in names), counts["rounds"], counts["resumed"],
             counts["stopped"], counts["recorded"], kills.server.ranges))
    if failed:
        sys.exit("%d loads failed: %s" % (len(failed), " ".join(failed)))
    print("nothing recorded was sent again, and all results are the same")


if __name__ == "__main__":
    main()
