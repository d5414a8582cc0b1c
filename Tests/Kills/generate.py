"""Makes loads for kill.py: manifests of random steps, which combine what a killed run has to get right.

    python3 Tests/Kills/generate.py [SEED]

prints the manifest of a load. A load depends on its seed only, and an undisturbed run of it always has the same results: the
server (server.py) responds by the paths of requests. A failure that stops others is in a load only where these are the same
each time.
"""
import json
import random
import sys

FORMATS = ("ndjson", "json", "csv", "ndjson.gz", "csv.gz", "json.gz")
RETRY = {"times": 3, "for": ["transfer", 503], "backoff": {"first": "20ms", "factor": 1.5, "max": "60ms", "jitter": False}}


def items(id, member):
    """An expression for a member of the results of all elements of a step, which may not have run."""
    return "default(steps.%s.items[*].%s, list())" % (id, member)


class Load:
    """A manifest, and what kill.py has to know of it."""

    def __init__(self, seed):
        self.seed = seed
        self.random = random.Random(seed)
        self.count = 0
        # Whether a POST is in a step whose failures are tolerated: resume leaves it out without --repeat-unsure.
        self.hasPosts = self.toleratesPosts = False
        # The ids of steps that run again by design: those of 'finally', and groups with 'until'.
        self.repeated = set()
        self.outputs = {}
        # Expressions for the results of earlier steps, and those that the current step uses.
        self.numbers, self.lists = {}, {}
        self.used = set()
        self.graphs = {}
        self.hasState = self.chance(0.3)
        self.state = {"runs": {"default": 0, "next": "state.runs + 1"}} if self.hasState else {}
        self.isBatch = self.chance(0.2)
        self.manifest = self.make_manifest()

    # Choices

    def chance(self, probability):
        return self.random.random() < probability

    def choose(self, *choices):
        return self.random.choice(choices)

    def new_id(self, kind):
        self.count += 1
        return "%s%d" % (kind, self.count)

    # The manifest

    def make_manifest(self):
        kinds = [self.request, self.request, self.request, self.chain, self.chain, self.rounds, self.batch, self.call,
                 self.download, self.values]
        steps = []
        for _ in range(self.random.randint(3, 5)):
            self.used = set()
            step = self.random.choice(kinds)()
            if self.isBatch and self.used:
                step["needs"] = sorted(self.used)
            steps.append(step)
        main = {"batch" if self.isBatch else "chain": steps}
        if self.chance(0.4) or self.isBatch:
            main["onFailure"] = self.choose("continue", "collect")
            self.toleratesPosts |= self.hasPosts and main["onFailure"] == "continue"
        if self.chance(0.5):
            # Steps that run again whenever a run is resumed that had come this far.
            main["finally"] = [
                {"id": "leave", "get": "/g-flaky/leave/0", "retry": RETRY},
                {"id": "clean", "delete": "/g-plain/clean/0"},
            ]
            self.repeated |= {"leave", "clean"}
        if self.hasState:
            main["state"] = self.state
        main["outputs"] = self.outputs
        defaults = {"concurrency": self.choose(2, 8, 64)} if self.chance(0.5) else {}
        return {
            "waybill": 1, "inputs": {"tag": "string"}, "defaults": defaults,
            "services": {"shop": {"baseURL": "http://127.0.0.1:PORT/${inputs.tag}", "maxConnections": self.choose(2, 8)}},
            "graphs": dict({"main": main}, **self.graphs),
        }

    def text(self, port):
        """The manifest, with a line for each step."""
        return layout(self.manifest).replace("PORT", str(port))

    # Top-level steps

    def request(self):
        """A request, usually one for each element of a list."""
        step = {"id": self.new_id("r")}
        names, mayFail = self.loop(step) if self.chance(0.85) else ([], False)
        if not names and self.chance(0.2):
            step["onFailure"], mayFail = "continue", True
        step.update(self.make_request(step["id"], names, mayFail, step.get("onFailure") == "continue", write=0.65))
        self.settings(step)
        self.publish(step)
        return step

    def chain(self):
        """A chain or batch for each element, or a group of its own whose failures are tolerated."""
        step = {"id": self.new_id("c")}
        if self.chance(0.85):
            names, mayFail = self.loop(step)
        else:
            names, mayFail = [], True
            step["onFailure"] = self.choose("continue", "continue", "collect")
        isTolerated = step.get("onFailure") == "continue"
        kind = self.choose("chain", "chain", "batch")
        # The siblings of what fails in a batch are cancelled or not.
        count = self.random.randint(2, 3)
        inner = [self.inner(names, mayFail and kind == "chain", isTolerated) for _ in range(count)]
        if kind == "batch":
            for sibling in inner[1:]:
                if self.chance(0.5):
                    sibling["needs"] = [inner[0]["id"]]
        elif self.chance(0.2) and names:
            inner.insert(1, {"id": self.new_id("e"), "end": "%s %% 3 == 0" % names[-1]})
        if kind == "chain" and names and self.chance(0.5):
            inner.append(self.nested(names, isTolerated))
        step[kind] = inner
        self.settings(step)
        self.outputs[step["id"]] = items(step["id"], "ok") if names else "default(steps.%s.ok, false)" % step["id"]
        return step

    def rounds(self):
        """A chain that is repeated until a condition is true, perhaps for each element."""
        step = {"id": self.new_id("u")}
        names = self.loop(step, canFail=False)[0] if self.chance(0.6) else []
        poll, post = self.new_id("p"), self.new_id("o")
        path = "/".join("${%s}" % name for name in names) or "0"
        step["until"] = {"that": "steps.%s.outputs.state == 'done'" % poll, "every": "5ms", "times": 60}
        method = self.choose("post", "put")
        step["chain"] = [
            {"id": poll, "get": "/g-poll+flaky/%s/%s" % (poll, path), "retry": RETRY,
             "outputs": {"state": "$.state", "round": "$.round"}},
            {"id": post, method: "/g-plain/%s/%s/${steps.%s.outputs.round}" % (post, path, poll),
             "outputs": {"v": "$.value"}},
        ]
        if self.chance(0.5):
            step["chain"].append(self.nested(names, False, safe=True))
        self.note(method, step.get("onFailure") == "continue")
        self.repeated.add(step["id"])
        self.settings(step)
        self.outputs[step["id"]] = items(step["id"], "ok") if names else "default(steps.%s.ok, false)" % step["id"]
        return step

    def batch(self):
        """A batch of requests that need each other."""
        step = {"id": self.new_id("b")}
        step["onFailure"] = self.choose("continue", "collect", "stop", "stop")
        isTolerated = step["onFailure"] == "continue"
        inner = []
        for _ in range(self.random.randint(2, 3)):
            sibling = {"id": self.new_id("s")}
            names, mayFail = [], False
            if self.chance(0.6):
                names, mayFail = self.loop(sibling, canFail=step["onFailure"] != "stop", most=10)
            isToleratedHere = isTolerated or sibling.get("onFailure") == "continue"
            sibling.update(self.make_request(sibling["id"], names, mayFail, isToleratedHere, write=0.5))
            if inner and self.chance(0.4):
                sibling["needs"] = [self.random.choice(inner)["id"]]
            inner.append(sibling)
        step["batch"] = inner
        if self.chance(0.3):
            step["concurrency"] = 2
        for sibling in inner:
            self.publish(sibling, within=step["id"])
        return step

    def call(self):
        """A graph, perhaps for each element."""
        step, name = {"id": self.new_id("g")}, self.new_id("graph")
        names, mayFail = self.loop(step, most=10) if self.chance(0.7) else ([], False)
        isTolerated = step.get("onFailure") == "continue"
        step["graph"] = name
        step["with"] = {"n": "${%s}" % names[-1] if names else 7}
        first = self.inner(["inputs.n"], False, isTolerated)
        second = self.inner(["inputs.n"], mayFail, isTolerated)
        self.graphs[name] = {
            "inputs": {"n": "integer"}, "chain": [first, self.nested(["inputs.n"], isTolerated), second],
            "outputs": {"v": "default(steps.%s.outputs.v, -1)" % first["id"]},
        }
        if self.chance(0.4):
            leave = self.new_id("l")
            self.graphs[name]["finally"] = [{"id": leave, "get": "/g-plain/%s/${inputs.n}" % leave}]
            self.repeated.add(leave)
        self.settings(step)
        self.publish(dict(step, outputs={"v": 0}))
        return step

    def download(self):
        step = {"id": self.new_id("d")}
        names, _ = self.loop(step, canFail=False, most=6) if self.chance(0.7) else ([], False)
        path = "/".join("${%s}" % name for name in names) or "0"
        step["get"] = "/g-file+flaky/%s/%s" % (step["id"], path)
        step["retry"] = RETRY
        step["download"] = {"to": "files/%s-%s.bin" % (step["id"], path.replace("/", "-"))}
        if self.chance(0.6):
            step["download"]["checksum"] = {"sha256": "response.headers.X-Checksum"}
        step["outputs"] = {"v": "response.headers.X-Checksum"}
        self.settings(step)
        if not names:
            self.outputs[step["id"]] = "default(steps.%s.downloaded.%s, 0)" % (step["id"], self.choose("bytes", "sha256"))
        else:
            self.outputs[step["id"]] = items(step["id"], "outputs.v")
        return step

    def values(self):
        step = {"id": self.new_id("v"), "values": {"v": "%s + 1" % self.number()}}
        self.publish(dict(step, outputs={"v": 0}))
        return step

    # Parts of steps

    def loop(self, step, canFail=True, most=24):
        """Adds 'forEach'; returns the expression for the element's number, and whether elements may fail."""
        name = self.new_id("n")
        start = self.random.randrange(20)
        loop = {"as": name, "in": "range(%d, %d)" % (start, start + self.random.randint(4, most))}
        expression = name
        if self.lists and self.chance(0.2):
            other = self.random.choice(sorted(self.lists))
            self.used.add(other)
            loop["in"] = self.lists[other]
        elif self.chance(0.15):
            loop["in"] = [{"n": number} for number in self.random.sample(range(50), self.random.randint(3, most))]
            expression = name + ".n"
        if self.chance(0.75):
            loop["concurrency"] = self.choose(1, 1, 2, 3, 4, 8)
        step["forEach"] = loop
        if not canFail:
            return [expression], False
        if self.chance(0.6):
            step["onFailure"] = self.choose("continue", "continue", "continue", "continue", "collect")
            return [expression], True
        if loop.get("concurrency") == 1 and self.chance(0.1):
            # The first failure stops the others, which have not started.
            return [expression], True
        return [expression], False

    def settings(self, step):
        """Keys that have no effect on the results, and a condition."""
        if self.chance(0.2):
            step["deadline"] = "90s"
        if self.chance(0.15):
            step["delay"] = "15ms"
        if self.numbers and self.chance(0.2):
            step["when"] = "%s %s" % (self.number(), self.choose(">= 0", ">= 0", "< 0", "> 300"))

    def number(self):
        """An expression for a number, from an earlier step if there is one."""
        if not self.numbers:
            return "7"
        other = self.random.choice(sorted(self.numbers))
        self.used.add(other.split(".")[0])
        return self.numbers[other]

    def inner(self, names, mayFail, isTolerated):
        """A request in a chain, a batch or a graph."""
        step = {"id": self.new_id("i")}
        step.update(self.make_request(step["id"], names, mayFail, isTolerated, write=0.2, outer=names))
        if self.chance(0.2):
            step["when"] = "%s %% 3 != 0" % names[-1] if names else "true"
        return step

    def nested(self, names, isTolerated, safe=False):
        """A 'forEach' in another one, in a graph, or in a round."""
        step = {"id": self.new_id("k")}
        name = self.new_id("m")
        step["forEach"] = {"in": "range(%d)" % self.random.randint(2, 5), "as": name}
        if self.chance(0.5):
            step["forEach"]["concurrency"] = self.choose(1, 2)
        if self.chance(0.5):
            step["onFailure"] = "continue"
        mayFail = step.get("onFailure") == "continue"
        step.update(self.make_request(step["id"], names + [name], mayFail, isTolerated or mayFail,
                                      write=0.0 if safe else 0.3, outer=names, safe=safe))
        return step

    def make_request(self, id, names, mayFail, isTolerated, write, outer=None, safe=False):
        """A request with all that its elements, polls, pages and attempts may have."""
        step, behaviours = {}, set()
        method = self.choose("get", "put") if safe else self.choose("get", "get", "get", "post", "put")
        isPaged = self.chance(0.25) and method == "get"
        if self.chance(0.5):
            behaviours.add("flaky")
            step["retry"] = dict(RETRY, unsafe=True) if method == "post" else RETRY
        if isPaged:
            behaviours.add("pages")
            step["paginate"] = dict(self.choose(
                {"cursor": {"query": "after", "from": "$.next"}}, {"page": {"query": "page", "start": 0}},
                {"offset": {"query": "offset", "limit": 3}}), items="$.items")
        elif self.chance(0.35) and method != "post":
            behaviours.add("poll")
            step["until"] = {"that": "$.state == 'done'", "every": self.choose("3ms", "20ms"), "times": 60}
        if self.chance(0.3):
            behaviours.add("gone")
            data = {"id": "%s/%s" % (id, "/".join("${%s}" % name for name in names)), "value": -1, "text": "", "n": -1,
                    "items": [], "state": "done"}
            step["intercept"] = {"beforeFailure": [{
                "recover": [data] if isPaged else data, "when": "exists(response.status) && response.status == 404"}]}
        if mayFail:
            behaviours.add(self.choose("bad", "bad", "bad", "stall"))
            if "stall" in behaviours:
                # Only the element whose response never comes has so little time.
                limit = "${if(%s %% 4 == 1, '120ms', '60s')}" % names[-1] if names else "60s"
                step[self.choose("timeout", "deadline") if outer == names else "timeout"] = limit
            elif method != "post" and names and self.chance(0.3):
                step["expect"] = {"body": ["%s %% 4 != 1" % names[-1]]}
        path = "/".join("${%s}" % name for name in names) or "0"
        step[method] = "/g-%s/%s/%s" % ("+".join(sorted(behaviours)) or "plain", id, path)
        if self.hasState and outer is None and self.chance(0.5):
            step["query"] = {"since": "${state.runs}"}
        hasFile = self.chance(write)
        if hasFile:
            step["write"] = self.make_write(id, outer or [], isPaged)
            if self.chance(0.4):
                others = [self.make_write(id + other, outer or [], isPaged) for other in self.choose("b", "bc")]
                step["write"] = [step["write"]] + others
        if not (hasFile and isPaged) and self.chance(0.8):
            step["outputs"] = {"v": "sum($[*].value)" if isPaged else "$.value"}
        self.note(method, isTolerated)
        return step

    def note(self, method, isTolerated):
        self.hasPosts |= method == "post"
        self.toleratesPosts |= method == "post" and isTolerated

    def make_write(self, id, names, isPaged):
        aggregate = {"sum": {"sum": "item.value"}, "last": {"last": "item.id"}, "max": {"max": "item.value"}}
        columns = ["id", "value", "text"] + ([{"twice": "item.value * 2"}] if self.chance(0.4) else [])
        write = {"columns": columns}
        if not isPaged and self.chance(0.6):
            write["records"] = "$.items"
        if self.chance(0.6) and not names:
            write["aggregate"] = aggregate
        if self.chance(0.25) and not names:
            return dict(write, to="shop.sqlite", table=id, key=["id"])
        to = id + "".join("-${%s}" % name for name in names)
        return dict(write, to="%s.%s" % (to, self.random.choice(FORMATS)))

    def publish(self, step, within=None):
        """Adds what later steps and the outputs of the run can use."""
        id = step["id"]
        write, written = step.get("write", {}), "steps.%s.written" % id
        if isinstance(write, list):
            write, written = write[0], written + "[0]"
        if "aggregate" in write:
            self.numbers[id + ".sum"] = "default(%s.sum, 0)" % written
            self.outputs[id + "-written"] = "default(%s.last, null)" % written
            if self.hasState and self.chance(0.5):
                self.state["seen-" + id] = {"default": 0, "next": "default(%s.max, state.seen-%s)" % (written, id)}
        if "outputs" in step:
            if "forEach" in step:
                self.outputs[id] = items(id, "outputs.v")
                self.numbers[id] = "length(%s)" % items(id, "outputs.v")
                if within is None:
                    self.lists[id] = "unique(%s)" % items(id, "outputs.v")
            else:
                self.outputs[id] = self.numbers[id] = "default(steps.%s.outputs.v, 0)" % id
        if "forEach" in step and self.chance(0.5):
            self.outputs[id + "-ok"] = items(id, "ok")
        if within is not None and self.isBatch:
            # Only a step that needs the batch sees its steps.
            for name in (id, id + ".sum"):
                self.numbers.pop(name, None)


def layout(value, indent=0):
    """JSON, which is YAML, with a line for each step."""
    pad = "  " * indent
    if isinstance(value, dict) and any(key in value for key in ("waybill", "main", "chain", "batch", "finally", "shop")):
        lines = ["%s  %s: %s" % (pad, json.dumps(key), layout(each, indent + 1)) for key, each in value.items()]
        return "{\n" + ",\n".join(lines) + "\n" + pad + "}"
    if isinstance(value, list) and value and all(isinstance(each, dict) and "id" in each for each in value):
        return "[\n" + ",\n".join(pad + "  " + layout(each, indent + 1) for each in value) + "\n" + pad + "]"
    return json.dumps(value)


if __name__ == "__main__":
    print(Load(sys.argv[1] if len(sys.argv) > 1 else "1").text(1))
