"""The server of the kill tests. It listens on 127.0.0.1.

What it responds depends on the request, never on the time: on its path, and on how often the path was requested. The paths of
the loads of generate.py are

    /TAG/BEHAVIOURS/STEP/…/NUMBER

TAG distinguishes runs, and no response contains it. BEHAVIOURS are joined by '+', and apply to some of the numbers:

- flaky: the first requests have the status 503, or their connections are closed, and then the request succeeds,
- bad, gone: the status is always 422, or always 404,
- stall: the response takes longer than any deadline that the load has for it,
- poll: the state is 'running' at first, and then 'done', and stays so,
- pages: the response is a page, with a cursor, a number or an offset,
- file: the response is a file, and may be requested in ranges. The connection of a flaky one is closed in the middle.
"""
import asyncio
import collections
import hashlib
import json
import random
import threading
import zlib

PAGES = 40
STALL = 5
CHUNK = 16384


class Server:
    """Answers in a millisecond or two, and remembers what it has answered."""

    def __init__(self):
        # How often the server has answered each target of a POST, and each target, with success.
        self.posts = collections.Counter()
        self.answered = collections.Counter()
        self.requested = collections.Counter()
        self.requests = self.ranges = 0
        self.trap = None
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

    def clear(self):
        for counter in (self.posts, self.answered, self.requested):
            counter.clear()

    def set_trap(self, count, isBefore, action):
        """Calls an action before or after the response to a request: the one after so many others."""
        self.trap = [count, isBefore, action]

    def _spring(self, isBefore):
        trap = self.trap
        if trap and trap[1] == isBefore:
            trap[0] -= 1
            if trap[0] < 0:
                self.trap = None
                trap[2]()

    async def _connection(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
                method, target, _ = head[0].split(" ")
                fields = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
                body = await reader.readexactly(int(fields.get("content-length", 0)))
                self.requests += 1
                self._spring(True)
                if not await self._respond(writer, method, target, fields, body):
                    return
                self._spring(False)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _respond(self, writer, method, target, fields, body):
        """Sends a response; returns false if the connection has to be closed."""
        parts = target.partition("?")[0].split("/")
        if len(parts) > 3 and parts[2].startswith("g-"):
            return await Generated(self, method, target, fields, parts).respond(writer)
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
        await send(writer, status, answer, extra)
        return True

    def _answer(self, method, target, fields, body):
        if target == "/login":
            token = "token-" + str(random.random())
            self.tokens.add("bearer " + token)
            return {"token": token}
        if target == "/enter":
            self.visit += 1
            return {"key": "key-of-visit-%d" % self.visit}
        if method == "POST":
            key = fields["idempotency-key"]
            self.posts[key] += 1
            self.answered[key] += 1
            return {"id": json.loads(body)["number"] * 3}
        if target.startswith("/pages"):
            page = int(target.partition("after=")[2] or 0)
            items = [{"page": page, "item": item, "text": "a,b \"c\""} for item in range(25)]
            return {"items": items, "next": str(page + 1) if page + 1 < PAGES else None}
        return {"path": target, "value": len(target)}


async def send(writer, status, answer, extra=b""):
    await asyncio.sleep(random.random() * 0.003)
    writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Type: application/json\r\n" + extra
                 + b"Content-Length: %d\r\n\r\n" % len(answer) + answer)
    await writer.drain()


class Generated:
    """The response to a request of a generated load."""

    def __init__(self, server, method, target, fields, parts):
        self.server, self.method, self.target, self.fields = server, method, target, fields
        self.behaviours = set(parts[2][2:].split("+"))
        # Without the tag, so that it has no effect.
        self.path = "/".join(parts[3:])
        self.query = dict(field.split("=", 1) for field in target.partition("?")[2].split("&") if "=" in field)
        self.number = int(parts[-1]) if parts[-1].isdigit() else 0
        self.hash = zlib.crc32(self.path.encode())
        # The requests of each page are counted by themselves.
        self.earlier = server.requested[target]
        server.requested[target] += 1

    async def respond(self, writer):
        isFlaky = "flaky" in self.behaviours and self.earlier < (self.hash >> 4) % 3
        if "stall" in self.behaviours and self.number % 4 == 1:
            await asyncio.sleep(STALL)
            await send(writer, b"200 OK", b"null")
            return False
        if "file" in self.behaviours:
            return await self.send_file(writer, isFlaky)
        if isFlaky:
            if self.method != "POST" and self.hash % 2:
                return False
            await send(writer, b"503 Service Unavailable", b'{"message": "busy", "state": "busy"}')
            return True
        if "bad" in self.behaviours and self.number % 4 == 2:
            await send(writer, b"422 Unprocessable Content", b'{"message": "bad", "state": "done"}')
            return True
        if "gone" in self.behaviours and self.number % 5 == 1:
            await send(writer, b"404 Not Found", b'{"message": "gone", "state": "done"}')
            return True
        answer = self.answer()
        self.server.answered[self.target] += 1
        if self.method == "POST":
            self.server.posts[self.target] += 1
        await send(writer, b"200 OK", json.dumps(answer).encode())
        return True

    def answer(self):
        record = {"id": self.path, "value": self.hash % 1000, "text": 'a,b "c"\n%d' % self.number, "n": self.number}
        if self.query.get("since"):
            record["value"] += int(self.query["since"])
        if "pages" in self.behaviours:
            return self.page(record)
        if "poll" in self.behaviours:
            last = (self.hash >> 3) % 3 + 1
            record["round"] = min(self.server.answered[self.target] + 1, last)
            record["state"] = "done" if record["round"] == last else "running"
        record["items"] = self.items(record, (self.hash >> 6) % 4)
        return record

    def items(self, record, count, first=0):
        return [dict(record, id="%s/%d" % (record["id"], index), value=record["value"] + index)
                for index in range(first, first + count)]

    def page(self, record):
        """A page of three items; the last one has two."""
        pages = (self.hash >> 5) % 4 + 1
        page = int(self.query.get("page") or self.query.get("after") or int(self.query.get("offset", 0)) // 3)
        items = self.items(record, max(0, min(3, pages * 3 - 1 - page * 3)), page * 3)
        return {"items": items, "next": str(page + 1) if page + 1 < pages else None, "state": "done"}

    async def send_file(self, writer, isFlaky):
        size = 20000 + self.hash % 150000
        content = (hashlib.sha256(self.path.encode()).digest() * (size // 32 + 1))[:size]
        tag = '"%08x"' % self.hash
        start, status = 0, b"200 OK"
        unit, _, positions = self.fields.get("range", "").partition("=")
        if unit == "bytes" and self.fields.get("if-range", tag) == tag:
            start = int(positions.partition("-")[0])
            self.server.ranges += 1
            if start >= size:
                writer.write(b"HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */%d\r\nContent-Length: 0\r\n\r\n" % size)
                return True
            status = b"206 Partial Content\r\nContent-Range: bytes %d-%d/%d" % (start, size - 1, size)
        digest = hashlib.sha256(content).hexdigest().encode()
        writer.write(b"HTTP/1.1 %s\r\nContent-Type: application/octet-stream\r\nETag: %s\r\nX-Checksum: %s\r\n"
                     b"Accept-Ranges: bytes\r\nContent-Length: %d\r\n\r\n" % (status, tag.encode(), digest, size - start))
        end = (start + size) // 2 if isFlaky else size
        for position in range(start, end, CHUNK):
            writer.write(content[position:min(position + CHUNK, end)])
            await writer.drain()
            await asyncio.sleep(0.002)
        self.server.answered[self.target] += not isFlaky
        return not isFlaky
