#!/usr/bin/env python3
"""Lets two processes share a target, a suite, a shard or a merge, kills some, and resumes them until they are done.

    python3 Tests/Kills/share.py [--kills 200] [--program .build/debug/waybill] [--seed 1] [--kind KIND …]

The server is that of server.py. In each round two processes start shortly after each other, and one or both are killed with
SIGKILL after a random part of the time that an undisturbed process takes. What is not done is then started or resumed, again by
two processes, of which some are killed, until all is done. The rounds are of these kinds:

- files, database: two runs write to the same files, or to the same database, outside their folders. After each kill, each file is
  completely that of one of them, each table has all rows of a run or none, and unfinished files belong to unfinished runs. When
  both are done, nothing is left but the files and the rows of both.
- suite, shard: two processes start or resume the same suite, or the same shard. Only one of them may run it, and the results
  must be those of an undisturbed process.
- merge: two merges of the same shards into one folder. If it has a summary, all files must be those of an undisturbed merge.

In all of them, a POST must not be sent twice, except with --repeat-unsure if its response was not recorded. Exit status 0 when all of
that held.
"""
import argparse
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
import time

from server import Server

HERE = os.path.dirname(os.path.abspath(__file__))

HEAD = """waybill: 1
services: {shop: {baseURL: "http://127.0.0.1:PORT"}}
inputs: {tag: string, to: {type: string, default: "."}}
graphs:
  main:
    outputs: {posts: steps.posts.written.records, gets: steps.gets.written.records}
    chain:
"""
# A step whose elements send requests, and write records to a file or a table.
STEP = """      - id: %(id)s
        forEach: {in: "range(0, %(count)d)", as: n, concurrency: 8, shard: %(shard)s}
        %(method)s: "/%(name)s/${inputs.tag}/${n}"
        write: {to: "${inputs.to}/%(to)s, columns: [{n: n}, {tag: inputs.tag}, {path: item.path}]}
"""
FILES = ('records.ndjson"', 'rows.csv"', 'packed.ndjson.gz"')
TABLES = ('shop.sqlite", table: shared, key: [tag, n]', 'shop.sqlite", table: own_NAME, key: [n]', 'shop.sqlite", table: last, key: [n]')
SHARDED = ('records.ndjson"', 'shop.sqlite", table: rows, key: [n]', 'packed.ndjson.gz"')
COUNTS = (40, 100, 80)
UNSURE = b"--repeat-unsure sends"
REFUSALS = (b"another process is running the manifests", b"is still running", b"another run is writing", b"; try again")
RUN_FILES = {"events.ndjson", "run.json", "sources.json", "suite.json"}

# A run: its name and its tag, which are in the paths of its requests, its folder, and the command that starts it.
Run = collections.namedtuple("Run", "name tag folder command")


class Violation(Exception):
    pass


class Shop(Server):
    """Responds with the path of the request, and counts the POSTs to each path."""

    def _answer(self, method, target, fields, body):
        if method == "POST":
            self.posts[target] += 1
        return {"path": target}


def expect(condition, *reason):
    if not condition:
        raise Violation(" ".join(map(str, reason))[:3000])


def manifest(name, targets, shard="false"):
    text = HEAD + "      - {id: before, get: /before}\n"
    for index, target in enumerate(targets):
        values = {"id": ("posts", "gets", "more")[index], "method": "get" if index else "post", "count": COUNTS[index]}
        text += STEP % dict(values, name=name, to=target.replace("NAME", name), shard=shard)
    return text


def events(folder):
    """The complete events of a journal; none without a journal."""
    try:
        with open(os.path.join(folder, "events.ndjson"), "rb") as journal:
            return [json.loads(line) for line in journal if line.endswith(b"\n")]
    except FileNotFoundError:
        return []


def contents(folder, tag="TAG", skipped=RUN_FILES):
    """The contents of the files in a folder and its subfolders, with TAG in place of a tag; databases as their rows."""
    found = {}
    for parent, _, names in os.walk(folder):
        for name in sorted(set(names) - skipped):
            path = os.path.join(parent, name)
            if name == "shop.sqlite":
                text = repr(tables(parent))
            else:
                with (gzip.open if name.endswith(".gz") else open)(path, "rb") as file:
                    text = file.read().decode()
            found[os.path.relpath(path, folder)] = text.replace(tag, "TAG")
    return found


def tables(folder):
    """The rows of a database, read from a copy: reading rolls back what was not finished, and the runs have to cope with that."""
    with tempfile.TemporaryDirectory() as copy:
        for name in os.listdir(folder):
            if name.startswith("shop.sqlite"):
                shutil.copy(os.path.join(folder, name), copy)
        database = sqlite3.connect(os.path.join(copy, "shop.sqlite"))
        try:
            expect(database.execute("PRAGMA integrity_check").fetchall() == [("ok",)], "the database is damaged")
            names = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
            return {name: database.execute("SELECT * FROM %s ORDER BY n, tag" % name).fetchall() for name in names}
        finally:
            database.close()


class Kills:
    def __init__(self, program):
        self.program = os.path.abspath(program)
        self.server = Shop()
        self.work = tempfile.mkdtemp(prefix="waybill-shares-")
        self.kills = self.tags = 0
        self.counts = collections.Counter()
        manifests = {"one": manifest("one", FILES), "other": manifest("other", FILES), "shard": manifest("shard", SHARDED, "true"),
                     "one-table": manifest("one", TABLES), "other-table": manifest("other", TABLES)}
        manifests.update({"suite/" + name: manifest(name, FILES) for name in ("a", "b", "c")})
        os.mkdir(self.path("suite"))
        for name, text in manifests.items():
            with open(self.path(name + ".yaml"), "w") as file:
                file.write(text.replace("PORT", str(self.server.port)))

    def path(self, *names):
        return os.path.join(self.work, *names)

    def undisturbed(self, *command):
        """Runs a command to its end, and returns the time that it takes."""
        began = time.monotonic()
        [(status, output)] = self.together([command], 0, kills=False)
        self.check_status(status, output)
        return time.monotonic() - began

    def together(self, commands, length, kills=True):
        """Starts processes shortly after each other, kills some, and returns the exit status and the output of each."""
        now = time.monotonic()
        starts = [now + index * random.random() ** 3 * length for index in range(len(commands))]
        victims = random.choice(([0], [1], [0, 1])) if kills else []
        actions = [(at, index, False) for index, at in enumerate(starts)]
        actions += [(starts[index] + random.random() * 1.3 * length, index, True) for index in victims if index < len(starts)]
        processes = {}
        for at, index, kills in sorted(actions):
            time.sleep(max(0, at - time.monotonic()))
            if not kills:
                processes[index] = subprocess.Popen([self.program, *commands[index], "--quiet"], cwd=self.work,
                                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            elif processes[index].poll() is None:
                processes[index].kill()
                self.kills += 1
        outputs = {index: process.communicate(timeout=120)[0] for index, process in processes.items()}
        return [(processes[index].returncode, outputs[index]) for index in range(len(commands))]

    def check_status(self, status, output, *reasons):
        """A process may only end because it was killed, because it is done, or for one of these reasons."""
        for reason in reasons:
            self.counts[reason.decode()] += status not in (0, -9) and reason in output
        expect(status in (0, -9) or any(reason in output for reason in reasons), "exit status", status, output.decode())

    def new_tag(self):
        """A new tag; its length, and with it the size of the files, differs."""
        self.tags += 1
        return "t%d%s." % (self.tags, "x" * random.randrange(4))

    def allow(self, folder, name, tag, allowed):
        """Allows the POSTs of a run to be repeated whose responses its journal does not have."""
        recorded = {event["element"] for event in events(folder)
                    if event["type"] == "element.finished" and event["step"] == "main.posts" and event["outcome"] == "passed"}
        for element in set(range(COUNTS[0])) - recorded:
            path = "/%s/%s/%d" % (name, tag, element)
            allowed[path] = self.server.posts[path] + 1

    def check_posts(self, allowed):
        for path, count in list(self.server.posts.items()):
            expect(count <= allowed.get(path, 1), "POST", path, "was sent", count, "times instead of", allowed.get(path, 1))

    def prepare(self, kind):
        """Runs a kind of round undisturbed, for what it takes and what it leaves."""
        if kind in ("files", "database"):
            self.length = self.undisturbed(*self.target_run(kind, "one", "TAG").command)
            self.wanted = contents(self.path("shared"))
        elif kind == "suite":
            self.length = self.undisturbed("run", "suite", "--out", "suite-out", "--input", "tag=TAG")
            self.wanted = contents(self.path("suite-out"))
        else:
            for name in ("before", "shard-1", "shard-2", "shard-3"):
                shutil.rmtree(self.path(name), ignore_errors=True)
            self.undisturbed("run", "shard.yaml", "--phase", "before", "--out", "before", "--input", "tag=TAG")
            shards = [("resume", "before", "--shard", "%d/3" % number, "--out", "shard-%d" % number) for number in (1, 2, 3)]
            self.length = max([self.undisturbed(*shard) for shard in shards])
            self.wanted = contents(self.path("shard-2"))
            if kind == "merge":
                self.merge = ("merge", "shard-1", "shard-2", "shard-3", "--out")
                self.length = self.undisturbed(*self.merge, "merged")
                self.wanted = contents(self.path("merged"), skipped=set())

    def target_run(self, kind, name, tag):
        file = name + (".yaml" if kind == "files" else "-table.yaml")
        command = ("run", file, "--out", name + "-out", "--input", "tag=" + tag, "--input", "to=" + self.path("shared"))
        return Run(name, tag, self.path(name + "-out"), command + ("--allow-outside",))

    def round(self, kind):
        self.server.posts.clear()
        for name in ("shared", "one-out", "other-out", "shard-out"):
            shutil.rmtree(self.path(name), ignore_errors=True)
        if random.random() < 0.5:
            # Otherwise, the results of the last round are replaced.
            shutil.rmtree(self.path(kind + "-out"), ignore_errors=True)
        rounds = {"files": self.round_of_targets, "database": self.round_of_targets, "merge": self.round_of_merges}
        rounds.get(kind, self.round_of_one)(kind)

    def round_of_targets(self, kind):
        """Two runs write to the same files or tables."""
        runs = [self.target_run(kind, name, self.new_tag()) for name in ("one", "other")]
        commands = {run: run.command for run in runs}
        allowed, kills = {}, True
        while commands:
            results = self.together(list(commands.values()), self.length, kills)
            kills = random.random() < 0.4
            for run, (status, output) in zip(list(commands), results):
                self.check_status(status, output, UNSURE)
                if status == 0:
                    del commands[run]
                    expect(set(os.listdir(run.folder)) <= RUN_FILES | {"outputs.json"}, "left:", os.listdir(run.folder))
                elif events(run.folder):
                    commands[run] = ("resume", run.folder, "--allow-outside")
                    if status != -9:
                        self.allow(run.folder, run.name, run.tag, allowed)
                        commands[run] += ("--repeat-unsure",)
            self.check_posts(allowed)
            if os.path.exists(self.path("shared")):
                (self.check_files if kind == "files" else self.check_tables)(runs, set(commands))

    def check_files(self, runs, unfinished):
        names = set(os.listdir(self.path("shared")))
        owners = [events(run.folder)[0]["run"] for run in unfinished if events(run.folder)]
        others = names - set(self.wanted)
        expect(all(any(owner in name for owner in owners) for name in others), "left:", others)
        expect(len(unfinished) == len(runs) or set(self.wanted) <= names, "a run is done, but there is only", names)
        found = [contents(self.path("shared"), run.tag, others) for run in runs]
        for name in set(self.wanted) & names:
            isOf = [files[name].replace("/%s/" % run.name, "/one/") == self.wanted[name] for run, files in zip(runs, found)]
            expect(sum(isOf) == 1, name, "is not the file of one run:", found[0][name])

    def check_tables(self, runs, unfinished):
        found = tables(self.path("shared")) if os.path.exists(self.path("shared", "shop.sqlite")) else {}
        for run in runs:
            for table, count in (("shared", COUNTS[0]), ("own_" + run.name, COUNTS[1])):
                rows = [row for row in found.get(table, []) if row[1] == run.tag]
                expect(rows == [(n, run.tag, "/%s/%s/%d" % (run.name, run.tag, n)) for n in range(count)]
                       or not rows and run in unfinished, "table", table, "has of", run.tag, rows)
        last = found.get("last", [])
        expect(len(last) == COUNTS[2] and len({row[1] for row in last}) == 1 or not last and len(unfinished) == len(runs),
               "the last table has", last)
        expect(unfinished or os.listdir(self.path("shared")) == ["shop.sqlite"], "left:", os.listdir(self.path("shared")))

    def round_of_one(self, kind):
        """Two processes run the same suite or shard."""
        folder = self.path(kind + "-out")
        names = [""] if kind == "shard" else ["suite/" + name for name in "abc"]
        allowed, kills, status = {}, True, None
        shard = random.choice([
            ("resume", "before", "--shard", "2/3", "--out", folder),
            ("run", "shard.yaml", "--shard", "2/3", "--out", folder, "--resume", "--input", "tag=" + self.new_tag())])
        while status != 0 or kills:
            kills = status is None or random.random() < 0.4
            started = [event for name in names for event in events(os.path.join(folder, name)) if event["type"] == "run.started"]
            tags = {event["inputs"]["tag"] for event in started}
            expect(len(tags) <= 1, "the folder has several runs:", tags)
            tag = max(tags, default=None)
            if kind == "shard":
                commands = [shard, shard]
                isResumed = status is not None and any("shard" in event["part"] for event in started)
            else:
                commands = [("run", "suite", "--out", folder, "--jobs", "3", "--input", "tag=" + self.new_tag()) for _ in "12"]
                isResumed = status is not None and tag and os.path.exists(self.path(folder, "suite.json"))
            if isResumed:
                commands = [("resume", folder) + (("--input", "tag=" + tag) if kind == "suite" else ())] * 2
                if status not in (0, -9):
                    # Only the first of them repeats.
                    for name in names:
                        self.allow(os.path.join(folder, name), name.split("/")[-1] or kind, tag, allowed)
                    commands[0] += ("--repeat-unsure",)
                if kind == "shard":
                    commands[1] = shard
            results = self.together(commands, self.length, kills)
            for each in results:
                self.check_status(*each, UNSURE, *REFUSALS)
            self.check_posts(allowed)
            isUnsure = any(UNSURE in output for _, output in results)
            status = 1 if isUnsure else min((status for status, _ in results), key=lambda status: status != 0)
        tag = events(os.path.join(folder, names[0]))[0]["inputs"]["tag"]
        self.compare(contents(folder, tag))

    def round_of_merges(self, kind):
        """Two merges into one folder."""
        folder, kills = self.path("merge-out"), True
        while True:
            results = self.together([self.merge + (folder,)] * 2, self.length, kills)
            for status, output in results:
                self.check_status(status, output, *REFUSALS)
            if os.path.exists(self.path(folder, "run.json")):
                self.compare(contents(folder, skipped=set()))
            if not kills:
                expect(any(status == 0 for status, _ in results), "both merges were refused:", results)
                return self.compare(contents(folder, skipped=set()))
            kills = random.random() < 0.4

    def compare(self, found):
        expect(set(found) == set(self.wanted), "the files are", sorted(found), "instead of", sorted(self.wanted))
        for name in found:
            expect(found[name] == self.wanted[name], name, "differs:", found[name])


KINDS = ("files", "database", "suite", "shard", "merge")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--program", default=os.path.join(HERE, "../../.build/debug/waybill"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS, nargs="*", default=KINDS)
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    kills = Kills(arguments.program)
    for index, kind in enumerate(arguments.kind):
        before, rounds = kills.kills, 0
        try:
            kills.prepare(kind)
            while kills.kills < arguments.kills * (index + 1) // len(arguments.kind):
                kills.round(kind)
                rounds += 1
        except Violation as violation:
            sys.exit("%s, after %d kills: %s\nthe folder is %s" % (kind, kills.kills - before, violation, kills.work))
        print("%s: %d kills in %d rounds" % (kind, kills.kills - before, rounds), flush=True)
    shutil.rmtree(kills.work)
    print("%d kills, nothing mixed, lost or sent twice; %s" % (kills.kills, dict(+kills.counts)))


if __name__ == "__main__":
    main()
