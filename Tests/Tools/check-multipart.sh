#!/usr/bin/env bash
# Checks that bodies of several parts are read by others as they were meant: a server on this machine records what
# 'waybill run' sends of random hostile names and contents, and werkzeug, python-multipart and multipart (Python) take
# it apart again. WAYBILL names the program (.build/debug/waybill); SEED and COUNT choose the bodies.
set -euo pipefail
cd "$(dirname "$0")/../.."

waybill=${WAYBILL:-.build/debug/waybill}
if ! [ -x "$waybill" ]; then
    swift build --product waybill
fi

packages="werkzeug==3.1.9 python-multipart==0.0.34 multipart==2.0.1"
tools=.build/multipart-parsers
if ! [ "$(cat "$tools/packages" 2>/dev/null)" = "$packages" ]; then
    rm -rf "$tools"
    python3 -m venv "$tools"
    # Two of them are modules of the same name, each in its own folder.
    for package in $packages; do
        "$tools/bin/pip" install --quiet --target "$tools/${package%%==*}" "$package"
    done
    echo "$packages" >"$tools/packages"
fi

"$tools/bin/python" - "$waybill" "${SEED:-1}" "${COUNT:-100}" "$tools" <<'PYTHON'
import base64, http.server, importlib, io, json, os, random, subprocess, sys, tempfile, threading

waybill, seed, count, tools = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
choose = random.Random(seed)
received = {}


class Recorder(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        received[int(self.path[1:])] = (self.headers["Content-Type"], body)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


# Without backslashes: browsers send them as they are, and servers do not agree on what they mean before a character.
odd = "abz019 \"'/;:=,.%&<>*?!#$()[]{}|~^`@+-_äß☃😀\r\n\tn"


def text(least, most):
    return "".join(choose.choice(odd) for _ in range(choose.randint(least, most)))


def name():
    return choose.choice([text(1, 12), text(1, 12), "a\"b", "x\r\ny", "%22", "n;a=b", "ü.txt", "\r\n\r\n--"])


# What each parser makes of a body: (name, file name, type, content) of each part, in order.
def load(folder, module):
    for known in [known for known in sys.modules if known.split(".")[0] in ("multipart", "python_multipart")]:
        del sys.modules[known]
    sys.path.insert(0, f"{tools}/{folder}")
    try:
        return importlib.import_module(module)
    finally:
        sys.path.pop(0)


werkzeug = load("werkzeug", "werkzeug.sansio.multipart")
defnull = load("multipart", "multipart")
kludex = load("python-multipart", "python_multipart")
header_of = importlib.import_module("python_multipart.multipart").parse_options_header


def by_werkzeug(boundary, body):
    decoder = werkzeug.MultipartDecoder(boundary.encode())
    decoder.receive_data(body)
    decoder.receive_data(None)
    parts = []
    while not isinstance(event := decoder.next_event(), werkzeug.Epilogue):
        if isinstance(event, (werkzeug.Field, werkzeug.File)):
            parts.append([event.name, getattr(event, "filename", None), event.headers.get("Content-Type"), b""])
        elif isinstance(event, werkzeug.Data):
            parts[-1][3] += event.data
        elif isinstance(event, werkzeug.NeedData):
            raise ValueError("the body ends early")
    return [tuple(part) for part in parts]


def by_multipart(boundary, body):
    parser = defnull.MultipartParser(io.BytesIO(body), boundary, content_length=len(body), strict=True)
    return [(part.name, part.filename, part.headers.get("Content-Type"), part.raw) for part in parser]


def by_python_multipart(boundary, body):
    parts, field = [], [b"", b""]

    def begin():
        parts.append([{}, b""])

    def add(index):
        def take(data, start, end):
            field[index] += data[start:end]
        return take

    def end_field():
        parts[-1][0][field[0].lower()] = field[1]
        field[:] = [b"", b""]

    def content(data, start, end):
        parts[-1][1] += data[start:end]

    parser = kludex.MultipartParser(boundary.encode(), {
        "on_part_begin": begin, "on_header_field": add(0), "on_header_value": add(1), "on_header_end": end_field,
        "on_part_data": content,
    })
    parser.write(body)
    parser.finalize()
    found = []
    for fields, data in parts:
        _, options = header_of(fields[b"content-disposition"])
        decoded = [options.get(key).decode() if key in options else None for key in (b"name", b"filename")]
        found.append((*decoded, fields[b"content-type"].decode() if b"content-type" in fields else None, data))
    return found


parsers = {"werkzeug": by_werkzeug, "multipart": by_multipart, "python-multipart": by_python_multipart}


def plain(value):
    """A name without the three escapes that browsers have, which some parsers leave and some take away."""
    return None if value is None else value.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
threading.Thread(target=server.serve_forever, daemon=True).start()
wanted, steps = [], []
with tempfile.TemporaryDirectory() as folder:
    for number in range(count):
        parts, expected = [], []
        for _ in range(choose.randint(1, 6)):
            part, file_name, kind = {"name": name()}, None, choose.choice(["value", "text", "file", "base64", "json"])
            default = {"text": "text/plain; charset=utf-8", "file": "application/octet-stream",
                       "base64": "application/octet-stream", "json": "application/json"}.get(kind)
            if kind == "file":
                file_name = f"f{len(os.listdir(folder))}.bin"
                content = choose.randbytes(choose.choice([0, 1, 70, 70_000])) + choose.choice([b"", b"\r\n", b"\r\n--", b"\r"])
                open(f"{folder}/{file_name}", "wb").write(content)
                part[kind] = file_name
            elif kind == "base64":
                content = choose.randbytes(choose.randint(1, 50))
                part[kind] = base64.b64encode(content).decode()
            elif kind == "json":
                part[kind] = {"k": [text(0, 9), 1.5, None]}
                content = json.dumps(part[kind], ensure_ascii=False, separators=(",", ":")).encode()
            else:
                content = text(0, 40).replace("$", "S")
                part[kind] = content
                content = content.encode()
            if choose.random() < 0.5:
                part["filename"] = file_name = name()
            if kind == "file" and file_name.endswith(".txt"):
                # The type of a file follows from the extension of its name.
                default = "text/plain"
            if choose.random() < 0.3:
                part["contentType"] = default = "image/x-odd"
            for key in ("name", "filename"):
                if key in part:
                    part[key] = part[key].replace("${", "$${")
            if kind == "json":
                part[kind]["k"][0] = part[kind]["k"][0].replace("${", "$${")
            parts.append(part)
            expected.append((plain(part["name"].replace("$${", "${")), plain(file_name), default, content))
        wanted.append(expected)
        steps.append({"id": f"r{number}", "post": f"/{number}", "body": {"multipart": parts}})
    manifest = {
        "waybill": 1, "services": {"s": {"baseURL": "http://127.0.0.1:%d" % server.server_port}},
        "graphs": {"main": {"batch": steps, "concurrency": 8}},
    }
    json.dump(manifest, open(f"{folder}/manifest.yaml", "w"), ensure_ascii=False)
    run = subprocess.run([os.path.abspath(waybill), "run", f"{folder}/manifest.yaml", "--quiet"], cwd=folder,
                         capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"the run ended with {run.returncode}:\n{run.stdout[-3000:]}{run.stderr[-3000:]}")

differences = 0
for number, expected in enumerate(wanted):
    content_type, body = received[number]
    boundary = content_type.split("boundary=")[1]
    for parser, parse in parsers.items():
        try:
            found = [(plain(part[0]), plain(part[1]), *part[2:]) for part in parse(boundary, body)]
        except Exception as error:
            found = [error]
        if found != expected:
            differences += 1
            for theirs, ours in zip(found + [None] * 9, expected):
                if theirs != ours:
                    print(f"body {number}, {parser}:\n  written: {ours}\n  read:    {theirs}")
parts = sum(map(len, wanted))
print(f"{count} bodies, {parts} parts, {len(parsers)} parsers, {differences} bodies read differently")
sys.exit(1 if differences else 0)
PYTHON
