#!/usr/bin/env bash
# Checks exported traces with OpenTelemetry's own definition of them: the program sends the traces of a run to a collector made
# with the package opentelemetry-proto from PyPI, which parses them strictly, so that an unknown field or a wrong type fails, and
# which checks the rules of the specification that the types do not express. WAYBILL names the program (.build/debug/waybill).
set -euo pipefail
cd "$(dirname "$0")/../.."

waybill=$(realpath "${WAYBILL:-.build/debug/waybill}")
if ! [ -x "$waybill" ]; then
    swift build --product waybill
fi

tools=$(Tests/Tools/python-with.sh opentelemetry-proto==1.45.2)

folder=$(mktemp -d)
collector=
trap 'kill "$collector" 2>/dev/null || true; rm -rf "$folder"' EXIT

cat >"$folder/manifest.yaml" <<'YAML'
waybill: 1
inputs: {server: string}
defaults: {trace: true}
services: {s: {baseURL: "${inputs.server}"}}
graphs:
  main:
    chain:
      - {id: ok, get: /ok, decoding: text}
      - {id: moved, get: /moved, decoding: text}
      - {id: retried, get: /missing, retry: {times: 1, for: [404], backoff: {first: 1ms}}, onFailure: continue}
      - {id: items, forEach: {in: [1, 2, 3], as: n}, get: "/ok?n=${n}", decoding: text}
      - {id: refused, get: "http://127.0.0.1:9/", onFailure: continue}
      - {id: purged, request: {method: PURGE, path: /missing}, onFailure: continue}
      - id: wrong
        get: /ok
        download: {to: file.txt, checksum: {md5: "d41d8cd98f00b204e9800998ecf8427e"}}
        onFailure: continue
      - {id: tolerated, graph: absent, onFailure: continue}
      - {id: sub, graph: other}
  absent: {chain: [{id: missing, get: /missing}]}
  other: {chain: [{id: "quoted", name: "\"ä\n", get: /ok, decoding: text, expect: {body: ["$ == 'no'"]}}]}
YAML

"$tools/bin/python" - "$folder" 3>"$folder/port" >"$folder/result" 2>"$folder/errors" <<'PYTHON' &
import http.server, json, os, sys
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as service
from opentelemetry.proto.trace.v1 import trace_pb2 as traces

folder = sys.argv[1]
sent = {}  # The id of each span that a request named.

def check(body):
    # The JSON encoding of OTLP has ids in hexadecimal, where that of protobuf has Base64.
    document = json.loads(body)
    spans = [s for r in document["resourceSpans"] for g in r["scopeSpans"] for s in g["spans"]]
    for span in spans:
        for name, digits in (("traceId", 32), ("spanId", 16), ("parentSpanId", 16)):
            value = span.pop(name, None)
            assert value is not None or name == "parentSpanId", (name, span)
            if value is not None:
                assert len(value) == digits and value == value.lower() and int(value, 16) != 0, (name, value)
                span["_" + name] = value
    ids = [{k: s.pop("_" + k, None) for k in ("traceId", "spanId", "parentSpanId")} for s in spans]
    # Unknown fields, wrong types and unknown values of enumerations are errors.
    request = json_format.ParseDict(document, service.ExportTraceServiceRequest())
    resource = {a.key: a.value.string_value for a in request.resource_spans[0].resource.attributes}
    assert resource["service.name"] == "waybill" and resource["team"] == "a b", resource
    assert len(resource) == len(request.resource_spans[0].resource.attributes), "an attribute of the resource twice"
    parsed = [s for r in request.resource_spans for g in r.scope_spans for s in g.spans]
    known = {i["spanId"] for i in ids}
    assert len(known) == len(parsed) and len({i["traceId"] for i in ids}) == 1
    assert [i["parentSpanId"] in known for i in ids].count(False) == 1, "one root"
    times = {i["spanId"]: (s.start_time_unix_nano, s.end_time_unix_nano) for i, s in zip(ids, parsed)}
    for i, span in zip(ids, parsed):
        start, end = times[i["spanId"]]
        assert 0 < start <= end, span
        outer = times.get(i["parentSpanId"])
        assert outer is None or outer[0] <= start and end <= outer[1], ("outside of its parent", span)
        attributes = {a.key: a.value for a in span.attributes}
        assert len(attributes) == len(span.attributes), ("an attribute twice", span)
        if span.kind == traces.Span.SPAN_KIND_CLIENT:
            for name in ("http.request.method", "url.full", "server.address"):
                assert attributes[name].string_value, (name, span)
            assert attributes["server.port"].int_value > 0
            status = attributes.get("http.response.status_code")
            failed = span.status.code == traces.Status.STATUS_CODE_ERROR
            assert failed == (status is None or status.int_value >= 400), span
            assert failed == ("error.type" in attributes), span
        else:
            assert span.kind == traces.Span.SPAN_KIND_INTERNAL
            failed = span.status.code == traces.Status.STATUS_CODE_ERROR
            assert failed == (attributes["waybill.outcome"].string_value == "failed"), span
    clients = {i["spanId"] for i, s in zip(ids, parsed) if s.kind == traces.Span.SPAN_KIND_CLIENT}
    assert set(sent) <= clients, "a request names a span that was not exported"
    assert {i["traceId"] for i in ids} == set(sent.values())
    names = sorted(s.name for s in parsed)
    assert names.count("main.items[]") == 3 and "HTTP" in names and "graph other" in names, names
    quoted = [s for s in parsed if any(a.value.string_value == "\"ä\n" for a in s.attributes)]
    assert len(quoted) == 1 and quoted[0].status.message, "the failed step"
    print(len(parsed), "spans", flush=True)

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def respond(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status, headers, content = 404, {}, b"ok"
        path = self.path.partition("?")[0]
        if path == "/v1/traces":
            assert self.headers["Content-Type"] == "application/json"
            check(body)
            status, content = 200, b"{}"
        else:
            _, trace, span, flags = self.headers["traceparent"].split("-")
            assert flags == "01"
            sent[span] = trace
            if path == "/ok":
                status = 200
            elif path == "/moved":
                status, headers = 302, {"Location": "/ok"}
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PURGE = respond

    def log_message(self, *arguments):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
os.write(3, f"{server.server_port}\n".encode())
server.serve_forever()
PYTHON
collector=$!
for _ in $(seq 100); do
    [ -s "$folder/port" ] && break
    sleep 0.1
done
server="http://127.0.0.1:$(cat "$folder/port")"

status=0
(
    cd "$folder"
    OTEL_EXPORTER_OTLP_ENDPOINT="$server" OTEL_RESOURCE_ATTRIBUTES=team=a%20b,service.version=nightly \
        "$waybill" run manifest.yaml --out out --input "server=$server" >run.txt 2>run-errors.txt
) || status=$?
if [ "$status" != 1 ] || grep -q trace-export "$folder/run-errors.txt" || ! [ -s "$folder/result" ]; then
    cat "$folder/run.txt" "$folder/run-errors.txt" "$folder/errors" >&2
    echo "the trace is not as OpenTelemetry defines it" >&2
    exit 1
fi
echo "the trace is as OpenTelemetry defines it: $(cat "$folder/result")"
