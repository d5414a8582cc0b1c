#!/usr/bin/env python3
"""check-editor.py PROGRAM: sessions with 'waybill lsp', about the manifests of the repository.

--edits N: the number of random edits (300). --only NAME: one of the checks. Needs the package lsprotocol, with which every message of
the server is compared with the meta model of LSP.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

from language_client import Client, uri

ROOT = pathlib.Path(__file__).parent.parent.parent
PAGES = ROOT / "Sources/CExplanations/pages"


def samples():
    """Yields the name, the files and the command of each example of the reference of diagnostics."""
    for page in sorted(PAGES.glob("*.md")):
        blocks = re.findall(r"^```(.*)\n((?:(?!```).*\n)*)```", page.read_text(), re.M)
        for version, other in (("wrong", "right"), ("right", "wrong")):
            files, command = {}, "waybill validate manifest.yaml"
            for info, text in blocks:
                words = info.split()
                if words and words[-1] == other:
                    continue
                if words[0] == "sh":
                    command = text.strip()
                else:
                    names = [word for word in words[1:] if word not in ("wrong", "right")]
                    files[names[0] if names else "manifest.yaml"] = text.removesuffix("\n")
            if files:
                yield f"{page.stem}, {version}", files, command


def validated(program, folder, paths):
    """Returns what 'validate' reports of manifests in a folder, by file, in the form of the server's diagnostics."""
    output = subprocess.run(
        [program, "validate", "--format", "json", *paths], cwd=folder, capture_output=True, text=True
    ).stdout
    reported = {}
    for found in json.loads(output)["diagnostics"]:
        start, end = found["start"], found["end"]
        message = found["message"] + (f" ({found['label']})" if "label" in found else "")
        reported.setdefault(uri(folder / found["file"]), []).append((
            found["id"], {"error": 1, "warning": 2}[found["severity"]], "\n".join([message, *found["help"]]),
            (start["line"] - 1, start["column"] - 1), (end["line"] - 1, end["column"] - 1),
        ))
    return reported


def short(diagnostics):
    """Returns diagnostics of the server in the form of 'validated'."""
    def point(position):
        return position["line"], position["character"]

    return [
        (item["code"], item["severity"], item["message"], point(item["range"]["start"]), point(item["range"]["end"]))
        for item in diagnostics
    ]


def check_diagnostics(program, folder):
    """The diagnostics are those of 'validate', for open texts and for the files that they include."""
    paths = []
    for number, (_, files, command) in enumerate(samples()):
        if command != "waybill validate manifest.yaml":
            continue
        for file, text in files.items():
            path = folder / str(number) / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        paths.append(f"{number}/manifest.yaml")
    expected = validated(program, folder, paths)
    client = Client(program, [folder])
    for path in paths:
        # The file has another text than the editor.
        text = (folder / path).read_text()
        (folder / path).write_text("waybill: 1\nother: 1\n")
        client.open(folder / path, text, "waybill")
    for path in paths:
        client.published(folder / path)
    client.end()
    for file in client.diagnostics.keys() | expected.keys():
        # Messages name files by their paths, which are absolute in the editor.
        found = [
            (*item[:2], item[2].replace(f"{folder}/", ""), *item[3:])
            for item in short(client.diagnostics.get(file, {"diagnostics": []})["diagnostics"])
        ]
        assert found == expected.get(file, []), (file, found, expected.get(file))
    return f"{len(paths)} examples"


def check_protocol(program, folder):
    """Malformed messages have the responses that the protocol demands, and the process ends with its client."""
    client = Client(program)
    try:
        client.call("textDocument/unheard-of", textDocument={"uri": "file:///x"})
        raise AssertionError("an unknown method has a result")
    except RuntimeError:
        pass
    client.notify("$/unheard-of")

    def errors(data):
        client.write(data)
        return client.read()["error"]["code"]

    assert errors(b"Content-Length: 5\r\n\r\n{a: 1") == -32700
    assert errors(b"content-length:2\r\nContent-Type: x\r\n\r\n[]") == -32600
    assert errors(b'Content-Length: 35\r\n\r\n{"jsonrpc":"2.0","id":{},"method":1}'[:57]) in (-32600, -32700)
    # Requests that are cancelled before they are handled.
    path = folder / "a.yaml"
    client.open(path, "waybill: 1\n" + "# x\n" * 100)
    body = b""
    client.methods.update({number: "textDocument/documentSymbol" for number in range(1000, 1010)})
    for number in range(1000, 1010):
        for message in (
            {"jsonrpc": "2.0", "id": number, "method": "textDocument/documentSymbol",
             "params": {"textDocument": {"uri": uri(path)}}},
            {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": number}},
        ):
            text = json.dumps(message).encode()
            body += b"Content-Length: %d\r\n\r\n%s" % (len(text), text)
    client.write(body)
    codes = [client.response(number).get("error", {}).get("code") for number in range(1000, 1010)]
    assert -32800 in codes, codes
    assert client.end() == 0
    for data, expected in ((b"", 1), (b"Hello\r\n\r\n", 1), (b"Content-Length: 9\r\n\r\n{", 1), (b"x" * 100_000, 1)):
        process = subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        try:
            process.stdin.write(data)
            process.stdin.close()
        except BrokenPipeError:
            pass
        assert process.wait(10) == expected, data[:20]
    return "malformed messages, cancellation, the end of the client"


def check_positions(program, folder):
    """Changes have the effect that they have in the editor, in every encoding, and one within a surrogate pair does no harm."""
    line = 'name: "a😀é漢b"\n'
    for encoding, units in (("utf-8", lambda t: len(t.encode())), ("utf-32", len),
                            ("utf-16", lambda t: len(t.encode("utf-16-le")) // 2)):
        client = Client(program, encodings=[encoding])
        assert client.capabilities["positionEncoding"] == encoding
        path = folder / f"{encoding}.yaml"
        text = f"waybill: 1\r\n{line}grahps: 1\n"
        client.open(path, text)

        def change(start, end, new):
            client.change(path, {"range": {"start": start, "end": end}, "text": new})

        column = units('name: "a😀é漢')
        change({"line": 1, "character": column}, {"line": 1, "character": column + 1}, "😀")
        change({"line": 2, "character": 0}, {"line": 2, "character": 6}, "grafs")
        found = client.published(path)[0]
        assert found["range"] == {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 5}}, found
        # Within the pair, beyond the line, beyond the text, and the wrong way round.
        inside = units('name: "a') + 1
        change({"line": 1, "character": inside}, {"line": 1, "character": inside}, "\ud83d")
        change({"line": 1, "character": 99}, {"line": 77, "character": 3}, "\n")
        change({"line": 2, "character": 3}, {"line": 1, "character": 3}, "x")
        client.published(path)
        assert client.end() == 0
    return "utf-8, utf-16, utf-32"


def check_hostile(program, folder):
    """Names of files and documents that are no files have no effect on others."""
    client = Client(program, [folder])
    for name in ("-", "", "file://", "file:///%00", "file:///" + "a/" * 5000, "untitled:x", "file://other/x", "/dev/stdin",
                 "file:///dev/stdin", "http://127.0.0.1/x.yaml", "file:///%ff"):
        client.notify("textDocument/didOpen", textDocument={
            "uri": name, "languageId": "yaml", "version": 1,
            "text": "waybill: 1\ninclude: ['-', /dev/stdin, /dev/zero, ../../etc/passwd, 'a\0b']\n",
        })
        client.notify("textDocument/didClose", textDocument={"uri": name})
        client.notify("textDocument/didChange", textDocument={"uri": name, "version": 2}, contentChanges=[{"text": ""}])
    pathlib.Path(folder / "pipe.yaml").unlink(missing_ok=True)
    os.mkfifo(folder / "pipe.yaml")
    path = folder / "a.yaml"
    client.open(path, "waybill: 1\ninclude: [pipe.yaml]\n")
    assert client.published(path)[0]["code"] == "unreadable-file"
    # A text that is too large is refused, and the server goes on.
    client.open(path, "#" * (65 << 20))
    client.open(path, "waybill: 1\n")
    client.published(path)
    assert client.end() == 0
    return "names of files, a pipe, a text that is too large"


def manifests():
    """Yields a name and the text of each manifest of the repository and of the cookbook."""
    for path in sorted((ROOT / "manifests").rglob("*.yaml")):
        if re.search(r"^waybill:", path.read_text(), re.M):
            yield path, path.read_text()
    page = ROOT / "docs/cookbook.md"
    for number, text in enumerate(re.findall(r"^```yaml\n((?:(?!```).*\n)*)```", page.read_text(), re.M)):
        if re.search(r"^waybill:", text, re.M):
            yield pathlib.Path(f"cookbook-{number}.yaml"), text


def names_in(text):
    """Yields the lines and columns of the words of a text."""
    for number, line in enumerate(text.split("\n")):
        for word in re.finditer(r"[A-Za-z_][\w.-]*", line.split(" #")[0]):
            yield number, word.start(), word[0]


def edited(text, edits):
    """Returns a text after the edits of the server."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)

    def offset(position):
        return starts[position["line"]] + position["character"]

    for edit in sorted(edits, key=lambda edit: -offset(edit["range"]["start"])):
        text = text[: offset(edit["range"]["start"])] + edit["newText"] + text[offset(edit["range"]["end"]):]
    return text


def check_names(program, folder):
    """At every name: a definition, references that include the name, and a rename that keeps the plan."""
    home = folder / "manifests"
    shutil.copytree(ROOT / "manifests", home)
    client = Client(program, [folder])
    counts = {"names": 0, "references": 0, "completed": 0, "not completed": 0, "renames": 0, "plans": 0, "refused": 0}

    def output(*words):
        return subprocess.run([program, *words], cwd=home, capture_output=True, text=True).stdout

    def checked(file):
        found = json.loads(output("validate", "--format", "json", file.name))["diagnostics"]
        return [(item["id"], item["severity"]) for item in found]

    def plan(file, graph):
        """Returns the plan of a graph without the locations of its values, which a rename changes."""
        return re.sub(r'"(line|column)": \d+', "", output("plan", "--format", "json", file.name, "--graph", graph))

    for path, text in manifests():
        file = home / (path.relative_to(ROOT / "manifests") if path.is_absolute() else path)
        file.write_text(text)
        client.open(file)
        lenses = client.call("textDocument/codeLens", textDocument={"uri": uri(file)})
        graphs = sorted({lens["command"]["arguments"][0]["graph"] for lens in lenses})
        before = checked(file), {graph: plan(file, graph) for graph in graphs}
        renamed = set()
        for line, column, word in names_in(text):
            here = {"line": line, "character": column}
            target = client.at("textDocument/definition", file, line, column)
            if not target:
                continue
            counts["names"] += 1
            found = client.at("textDocument/references", file, line, column, context={"includeDeclaration": True})
            counts["references"] += len(found)
            lines = [item["range"]["start"]["line"] for item in found if item["uri"] == uri(file)]
            assert line in lines, (file, here, found)
            assert client.at("textDocument/documentHighlight", file, line, column), (file, here)
            # At a reference, completion offers the name.
            name = client.at("textDocument/prepareRename", file, line, column) if path.stem != "contract" else None
            if name and (target["uri"], target["range"]["start"]) != (uri(file), name["range"]["start"]):
                items = client.at("textDocument/completion", file, line, column)["items"]
                offered = any(item["label"] == name["placeholder"] for item in items)
                counts["completed" if offered else "not completed"] += 1
                if not offered:
                    print(f"  {file.name}:{line + 1}:{column + 1}: {word} is not offered")
            key = json.dumps(target)
            if key in renamed:
                continue
            renamed.add(key)
            try:
                edits = client.at("textDocument/rename", file, line, column, newName="zz_renamed")["changes"]
            except RuntimeError as error:
                print(f"  {file.name}:{line + 1}:{column + 1}: {word}: {error}")
                counts["refused"] += 1
                continue
            counts["renames"] += 1
            texts = {item: pathlib.Path(item.removeprefix("file://")).read_text() for item in edits}
            for item, changes in edits.items():
                pathlib.Path(item.removeprefix("file://")).write_text(edited(texts[item], changes))
            assert checked(file) == before[0], (file, here, word, edits)
            for graph, expected in before[1].items():
                after = plan(file, graph) or plan(file, "zz_renamed")
                old = name["placeholder"] if name else word
                if "." in old:
                    # A step without an id has the last part of the name that it calls.
                    last = rf"\b({re.escape(old)}|{re.escape(old.rsplit('.', 1)[-1])})\b"
                    expected, after = re.sub(last, "zz_renamed", expected), re.sub(last, "zz_renamed", after)
                else:
                    after = after.replace("zz_renamed", old)
                counts["plans"] += bool(expected)
                assert expected == after, (file, here, word, graph, edits)
            for item, old in texts.items():
                pathlib.Path(item.removeprefix("file://")).write_text(old)
        client.close(file)
    client.end()
    return ", ".join(f"{count} {name}" for name, count in counts.items())


# A name with '‸' before it is renamed to 'zz'; then the parts that the text has, or the start of the reason why it is refused.
VALUES = 'graphs: {main: {chain: [{id: v, values: {‸a: "1", b: "2"}%s}], outputs: {r: "%s"}}}'
LOOP = 'graphs: {main: {chain: [{id: v, forEach: {in: [1], as: x}, values: {‸a: "1"}}], outputs: {r: "%s"}}}'
DATA = "'a' cannot be renamed: the name may be data in "
RENAMES = [
    (VALUES % (", expect: {equals: {a: 1, b: 2}, body: [$.a == 1]}", "steps.v.outputs['a'] + steps.v['outputs'].a"),
     ["values: {zz:", "equals: {zz: 1, b: 2}", "$.zz == 1", "outputs['zz'] + steps.v['outputs'].zz"]),
    (VALUES % (", expect: {json: {a: 1}}", "steps.v.outputs.a"), ["json: {zz: 1}"]),
    (VALUES % (", expect: {equals: \"${parse('{}')}\"}", "1 + 1"), DATA),
    (VALUES % (", expect: {schema: {type: object, required: [a]}}", "1 + 1"), DATA),
    (VALUES % (", expect: {snapshot: v.json}", "1 + 1"), DATA),
    (VALUES % (", expect: {body: [length($..a) == 1]}", "1 + 1"), DATA),
    *((VALUES % ("", path), DATA) for path in (
        "list(steps.v.outputs['a','b'])", "list(steps.v.outputs..a)", "steps.v.outputs", "steps.v", "steps.v..a",
        "get(steps.v.outputs, 'a')", "list(steps.v.outputs[?@ == 1])",
    )),
    (VALUES % ("", "length(steps.v.outputs) + steps.v.outputs.a"), ["steps.v.outputs.zz"]),
    (VALUES % ("}, {post: /, body: {json: \"${steps.v.outputs}\"}", "1 + 1"), DATA),
    (LOOP % "list(steps.v.items[*].outputs.a, steps.v.items[0].outputs['a'])", ["items[*].outputs.zz", "outputs['zz']"]),
    (LOOP % "length(steps.v.items)", ["values: {zz:"]),
    *((LOOP % path, DATA) for path in (
        "steps.v.items", "steps.v.items[*].outputs", "list(steps.v.items[*]['outputs','ok'])",
        "list(steps.v.items[?@.outputs.a == 1].ok)",
    )),
    ('inputs: {‸a: string}\ngraphs: {main: {chain: [{post: /, body: {json: "${inputs}"}}]}}', DATA),
    ('inputs: {‸a: string}\ngraphs: {main: {chain: [{post: /, body: {json: "${manifest.inputs}"}}]}}', DATA),
    ('environments: {‸a: {inputs: {i: x}}}\ninputs: {i: string}\n'
     'graphs: {main: {chain: [{get: /, when: "run.environment == \'a\'", params: {i: "${inputs.i}"}}]}}', DATA),
    # The graph that runs by default.
    ("graphs: {‸main: {chain: [{get: /}]}, other: {chain: [{get: /}]}}", "'zz' cannot be the name of this graph: the manifest"),
    ("graphs: {‸main: {chain: [{get: /}]}}", ["{zz: {chain"]),
    # Nothing calls the endpoint, so the input of the manifest is the one that 'waybill call' gives it.
    ('inputs: {user: string}\nendpoints: {e: {path: "/${inputs.user}", inputs: {‸user: string}}}\n'
     'graphs: {main: {chain: [{get: "/${inputs.user}"}]}}',
     ["inputs: {zz: string}\nendpoints", "inputs.zz}\", inputs: {zz:", "get: \"/${inputs.zz}"]),
    ('inputs: {user: string}\nendpoints: {e: {path: "/${inputs.user}", inputs: {‸user: string}}}\n'
     'graphs: {main: {chain: [{call: e, with: {user: "${inputs.user}"}}]}}', ["with: {zz: \"${inputs.user}"]),
    ('inputs: {user: string}\ngraphs: {main: {inputs: {‸user: string}, chain: [{get: "/${inputs.user}"}]}}',
     ["inputs: {zz: string}\ngraphs: {main: {inputs: {zz:"]),
    # Credentials of a scheme of the document that no called operation requires.
    ('secrets: {‸a: {env: A}}\ngraphs: {main: {chain: [{get: "http://127.0.0.1:9/", service: s}]}}',
     ["secrets: {zz:", "bearer: \"${secrets.zz}"]),
    ("endpoints: {‸a: {path: /}, b: {path: /}}\ngraphs: {main: {chain: [{call: a}, {get: '/${steps.a.status}'}, {call: b}]}}",
     ["{zz: {path", "call: zz}", "steps.zz.status"]),
]


def check_renames(program, folder):
    """A rename changes every reader of a name, or is refused with a reason."""
    (folder / "api.json").write_text(json.dumps({
        "openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {},
        "components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
    }))
    path = folder / "waybill.yaml"
    client = Client(program, [folder])
    for text, expected in RENAMES:
        row = text
        service = 'openapi: api.json, security: {key: {bearer: "${secrets.a}"}}, ' if text.startswith("secrets") else ""
        text = 'waybill: 1\nservices: {s: {%sbaseURL: "http://127.0.0.1:9"}}\n' % service + text
        line = next(number for number, words in enumerate(text.splitlines()) if "‸" in words)
        column = text.splitlines()[line].index("‸")
        text = text.replace("‸", "")
        client.open(path, text)
        try:
            changes = client.at("textDocument/rename", path, line, column, newName="zz")["changes"]
        except RuntimeError as error:
            assert isinstance(expected, str) and str(error).startswith(expected), (row, str(error))
            continue
        after = edited(text, changes[uri(path)])
        assert isinstance(expected, list), (text, after)
        for part in expected:
            assert part in after, (part, after)
        client.close(path)
    client.end()
    return f"{len(RENAMES)} renames"


def check_edits(program, folder, count):
    """Random edits do no harm, memory stays constant, and a new server reports the same about the text at the end."""
    choice = random.Random(7)
    texts = [text for _, text in manifests()]
    pieces = [" ", "\n", "  ", "- ", ": ", "${", "}", "'", '"', "{", "[", "steps.", "é", "😀", "#", "&a ", "*a", "|", "\t", "<<: "]
    path = folder / "waybill.yaml"
    client = Client(program, [folder])
    text = texts[0]
    client.open(path, text)
    start = None

    def memory():
        status = pathlib.Path(f"/proc/{client.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])

    for number in range(count):
        if number % 50 == 49:
            text = choice.choice(texts)
            client.change(path, {"text": text})
        lines = text.split("\n")
        first = choice.randrange(len(lines))
        begin = choice.randint(0, len(lines[first]))
        length = choice.choice([0, 0, 0, 1, 2, 9])
        last, stop = first, min(begin + length, len(lines[first]))
        if choice.random() < 0.1 and first + 1 < len(lines):
            last, stop = first + 1, choice.randint(0, len(lines[first + 1]))
        new = choice.choice([*pieces, choice.choice(choice.choice(texts).split("\n"))])
        change = {
            "range": {"start": {"line": first, "character": begin}, "end": {"line": last, "character": stop}}, "text": new,
        }
        text = edited(text, [{**change, "newText": new}])
        client.change(path, change)
        if number % 3 == 0:
            method = choice.choice(["completion", "hover", "definition", "references", "documentHighlight", "rename"])
            try:
                client.at(f"textDocument/{method}", path, first, begin, newName="x", context={"includeDeclaration": True})
            except RuntimeError:
                pass
        if number % 10 == 0:
            for method in ("documentSymbol", "foldingRange", "documentLink", "codeLens"):
                client.call(f"textDocument/{method}", textDocument={"uri": uri(path)})
        if number == count // 4:
            start = memory()
    found = client.published(path)
    end = memory()
    assert end < start * 1.15 + 8_000, f"{start} kB of memory became {end} kB"
    client.end()
    fresh = Client(program, [folder])
    fresh.open(path, text)
    assert short(fresh.published(path)) == short(found)
    fresh.end()
    return f"{count} edits, {start} and {end} kB of memory"


def check_time(program, folder):
    """Measures the CPU time of an edit until its diagnostics are published."""
    ticks = os.sysconf("SC_CLK_TCK")
    figures = []
    for size in (2_000, 20_000):
        text = "waybill: 1\nservices: {shop: {baseURL: 'http://127.0.0.1:9'}}\nendpoints:\n"
        count = (size - 6) // 10
        for number in range(count):
            text += f"  order{number}:\n    path: /orders/${{inputs.id}}\n    inputs: {{id: string}}\n    headers:\n"
            text += "      X-Trace: ${run.id}\n    outputs: {total: $.total}\n"
        text += "graphs:\n  main:\n    chain:\n"
        for number in range(count):
            text += f"      - call: order{number}\n        with:\n          id: a\n        tag: t{number}\n"
        path = folder / f"{size}.yaml"
        client = Client(program, [folder])
        client.open(path, text)
        assert client.published(path) == []

        def spent():
            fields = pathlib.Path(f"/proc/{client.process.pid}/stat").read_text().split()
            return (int(fields[13]) + int(fields[14])) / ticks

        start, edits = spent(), 4
        for number in range(edits):
            here = {"line": 4, "character": 10}
            client.change(path, {"range": {"start": here, "end": here}, "text": "x"})
            client.published(path)
        edit = (spent() - start) / edits
        start = spent()
        for number in range(edits):
            client.at("textDocument/completion", path, size - 6, 15)
        figures.append(
            f"{len(text.splitlines())} lines: {edit * 1000:.0f} ms an edit, {(spent() - start) / edits * 1000:.0f} ms a completion"
        )
        client.end()
    return ", ".join(figures)


def check_neovim(program, folder):
    """In Neovim, diagnostics appear, a definition is in an included file, and an output of a step is completed."""
    if not shutil.which("nvim"):
        return "not installed, so not checked"
    (folder / "endpoints.yaml").write_text(
        "waybill: 1\nendpoints:\n  order: {path: /order, outputs: {total: $.total}}\n"
    )
    path = folder / "waybill.yaml"
    path.write_text(
        "waybill: 1\ninclude: [endpoints.yaml]\nservices: {shop: {baseURL: 'http://127.0.0.1:9'}}\n"
        "graphs:\n  main:\n    chain:\n      - call: order\n      - {id: other, call: odrer}\n"
    )
    script = ROOT / "Tests/Tools/check-neovim.lua"
    result = subprocess.run(
        ["nvim", "--headless", "--clean", "-n", "-c", f"luafile {script}"], capture_output=True, text=True, timeout=100,
        env={**os.environ, "WAYBILL": program, "MANIFEST": str(path), "HOME": str(folder)},
    )
    output = result.stdout + result.stderr
    for line in (
        "diagnostic: no endpoint is named 'odrer' (did you mean 'order'?)", "definition: endpoints.yaml:3",
        "completion: - get: /x/${steps.order.outputs.total",
    ):
        assert line in output, output
    return "diagnostics, a definition in an included file, completion"


FEATURES = """waybill: 1
services: {shop: {baseURL: "http://127.0.0.1:9"}}
secrets: {key: {env: KEY}}
endpoints:
  order: {path: "/orders/${inputs.id}", inputs: {id: string}, outputs: {total: $.total}}
graphs:
  main:
    chain:
      - {id: first, call: order, with: {id: a}, when: "'a' == 'a'"}
      - {id: second, call: order, with: {id: "${default(steps.first.outputs.total, 'b')}"}}
@
"""


def check_features(program, folder):
    """Completion in lines that are not finished, quick fixes, hints and lenses."""
    path = folder / "waybill.yaml"
    client = Client(program, [folder])

    def opened(line):
        """Opens the manifest with more lines, and returns the position of the '|' in them."""
        text = FEATURES.replace("@", line)
        before, after = text.split("|", 1) if "|" in text else (text, "")
        client.open(path, before + after)
        return before.count("\n"), len(before.rsplit("\n", 1)[-1])

    for line, expected in (
        ("      - call: |", {"order"}), ("      - ca|", {"call", "batch"}), ("      - {call: o|", {"order"}),
        ("      - call: order\n        with: {|", {"id"}), ("      - get: /${|", {"steps", "secrets", "sha256"}),
        ("      - get: /${steps.|", {"first", "second"}), ("      - get: /${steps.second.|", {"outputs", "status"}),
        ("      - get: /${steps.second.outputs.|}/x", {"total"}), ("      - {get: /x, onFailure: |}", {"stop", "collect"}),
        ("      - get: /x\n        headers: {A: '${secrets.|", {"key"}), ("  other:\n    |", {"chain", "batch"}),
        ("      - get: /x\n        retry:\n          ti|", {"times"}), ("def|", {"defaults"}),
        # Names in functions that accept what does not exist.
        ("      - get: /${default(steps.|", {"first", "second"}),
        ("      - {get: /x, when: 'exists(steps.second.outputs.|)'}", {"total"}),
    ):
        items = client.at("textDocument/completion", path, *opened(line))["items"]
        labels = {item["label"] for item in items}
        assert expected <= labels, (line, labels)
    # Keys that would be errors beside the others are not offered; those that a mapping must have come first.
    for line, offered, others in (
        ("      - post: /x\n        body: {json: 1, |}", set(), {"form", "text"}),
        ("      - batch: [{id: a, get: /a}, {id: b, needs: [|], get: /b}]", {"a"}, {"b"}),
        ("      - call: order\n        |", {"with", "retry", "write"}, {"get", "url", "mock", "returns", "call"}),
        ("      - values: {a: '1'}\n        |", {"expect", "when", "forEach"}, {"call", "with", "until", "auth", "write"}),
        ("      - get: /x\n        paginate:\n          next: $.next\n          |", {"while", "items"}, {"link", "cursor", "next"}),
        ("      - get: /x\n        auth:\n          oauth2:\n            grant: password\n            |", {"username", "tokenURL"}, {"deviceURL"}),
    ):
        items = client.at("textDocument/completion", path, *opened(line))["items"]
        labels = [item["label"] for item in sorted(items, key=lambda item: item["sortText"])]
        assert labels == [item["label"] for item in items] and offered <= set(labels), (line, labels)
        assert not others & set(labels), (line, others & set(labels))
    assert labels[0] == "tokenURL", labels
    # Entries without the keys that they must have, members of names, conditions on steps that may not have run.
    for line, offered, others in (
        ("      - {get: /x, forEach: {in: steps.|}}", {"first", "second"}, set()),
        ("      - get: /x\n        forEach:\n          in: steps.|", {"first", "second"}, set()),
        ("      - {get: /x, write: {records: 'steps.|'}}", {"first", "second"}, set()),
        ("      - {get: /x, when: manifest.|}", {"inputs"}, {"length"}), ("      - {get: /x, when: 'run.|'}", {"id"}, {"length"}),
        ("    finally:\n      - {get: /x, when: exists(steps.second.outputs.|)}", {"total"}, set()),
        ("      - graph: |\n  other: {chain: [{get: /x}]}", {"other"}, {"main"}),
    ):
        labels = {item["label"] for item in client.at("textDocument/completion", path, *opened(line))["items"]}
        assert offered <= labels and not others & labels, (line, labels)
    text = FEATURES.replace("@", "").replace("graphs:", "  other:\n    path: /x\n    |\ngraphs:")
    client.open(path, text.replace("|", ""))
    labels = {item["label"] for item in client.at("textDocument/completion", path, 7, 4)["items"]}
    assert "inputs" in labels and not {"path", "url", "operation"} & labels, labels
    # A step does not see itself.
    line, column = opened("      - {id: third, get: '/${steps.|}'}")
    labels = {item["label"] for item in client.at("textDocument/completion", path, line, column)["items"]}
    assert labels == {"first", "second"}, labels

    def fixed(line):
        """Returns the last line after the quick fix at the position."""
        number, column = opened(line)
        here = {"line": number, "character": column}
        actions = client.call(
            "textDocument/codeAction", textDocument={"uri": uri(path)}, range={"start": here, "end": here},
            context={"diagnostics": []},
        )
        text = FEATURES.replace("@", line.replace("|", ""))
        return edited(text, actions[0]["edit"]["changes"][uri(path)]).split("\n", 10)[10].rstrip("\n")

    assert fixed("      - call: odr|er").endswith("call: order")
    assert fixed("      - {id: x, call: ord|er, with: {}}").endswith("with: {id: null}}")
    assert fixed("      - {id: x, call: ord|er}") == '      - {id: x, call: order, with: {id: null}}'
    assert fixed("      - id: x\n        call: ord|er") == '      - id: x\n        call: order\n        with: {id: null}'
    assert fixed("      - call: order\n        with: {i|dd: a}").endswith("with: {id: a}")
    assert fixed("      - get: /${lo|ver('A')}").endswith("get: /${lower('A')}")
    assert fixed("      - {get: /x, ret|rry: {times: 1}}").endswith("{get: /x, retry: {times: 1}}")
    assert fixed("      - {get: /x, write: {to: a/b.nd|jsn}}").endswith("{to: a/b.ndjson}}")
    (folder / "sub").mkdir()
    (folder / "sub/orders.json").write_text("[]")
    assert fixed("      - {post: /x, body: {file: sub/ord|er.json}}").endswith("{file: sub/orders.json}}")
    # A text with a syntax error before 'waybill', and one that was a manifest before.
    def codes(text, *later):
        """Returns the diagnostics of a text after it was edited."""
        client.close(path)
        client.diagnostics.pop(uri(path), None)
        client.open(path, text)
        for text in later:
            client.published(path)
            client.change(path, {"text": text})
        return {item["code"] for item in client.published(path)}

    assert codes("- [\nwaybill: 1\n") == {"yaml-syntax"}
    assert codes("other: 1\n") == set()
    assert codes("waybil: 1\nservices: {a: {image: x}}\n") >= {"unknown-key"}
    assert codes("version: 1\nservices: {a: {image: x}}\n") == set()
    assert codes("waybill: 1\ngraphs: {}\n", "other: 1\n") == {"unknown-key"}
    # Edits that arrive together are checked once.
    codes(FEATURES.replace("@", ""))
    written, versions = [], []
    client.write = written.append
    for number in range(20):
        client.change(path, {"text": FEATURES.replace("@", f"# {number}")})
    del client.write
    client.write(b"".join(written))
    while versions[-1:] != [client.versions[uri(path)]]:
        message = client.read()
        if message["method"] == "textDocument/publishDiagnostics":
            versions.append(message["params"]["version"])
    assert len(versions) <= 3, versions
    opened("")
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    hints = client.call("textDocument/inlayHint", textDocument={"uri": uri(path)}, range=everything)
    assert [hint["position"]["line"] for hint in hints] == [9], hints
    lenses = client.call("textDocument/codeLens", textDocument={"uri": uri(path)})
    assert [lens["command"]["title"] for lens in lenses] == ["run", "run with --mock"], lenses
    hover = client.at("textDocument/hover", path, 9, 48)
    assert "default(" in hover["contents"]["value"], hover
    hover = client.at("textDocument/hover", path, 8, 29)["contents"]["value"]
    assert "set at the endpoint" in hover and "baseURL" in hover, hover
    client.close(path)
    client.open(path, "waybill: 1\nendpoints:\n  e:\n    path: /\n    headers: {X-Api-Key: HIDDEN}\ngraphs: {main: {chain: [call: e]}}\n")
    hover = client.at("textDocument/hover", path, 2, 2)["contents"]["value"]
    assert "HIDDEN" not in hover and "X-Api-Key: ******" in hover, hover
    items = client.at("textDocument/completion", path, *opened("      - call: |"))["items"]
    assert all("insertTextFormat" not in item for item in items), items
    assert client.end() == 0
    # A file that two manifests include: names of both are completed, and an error in one of them names it.
    client = Client(program, [folder])
    part = "waybill: 1\nendpoints: {e: {path: '/${secrets.@}'}}\n"
    for name, secret in (("m1", "one"), ("m2", "two")):
        (folder / f"{name}.yaml").write_text(
            f"waybill: 1\ninclude: [part.yaml]\nsecrets: {{{secret}: {{env: S}}}}\nservices: {{s: {{baseURL: 'http://127.0.0.1:9'}}}}\n"
            "graphs: {main: {chain: [{call: e}]}}\n")
    (folder / "part.yaml").write_text(part.replace("@", "one"))
    client.open(folder / "part.yaml", part.replace("@", "one"))
    (message,) = [item["message"] for item in client.published(folder / "part.yaml") if item["code"] == "unknown-secret"]
    assert message.endswith("In 'm2.yaml', which includes this file."), message
    items = client.at("textDocument/completion", folder / "part.yaml", 1, part.split("\n")[1].index("@"))["items"]
    assert {"one", "two"} <= {item["label"] for item in items}, items
    assert client.end() == 0
    # A client with snippets receives the inputs that a call must give.
    client = Client(program, [folder], capabilities={"textDocument": {"completion": {"completionItem": {
        "snippetSupport": True, "insertTextModeSupport": {"valueSet": [1, 2]},
    }}}})
    (folder / "shop.json").write_text(json.dumps({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/a/{id}": {
        "get": {"operationId": "one", "parameters": [{"name": "id", "in": "path", "required": True, "schema": {}},
                                                     {"name": "page", "in": "query", "schema": {}}]}}}}))
    contract = FEATURES.replace("services: {shop: {", "services: {api: {openapi: shop.json, baseURL: 'http://127.0.0.1:9'}, shop: {")
    for line, name, expected in (
        ("      - call: |", "order", "order\n  with: {id: $1\\}"), ("      - {call: o|}", "order", "order, with: {id: $1\\}"),
        ("      - {call: o|, with: {}}", "order", "order"), ("      - call: |", "api.one", "api.one\n  with: {id: $1\\}"),
        ("      - call: api.|", "api.one", "api.one\n  with: {id: $1\\}"),
        ("      - {id: x, call: api.one, with: {id: a}}\n      - call: |", "api.one", "api.one\n  with: {id: $1\\}"),
        # A call that is wrong elsewhere hides no names.
        ("      - {id: x, call: api.two}\n      - get: /${steps.|", "second", "second"),
    ):
        before, after = contract.replace("@", line).split("|", 1)
        client.open(path, before + after)
        items = client.at("textDocument/completion", path, before.count("\n"), len(before.rsplit("\n", 1)[-1]))["items"]
        item = next(item for item in items if item["label"] == name)
        assert item["textEdit"]["newText"] == expected, item
        assert item.get("insertTextFormat", 1) == 1 + ("$1" in expected), item
    # An input takes the value of the manifest's input with the same name.
    text = ('waybill: 1\ninputs: {other: {type: string, default: M}}\nservices: {s: {baseURL: "http://127.0.0.1:9"}}\n'
            'endpoints: {item: {path: "/${inputs.user}${inputs.other}", inputs: {user: {type: string, default: E}}}}\n'
            'graphs: {main: {chain: [{call: item}]}}\n')
    client.open(path, text)
    for line, column, name, is_allowed in ((3, 68, "other", False), (1, 10, "user", False), (3, 68, "zz", True), (1, 10, "zz", True)):
        try:
            client.at("textDocument/rename", path, line, column, newName=name)
            assert is_allowed, name
        except RuntimeError as error:
            assert not is_allowed and "the manifest would change" in str(error), (name, error)
    # The inputs of an operation are declared in its document.
    text = contract.replace("@", "      - {call: api.one}")
    client.open(path, text)
    here = {"line": 10, "character": 18}
    actions = client.call("textDocument/codeAction", textDocument={"uri": uri(path)}, range={"start": here, "end": here},
                          context={"diagnostics": []})
    assert '{call: api.one, with: {id: null}}' in edited(text, actions[0]["edit"]["changes"][uri(path)]), actions
    check_declared(client, folder)
    assert client.end() == 0
    return "completion, quick fixes, hints, lenses, hover, snippets"


ORDERS = {
    "openapi": "3.1.0", "info": {"title": "t", "version": "1"},
    "components": {
        "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}, "token": {"type": "http", "scheme": "bearer"}},
        "schemas": {
            "Person": {"allOf": [{"type": "object", "properties": {"email": {}}}, {"properties": {"kind": {"enum": ["a", "true"]}}}]},
            "Order": {"type": "object", "properties": {
                "number": {"type": "integer", "readOnly": True}, "buyer": {"$ref": "parts.json#/Buyer"}, "x-y": {},
                "lines": {"type": "array", "items": {"type": "object", "properties": {"sku": {}, "parent": {"$ref": "#/components/schemas/Order"}}}},
                "password": {"writeOnly": True}, "is open": {"type": "boolean"},
            }},
        },
    },
    "paths": {"/o/{id}": {"put": {
        "operationId": "change", "security": [{"token": []}],
        "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
            {"name": "state", "in": "query", "schema": {"enum": ["open", "1", "a b"]}},
            {"name": "full", "in": "query", "schema": {"type": "boolean"}},
            {"name": "size", "in": "query", "schema": {"type": "integer", "default": 20}},
        ],
        "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}},
        "responses": {"200": {"description": "", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}}}},
    }}},
}

DECLARED = """waybill: 1
services:
  shop:
    openapi: orders.json
    baseURL: "http://127.0.0.1:9"
    security: {@S}
endpoints:
  old: {path: /old, inputs: {color: {enum: [red, green]}, when: {$ref: "#/$defs/t", $defs: {t: {enum: [now]}}}}}
graphs:
  sub: {inputs: {deep: boolean, by: {type: string, default: name}}, chain: [{get: /x}]}
  main:
    chain:
      - {id: one, call: shop.change, with: {id: a}}
      - {id: cut, call: shop.change, with: {id: a}, filters: [{select: $.lines}]}
@C
"""


def check_declared(client, folder):
    """What OpenAPI documents and the schemas of inputs declare is completed."""
    (folder / "orders.json").write_text(json.dumps(ORDERS))
    (folder / "parts.json").write_text(json.dumps({"Buyer": {"$ref": "orders.json#/components/schemas/Person"}}))
    path = folder / "declared.yaml"

    def completed(text):
        before, after = text.split("|", 1)
        client.open(path, before + after)
        items = client.at("textDocument/completion", path, before.count("\n"), len(before.rsplit("\n", 1)[-1]))["items"]
        return {item["label"]: item["textEdit"]["newText"] for item in items}

    for scheme, expected in (
        ("|", {"key": "key: ", "token": "token: "}), ("token: {bearer: a}, |", {"key": "key: "}), ("to|: {bearer: a}", {"key": "key", "token": "token"}),
        ("key: {|}", {"apiKey": 'apiKey: {in: header, name: "X-Key", value: ""}'}), ("token: {|", {"bearer": "bearer: ", "oauth2": "oauth2: "}),
    ):
        found = completed(DECLARED.replace("@S", scheme).replace("@C", ""))
        assert found == expected, (scheme, found)
    assert completed(DECLARED.replace("@S", "").replace("@C", "      - {call: shop.|}"))["shop.change"] == "shop.change, with: {id: $1\\}"
    ORDERS["paths"]["/o/{id}"]["put"].pop("operationId")
    (folder / "orders.json").write_text(json.dumps(ORDERS))
    found = completed(DECLARED.replace("@S", "").replace("@C", "      - {call: shop.|}"))
    assert found["shop.PUT /o/{id}"] == '"shop.PUT /o/{id\\}", with: {id: $1\\}', found
    ORDERS["paths"]["/o/{id}"]["put"]["operationId"] = "change"
    (folder / "orders.json").write_text(json.dumps(ORDERS))
    order = {"buyer", "lines", "number"}
    for call, expected in (
        # Values of inputs.
        ("{call: shop.change, with: {id: a, state: |}}", {"open": "open", "1": '"1"', "a b": '"a b"'}),
        ("{call: shop.change, with: {id: a, full: |", {"true": "true", "false": "false"}),
        ('{call: shop.change, with: {id: a, state: "|"}}', {"open": "open", "1": "1", "a b": "a b"}),
        ("{call: shop.change, with: {id: a, size: |}}", {"20": "20"}), ("{call: old, with: {color: |}}", {"red": "red", "green": "green"}),
        ("{call: old, with: {when: |}}", {"now": "now"}), ("{graph: sub, with: {deep: |}}", {"true": "true", "false": "false"}),
        ("{graph: sub, with: {deep: true, by: |}}", {"name": "name"}),
        # Bodies: members and values, in other files and alternatives.
        ("{call: shop.change, with: {id: a, body: {buyer: {kind: |}}}}", {"a": "a", "true": '"true"'}),
        ("{call: shop.change, with: {id: a, body: {buyer: {|}}}}", {"email": "email: ", "kind": "kind: "}),
        ("{call: shop.change, with: {id: a, body: {lines: [{|", {"sku": "sku: ", "parent": "parent: "}),
        ("{call: shop.change, with: {id: a, body: {x-y: 1, |}}}",
         {"buyer": "buyer: ", "lines": "lines: ", "password": "password: ", "is open": '"is open": '}),
        # Responses, also where each has other members, and the elements of lists.
        ("{get: '/${steps.one.data.|}'}", order), ("{get: '/${steps.one.data.b|.kind}'}", order),
        ("{get: '/${steps.one.data.lines[0].|}'}", {"sku", "parent"}), ("{get: '/${steps.one.data.lines[*].parent.|", order),
        ("{get: '/${default(steps.one.data.buyer.|", {"email", "kind"}),
        ("{forEach: {in: steps.one.data.lines, as: line}, get: '/${line.|}'}", {"sku", "parent"}),
        ("{call: shop.change, with: {id: a}, outputs: {x: $.|}}", order),
        ("{id: many, forEach: {in: [1], as: n}, call: shop.change, with: {id: a}}\n      - {get: '/${steps.many.items[*].data.buyer.|}'}", {"email", "kind"}),
        # Filters make other data.
        ("{get: '/${steps.cut.data.|}'}", set()), ("{get: '/${steps.cut.status.|}'}", set()),
    ):
        found = completed(DECLARED.replace("@S", "").replace("@C", f"      - {call}"))
        assert (found if isinstance(expected, dict) else set(found)) == expected, (call, found)


def check_contracts(program, folder):
    """An OpenAPI document is read once, and again when it changes: in the file or in the editor."""
    operation = {"responses": {"200": {"description": "ok"}}, "parameters": [{"name": "n", "in": "query", "schema": {"type": "integer"}}]}
    paths = {f"/p{number}": {"get": {"operationId": f"op{number}", **operation}} for number in range(6000)}
    document = folder / "api.json"

    def write(name):
        content = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {**paths, "/x": {"get": {"operationId": name, "responses": operation["responses"]}}}}
        document.write_text(json.dumps(content))

    write("first")
    path = folder / "waybill.yaml"
    client = Client(program, [folder])
    client.open(path, "waybill: 1\nservices: {a: {openapi: api.json, baseURL: 'http://127.0.0.1:9'}}\n"
                      "graphs: {main: {chain: [{call: a.first}, {call: a.op7}]}}\n#\n")
    ticks = os.sysconf("SC_CLK_TCK")

    def spent():
        fields = pathlib.Path(f"/proc/{client.process.pid}/stat").read_text().split()
        return (int(fields[13]) + int(fields[14])) / ticks

    assert client.published(path) == [], client.published(path)
    first, edits = spent(), 5
    for _ in range(edits):
        here = {"line": 3, "character": 1}
        client.change(path, {"range": {"start": here, "end": here}, "text": "x"})
        assert client.published(path) == []
    edit = (spent() - first) / edits
    assert edit < first / 3, f"{first:.2f} s of CPU time for the first check, {edit:.2f} s for an edit"

    def changed():
        client.notify("workspace/didChangeWatchedFiles", changes=[{"uri": uri(document), "type": 2}])
        here = {"line": 3, "character": 1}
        client.change(path, {"range": {"start": here, "end": here}, "text": "y"})
        return [item["code"] for item in client.published(path)]

    write("other")
    assert changed() == ["unknown-operation"], client.published(path)
    write("first")
    assert changed() == []
    # The document is open, and has another text in the editor.
    client.open(document, document.read_text().replace('"first"', '"third"'), "json")
    assert changed() == ["unknown-operation"]
    client.close(document)
    assert changed() == []
    assert client.end() == 0
    return f"{first * 1000:.0f} ms for the first check, {edit * 1000:.0f} ms for an edit"


CHECKS = [
    check_protocol, check_positions, check_hostile, check_diagnostics, check_features, check_contracts, check_names, check_renames,
    check_edits, check_neovim, check_time,
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--edits", type=int, default=300)
    parser.add_argument("--only")
    options = parser.parse_args()
    program = str(pathlib.Path(shutil.which(options.program) or options.program).resolve())
    for check in CHECKS:
        name = check.__name__.removeprefix("check_")
        if options.only not in (None, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            start = time.monotonic()
            arguments = [options.edits] if name == "edits" else []
            result = check(program, pathlib.Path(folder).resolve(), *arguments)
            print(f"{name}: {result} ({time.monotonic() - start:.1f} s)", flush=True)


if __name__ == "__main__":
    sys.exit(main())
