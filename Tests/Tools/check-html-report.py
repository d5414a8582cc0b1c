#!/usr/bin/env python3
"""Drives headless Chromium over a page of `waybill run --report html`, and checks what a person does with it: searches,
filters, opens steps by links and by keyboard, at 400 and 1400 pixels. The runs have hostile names and bodies: nothing of
them may execute, and no request may leave the page. The time until the page of 10,000 steps can be used is measured
against a plain table with as many rows.

    check-html-report.py [--waybill PROGRAM] [--chromium PROGRAM] [--screenshots FOLDER] [--steps N]

It needs Python's standard library and Chromium, which it finds as `chromium` or by CHROMIUM.
"""
import argparse
import base64
import html
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HOSTILE = "</script><script>window.isHit=1</script><img src=x onerror=window.isHit=2> \u2028\u202e\u0007 &amp; \"'"


class Browser:
    """Chromium, which takes commands of the DevTools protocol through a pipe, each ended by a NUL."""

    def __init__(self, program, folder):
        command_end, self.commands = os.pipe()
        self.events, event_end = os.pipe()

        def use_pipes():
            # The two may already have the numbers that they need, in the wrong order.
            ends = os.dup(command_end), os.dup(event_end)
            high = [os.dup2(end, 100 + index) for index, end in enumerate(ends)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", f"--user-data-dir={folder}", "--no-first-run", "about:blank"],
            preexec_fn=use_pipes, close_fds=False, stderr=subprocess.DEVNULL)
        os.close(command_end)
        os.close(event_end)
        self.count, self.held, self.messages = 0, b"", []
        target = self.send("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = None
        self.session = self.send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    session = None

    def send(self, method, parameters=None):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters or {}}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.next()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def next(self):
        while b"\0" not in self.held:
            piece = os.read(self.events, 1 << 16)
            if not piece:
                raise RuntimeError("Chromium ended")
            self.held += piece
        message, self.held = self.held.split(b"\0", 1)
        message = json.loads(message)
        if "method" in message:
            self.messages.append(message)
        return message

    def open(self, path, fragment="", width=1400, dark=False):
        """Opens a page in a window of its own width; returns the milliseconds until its second frame after loading."""
        self.send("Emulation.setDeviceMetricsOverride",
                  {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.send("Page.navigate", {"url": "about:blank"})
        self.messages.clear()
        self.send("Page.navigate", {"url": pathlib.Path(path).absolute().as_uri() + fragment})
        while not any(message["method"] == "Page.loadEventFired" for message in self.messages):
            self.next()
        return self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() =>"
                        " done(performance.now()))))")

    def run(self, expression):
        result = self.send("Runtime.evaluate",
                           {"expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def key(self, key, code=None, modifiers=0):
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", {"type": kind, "key": key, "code": code or key,
                      "windowsVirtualKeyCode": {"Enter": 13, "Escape": 27, "Tab": 9}.get(key, ord(key[0])),
                      "modifiers": modifiers, **(text if kind == "keyDown" else {})})

    def type(self, text):
        for character in text:
            self.key(character)

    def wait(self, expression):
        """Waits until an expression is true."""
        for _ in range(100):
            if self.run(f"!!({expression})"):
                return
            time.sleep(0.05)
        raise AssertionError(f"this did not become true: {expression}")

    def screenshot(self, path):
        data = self.send("Page.captureScreenshot")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def close(self):
        self.send("Browser.close")
        self.process.wait(30)


def runs(waybill, folder, steps):
    """Makes the pages: one of a suite with failures, and one with many steps."""
    tests = folder / "tests"
    tests.mkdir()
    name = json.dumps(HOSTILE)
    (tests / "smoke.yaml").write_text(f"""
waybill: 1
services: {{s: {{baseURL: "http://127.0.0.1:9"}}}}
environments: {{staging: {{}}}}
graphs:
  main:
    onFailure: continue
    chain:
      - {{id: login, name: {name}, post: /login, body: {{json: {{user: a}}}}, mock: {{body: {{id: 1}}}}}}
      - id: both
        batch:
          - {{id: users, get: /users, mock: {{body: [1, 2], delay: 30ms}}}}
          - id: deep
            chain:
              - {{id: first, get: "/deep?q=%3Cb%3E", mock: {{delay: 20ms}}}}
              - id: second
                get: /second
                retry: {{times: 2, for: [500], backoff: {{first: 10ms}}}}
                mock: {{status: 500, headers: {{X-Hostile: "</script><img src=x onerror=window.isHit=3>"}}, body: {{message: {name}}}}}
      - id: expectations
        get: /expectations
        expect: {{body: [$.a == 2, $.b == 'x']}}
        mock: {{body: {{a: 1, b: {name}}}, delay: 10ms}}
      - {{id: soft, get: /soft, onFailure: continue, mock: {{status: 404, body: {name}}}}}
      - {{id: skipped, when: run.id == 'never', get: /s, mock: {{}}}}
      - id: each
        onFailure: collect
        forEach: {{in: "range(0, 30)", as: n}}
        get: /e/${{n}}
        mock: [{{status: 200}}, {{status: 404, body: {{message: {name}}}}}]
""", encoding="utf-8")
    (tests / "other.yaml").write_text("""
waybill: 1
services: {s: {baseURL: "http://127.0.0.1:9"}}
graphs: {main: {chain: [{id: ping, get: /ping, mock: {delay: 5ms}}, {id: pong, get: /pong, mock: {}}]}}
""")
    page, one, many, all_failed = (folder / name for name in ("suite.html", "one.html", "many.html", "failed.html"))
    subprocess.run([waybill, "run", "tests", "--mock", "-v", "--out", "out", "--report", f"html={page}"], cwd=folder,
                   stdout=subprocess.DEVNULL)
    subprocess.run([waybill, "run", "tests/smoke.yaml", "--env", "staging", "--mock", "-v", "--out", "one", "--report",
                    f"html={one}"], cwd=folder, stdout=subprocess.DEVNULL)
    for path, status in ((many, 200), (all_failed, 500)):
        steps_text = "".join(f"      - {{id: step{n}, get: /{n}, mock: {{status: {status}}}}}\n" for n in range(steps))
        (folder / "many.yaml").write_text(
            'waybill: 1\nservices: {s: {baseURL: "http://127.0.0.1:9"}}\ngraphs:\n  main:\n    onFailure: continue\n'
            f"    batch:\n{steps_text}")
        subprocess.run([waybill, "run", "many.yaml", "--mock", "--out", "many", "--report", f"html={path}"], cwd=folder,
                       stdout=subprocess.DEVNULL)
    rows = [json.loads(line.rstrip(",\n")) for line in many.read_text(encoding="utf-8").splitlines()
            if line.startswith('{"id":"step')]
    assert len(rows) == steps, len(rows)
    cells = "".join(f"<tr><td>{row['outcome']}<td>{html.escape(row['path'])}<td>{row['status']}"
                    f"<td>{row['time']['total']}<td>{html.escape(row['url'])}</tr>\n" for row in rows)
    table = folder / "table.html"
    table.write_text(f"<!doctype html><meta charset=utf-8><title>t</title><table>{cells}</table>")
    return page, one, many, all_failed, table


def check_page(browser, page, one):
    browser.open(page)
    own = {message["params"]["request"]["url"] for message in browser.messages
           if message["method"] == "Network.requestWillBeSent"}
    assert all(url.startswith(("file:", "about:")) for url in own) and len(own) <= 2, own
    errors = [m["params"] for m in browser.messages if m["method"] in ("Runtime.exceptionThrown", "Log.entryAdded")]
    assert not errors, errors

    count = "document.getElementById('count').textContent"
    rows = "[...document.querySelectorAll('.row.step')].map(row => row.querySelector('.name').firstChild.data)"
    assert browser.run(count) == "10 steps", browser.run(count)
    assert browser.run("document.querySelectorAll('article.failure').length") == 4
    assert browser.run("document.querySelectorAll('article.failure img, #rows img').length") == 0

    # By keyboard: '/' focuses the search, words filter, Escape clears.
    browser.key("/")
    assert browser.run("document.activeElement.id") == "search"
    browser.type("second")
    browser.wait(f"{count} === '1 of 10 steps'")
    browser.wait(f"{rows}.join() === 'second'")
    browser.key("Escape")
    browser.wait(f"{count} === '10 steps'")
    assert browser.run("document.getElementById('search').value") == ""
    browser.type("404")
    browser.wait(f"{count} === '2 of 10 steps'")
    browser.key("Escape")

    # By outcome.
    browser.run("document.querySelector('[data-outcome=skipped]').click()")
    browser.wait(f"{count} === '1 of 10 steps' && {rows}.join() === 'skipped'")
    browser.run("document.querySelector('[data-outcome=skipped]').click()")
    browser.wait(f"{count} === '10 steps' && {rows}.length === 10")

    # A row opens with Enter, and a group closes.
    browser.run("document.querySelector('.row.step > button').focus()")
    browser.key("Enter")
    browser.wait("document.querySelector('.row.step > button[aria-expanded=true] + .panel')")
    name = browser.run("document.querySelector('.row.step small').textContent")
    assert "<img src=x" in name and "\u202e" not in name, name
    browser.run("[...document.querySelectorAll('.row.group > button')].find(b => b.textContent.includes('both')).click()")
    browser.wait(f"!{rows}.includes('users')")
    browser.run("[...document.querySelectorAll('.row.group > button')].find(b => b.textContent.includes('both')).click()")
    browser.wait(f"{rows}.includes('users')")

    # Links to a step, from elsewhere and from a failure.
    browser.open(page, "#run=2&step=main.both.deep.second")
    opened = "document.querySelector('.row.step > button[aria-expanded=true]')"
    assert browser.run(f"{opened}?.querySelector('.name').firstChild.data") == "second"
    assert browser.run(f"(r => r.top >= 0 && r.bottom <= innerHeight)({opened}.getBoundingClientRect())")
    assert browser.run(f"document.activeElement === {opened}")
    browser.open(one, "#step=main.soft")
    assert browser.run(f"{opened}?.querySelector('.name').firstChild.data") == "soft"
    browser.run("document.querySelector('article.failure .facts a').click()")
    browser.wait("[...document.querySelectorAll('.row.step > button[aria-expanded=true] .name')]"
                 ".some(name => name.firstChild.data === 'second')")

    # Hostile content has had its chances.
    for path in (page, one):
        browser.open(path)
        browser.run("document.querySelectorAll('details').forEach(details => { details.open = true; })")
        browser.run("document.querySelectorAll('.row.step > button').forEach(button => button.click())")
        time.sleep(0.2)
        assert browser.run("window.isHit") is None
    print("search, filters, links, keys: as they should be; nothing was executed, nothing requested")


def check_layout(browser, paths):
    for path in paths:
        for width in (400, 1400):
            browser.open(path, width=width)
            browser.run("document.querySelectorAll('.row.step > button').forEach(button => button.click())")
            overflow = browser.run("document.documentElement.scrollWidth")
            assert overflow <= width, f"{path} is {overflow} pixels wide in a window of {width}"
            unnamed = browser.run("[...document.querySelectorAll('button, a, input, summary')].filter(e =>"
                                  " !e.textContent.trim() && !e.labels?.length).length")
            assert unnamed == 0, f"{unnamed} controls have no name"
    low = browser.run(CONTRAST)
    assert not low, low
    browser.open(paths[0], dark=True)
    low = browser.run(CONTRAST)
    assert not low, low
    print("400 and 1400 pixels: nothing sticks out, all controls have names, all text has a contrast of 4.5 or more")


# The texts whose contrast with their background is below 4.5 (WCAG 2.2, 1.4.3).
CONTRAST = """(() => {
    const parse = (color) => color.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const ground = (element) => {
        for (let e = element; e; e = e.parentElement) {
            const color = parse(getComputedStyle(e).backgroundColor);
            if (color.length === 3 || color[3] > 0) return color;
        }
        return [255, 255, 255];
    };
    const low = new Set();
    for (const e of document.querySelectorAll("body *")) {
        if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !e.checkVisibility()) continue;
        const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) low.add(`${e.tagName}.${e.className}: ${ratio.toFixed(2)}`);
    }
    return [...low];
})()"""


def check_speed(browser, many, all_failed, table, steps):
    def best(path, fragment=""):
        return sorted(browser.open(path, fragment) for _ in range(7))[3]

    browser.open(table)
    plain, page, failed = best(table), best(many), best(all_failed)
    linked = best(many, f"#step=main.step{steps - 10}")
    assert browser.run("document.querySelector('.row.step > button[aria-expanded=true] .name').firstChild.data") \
        == f"step{steps - 10}"
    assert browser.run("document.querySelectorAll('.row').length") < 1000
    start = time.monotonic()
    browser.run("(() => { search.value = '77'; search.dispatchEvent(new Event('input')); })()")
    searched = 1000 * (time.monotonic() - start)
    print(f"{steps} steps can be used after {page:.0f} ms ({linked:.0f} ms with a link to the end, {failed:.0f} ms where all "
          f"failed), a plain table after {plain:.0f} ms; a search takes {searched:.0f} ms")
    assert page <= 1.5 * plain, f"the page takes {page / plain:.2f} times as long as a plain table"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--waybill", default=os.environ.get("WAYBILL", ".build/debug/waybill"))
    parser.add_argument("--chromium", default=os.environ.get("CHROMIUM") or shutil.which("chromium"))
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=10_000)
    options = parser.parse_args()
    if not options.chromium:
        sys.exit("there is no 'chromium'; name it with --chromium")
    waybill = str(pathlib.Path(options.waybill).resolve())
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        page, one, many, all_failed, table = runs(waybill, folder, options.steps)
        browser = Browser(options.chromium, folder / "browser")
        try:
            if options.screenshots:
                options.screenshots.mkdir(parents=True, exist_ok=True)
                for path in (page, one, many):
                    for width in (400, 1400):
                        for dark in (False, True):
                            browser.open(path, "#step=main.both.deep.second" if path == one else "", width, dark)
                            scheme = "dark" if dark else "light"
                            browser.screenshot(options.screenshots / f"{path.stem}-{width}-{scheme}.png")
            check_page(browser, page, one)
            check_layout(browser, (page, one))
            check_speed(browser, many, all_failed, table, options.steps)
        finally:
            browser.close()


if __name__ == "__main__":
    main()
