#!/usr/bin/env bash
# Checks that requests signed for AWS are signed as botocore (Python, AWS's own) signs them: a server on this machine
# records what 'waybill run' sends of a few hundred random requests, and botocore signs each again at the same second.
# WAYBILL names the program (.build/debug/waybill); SEED and COUNT choose the requests.
set -euo pipefail
cd "$(dirname "$0")/../.."

waybill=${WAYBILL:-.build/debug/waybill}
if ! [ -x "$waybill" ]; then
    swift build --product waybill
fi

tools=$(Tests/Tools/python-with.sh botocore==1.44.5)

"$tools/bin/python" - "$waybill" "${SEED:-1}" "${COUNT:-300}" <<'PYTHON'
import datetime, http.server, json, os, random, subprocess, sys, tempfile, threading
import botocore.auth, botocore.awsrequest, botocore.credentials

waybill, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
choose = random.Random(seed)
received = {}


class Recorder(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        received[self.headers["X-Number"]] = (self.command, self.path, self.headers.items(), body)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass

    def __getattr__(self, name):
        return self.answer if name.startswith("do_") else super().__getattribute__(name)


def text(alphabet, most):
    return "".join(choose.choice(alphabet) for _ in range(choose.randint(1, most)))


odd = "abcXYZ019-._~ !\"#$%&'()*+,/:;<=>?@[]^`{|}äß☃😀\t"
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
threading.Thread(target=server.serve_forever, daemon=True).start()
with tempfile.TemporaryDirectory() as folder:
    open(f"{folder}/file.bin", "wb").write(choose.randbytes(600_000))
    keys, steps, inputs = [], [], {}
    for number in range(count):
        service = choose.choice(["s3", "s3", "es", "execute-api", "dynamodb"])
        key = {"region": choose.choice(["eu-central-1", "us-east-1"]), "service": service, "accessKey": "AKID" + text("ABC123", 9),
               "secretKey": text(odd, 30)}
        if choose.random() < 0.5:
            key["sessionToken"] = text("abcXYZ019+/=", 90)
        keys.append(key)
        path = ""
        for part in range(choose.randint(0, 4)):
            inputs[f"p{number}x{part}"] = "s" + text(odd, 12)
            path += choose.choice(["/", "/", "/", "//", "/./", "/../"]) + "${inputs.p%dx%d}" % (number, part)
        method = choose.choice(["GET", "PUT", "POST", "DELETE", "PATCH"])
        literal = lambda value: value.replace("$", "S")
        step = {
            "id": f"r{number}", "method": method, "path": (path or "/") + choose.choice(["", "/"]),
            "query": {literal(text(odd, 5)): [literal(text(odd, 8)) for _ in range(choose.randint(1, 3))]
                      for _ in range(choose.randint(0, 4))},
            "headers": {"X-Number": str(number), "X-Odd": literal(text(odd, 20)).strip() or "x",
                        "X-Twice": ["b  c", " a "], "X-Empty": ""},
            "auth": {"awsSigV4": {name: "$${".join(value.split("${")) for name, value in key.items()}},
        }
        if method not in ("GET", "DELETE"):
            step["body"] = choose.choice([{"text": literal(text(odd, 99))}, {"json": {"a": [1, None]}}, {"file": "file.bin"},
                                          {"multipart": [{"name": "f", "file": "file.bin"}, {"value": "v"}]}])
        steps.append({"id": step.pop("id"), "request": step})
    manifest = {
        "waybill": 1, "services": {"s": {"baseURL": "http://127.0.0.1:%d" % server.server_port}},
        "inputs": {name: {"type": "string", "default": value} for name, value in inputs.items()},
        "graphs": {"main": {"batch": steps, "concurrency": 8}},
    }
    json.dump(manifest, open(f"{folder}/manifest.yaml", "w"), ensure_ascii=False)
    run = subprocess.run([os.path.abspath(waybill), "run", f"{folder}/manifest.yaml", "--quiet"], cwd=folder,
                         capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"the run ended with {run.returncode}:\n{run.stdout[-3000:]}{run.stderr[-3000:]}")

differences = 0
for number, key in enumerate(keys):
    method, target, headers, body = received[str(number)]
    ours = dict(headers)["Authorization"]
    signed = ours.split("SignedHeaders=")[1].split(",")[0].split(";")
    missing = {"host", "x-amz-date", "x-number", "x-odd", "x-twice", "x-empty"} - set(signed)
    request = botocore.awsrequest.AWSRequest(method=method, url=f"http://{dict(headers)['Host']}{target}", data=body)
    for name, value in headers:
        if name.lower() in signed:
            # The server's module reads bytes as ISO 8859-1.
            request.headers[name] = value.encode("latin-1").decode()
    moment = datetime.datetime.strptime(dict(headers)["X-Amz-Date"], "%Y%m%dT%H%M%SZ")
    botocore.auth.get_current_datetime = lambda: moment
    credentials = botocore.credentials.Credentials(key["accessKey"], key["secretKey"], key.get("sessionToken"))
    kind = botocore.auth.S3SigV4Auth if key["service"] == "s3" else botocore.auth.SigV4Auth
    kind(credentials, key["service"], key["region"]).add_auth(request)
    theirs = request.headers["Authorization"]
    if ours != theirs or missing:
        differences += 1
        print(f"{method} {target}\n  waybill:  {ours}\n  botocore: {theirs}\n  not signed: {sorted(missing)}")
print(f"{count} requests, {differences} signed differently")
sys.exit(1 if differences else 0)
PYTHON
