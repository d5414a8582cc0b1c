#!/usr/bin/env python3
"""Sends mutated HTTP/1.1 responses to the built program and checks what it makes of them.

    python3 Tests/Tools/fuzz-heads.py [--seconds 60] [--seed 1] [--program .build/debug/waybill] [--batch 90] [--jobs 2]

A server on 127.0.0.1 (in this file) makes each response from the seed: status lines, interim responses, repeated, folded
and malformed fields, lengths, chunks, trailers, content codings, cookies, redirects to itself, and then mutations of the
bytes. The program fetches a batch of them in one `forEach`. Then

- the program must have ended within a minute, with exit status 0 or 1, nothing on standard error that a crash leaves, and
  less than 400 MB of memory,
- run.json must be JSON, and every element must have passed or failed with one of the known kinds of failure,
- an element must not have passed if one of its responses was incomplete or its framing invalid, which `fault` finds out
  independently of the program (no empty line, invalid or different values of Content-Length, fewer bytes than announced,
  invalid chunks, no last chunk, gzip that is cut short or followed by something else),
- an element whose responses were not mutated must have passed, or failed as `timeout` or `transfer`: some are lost after
  mutated responses on the same connection. They are counted as "unmutated but lost", with the messages of `transfer`.

The first violation ends the run with exit status 1 and prints the response; `--batch-number` repeats its batch. Without
violations the last line says how many responses of which kinds were checked.
"""
import argparse
import collections
import gzip
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {"timeout", "transfer", "status", "content-type", "decode", "connect", "dns"}
MEMORY = 400 << 20
STATUSES = [b"200 OK", b"200", b"200 ", b"201 Created", b"204 No Content", b"206 Partial", b"304 Not Modified",
            b"404 Not Found", b"500 No", b"999 X", b"20 X", b"2000 X", b"abc OK", b"099 X", b"-200 OK", b"101 Switch"]
VERSIONS = [b"HTTP/1.1"] * 20 + [b"HTTP/1.0", b"HTTP/2", b"HTTP/0.9", b"HTTP/1.2", b"http/1.1", b"ICY", b"HTTP/1.11", b""]
LENGTHS = [b"0", b"-1", b"+5", b"1e3", b"0x10", b" 7 ", b"", b"18446744073709551616", b"9223372036854775807", b"007",
           b"5, 5", b"5, 6", b"5;5", b"5 5", b"\xb2"]
CHARSETS = [b"utf-8", b'"utf-8"', b"utf-16", b"latin1", b"x-none", b"", b"utf-8; charset=latin1", b"\xff"]
COOKIES = [b"a=b", b"a=b; Path=/; HttpOnly", b"=", b";", b"a", b"a=" + b"x" * 5000, b"a=b; Expires=never", b"\x01=\x02",
           b"__Host-a=b", b"a=b; Domain=com", b"a=b; Domain=.127.0.0.1", b"a=b; Max-Age=99999999999999999999"]
LOCATIONS = [b"", b"/", b"//", b"http://", b"http://[::1", b"file:///etc/passwd", b"http://127.0.0.1:1/", b"?x", b"#y", b"\xff",
             b"/\x00", b"http://user:pw@127.0.0.1:%d/c/0/9", b"http://127.0.0.1:99999/", b"javascript:x", b" /c/0/9 "]


class Case:
    """One response: its bytes, how they are sent, and what must become of it."""

    def __init__(self, rng, number, hop, port):
        self.rng = rng
        self.is_plain = rng.random() < 0.15
        body = json.dumps({"n": number, "pad": "x" * rng.choice([0, 0, 10, 3000])}).encode()
        self.head = [b"HTTP/1.1 200 OK", b"Content-Type: application/json"]
        self.bytes = self.framed(body) if self.is_plain else self.grown(body, number, hop, port)
        if not self.is_plain and rng.random() < 0.7:
            self.bytes = self.mutated(self.bytes)
        self.fault = fault(self.bytes)
        is_delimited = self.is_plain or (self.fault is None and b"Content-Length" in self.bytes)
        # A response that never ends costs a timeout.
        self.end = "keep" if is_delimited and rng.random() < 0.5 else "close"
        if not self.is_plain and self.end == "close" and rng.random() < 0.1:
            self.end = "reset"
        if self.fault and rng.random() < 0.003:
            self.end = "stall"
        self.pieces = rng.choice([1, 1, 1, 2, 5])
        self.excess = b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n{\"n\":-1}" if rng.random() < 0.1 else b""

    def framed(self, body):
        """The body with valid framing."""
        rng, head = self.rng, list(self.head)
        if rng.random() < 0.3:
            body = gzip.compress(body)
            head.append(b"Content-Encoding: gzip")
        if rng.random() < 0.5:
            head.append(b"Content-Length: %d" % len(body))
            return b"\r\n".join(head) + b"\r\n\r\n" + body
        head.append(b"Transfer-Encoding: chunked")
        return b"\r\n".join(head) + b"\r\n\r\n" + self.chunks(body, b"\r\n")

    def chunks(self, body, end, odd=False):
        rng, out, at = self.rng, b"", 0
        while at < len(body):
            size = min(rng.choice([1, 7, 100, 5000]), len(body) - at)
            line = b"%x" % size
            if rng.random() < 0.2:
                line += b";a=b"
            if odd and rng.random() < 0.1:
                line = rng.choice([b"", b"zz", b"-1", b"0x5", b"ffffffffffffffffff", b"00" + line, line + b" ", b" " + line, b"1"])
            out += line + end + body[at:at + size] + (end if not odd or rng.random() < 0.95 else b"")
            at += size
        if odd and rng.random() < 0.1:
            return out
        trailer = b"X-T: 1" + end if rng.random() < 0.2 else b""
        return out + b"0" + end + trailer + (b"" if odd and rng.random() < 0.1 else end)

    def grown(self, body, number, hop, port):
        """A response from the grammar, most parts of which may be odd."""
        rng = self.rng
        end = rng.choice([b"\r\n"] * 8 + [b"\n", b"\r"])
        out = b""
        while rng.random() < 0.1:
            out += rng.choice([b"HTTP/1.1 100 Continue", b"HTTP/1.1 103 Hints" + end + b"Link: </x>"]) + end + end
        status = rng.choice(STATUSES) if rng.random() < 0.3 else b"200 OK"
        fields = [rng.choice([b"Content-Type: application/json"] * 5 + [
            b"Content-Type: text/plain; charset=" + rng.choice(CHARSETS), b"Content-Type: ;", b"Content-Type: a/b/c", b"X: y"])]
        if rng.random() < 0.15 and hop < 12:
            status = rng.choice([b"301 Moved", b"302 Found", b"303 See", b"307 Temporary", b"308 Permanent", b"300 Choose"])
            there = b"/c/%d/%d" % (number, hop + 1)
            fields.append(b"Location: " + (there if rng.random() < 0.7 else rng.choice(LOCATIONS).replace(b"%d", b"%d" % port)))
            if rng.random() < 0.1:
                fields.append(b"Location: " + rng.choice([there, b"/elsewhere"]))
        if rng.random() < 0.2:
            fields.append(b"Set-Cookie: " + rng.choice(COOKIES))
        if rng.random() < 0.1:
            fields.append(rng.choice([b"WWW-Authenticate: Digest realm=", b"Retry-After: 99999999999999999999", b"Date: x",
                                      b"Connection: close", b"Connection: keep-alive, x", b"Content-Range: bytes 5-2/1",
                                      b"ETag: \"", b"Alt-Svc: h2=\":1\"", b"Upgrade: h2c", b"Trailer: X-T", b"Age: -1"]))
        if rng.random() < 0.3:
            coding = rng.choice([b"gzip", b"deflate", b"br", b"zstd", b"x", b"gzip, gzip", b"identity", b""])
            fields.append(b"Content-Encoding: " + coding)
            if coding in (b"gzip", b"deflate") and rng.random() < 0.9:
                body = gzip.compress(body) if coding == b"gzip" else zlib.compress(body)
                body += rng.choice([b""] * 4 + [b"\0\0", b"garbage", gzip.compress(b" ")])
                body = body if rng.random() < 0.8 else body[:rng.randrange(len(body) + 1)]
        choice = rng.random()
        if choice < 0.45:
            length = b"%d" % (len(body) + rng.choice([0, 0, 0, 0, 1, -1, 1000]))
            for _ in range(rng.choice([1, 1, 1, 1, 2])):
                fields.append(b"Content-Length: " + (length if rng.random() < 0.8 else rng.choice(LENGTHS)))
        elif choice < 0.85:
            fields.append(b"Transfer-Encoding: " + rng.choice([b"chunked"] * 8 + [b"Chunked", b"gzip, chunked", b"chunked, gzip",
                                                                                  b"chunked, chunked", b"identity", b"x"]))
            if rng.random() < 0.1:
                fields.append(b"Content-Length: %d" % len(body))
            body = self.chunks(body, end if end != b"\r" else b"\r\n", odd=rng.random() < 0.5)
        rng.shuffle(fields)
        for index in range(len(fields)):
            if rng.random() < 0.04:
                fields[index] = rng.choice([
                    fields[index].replace(b": ", b" : "), fields[index].replace(b": ", b":" + end + b" "), b" " + fields[index],
                    fields[index].replace(b": ", b" "), fields[index].lower(), fields[index] + b"\0", b": v", b"", b"x" * 9000,
                    fields[index] + b"\r", b"\xff: \xfe", fields[index] + end + fields[index]])
        line = (rng.choice(VERSIONS) + b" " + status) if rng.random() < 0.95 else rng.choice([b"", b"HTTP", b"HTTP/1.1", b"SSH-2.0"])
        return out + end.join([line] + fields + [b"", b""]) + body

    def mutated(self, data):
        """The bytes with a few random changes."""
        rng, data = self.rng, bytearray(data)
        # Mostly in the head, as bodies are only text.
        limit = (data.find(b"\r\n\r\n") + 40) if rng.random() < 0.8 else len(data)
        for _ in range(rng.choice([1, 1, 2, 4])):
            if not data:
                break
            at = rng.randrange(min(max(limit, 1), len(data)))
            kind = rng.randrange(6)
            if kind == 0:
                data[at] ^= 1 << rng.randrange(8)
            elif kind == 1:
                data[at] = rng.choice(b"\0\r\n\t :;,0159afF\x7f\x80\xff")
            elif kind == 2:
                del data[at:at + rng.choice([1, 1, 3, 20])]
            elif kind == 3:
                data[at:at] = rng.choice([b"\r\n", b"\n", b"\r", b" ", b"\0", b"\xff", b"0", b":", b"\r\n\r\n", b"\r\n "])
            elif kind == 4:
                end = at + rng.choice([1, 5, 40])
                data[at:at] = data[at:end]
            elif rng.random() < 0.5:
                del data[at:]
        return bytes(data)


def fault(data):
    """Why no client may take these bytes, followed by the end of the connection, for a complete response; None if one may."""
    while True:
        if not re.match(rb"HTTP/\d(\.\d)?[ \t]+\d\d\d(?!\d)", data, re.I):
            return "it does not start with a status line"
        # libcurl treats a line of carriage returns as an empty one.
        empty = re.search(rb"\n\r*\n", data)
        if not empty:
            return "no empty line ends the head"
        head, body = data[:empty.start()], data[empty.end():]
        status = re.match(rb"HTTP/1\.([01]) (\d\d\d)(?=[ \r\n]|$)", head)
        if not status:
            return None
        code = int(status[2])
        if 100 <= code < 200 and code != 101:
            data = body
            continue
        break
    lines = head.split(b"\n")[1:]
    fields = collections.defaultdict(list)
    for line in lines:
        line = line[:-1] if line.endswith(b"\r") else line
        match = re.fullmatch(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\0]*?)[ \t]*", line, re.S)
        if not match:
            # How the rest is understood is open.
            return None
        fields[match[1].lower()].append(match[2])
    if code in (101, 204, 304):
        return None
    codings = fields[b"transfer-encoding"]
    if codings:
        if status[1] == b"0" or len(codings) > 1 or codings[0].lower() != b"chunked":
            return None
        body = unchunked(body)
        if isinstance(body, str):
            return body
    elif fields[b"content-length"]:
        values = {value.strip(b" \t") for line in fields[b"content-length"] for value in line.split(b",")}
        if not all(re.fullmatch(rb"[0-9]+", value) for value in values):
            return "Content-Length is not a number"
        lengths = {int(value) for value in values}
        if len(lengths) > 1:
            return "different values of Content-Length"
        length = lengths.pop()
        if len(body) < length:
            return "the body is shorter than its Content-Length"
        body = body[:length]
    if len(fields[b"content-encoding"]) == 1 and fields[b"content-encoding"][0].lower() == b"gzip" and body:
        return gzip_fault(body)
    return None


def unchunked(body):
    """The content of chunks, or what is wrong with them."""
    content = b""
    while True:
        line, found, rest = body.partition(b"\n")
        if not found:
            return "the chunks end without a last one"
        # libcurl ignores what follows the digits, with a semicolon before it or not.
        size = re.match(rb"[0-9a-fA-F]+", line)
        if not size:
            return "a chunk's size is not a number"
        size = int(size[0], 16)
        if size == 0:
            while True:
                line, found, rest = rest.partition(b"\n")
                if not found:
                    return "the trailers do not end"
                if not line.strip(b"\r"):
                    return content
        if len(rest) < size:
            return "a chunk is cut short"
        content, after = content + rest[:size], rest[size:]
        # libcurl accepts any number of carriage returns.
        end = re.match(rb"\r*\n", after)
        if not end:
            return "no line break ends a chunk"
        body = after[end.end():]


def gzip_fault(body):
    while body:
        decoder = zlib.decompressobj(31)
        try:
            decoder.decompress(body)
        except zlib.error:
            return "the body is not gzip"
        if not decoder.eof:
            return "gzip is cut short"
        body = decoder.unused_data.lstrip(b"\0")
    return None


class Server:
    """Serves the responses of one batch, and remembers which."""

    def __init__(self, seed, batch):
        self.seed, self.batch = seed, batch
        self.cases = collections.defaultdict(list)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        self.connections = set()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections.add(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        connection.settimeout(10)
        try:
            with connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                while self.respond(connection):
                    pass
        except OSError:
            pass
        self.connections.discard(connection)

    def respond(self, connection):
        request = b""
        while b"\r\n\r\n" not in request:
            more = connection.recv(65536)
            if not more:
                return False
            request += more
        path = re.match(rb"GET /c/(\d+)/(\d+)[ ?#]", request)
        if not path:
            connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            return True
        number, hop = int(path[1]), int(path[2])
        # Not the number of the path, as mutated redirects lead to other elements' paths.
        element = re.search(rb"\r\nX-Element: (\d+)\r\n", request)
        case = Case(random.Random(f"{self.seed}/{self.batch}/{number}/{hop}"), number, hop, self.port)
        self.cases[int(element[1])].append(case)
        # What a client may take for excess comes at once: later, it could not be told from the next response.
        excess = case.excess if case.end == "keep" else b""
        size = len(case.bytes) if case.end == "keep" and not case.is_plain else -(-len(case.bytes) // case.pieces)
        pieces = [case.bytes[at:at + size] for at in range(0, len(case.bytes), max(1, size))]
        for piece in pieces[:-1]:
            connection.sendall(piece)
        connection.sendall((pieces[-1] if pieces else b"") + excess)
        if case.end == "keep":
            return True
        if case.end == "stall":
            connection.recv(65536)
        elif case.end == "reset":
            # What was sent may be lost with it, so that anything may become of the response.
            case.is_plain = False
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False

    def close(self):
        # Closing alone does not end the thread that accepts, which keeps all responses: the memory of this process counts as the
        # program's, too, as it starts as a copy.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in list(self.connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Violation(Exception):
    pass


def run_batch(arguments, batch):
    """Runs a batch, and counts what became of its responses."""
    server = Server(arguments.seed, batch)
    folder = tempfile.mkdtemp(prefix="fuzz-heads-")
    try:
        with open(os.path.join(folder, "manifest.yaml"), "w") as file:
            file.write(f"""waybill: 1
defaults: {{timeout: 5s, maxBody: 1MiB, maxConnections: 8}}
graphs:
  main:
    chain:
      - forEach: {{in: {list(range(arguments.batch))}, as: n, concurrency: 8}}
        onFailure: continue
        get: http://127.0.0.1:{server.port}/c/${{n}}/0
        headers: {{X-Element: "${{n}}"}}
        expect: {{body: [$.n == n]}}
""")
        process = subprocess.Popen(
            [arguments.program, "run", "manifest.yaml", "--out", "out", "--no-color"],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        timer = threading.Timer(60, lambda: os.killpg(process.pid, signal.SIGABRT))
        timer.start()
        output = process.stdout.read().decode("utf-8", "replace")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        timer.cancel()
        if process.returncode not in (0, 1):
            raise Violation(f"the program ended with status {process.returncode}:\n{output[-3000:]}")
        if "Fatal error" in output or "Sanitizer" in output:
            raise Violation(output[-3000:])
        if usage.ru_maxrss * 1024 > MEMORY:
            raise Violation(f"the program used {usage.ru_maxrss // 1024} MB of memory")
        return check(arguments, server, os.path.join(folder, "out"))
    finally:
        server.close()
        shutil.rmtree(folder, ignore_errors=True)


def check(arguments, server, out):
    with open(os.path.join(out, "run.json"), encoding="utf-8") as file:
        run = json.load(file)
    failures, passed = {}, set()
    with open(os.path.join(out, "events.ndjson"), encoding="utf-8") as file:
        for line in file:
            event = json.loads(line)
            if event["type"] == "element.finished":
                if event["outcome"] == "passed":
                    passed.add(event["element"])
                else:
                    failures[event["element"]] = event.get("failure", {})
    elements = run["steps"][0]["elements"]
    if len(passed) != elements["passed"] or len(failures) != elements["failed"] + elements.get("tolerated", 0):
        raise Violation(f"run.json counts {elements}, the journal has {len(passed)} passed and {len(failures)} failed")
    counts = collections.Counter()
    for number in range(arguments.batch):
        cases = server.cases[number]
        counts["responses"] += len(cases)
        for case in cases:
            counts["plain" if case.is_plain else "may not pass" if case.fault else "open"] += 1
        if number in passed:
            counts["passed"] += 1
            wrong = [case for case in cases if case.fault]
            if wrong:
                raise Violation(f"element {number} passed, but {wrong[0].fault}:\n{wrong[0].bytes!r}")
        elif number in failures:
            kind = failures[number].get("kind")
            counts[f"failed as {kind}"] += 1
            if kind not in KINDS | {"expect"}:
                raise Violation(f"element {number} failed with the kind {kind}: {failures[number]}")
            is_plain = cases and all(case.is_plain for case in cases)
            if is_plain and kind in ("timeout", "transfer"):
                counts["unmutated but lost"] += 1
                if kind == "transfer":
                    counts["lost as '" + re.sub(r"127\.0\.0\.1:\d+", "the server", failures[number]["message"]) + "'"] += 1
            elif is_plain:
                raise Violation(f"element {number} failed: {failures[number]}\n{[case.bytes for case in cases]!r}")
        else:
            raise Violation(f"element {number} neither passed nor failed")
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--program", default=os.path.join(HERE, "../../.build/debug/waybill"))
    parser.add_argument("--batch", type=int, default=90)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--batch-number", type=int, help="run only this batch")
    arguments = parser.parse_args()
    arguments.program = os.path.abspath(arguments.program)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    end = time.monotonic() + arguments.seconds
    totals, violations = collections.Counter(), []
    numbers = iter(range(1 << 60)) if arguments.batch_number is None else iter([arguments.batch_number])
    lock = threading.Lock()

    def work():
        while time.monotonic() < end and not violations:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            try:
                counts = run_batch(arguments, number)
            except (Violation, OSError, ValueError, KeyError) as error:
                violations.append(f"seed {arguments.seed}, batch {number}: {type(error).__name__}: {error}")
                return
            with lock:
                totals.update(counts)
                totals["batches"] += 1

    with ThreadPoolExecutor(arguments.jobs) as pool:
        for future in [pool.submit(work) for _ in range(arguments.jobs)]:
            future.result()
    for violation in violations:
        print(violation)
    print(f"seed {arguments.seed}: " + ", ".join(f"{count} {name}" for name, count in sorted(totals.items())))
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
