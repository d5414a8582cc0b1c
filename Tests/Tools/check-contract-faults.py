#!/usr/bin/env python3
"""Plants faults in two services and in their OpenAPI documents, and checks that runs of their manifests report each one.

    packages="fastapi==0.165.0 apiflask==3.1.2 uvicorn==0.54.0 python-multipart==0.0.34 a2wsgi==1.10.10"
    "$(Tests/Tools/python-with.sh $packages)/bin/python" -B Tests/Tools/check-contract-faults.py [--program .build/debug/waybill]

The services are in Tests/Contracts/services: library is made with FastAPI (OpenAPI 3.1), tickets with APIFlask (3.0). They
publish their documents, which the manifests beside them name. A fault of a service changes its response to one request; a fault
of a document changes the document that was published. It is found if the run fails with a message that has the words of the
fault; of a service, the step must be the one with the fault. The unchanged services must pass. Prints a table. Exit status 1 if
a fault was not found.
"""

import argparse
import copy
import importlib.util
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.request
import warnings
from pathlib import Path

import a2wsgi
import fastapi
import uvicorn

ROOT = Path(__file__).resolve().parents[2]
SERVICES = ROOT / "Tests/Contracts/services"
REMOVED, OTHER_PATH = object(), object()


class Renamed(str):
    """The new name of a value."""


# The fault, the request, the step, words of the message; then the part of the response that changes, and its new value.
LIBRARY_SERVICE = [
    ("wrong type", "GET /books", "list", "/0/pages must be an integer", ("body", 0, "pages"), "474"),
    ("missing property", "GET /books/1", "get", "missing the key 'code'", ("body", "code"), REMOVED),
    ("renamed path", "POST /login", "login", "404 is not declared", (), OTHER_PATH),
    ("changed status", "POST /books", "create", "200 is not declared", ("status",), 200),
    ("wrong media type", "GET /export", "export", "'text/html' is not declared", ("headers", "content-type"), "text/html"),
    ("extra enumeration value", "GET /books", "list", "/1/genre must be 'novel'", ("body", 1, "genre"), "comic"),
    ("wrong header", "GET /books", "list", "'X-Total' must be an integer", ("headers", "x-total"), "many"),
    ("missing header", "GET /books", "list", "'X-Total' is missing", ("headers", "x-total"), REMOVED),
    ("wrong format", "GET /books/1", "get", "/added must be a date and time", ("body", "added"), "yesterday"),
    ("extra property", "GET /books/1", "get", "unknown key 'age'", ("body", "author", "age"), 41),
    ("null", "GET /account", "account", "/name must be a string", ("body", "name"), None),
    ("wrong additional property", "PUT /books/1/cover", "cover", "/caption must be an integer", ("body", "caption"), "12"),
    ("none of several forms", "GET /history/2026-01-02", "history", "/1/kind must be 'loan' or 'sale'", ("body", 1, "kind"), "rent"),
    ("missing property in an error", "GET /books/9", "missing", "missing the key 'detail'", ("body", "detail"), Renamed("error")),
    ("wrong type in an error", "POST /books", "rejected", "/detail must be a list", ("body", "detail"), "wrong"),
]
TICKETS_SERVICE = [
    ("wrong type", "GET /tickets", "list", "/next must be an integer or null", ("body", "next"), "2"),
    ("missing property", "GET /tickets/1", "get", "missing the key 'name'", ("body", "reporter", "name"), REMOVED),
    ("renamed path", "GET /account", "account", "404 is not declared", (), OTHER_PATH),
    ("changed status", "POST /tickets/1/files", "attach", "200 is not declared", ("status",), 200),
    ("wrong media type", "POST /login", "login", "'text/plain' is not declared", ("headers", "content-type"), "text/plain"),
    ("extra enumeration value", "GET /tickets/1", "get", "/state must be 'open' or 'closed'", ("body", "state"), "lost"),
    ("wrong header", "GET /tickets", "list", "'X-Total' must be an integer", ("headers", "x-total"), "2.5"),
    ("null", "GET /days/2026-01-02", "day", "/tickets must be a list", ("body", "tickets"), None),
    ("wrong format", "POST /tickets", "create", "/code must be a UUID", ("body", "code"), "6f1a1c1e"),
    ("extra property", "GET /tickets/1", "get", "unknown key 'colour'", ("body", "colour"), "red"),
    ("null in a list", "PATCH /tickets/1", "change", "/labels/0 must be a string", ("body", "labels"), [None]),
    ("too small", "GET /tickets", "list", "/tickets/1/hours must be at least 0", ("body", "tickets", 1, "hours"), -0.5),
    ("too many", "PATCH /tickets/1", "change", "/labels must have at most 5", ("body", "labels"), list("abcdef")),
    ("wrong type in an error", "GET /tickets/9", "missing", "/message must be a string", ("body", "message"), 404),
    ("another status of success", "DELETE /tickets/1", "delete", "202 is not declared", ("status",), 202),
]


def schema(name, *path):
    return ("components", "schemas", name, *path)


def operation(method, path, *parts):
    return ("paths", path, method, *parts)


def response(method, path, status, *parts):
    return operation(method, path, "responses", status, *parts)


# The fault, and words of the message; then the part of the document that changes, and its new value.
LIBRARY_DOCUMENT = [
    ("wrong type", "/pages must be a string", schema("Book", "properties", "pages"), {"type": "string"}),
    ("missing property", "missing the key 'isbn'", schema("Book", "required"), ["isbn"]),
    ("renamed path", "404 is not declared", ("paths", "/login"), Renamed("/sessions")),
    ("changed status", "201 is not declared", response("post", "/books", "201"), Renamed("200")),
    ("wrong media type", "'text/csv; charset=utf-8' is not declared", response("get", "/export", "200", "content", "text/csv"), REMOVED),
    ("removed enumeration value", "'genre' must be 'essay'", schema("Genre", "enum", 0), REMOVED),
    ("missing header", "'X-Next' is missing", response("get", "/books", "200", "headers", "X-Next"), {"required": True}),
    ("wrong header", "'X-Total' must be", response("get", "/books", "200", "headers", "X-Total", "schema"), {"enum": [7]}),
    ("wrong format", "/code must be a date", schema("Book", "properties", "code", "format"), "date"),
    ("extra property", "unknown key 'born'", schema("Author", "properties", "born"), REMOVED),
    ("null", "/price must be a number", schema("Book", "properties", "price"), {"type": "number"}),
    ("renamed parameter", "requires input 'from'", operation("get", "/export", "parameters", 0, "name"), "from"),
    ("required parameter", "requires input 'to'", operation("get", "/export", "parameters", 0), {"in": "query", "name": "to", "required": True, "schema": {}}),
    ("other credentials", "with the name 'X-Key'", ("components", "securitySchemes", "APIKeyHeader", "name"), "X-Key"),
    ("renamed operation", "no operation 'login_login_post'", operation("post", "/login", "operationId"), "signIn"),
]
TICKETS_DOCUMENT = [
    ("wrong type", "/hours must be a string", schema("TicketOut", "properties", "hours"), {"type": "string"}),
    ("missing property", "missing the key 'refresh'", schema("Token", "required"), ["refresh"]),
    ("renamed path", "404 is not declared", ("paths", "/account"), Renamed("/me")),
    ("changed status", "200 is not declared", response("post", "/login", "200"), Renamed("201")),
    ("wrong media type", "'text/csv; charset=utf-8' is not declared", response("get", "/export", "200", "content", "text/csv"), Renamed("text/html")),
    ("removed enumeration value", "/state must be 'closed'", schema("TicketIn", "properties", "state", "enum", 0), REMOVED),
    ("wrong header", "'X-Total' must be", response("get", "/tickets", "200", "headers", "X-Total", "schema"), {"enum": [3]}),
    ("missing header", "'X-Gone' is missing", response("get", "/account", "200", "headers"), {"X-Gone": {"required": True}}),
    ("null", "/due must be a string", schema("TicketOut", "properties", "due", "nullable"), REMOVED),
    ("extra property", "unknown key 'email'", schema("Person", "properties", "email"), REMOVED),
    ("other method", "405 is not declared", operation("patch", "/tickets/{number}"), Renamed("put")),
    ("renamed parameter", "requires input 'X-Request'", operation("get", "/tickets", "parameters", 0, "name"), "X-Request"),
    ("other media type", "cannot be an object", operation("post", "/login", "requestBody", "content", "application/x-www-form-urlencoded"), Renamed("text/plain")),
    ("wrong type in the request", "/labels/0 must be an integer", schema("TicketIn", "properties", "labels", "items"), {"type": "integer"}),
    ("broken reference", "'#/components/schemas/Nothing'", schema("PageOut"), {"$ref": "#/components/schemas/Nothing"}),
]


def change(target, path, value):
    """Sets, removes or renames the value at a path."""
    *names, last = path
    for name in names:
        target = target[name]
    if value is REMOVED:
        del target[last]
    elif isinstance(value, Renamed):
        target[value] = target.pop(last)
    else:
        target[last] = value


class FaultyService:
    """A service that may have a fault (ASGI)."""

    def __init__(self, app):
        self.app, self.request, self.path, self.value = app, None, (), None

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http" or f"{scope['method']} {scope['path']}" != self.request:
            return await self.app(scope, receive, send)
        if self.value is OTHER_PATH:
            return await self.app(scope | {"path": "/other", "raw_path": b"/other"}, receive, send)
        sent = []

        async def record(message):
            sent.append(message)

        await self.app(scope, receive, record)
        headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        headers.pop("content-length", None)
        body = b"".join(message.get("body", b"") for message in sent).decode()
        is_json = body and "json" in headers.get("content-type", "")
        changed = {"status": sent[0]["status"], "headers": headers, "body": json.loads(body) if is_json else body}
        change(changed, self.path, self.value)
        body = json.dumps(changed["body"]) if is_json else body
        fields = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": changed["status"], "headers": fields})
        await send({"type": "http.response.body", "body": body.encode()})


class Service:
    """A service that is running, and its manifest in a temporary folder."""

    def __init__(self, name, program, folder):
        self.program, self.folder = program, Path(folder)
        specification = importlib.util.spec_from_file_location(name, SERVICES / f"{name}.py")
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        app = module.app
        self.faulty = FaultyService(app if isinstance(app, fastapi.FastAPI) else a2wsgi.WSGIMiddleware(app))
        # Connections wait there until the server has started.
        listener = socket.create_server(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(self.faulty, log_level="warning"))
        threading.Thread(target=server.run, args=([listener],), daemon=True).start()
        self.address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self.document = json.load(urllib.request.urlopen(f"{self.address}/openapi.json"))
        (self.folder / "manifest.yaml").write_text((SERVICES / f"{name}.yaml").read_text())

    def run(self, document):
        """Runs the manifest with a document; returns the exit status and the output."""
        (self.folder / "openapi.json").write_text(json.dumps(document, indent=2))
        command = [self.program, "run", "manifest.yaml", "--quiet", "--no-color", "--input", f"server={self.address}"]
        environment = os.environ | {"SERVICE_TOKEN": "t0ken-0123"}
        result = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)
        return result.returncode, result.stdout + result.stderr

    def find(self, of_service, of_document):
        """Yields, of each fault, where it is, its name, whether it was found, and the output of the run."""
        status, output = self.run(self.document)
        yield "nowhere", "no fault", status == 0 and not output.strip(), output
        for name, request, step, words, path, value in of_service:
            self.faulty.request, self.faulty.path, self.faulty.value = request, path, value
            status, output = self.run(self.document)
            self.faulty.request = None
            failed = set(re.findall(r"^  ✗ main\.(\w+)", output, re.M))
            # Two steps send this request.
            expected = [{step}, {"create", "rejected"}] if request in ("POST /books", "POST /tickets") else [{step}]
            yield "service", name, status == 1 and words in output and failed in expected, output
        for name, words, path, value in of_document:
            document = copy.deepcopy(self.document)
            change(document, path, value)
            status, output = self.run(document)
            yield "document", name, status in (1, 2) and words in output, output


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=ROOT / ".build/debug/waybill")
    parser.add_argument("--verbose", action="store_true", help="print the whole output of each run")
    options = parser.parse_args()
    missed = total = 0
    services = {"library": (LIBRARY_SERVICE, LIBRARY_DOCUMENT), "tickets": (TICKETS_SERVICE, TICKETS_DOCUMENT)}
    for name, faults in services.items():
        with tempfile.TemporaryDirectory() as folder:
            for location, fault, found, output in Service(name, os.path.abspath(options.program), folder).find(*faults):
                message = next((line.strip() for line in output.splitlines() if "error[" in line), "no message")
                print(f"{name:8} {location:9} {fault:29} {'found' if found else 'MISSED':7} {message}")
                if options.verbose or not found:
                    print(output)
                missed += not found
                total += location != "nowhere"
    print(f"{total} faults, {missed} missed")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
