#!/usr/bin/env python3
"""Checks calls of operations with another implementation of OpenAPI: openapi-core, from PyPI.

    Tests/Tools/check-contracts.sh
    PYTHON Tests/Tools/check-contracts.py [--program .build/debug/waybill] [--minimum N] [--verbose] [DOCUMENT...]

PYTHON is one with openapi-core. The documents are those in Tests/Contracts, unless others are named. Each operation that
`waybill operations` lists is called as contract_calls.py describes. `waybill run` sends the requests to a proxy in this file,
which passes them on to `waybill mock`. openapi-core reads each request and each response with the same document: it must accept
them, and find the values in the request that were given. Exit status 1 if it does not, if a call of the documents in
Tests/Contracts cannot be made, or if fewer operations than the minimum were called.
"""

import argparse
import base64
import collections
import datetime
import http.client
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import uuid
import warnings
from pathlib import Path

from contract_calls import FILE, FORMATS, Node, Unable, calls_of, credentials_of
from openapi_core import Config, OpenAPI
from openapi_core.testing import MockRequest, MockResponse
from werkzeug.datastructures import ImmutableMultiDict

ROOT = Path(__file__).resolve().parents[2]
CONTENT = b"a,b\n1,2\n"
ENVIRONMENT = os.environ | {"KEY": "k3y-0123"}


class Proxy(http.server.BaseHTTPRequestHandler):
    """Sends requests to the mock server, and records them and the responses for the call that the field X-Call names."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        url = urllib.parse.urlsplit(self.path)
        connection = http.client.HTTPConnection("127.0.0.1", self.server.mock_port, timeout=30)
        connection.request(self.command, url._replace(scheme="", netloc="").geturl(), body, dict(self.headers))
        response = connection.getresponse()
        data = response.read()
        call = self.server.calls[self.headers["X-Call"]]
        call.request = (url, self.headers, body)
        call.response = (response.status, response.headers, data)
        self.send_response_only(response.status)
        for name, value in response.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


for method in ("GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "QUERY"):
    setattr(Proxy, f"do_{method}", Proxy.pass_on)


class ProxyServer(http.server.ThreadingHTTPServer):
    request_queue_size = 64
    calls, mock_port = {}, 0


class MediaTypes(dict):
    """What openapi-core does not read by itself: types that are JSON or text by their names."""

    def __contains__(self, kind):
        return kind.endswith("+json") or kind.startswith("text/")

    def __getitem__(self, kind):
        return (lambda body, **_: json.loads(body)) if kind.endswith("+json") else (lambda body, **_: body.decode())


def api_of(document, rejected):
    """Returns openapi-core's reader of a document; a document that it rejects is read without its check."""
    options = {"extra_format_unmarshallers": dict.fromkeys(FORMATS, str), "extra_media_type_deserializers": MediaTypes()}
    try:
        return OpenAPI.from_path(document, Config(**options))
    except Exception as error:
        rejected.append(f"the document: {message_of(error)}")
        return OpenAPI.from_path(document, Config(spec_validator_cls=None, **options))


def request_of(call, scheme):
    """Returns the request as openapi-core reads it, with the names and texts that it expects of some styles."""
    url, headers, body = call.request
    pairs = {
        "query": urllib.parse.parse_qsl(url.query, keep_blank_values=True),
        "cookie": urllib.parse.parse_qsl(headers.get("Cookie", "").replace("; ", "&"), keep_blank_values=True),
    }
    for parameter in call.parameters:
        name, part, style = parameter.get("name"), parameter.get("in"), parameter.get("style", "form")
        if style == "spaceDelimited":
            pairs[part] = [(key, value.replace(" ", "%20") if key == name else value) for key, value in pairs[part]]
        schema = parameter["schema"] if "schema" in parameter else Node(parameter.file, {})
        if part in pairs and schema.get("type") == "object" and style == "form" and parameter.get("explode", True):
            members = [pair for pair in pairs[part] if pair[0] in schema.get("properties", {})]
            pairs[part] = [pair for pair in pairs[part] if pair not in members]
            pairs[part] += [(name, "&".join(map("=".join, members)))] if members else []
    names = re.findall(r"\{(.*?)\}", call.path)
    found = re.search(re.sub(r"\\{.*?\\}", "([^/]*)", re.escape(call.path)) + "$", url.path)
    texts = [urllib.parse.unquote(text) for text in found.groups()] if found else []
    forms = ("{}", ".{}", ".{}*", ";{}", ";{}*")
    return MockRequest(
        f"{scheme}//{url.netloc}",
        call.method,
        url.path,
        args=ImmutableMultiDict(pairs["query"]),
        view_args={form.format(name): text for name, text in zip(names, texts) for form in forms},
        headers=dict(headers),
        cookies=ImmutableMultiDict(pairs["cookie"]),
        data=body,
        content_type=headers.get("Content-Type", "application/octet-stream"),
    )


def is_same(given, read):
    """Returns whether openapi-core has read the value that was given; it adds defaults and converts some formats."""
    if given == FILE:
        # openapi-core does not read bytes whose schema has no type.
        return read in (CONTENT, CONTENT.decode(), None)
    if isinstance(given, dict) and isinstance(read, dict):
        return all(value is None or name in read and is_same(value, read[name]) for name, value in given.items())
    if isinstance(given, list) and isinstance(read, list):
        return len(given) == len(read) and all(map(is_same, given, read))
    if isinstance(read, datetime.datetime):
        return read == datetime.datetime.fromisoformat(given)
    if isinstance(read, bytes):
        return given.encode() == read or base64.b64decode(given + "==") == read
    return given == (str(read) if isinstance(read, (datetime.date, uuid.UUID)) else read)


def message_of(error):
    """Returns the message of an error and of its causes, and what schemas reject."""
    texts = []
    while error is not None:
        rejected = [f"{each.json_path}: {each.message}" for each in getattr(error, "schema_errors", None) or []]
        texts += [text[-400:] for text in rejected or [re.sub("^Value .* not valid", "Value not valid", str(error).split("\n")[0])]]
        error = error.__cause__
    return ": ".join(dict.fromkeys(texts))


def differences(api, call, scheme):
    """Yields what openapi-core rejects of a call, and the values that it reads differently."""
    if call.request is None:
        yield "nothing was sent"
        return
    request = request_of(call, scheme)
    result = api.unmarshal_request(request)
    yield from ("request: " + message_of(error) for error in result.errors)
    if not result.errors:
        for parameter, value in call.inputs.values():
            read = getattr(result.parameters, parameter.get("in")).get(parameter.get("name"))
            if not is_same(value, read):
                yield f"request: {parameter.get('name')} is {read!r}, not {value!r}"
        read = json.loads(request.body) if request.body and "json" in request.content_type else result.body
        # An empty form is no body.
        if call.body and not is_same(call.body, read):
            yield f"request: the body is {read!r}, not {call.body!r}"
        files = json.dumps(call.body).count(json.dumps(FILE))
        if request.body.count(CONTENT) != files:
            yield f"request: the body has {request.body.count(CONTENT)} files, not {files}"
    if call.has_responses:
        status, headers, data = call.response
        response = MockResponse(data, status, dict(headers), headers.get("Content-Type", "application/octet-stream"))
        yield from ("response: " + message_of(error) for error in api.unmarshal_response(request, response).errors)


class DocumentCheck:
    """The check of a document, with what was rejected, and the calls that could not be made, by their reasons."""

    def __init__(self, program, path, folder, proxy):
        self.program, self.path, self.folder, self.proxy = program, path, folder, proxy
        self.rejected, self.reasons, self.calls = [], collections.defaultdict(list), []

    def waybill(self, *arguments, statuses=(0,)):
        command = [self.program, *arguments, "--allow-outside", "--no-color"]
        result = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, env=ENVIRONMENT)
        if result.returncode not in statuses:
            raise Unable(f"waybill {arguments[0]}: {(result.stderr or result.stdout)[:1500]}")
        return result.stdout

    def write(self, service, steps):
        """Writes a manifest with one step on each line, after the first line."""
        secrets = {"secrets": {"key": {"env": "KEY"}}} if "security" in service else {}
        head = json.dumps({"waybill": 1, "services": {"api": service}} | secrets)[:-1]
        lines = ",\n".join(map(json.dumps, steps))
        text = f'{head}, "graphs": {{"main": {{"concurrency": 8, "batch": [\n{lines}]}}}}}}'
        (self.folder / "manifest.yaml").write_text(text)

    def run(self):
        document = Node(self.path)
        server = (document.list("servers") or [Node(self.path, {"url": "/"})])[0]
        url = server.get("url")
        for name, variable in server.dict("variables").items():
            url = url.replace("{%s}" % name, str(variable.get("default")))
        service = {"openapi": os.path.relpath(self.path, self.folder), "proxy": f"http://127.0.0.1:{self.proxy.server_port}"}
        if not url.startswith("http:"):
            # The proxy cannot read what is encrypted.
            address = url if "//" in url else f"//example.test/{url.strip('/')}"
            service["baseURL"] = "http:" + address.removeprefix("https:")
        if security := credentials_of(document):
            service["security"] = security
        self.write(service, [{"get": "/"}])
        for listed in json.loads(self.waybill("operations", "manifest.yaml", "--format", "json")):
            try:
                self.calls += calls_of(listed, document, self.reasons)
            except Unable as reason:
                self.reasons[str(reason)].append(listed["name"])
        while wrong := self.errors(service):
            for number, message in wrong.items():
                self.reasons[message].append(self.calls[number].title)
            self.calls = [call for number, call in enumerate(self.calls) if number not in wrong]
        if self.calls:
            self.send(service)
        api = api_of(self.path, self.rejected)
        for call in self.calls:
            scheme = url.split("//")[0] if "//" in url else "http:"
            self.rejected += [f"{call.title}: {text}" for text in differences(api, call, scheme)]

    def errors(self, service):
        """Returns the errors that `waybill validate` reports, by the positions of the calls."""
        self.write(service, [call.step(f"c{number}") for number, call in enumerate(self.calls)] or [{"get": "/"}])
        found = json.loads(self.waybill("validate", "manifest.yaml", "--format", "json", statuses=(0, 2)))
        wrong = {}
        for each in [each for each in found["diagnostics"] if each["severity"] == "error"]:
            lines = [location["start"]["line"] for location in [each] + each["labels"] if location["file"] == "manifest.yaml"]
            if not lines:
                raise Unable(f"waybill validate: {each['id']}: {each['message']}")
            wrong.setdefault(lines[0] - 2, f"{each['id']}: {each['message']}")
        return wrong

    def send(self, service):
        self.proxy.calls = {f"c{number}": call for number, call in enumerate(self.calls)}
        command = [self.program, "mock", "manifest.yaml", "--allow-outside"]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        with subprocess.Popen(command, cwd=self.folder, env=ENVIRONMENT, **pipes) as mock:
            try:
                serving = next(filter(None, (re.match(r"serving .*:(\d+);", line) for line in mock.stdout)), None)
                if not serving:
                    raise Unable("waybill mock did not start")
                self.proxy.mock_port = int(serving[1])
                output = self.waybill("run", "manifest.yaml", "--quiet", statuses=(0, 1))
                self.rejected += [line.strip() for line in output.splitlines() if re.match("  ! |    (error|warning)", line)]
            finally:
                mock.kill()


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=ROOT / ".build/debug/waybill")
    parser.add_argument("--minimum", type=int, default=0)
    parser.add_argument("--verbose", action="store_true", help="list the calls that were not made, with the reasons")
    parser.add_argument("documents", nargs="*", type=Path)
    options = parser.parse_args()
    proxy = ProxyServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    rejected = operations = 0
    for document in options.documents or sorted((ROOT / "Tests/Contracts").glob("*/openapi.*")):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / FILE["file"]).write_bytes(CONTENT)
            check = DocumentCheck(os.path.abspath(options.program), document.resolve(), Path(folder).resolve(), proxy)
            try:
                check.run()
            except Unable as error:
                check.rejected.append(str(error))
        called = len({call.name for call in check.calls})
        skipped = sum(map(len, check.reasons.values()))
        name = document.relative_to(ROOT) if document.is_relative_to(ROOT) else document
        print(f"{name}: {called} operations, {len(check.calls)} calls, {skipped} not made, {len(check.rejected)} rejected")
        for text in check.rejected:
            print("  rejected:", text)
        for reason, calls in check.reasons.items() if options.verbose or not options.documents else []:
            print(f"  not made: {reason}: {', '.join(calls)}")
        rejected += len(check.rejected) + (0 if options.documents else skipped)
        operations += called
    print(f"{operations} operations, {rejected} rejected")
    if operations < options.minimum:
        sys.exit(f"only {operations} operations were called, expected {options.minimum}")
    sys.exit(1 if rejected else 0)


if __name__ == "__main__":
    main()
