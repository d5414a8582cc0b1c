#!/usr/bin/env python3
"""Makes docs/run.svg, the picture of the README, from what the program prints on a terminal.

    python3 scripts/picture.py [PROGRAM]

It runs the program (.build-release/release/waybill) in tmux, captures the screen with its colours, and writes each line as text
of an SVG image, which follows the reader's light or dark mode."""
import html
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COLUMNS, ROWS = 112, 40
MANIFEST = """\
waybill: 1
services:
  shop: {baseURL: "https://staging.shop.example.com"}
graphs:
  main:
    chain:
      - id: login
        post: /login
        body: {json: {user: demo}}
        outputs: {ids: "$.orders"}
        mock: {body: {orders: [7, 8, 9]}, delay: 40ms}
      - id: orders
        forEach: {in: steps.login.outputs.ids, as: id}
        get: /orders/${id}
        write: {to: orders.csv, columns: [id, total]}
        mock: {body: {id: 7, total: 12.50, state: paid}, delay: 30ms}
      - id: newest
        get: /orders/newest
        expect:
          json: {id: 9, state: paid}
          body: ["$.total == 25"]
          maxTime: 500ms
        mock: {body: {id: 9, state: open, total: 30}, delay: 60ms}
"""
COLOURS = {"31": "red", "32": "green", "33": "yellow", "34": "blue", "35": "magenta", "36": "cyan", "90": "grey"}


def capture(program):
    """The lines of the screen after a run, with their colours as escape sequences."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/smoke.yaml", "w") as file:
            file.write(MANIFEST)
        os.symlink(os.path.abspath(program), f"{folder}/waybill")
        name = f"picture-{os.getpid()}"
        tmux = ["tmux", "-L", name, "-f", "/dev/null"]
        size = ["-x", str(COLUMNS), "-y", str(ROWS)]
        line = f"cd {folder}; PS1='$ ' PATH={folder}:$PATH TERM=xterm-256color exec sh"
        subprocess.run([*tmux, "new-session", "-d", *size, line], check=True)
        try:
            time.sleep(1)
            subprocess.run([*tmux, "send-keys", "waybill run smoke.yaml --mock", "Enter"], check=True)
            for _ in range(100):
                time.sleep(0.1)
                screen = subprocess.run(
                    [*tmux, "capture-pane", "-e", "-p"], check=True, capture_output=True, text=True
                ).stdout
                if "results in" in screen and screen.rstrip().endswith("$"):
                    break
            else:
                sys.exit("the run did not finish:\n" + screen)
        finally:
            subprocess.run([*tmux, "kill-server"], check=False)
    return screen.rstrip().split("\n")[:-1]


def spans(line):
    """The parts of a line, each with its classes."""
    bold, colour, found = False, None, []
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if not part.startswith("\x1b["):
            if part:
                found.append((" ".join(filter(None, ["bold" if bold else None, colour])), part))
            continue
        for code in part[2:-1].split(";"):
            if code in ("", "0"):
                bold, colour = False, None
            elif code == "1":
                bold = True
            elif code == "2":
                colour = "grey"
            elif code in ("22", "39"):
                bold, colour = (False, colour) if code == "22" else (bold, None)
            elif code in COLOURS:
                colour = COLOURS[code]
    return found


def svg(lines):
    height, width = 19, 8.43
    image = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{COLUMNS * width + 32:.0f}" height="{len(lines) * height + 32}"'
        ' role="img" aria-label="A run of Waybill in a terminal">',
        "<style>",
        "svg { background: #ffffff } text { font: 14px ui-monospace, Menlo, Consolas, monospace; fill: #24292f;"
        " white-space: pre } .bold { font-weight: 700 } .red { fill: #cf222e } .green { fill: #1a7f37 }"
        " .yellow { fill: #9a6700 } .blue { fill: #0969da } .magenta { fill: #8250df } .cyan { fill: #1b7c83 }"
        " .grey { fill: #6e7781 }",
        "@media (prefers-color-scheme: dark) { svg { background: #0d1117 } text { fill: #e6edf3 } .red { fill: #ff7b72 }"
        " .green { fill: #3fb950 } .yellow { fill: #d29922 } .blue { fill: #58a6ff } .magenta { fill: #bc8cff }"
        " .cyan { fill: #39c5cf } .grey { fill: #8b949e } }",
        "</style>",
    ]
    for row, line in enumerate(lines):
        y = 16 + (row + 1) * height - 5
        parts = "".join(
            f'<tspan class="{classes}">{html.escape(text)}</tspan>' if classes else html.escape(text)
            for classes, text in spans(line)
        )
        image.append(f'<text x="16" y="{y}" xml:space="preserve">{parts}</text>')
    return "\n".join(image + ["</svg>", ""])


if __name__ == "__main__":
    program = sys.argv[1] if len(sys.argv) > 1 else f"{ROOT}/.build-release/release/waybill"
    with open(f"{ROOT}/docs/run.svg", "w") as file:
        file.write(svg(capture(program)))
