"""A client of the language server 'waybill lsp', for check-editor.py."""

import json
import pathlib
import subprocess
import urllib.parse

import lsprotocol.converters
import lsprotocol.types

CONVERTER = lsprotocol.converters.get_converter()


def check_shape(message, method):
    """Checks a message of the server with the types of LSP's meta model: a response to a method, or a call."""
    index = 0 if "method" in message else 1
    if "error" in message:
        kind = lsprotocol.types.ResponseErrorMessage
    else:
        kind = lsprotocol.types.METHOD_TO_TYPES[method][index]
    again = CONVERTER.unstructure(CONVERTER.structure(message, kind), kind)
    # A member that the types do not have, or with another name, is not in the copy.
    assert without_null(again) == without_null(message), (method, message, again)


def without_null(value):
    if isinstance(value, dict):
        return {name: without_null(member) for name, member in value.items() if member is not None}
    return [without_null(member) for member in value] if isinstance(value, list) else value


def uri(path):
    """Returns the URI of a file."""
    return "file://" + urllib.parse.quote(str(pathlib.Path(path).resolve()))


class Client:
    """A session with the server, in which positions count code points."""

    def __init__(self, program, folders=(), encodings=("utf-32",), capabilities=None, **options):
        self.process = subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        self.count = 0
        self.methods = {}
        self.diagnostics = {}
        self.messages = []
        self.versions = {}
        self.capabilities = self.call(
            "initialize",
            processId=None,
            capabilities={"general": {"positionEncodings": list(encodings)}, **(capabilities or {})},
            workspaceFolders=[{"uri": uri(folder), "name": str(folder)} for folder in folders],
        )["capabilities"]
        self.notify("initialized")

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self):
        """Returns the next message; None at the end of the stream."""
        length = None
        while line := self.process.stdout.readline():
            if line == b"\r\n":
                message = json.loads(self.process.stdout.read(length))
                check_shape(message, message.get("method") or self.methods.get(message["id"]))
                if message.get("method") == "textDocument/publishDiagnostics":
                    self.diagnostics[message["params"]["uri"]] = message["params"]
                return message
            name, value = line.split(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return None

    def notify(self, method, **parameters):
        self.send({"method": method, "params": parameters})

    def request(self, method, parameters):
        """Sends a request, and returns its id."""
        self.count += 1
        self.methods[self.count] = method
        self.send({"id": self.count, "method": method, "params": parameters})
        return self.count

    def response(self, number):
        """Returns the response to a request, as it was sent."""
        while (message := self.read()) is not None:
            if message.get("id") == number and "method" not in message:
                return message
            self.messages.append(message)
        raise EOFError("the server has ended")

    def call(self, method, **parameters):
        """Returns the result of a request; raises its error."""
        message = self.response(self.request(method, parameters))
        if "error" in message:
            raise RuntimeError(message["error"]["message"])
        return message["result"]

    def at(self, method, path, line, character, **parameters):
        """Returns the result of a request about a position."""
        position = {"line": line, "character": character}
        return self.call(method, textDocument={"uri": uri(path)}, position=position, **parameters)

    def open(self, path, text=None, language="yaml"):
        """Opens a document; by default with the text of its file."""
        text = pathlib.Path(path).read_text() if text is None else text
        self.versions[uri(path)] = 1
        document = {"uri": uri(path), "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", textDocument=document)

    def change(self, path, *changes):
        self.versions[uri(path)] += 1
        document = {"uri": uri(path), "version": self.versions[uri(path)]}
        self.notify("textDocument/didChange", textDocument=document, contentChanges=list(changes))

    def close(self, path):
        self.notify("textDocument/didClose", textDocument={"uri": uri(path)})

    def published(self, path):
        """Returns the diagnostics of a document, after it was checked with its current text."""
        while True:
            known = self.diagnostics.get(uri(path))
            if known and known.get("version") == self.versions[uri(path)]:
                return known["diagnostics"]
            if self.read() is None:
                raise EOFError("the server has ended")

    def end(self):
        """Ends the session, and returns the status of the process."""
        self.call("shutdown")
        self.notify("exit")
        return self.process.wait(10)
