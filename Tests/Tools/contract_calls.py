"""Makes calls of the operations of an OpenAPI document: with examples and defaults, otherwise with values made from schemas."""

import re
import urllib.parse

import yaml
from jsonschema_path.loaders import JsonschemaSafeLoader

FORMATS = {
    "date": "2026-01-02", "date-time": "2026-01-02T03:04:05Z", "time": "03:04:05Z", "duration": "P1D", "byte": "aGVsbG8=",
    "email": "a@example.com", "hostname": "example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uri": "https://example.com/a",
    "uri-reference": "/a", "uuid": "6f1a1c1e-58d5-4a52-9d9c-1d0a8f7f4c11",
}  # fmt: skip
# The content of the file that is sent, beside the manifest.
FILE = {"file": "file.csv"}
# Some operations declare errors only.
STATUSES = ["2xx", "3xx", "4xx", "5xx"]


class Unable(Exception):
    """A value could not be made, or a document could not be read."""


class Node:
    """A value of a document, with references resolved, and the file that it is in."""

    files = {}

    def __init__(self, file, *value):
        if file not in Node.files:
            if not file.exists():
                raise Unable(f"{file.name} is missing")
            Node.files[file] = yaml.load(file.read_text(), JsonschemaSafeLoader)
        self.file, self.value = file, value[0] if value else Node.files[file]
        if isinstance(self.get("$ref"), str):
            target, _, pointer = self.value["$ref"].partition("#")
            node = Node((file.parent / urllib.parse.unquote(target)).resolve() if target else file)
            for name in pointer.split("/")[1:]:
                name = urllib.parse.unquote(name).replace("~1", "/").replace("~0", "~")
                node = node[int(name) if isinstance(node.value, list) else name]
            siblings = {name: value for name, value in self.value.items() if name != "$ref"}
            self.file, self.value = node.file, node.value | siblings if isinstance(node.value, dict) else node.value

    def __getitem__(self, name):
        return Node(self.file, self.value[name])

    def __contains__(self, name):
        return isinstance(self.value, dict) and name in self.value

    def get(self, name, default=None):
        return self.value.get(name, default) if isinstance(self.value, dict) else default

    def list(self, name):
        return [self[name][index] for index in range(len(self.value[name]))] if name in self else []

    def dict(self, name):
        return {key: self[name][key] for key in self.value[name]} if name in self else {}


def make(schema, full, depth=0):
    """Returns a value of a schema; with all properties if it is to be full."""
    for name in ("const", "example", "default"):
        if name in schema:
            return schema.value[name]
    if schema.get("examples"):
        return schema.value["examples"][0]
    if "enum" in schema:
        return schema.value["enum"][-1 if full else 0]
    if depth > 12:
        raise Unable("the schema is recursive")
    parts = schema.list("allOf") + [schema.list(name)[0] for name in ("oneOf", "anyOf") if name in schema]
    if parts:
        own = {name: value for name, value in schema.value.items() if name not in ("allOf", "oneOf", "anyOf")}
        values = [make(part, full, depth + 1) for part in parts + ([Node(schema.file, own)] if "properties" in own else [])]
        objects = [value for value in values if isinstance(value, dict)]
        return {name: value for each in objects for name, value in each.items()} if objects else values[0]
    kinds = schema.get("type")
    kind = next((each for each in kinds if each != "null"), "null") if isinstance(kinds, list) else kinds
    if kind == "object" or kind is None and ("properties" in schema or "required" in schema):
        return make_object(schema, full, depth)
    if kind == "array":
        count = max(schema.get("minItems", 0), 0 if depth > 6 else 1)
        items = schema["items"] if "items" in schema else Node(schema.file, {})
        return [make(item, full, depth + 1) for item in schema.list("prefixItems") or [items] * count]
    if kind in ("integer", "number"):
        return make_number(schema)
    return {"boolean": True, "null": None}[kind] if kind in ("boolean", "null") else make_text(schema)


def make_object(schema, full, depth):
    required, properties = schema.get("required", []), schema.dict("properties")
    wanted = {name: node for name, node in properties.items() if not node.get("readOnly")}
    if not full or depth > 2:
        wanted = {name: node for name, node in wanted.items() if name in required}
    value = {name: make(node, full, depth + 1) for name, node in wanted.items()}
    value |= {name: "text" for name in required if name not in properties}
    if isinstance(schema.get("additionalProperties"), dict) and (full or len(value) < schema.get("minProperties", 0)):
        value["other"] = make(schema["additionalProperties"], full, depth + 1)
    return value


def make_number(schema):
    low, above = schema.get("minimum"), schema.get("exclusiveMinimum", False)
    if above is True:
        above = low
    value = low if low is not None else min(1, schema.get("maximum", 1))
    if above is not False:
        value = above + 1
    step = schema.get("multipleOf", 1)
    return value if value % step == 0 or schema.get("type") == "number" else (value // step + 1) * step


def make_text(schema):
    if "pattern" in schema:
        raise Unable(f"the pattern {schema.value['pattern']} needs an example")
    text = FORMATS.get(schema.get("format"), "text")
    return text.ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength", 999)]


class Call:
    """A call of an operation: what is given, and then what was sent and received."""

    def __init__(self, listed, operation, parameters, label):
        self.name, self.path, self.method = listed["name"], listed["path"], listed["method"]
        self.title, self.parameters, self.has_responses = f"{self.name} ({label})", parameters, "responses" in operation
        # The inputs by name, each with its parameter.
        self.inputs, self.body, self.type = {}, None, None
        self.request = self.response = None

    def step(self, identifier):
        """Returns the step of a manifest."""
        inputs = {name: value for name, (_, value) in self.inputs.items()}
        step = {"call": self.name, "id": identifier, "with": escaped(inputs | ({} if self.body is None else {"body": self.body}))}
        step["headers"] = {"X-Call": identifier} | ({"Content-Type": self.type} if self.type else {})
        return step | {"expect": {"status": STATUSES}, "onFailure": "continue"}


def escaped(value):
    if isinstance(value, dict):
        return {name: escaped(each) for name, each in value.items()}
    if isinstance(value, list):
        return [escaped(each) for each in value]
    return value.replace("${", "$${") if isinstance(value, str) else value


def example_of(owner, full):
    """Returns the value of a parameter or of a media type."""
    if "example" in owner:
        return owner.value["example"]
    for example in owner.dict("examples").values():
        for name in ("value", "dataValue"):
            if name in example:
                return example.value[name]
    if "content" in owner:
        return example_of(next(iter(owner.dict("content").values())), full)
    return make(owner["schema"] if "schema" in owner else Node(owner.file, {}), full)


def body_of(media, kind, full):
    """Returns a body of a media type, with files where it has bytes."""
    if "xml" in kind:
        raise Unable("XML is not compared with its schema")
    if not re.search(r"json|form|multipart|^text/", kind):
        return FILE
    body = example_of(media, full)
    properties = media["schema"].dict("properties") if "schema" in media and "multipart" in kind else {}
    for name, property in properties.items():
        item = property["items"] if "items" in property else property
        is_bytes = "contentMediaType" in item and "contentEncoding" not in item
        if (item.get("format") == "binary" or is_bytes or item.value == {}) and name in body:
            body[name] = [FILE] if "items" in property else FILE
    return body


def calls_of(listed, document, reasons):
    """Yields the calls of an operation that `waybill operations` lists: with the inputs that it requires and with all, and with
    each media type of its body. The reasons get the calls that cannot be made."""
    if "error" in listed:
        raise Unable(listed["error"])
    item = document["paths"][listed["path"]]
    method = listed["method"].lower()
    operation = item[method] if method in item else item["additionalOperations"][listed["method"]]
    declared = item.list("parameters") + operation.list("parameters")
    parameters = {(each.get("in"), each.get("name")): each for each in declared}
    body = operation["requestBody"] if "requestBody" in operation else Node(operation.file, {})
    types = body.dict("content") or {None: None}
    preferred = next((kind for kind in types if kind and "json" in kind), next(iter(types)))
    for kind, full in [(kind, full) for kind in types for full in (False, True)]:
        label = f"{kind or 'no body'}, {'all inputs' if full else 'required inputs'}"
        call = Call(listed, operation, list(parameters.values()), label)
        try:
            for given in listed["inputs"]:
                if given["in"] != "body" and (given["required"] or full):
                    name = given["name"].removeprefix(given["in"] + ".")
                    parameter = parameters.get((given["in"], name)) or parameters[given["in"], given["name"]]
                    # An empty object in a path would be another path.
                    call.inputs[given["name"]] = (parameter, example_of(parameter, full or given["in"] == "path"))
            if kind and (full or body.get("required") or kind != preferred):
                call.body = body_of(types[kind], kind, full)
                if kind != preferred or "*" in kind:
                    call.type = "application/octet-stream" if "*" in kind else kind
            yield call
        except Unable as reason:
            reasons[str(reason)].append(call.title)


def credentials_of(document):
    """Returns the credentials of the security schemes that Waybill supports, as a manifest has them."""
    credentials = {}
    for name, scheme in document["components"].dict("securitySchemes").items() if "components" in document else []:
        kind = scheme.get("scheme", scheme.get("type")).lower()
        if kind == "apikey":
            key = {"in": scheme.get("in"), "name": scheme.get("name"), "value": "${secrets.key}"}
            credentials[name] = {"apiKey": key}
        elif kind == "basic":
            credentials[name] = {"basic": {"username": "user", "password": "${secrets.key}"}}
        elif kind in ("bearer", "oauth2", "openidconnect"):
            credentials[name] = {"bearer": "${secrets.key}"}
    return credentials
