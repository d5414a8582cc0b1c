#!/usr/bin/env python3
"""Thousands of requests under way at once: a server that answers none before it has all of them.

    swift build -c release --product TransportBenchmark
    python3 Benchmarks/Transport/many.py [REQUESTS [PROGRAM]]

Prints the most memory that the program had, and fails when it is 400 MB or more for 5,000 requests (in proportion for
another number), or when a request has no response.
"""
import asyncio, os, pathlib, resource, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
REQUESTS = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
PROGRAM = sys.argv[2] if len(sys.argv) > 2 else str(ROOT / ".build/release/TransportBenchmark")
MEGABYTES = 400 * max(REQUESTS, 1000) / 5000
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

# The server's own connections, and what the program inherits is left as it is.
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, REQUESTS + 100), max(hard, REQUESTS + 100)))


async def main():
    waiting = 0
    all_are_there = asyncio.Event()

    async def answer(reader, writer):
        nonlocal waiting
        while await reader.readline():
            while (await reader.readline()).strip():
                pass
            waiting += 1
            if waiting >= REQUESTS:
                all_are_there.set()
            await all_are_there.wait()
            writer.write(ANSWER)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=REQUESTS)
    url = "http://127.0.0.1:%d/" % server.sockets[0].getsockname()[1]
    inherit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    process = subprocess.Popen([PROGRAM, url, str(REQUESTS), str(REQUESTS), "engine"], preexec_fn=inherit)
    _, status, usage = await asyncio.to_thread(os.wait4, process.pid, 0)
    megabytes = usage.ru_maxrss / 1024
    print(f"{megabytes:.0f} MB at most, {megabytes * 1024 / REQUESTS:.1f} KB a request, limit {MEGABYTES:.0f} MB")
    server.close()
    os._exit(1 if status or megabytes >= MEGABYTES else 0)


asyncio.run(main())
