#!/usr/bin/env python3
"""check-mcp.py PROGRAM: sessions of PyPI's client for the Model Context Protocol with 'waybill mcp'.

Needs the package mcp; check-mcp.sh installs it.
"""

import argparse
import base64
import contextlib
import http.server
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import anyio
import jsonschema
from mcp import ClientSession, MCPError, StdioServerParameters, stdio_client

CANARY = "canary-3f9c1d7e5b2a"
# JSON escapes its characters.
HARD = 'hard"\\é-5d1f9a'
MANIFEST = """
waybill: 1
name: shop
description: orders of %(canary)s
inputs: {server: {type: string, default: "http://127.0.0.1:%(port)d"}}
secrets: {token: {env: SHOP_TOKEN}, hard: {env: HARD}}
environments: {production: {inputs: {server: "http://127.0.0.1:%(port)d/production"}}}
services: {shop: {baseURL: "${inputs.server}", auth: {bearer: "${secrets.token}"}}}
endpoints:
  order:
    path: /orders/${inputs.id}
    inputs: {id: integer}
    outputs: {order: $}
    mock: {body: {id: 7, total: 12.5}}
graphs:
  main:
    description: looks an order up
    inputs: {id: {type: integer, minimum: 1}, note: {type: string, default: ""}}
    chain: [{call: order, with: {id: "${inputs.id}"}}]
    outputs: {order: steps.order.outputs.order}
  slow:
    chain: [{id: wait, get: /slow, mock: {delay: 60s}}]
  large:
    chain: [{id: get, get: /large, outputs: {all: $}, mock: {status: 200}}]
    outputs: {all: steps.get.outputs.all, small: "1"}
  failing:
    chain: [{id: get, get: /missing, mock: {status: 404, body: {why: not here}}}]
  nested:
    chain: [{id: get, get: /nested, headers: {X-Hard: "${sha256(secrets.hard)}"}}]
  jar:
    chain: [{id: get, get: /orders/1, cookies: {jar: cookies.txt}, mock: {body: {}}}]
"""


class Handler(http.server.BaseHTTPRequestHandler):
    """Sends back what it receives, also the secret; /slow never responds."""

    protocol_version = "HTTP/1.1"
    received = []

    def do_GET(self):
        self.received.append(self.path)
        if self.path.endswith("/slow"):
            time.sleep(30)
            return
        status = 404 if self.path in ("/missing", "/nested") else 200
        authorization = self.headers.get("Authorization", "")
        content = {"path": self.path, "authorization": authorization, "encoded": base64.b64encode(authorization.encode()).decode()}
        if self.path == "/large":
            content = [{**content, "number": number} for number in range(2000)]
        if self.path == "/nested":
            # A log in a log in a log, with and without characters beyond ASCII.
            content = HARD
            for level in range(4):
                content = {"log": json.dumps(content, ensure_ascii=level != 2)}
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@contextlib.asynccontextmanager
async def opened(program, folder, *options):
    """A session of the client. What both sides send is kept in files."""
    # The client starts the server with few variables. 'tee' ends with the server.
    script = 'tee -a ../sent | "$0" mcp "$@" 2>>../errors | tee -a ../messages'
    parameters = StdioServerParameters(
        command="bash", args=["-c", script, program, *options], cwd=folder,
        env={"SHOP_TOKEN": CANARY, "HARD": HARD, "XDG_CACHE_HOME": str(folder.parent / "cache")},
    )
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as client:
        session = Session()
        session.client, session.start = client, await client.initialize()
        session.schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
        yield session


class Session:
    """Calls of tools."""

    async def call(self, name, fails=False, **arguments):
        """Returns the content of the result of a tool, which must be as its schema says."""
        result = await self.client.call_tool(name, arguments)
        text = result.content[0].text
        assert result.is_error == fails, (name, arguments, text)
        assert len(text.encode()) <= 32 << 10, (name, len(text))
        if result.structured_content is None:
            assert fails or self.schemas[name] is None, name
            return text
        assert json.loads(text) == result.structured_content
        jsonschema.validate(result.structured_content, self.schemas[name])
        return result.structured_content


async def check_tools(program, folder):
    async with opened(program, folder) as session:
        assert session.start.protocol_version == "2025-06-18", session.start
        assert list(session.schemas) == ["list_manifests", "validate", "plan", "explain", "run", "show"]
        await session.client.send_ping()
        listed = await session.call("list_manifests")
        assert [entry["path"] for entry in listed["manifests"]] == [
            "bad.yaml", "shop.yaml", "sub/far.yaml", "sub/inner.yaml"
        ], listed
        shop = listed["manifests"][1]
        graph = shop["graphs"][0]
        assert shop["description"] == "orders of ***" and shop["environments"] == ["production"], shop
        assert graph["inputs"]["required"] == ["id"] and not graph["real"], graph
        jsonschema.Draft202012Validator.check_schema(graph["inputs"])
        assert len((await session.call("list_manifests", folder="sub"))["manifests"]) == 2
        valid = await session.call("validate", manifest="shop.yaml")
        assert valid["valid"] and valid["errors"] == 0, valid
        invalid = await session.call("validate", manifest="bad.yaml")
        assert not invalid["valid"] and invalid["diagnostics"][0]["id"] == "unknown-endpoint", invalid
        # Help that agents can use.
        far = json.dumps(await session.call("validate", manifest="sub/far.yaml"))
        for text in (far, await session.call("plan", fails=True, manifest="sub/far.yaml")):
            assert "only use files in its own folder" in text and "allow" not in text, text
        assert "unknown-endpoint:" in await session.call("explain", topic="unknown-endpoint")
        assert "Did you mean 'retry'?" in await session.call("explain", fails=True, topic="rtry")
        assert "GET ${inputs.server}/orders" in await session.call("plan", manifest="shop.yaml", graph="main", inputs={"id": 7})
        assert "bearer" in await session.call("plan", manifest="shop.yaml", endpoint="order")
        assert "unknown-endpoint" in await session.call("plan", fails=True, manifest="bad.yaml")
    return "lists, validates, explains, plans"


async def check_mocked(program, folder):
    async with opened(program, folder) as session:
        Handler.received.clear()
        run = await session.call("run", manifest="shop.yaml", graph="main", inputs={"id": 7})
        assert run["mocked"] and run["outputs"] == {"main": {"order": {"id": 7, "total": 12.5}}}, run
        assert "must be at least 1" in await session.call(
            "run", fails=True, manifest="shop.yaml", graph="main", inputs={"id": 0}
        )
        text = await session.call("run", fails=True, manifest="shop.yaml", graph="main")
        assert "missing-input" in text and "--input" not in text, text
        failed = await session.call("run", fails=True, manifest="shop.yaml", graph="failing")
        assert failed["outcome"] == "failed" and failed["failures"][0]["failure"]["kind"] == "status", failed
        assert "not here" in failed["failures"][0]["text"]
        shown = await session.call("show", run=failed["run"], failed=True)
        assert [step["path"] for step in shown["steps"]] == ["failing.get"] and shown["mocked"], shown
        assert "not here" in shown["steps"][0]["text"], shown
        assert (await session.call("show", run="latest-passed"))["outputs"] == run["outputs"]
        text = await session.call("run", fails=True, manifest="shop.yaml", graph="main", inputs={"id": 7}, mock=False)
        assert "may not send real requests" in text, text
        assert Handler.received == [], Handler.received
    return "runs with the mock server only"


async def check_real(program, folder):
    options = ("--allow", "shop.yaml#main", "--allow", "shop.yaml#large", "--allow", "shop.yaml#jar",
               "--allow", "shop.yaml#nested")
    async with opened(program, folder, *options) as session:
        Handler.received.clear()
        real = {
            graph["name"] for entry in (await session.call("list_manifests"))["manifests"]
            for graph in entry.get("graphs", []) if graph["real"]
        }
        assert real == {"main", "large", "jar", "nested"}, real
        run = await session.call("run", manifest="./sub/../shop.yaml", graph="main", inputs={"id": 7})
        order = run["outputs"]["main"]["order"]
        assert not run["mocked"] and order["path"] == "/orders/7", run
        assert order["authorization"] == "Bearer ***" and order["encoded"].endswith("***"), order
        large = await session.call("run", manifest="shop.yaml", graph="large")
        assert large["omitted"][0].startswith("1 outputs of large") and large["outputs"]["large"]["small"] == 1
        parts, offset = [], 0
        while offset is not None:
            part = (await session.call("show", run=large["run"], path="/large/all", offset=offset))["part"]
            assert part["count"] == 2000 and part["value"], part
            parts += part["value"]
            offset = part.get("next")
        assert [item["number"] for item in parts] == list(range(2000))
        assert parts[7]["authorization"] == "Bearer ***", parts[7]
        part = (await session.call("show", run=large["run"], path="/large/all/7/path", offset=2))["part"]
        assert part == {"value": "arge", "count": 6}, part
        for path, offset in (("/large/none", 0), ("large", 0), ("/large/all", 2000), ("/large/small", 1)):
            await session.call("show", fails=True, run=large["run"], path=path, offset=offset)
        nested = await session.call("run", fails=True, manifest="shop.yaml", graph="nested")
        assert "***" in nested["failures"][0]["text"], nested
        assert Handler.received == ["/orders/7", "/large", "/nested"], Handler.received
        assert "--allow" in await session.call("run", fails=True, manifest="shop.yaml", graph="failing", mock=False)
        assert "environment 'production'" in await session.call(
            "run", fails=True, manifest="shop.yaml", graph="main", inputs={"id": 7}, environment="production"
        )
        assert "cookies.txt" in await session.call("run", fails=True, manifest="shop.yaml", graph="jar")
        assert (await session.call("run", manifest="shop.yaml", graph="jar", mock=True))["mocked"]
        assert Handler.received == ["/orders/7", "/large", "/nested"], Handler.received
    for wrong in ("shop.yaml#man", "missing.yaml", str(folder.parent / "outside.yaml"), "link.yaml"):
        status = subprocess.run([program, "mcp", "--allow", wrong], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL)
        assert status.returncode == 64, (wrong, status)
    return "runs what was allowed, and nothing else"


async def check_paths(program, folder):
    before = {path for path in folder.parent.rglob("*") if "waybill-results" not in path.parts}
    outside = folder.parent / "outside.yaml"
    async with opened(program, folder) as session:
        for path in ("../outside.yaml", str(outside), "link.yaml", "sub/../../outside.yaml", "/dev/stdin", "-", "", "a\0b",
                     "linked/outside.yaml", "/proc/self/environ", "~/x.yaml", "sub/" * 2000):
            for tool in ("validate", "plan", "run"):
                if tool == "validate" and path == "~/x.yaml":
                    continue
                text = await session.call(tool, fails=True, manifest=path)
                assert "folder of the server" in text or "no such file" in text, (path, text)
        for path in ("..", "linked", "/", "sub/../.."):
            assert "folder of the server" in await session.call("list_manifests", fails=True, folder=path)
        for run in ("../x", "/etc", "linked/x", ".."):
            await session.call("show", fails=True, run=run)
        # An include of a file outside, and of a link to it.
        for path in ("../outside.yaml", "link.yaml"):
            (folder / "sub/include.yaml").write_text(f"waybill: 1\ninclude: [{path}]\n")
            (folder / "sub/link.yaml").unlink(missing_ok=True)
            (folder / "sub/link.yaml").symlink_to(outside)
            result = await session.call("validate", manifest="sub/include.yaml")
            assert not result["valid"], result
        for file in ("include.yaml", "link.yaml"):
            (folder / "sub" / file).unlink()
        # Arguments that are not as the schema says, and calls that the protocol does not have.
        for arguments in ({"manifest": 1}, {"manifest": "shop.yaml", "inputs": []}, {"unknown": 1}, {"mock": "yes"}):
            assert "invalid" in await session.call("run", fails=True, **arguments)
        for method, code in (("resources/list", -32601), ("tools/call", -32602)):
            try:
                await (session.client.list_resources() if code == -32601 else session.client.call_tool("unheard_of", {}))
                raise AssertionError(method)
            except MCPError as error:
                assert error.code == code, error
    after = {path for path in folder.parent.rglob("*") if "waybill-results" not in path.parts}
    assert before == after, before ^ after
    return "paths outside, wrong arguments, no other file changed"


def runs(folder):
    return sorted(path for path in (folder / "waybill-results").iterdir() if (path / "events.ndjson").exists())


async def waited(condition):
    for _ in range(600):
        if condition():
            return
        await anyio.sleep(0.05)
    raise AssertionError("it did not happen")


async def check_cancelled(program, folder):
    """A cancelled run stops, other calls go on, and its result is that of Ctrl-C."""
    async with opened(program, folder, "--allow", "shop.yaml") as session:
        known = runs(folder)
        Handler.received.clear()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: session.client.call_tool("run", {"manifest": "shop.yaml", "graph": "slow"}))
            await waited(lambda: Handler.received)
            run = await session.call("run", manifest="shop.yaml", graph="main", inputs={"id": 1})
            assert run["outcome"] == "passed"
            # The client sends notifications/cancelled for calls that it abandons.
            tasks.cancel_scope.cancel()
        new = [path for path in runs(folder) if path not in known and path.name != run["run"]]
        assert len(new) == 1, new
        await waited(lambda: (new[0] / "run.json").exists())
        shown = await session.call("show", run=new[0].name)
        assert shown["outcome"] == "interrupted" and not shown["mocked"], shown
    assert "notifications/cancelled" in (folder.parent / "sent").read_text()
    return "stops the run"


def check_disappearance(program, folder):
    """The end of the stream, signals and SIGKILL end a run, which can be resumed."""
    call = {"name": "run", "arguments": {"manifest": "shop.yaml", "graph": "slow"}}
    messages = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}}},
        {"method": "notifications/initialized"}, {"id": 2, "method": "tools/call", "params": call},
    ]
    text = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages).encode()

    def start():
        Handler.received.clear()
        known = runs(folder)
        server = subprocess.Popen(
            [program, "mcp", "--allow", "shop.yaml"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, "SHOP_TOKEN": CANARY},
        )
        server.stdin.write(text)
        server.stdin.flush()
        deadline = time.monotonic() + 20
        while not Handler.received:
            assert time.monotonic() < deadline, "the run has not started"
            time.sleep(0.02)
        return server, [path for path in runs(folder) if path not in known][0]

    for how, status in (("end", 0), ("term", 143), ("kill", -9)):
        server, run = start()
        started = time.monotonic()
        if how == "end":
            # As the client does: it closes the stream, and sends SIGTERM later.
            server.stdin.close()
            time.sleep(0.3)
            assert server.poll() is None, "running requests have ten seconds"
            server.send_signal(signal.SIGTERM)
            status = 143
        elif how == "term":
            server.send_signal(signal.SIGTERM)
            # Two signals at once would be one.
            time.sleep(0.5)
            server.send_signal(signal.SIGTERM)
            server.stdin.close()
        else:
            server.kill()
        assert server.wait(15) == status, (how, server.returncode)
        assert time.monotonic() - started < 9, how
        (folder.parent / "messages").open("ab").write(server.stdout.read())
        assert (run / "run.json").exists() == (how != "kill"), how
        resumed = subprocess.run(
            [program, "plan", "shop.yaml", "--graph", "slow"], cwd=folder, capture_output=True, text=True
        )
        assert resumed.returncode == 0
        record = json.loads((run / "events.ndjson").read_text().split("\n")[0])
        assert record["graphs"] == ["slow"], record
    return "the end of the stream, SIGTERM, SIGKILL"


def check_malformed(program, folder):
    """Messages that are none have the errors of JSON-RPC, and the server goes on."""
    def exchange(*lines):
        server = subprocess.run(
            [program, "mcp"], cwd=folder, input=b"".join(lines), capture_output=True, timeout=60,
            env={**os.environ, "SHOP_TOKEN": CANARY},
        )
        assert server.returncode == 0, server
        (folder.parent / "messages").open("ab").write(server.stdout)
        return [json.loads(line) for line in server.stdout.splitlines()]

    def line(**message):
        return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"

    start = line(id=0, method="initialize", params={"protocolVersion": "2024-11-05"})
    for revision, chosen in (("2025-06-18", "2025-06-18"), ("2099-01-01", "2025-06-18"), ("2025-03-26", "2024-11-05"),
                             ("1", "2025-06-18")):
        found = exchange(line(id=0, method="initialize", params={"protocolVersion": revision}))
        assert found[0]["result"]["protocolVersion"] == chosen, (revision, found)
    for data, code in (
        (b"{a\n", -32700), (b"[]\n", -32600), (b"\xff\n", -32700), (b"[" * 100_000 + b"\n", -32700),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}\n', -32600), (line(id={}, method="ping"), -32600),
        (line(id=1), -32600), (b'"' + b"x" * (5 << 20) + b'"\n', -32600), (line(id=1, method="tools/list"), -32600),
        (line(id=1, method="initialize"), -32602),
    ):
        found = exchange(data, line(id=9, method="ping"))
        assert [found[0]["error"]["code"], found[1]["result"]] == [code, {}], (data[:40], found)
    for message, code in (
        (line(id=1, method="tools/call", params={"name": "run", "arguments": []}), -32602),
        (line(id=1, method="tools/list", params={"cursor": "x"}), -32602), (start, -32600),
        (line(id=1, method="unheard/of"), -32601), (line(id=1, method="tools/call"), -32602),
    ):
        found = exchange(start, line(method="notifications/unheard-of"), b"\r\n", message)
        assert found[1]["error"]["code"] == code, found
    # More calls than are allowed at once, and one id twice.
    call = {"name": "run", "arguments": {"manifest": "shop.yaml", "graph": "slow"}}
    server = subprocess.Popen(
        [program, "mcp"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "SHOP_TOKEN": CANARY}
    )
    server.stdin.write(start + b"".join(line(id=min(n, 17), method="tools/call", params=call) for n in range(1, 19)))
    server.stdin.flush()
    found = [json.loads(server.stdout.readline()) for _ in range(3)]
    assert [item.get("error", {}).get("code") for item in found] == [None, -32000, -32000], found
    server.kill()
    server.wait()
    return "malformed and early messages, too many calls"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--only", help="one of the checks, such as 'real'")
    options = parser.parse_args()
    program = str(pathlib.Path(shutil.which(options.program) or options.program).resolve())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as base:
        folder = pathlib.Path(base).resolve() / "work"
        (folder / "sub").mkdir(parents=True)
        (folder / "waybill-results").mkdir()
        values = {"port": server.server_port, "canary": CANARY}
        (folder / "shop.yaml").write_text(MANIFEST % values)
        (folder / "bad.yaml").write_text("waybill: 1\ngraphs: {main: {chain: [{call: odrer}]}}\n")
        (folder / "sub/far.yaml").write_text("waybill: 1\ndata: {d: {file: ../bad.yaml}}\ngraphs: {main: {chain: [{get: /}]}}\n")
        (folder / "sub/inner.yaml").write_text("waybill: 1\ngraphs: {main: {chain: [{get: 'http://127.0.0.1:9/'}]}}\n")
        (folder.parent / "outside.yaml").write_text("waybill: 1\ndefaults: {}\n")
        (folder / "link.yaml").symlink_to(folder.parent / "outside.yaml")
        (folder / "linked").symlink_to(folder.parent)
        for file in ("messages", "sent", "errors"):
            (folder.parent / file).touch()

        async def sessions():
            for check in (check_tools, check_mocked, check_real, check_paths, check_cancelled):
                if options.only in (None, check.__name__.removeprefix("check_")):
                    print(f"{check.__name__.removeprefix('check_')}: {await check(program, folder)}", flush=True)

        anyio.run(sessions)
        for check in (check_disappearance, check_malformed):
            if options.only in (None, check.__name__.removeprefix("check_")):
                print(f"{check.__name__.removeprefix('check_')}: {check(program, folder)}", flush=True)
        written = (folder.parent / "messages").read_bytes() + (folder.parent / "errors").read_bytes()
        for form in (CANARY, HARD[-6:], base64.b64encode(CANARY.encode()).decode().rstrip("="), CANARY[:12]):
            assert form.encode() not in written, form
        print(f"no secret in {len(written)} bytes of messages")


if __name__ == "__main__":
    main()
