"""Completes words in bash, zsh and fish with the scripts of 'waybill completions'. See check-completions.sh."""

import os
import pathlib
import pty
import re
import select
import shlex
import subprocess
import sys
import tempfile
import time

WAYBILL = str(pathlib.Path(sys.argv[1]).resolve())

MANIFEST = r"""
waybill: 1
services: {shop: {baseURL: "http://127.0.0.1:9/"}}
inputs:
  colour: {type: string, enum: [red, "dark blue", "http://a:b"]}
  debug: boolean
  token: string
environments: {staging: {}, production: {}}
endpoints:
  order: {path: /order, inputs: {id: integer, fast: boolean}}
  orders: {path: /orders}
graphs:
  main:
    tags: [smoke]
    chain:
      - {id: login, get: /login, tag: slow}
      - {id: logout, get: /logout}
      - call: order
  nightly: {chain: [{id: pull, get: /pull}]}
"""

COMMANDS = [
    "init", "import", "export", "run", "resume", "merge", "runs", "show", "report", "state", "call", "login", "logout",
    "validate", "plan", "operations", "coverage", "mock", "eval", "schema", "lsp", "mcp", "cache", "explain", "completions",
]
SCHEMAS = ["check", "print", "manifest", "run", "suite", "state", "event", "diagnostics", "plan"]

# Names that a shell must treat as text.
HOSTILE_NAMES = [
    "$(touch pwned)", "`touch pwned`", "a;touch pwned", "it's", "two words", "a:b", r"back\slash", 'say "hi"', "$HOME",
    "*", "~root", "!!", "a=b", "a&b", "#no", "{x,y}", "été",
]
# Names that are left out, because a line or the terminal would interpret them.
DROPPED_NAMES = ["line\\nbreak", "tab\\there", "es\\ecape", "\\u202eright"]


def hostile_manifest(names):
    """Returns a manifest with endpoints of these names, written as in JSON."""
    endpoints = "".join(f'  "{name}": {{path: /}}\n' for name in names)
    graphs = "".join(f'  "{name}": {{chain: [{{get: /}}]}}\n' for name in names)
    start = 'waybill: 1\nservices: {s: {baseURL: "http://127.0.0.1:9/"}}\n'
    return f"{start}endpoints:\n{endpoints}graphs:\n{graphs}"


def given(line):
    """Returns the number of words before the one to complete."""
    # The word to complete may have an open quote.
    if quote := re.search("""[ =](["'])[^"']*$""", line):
        line += quote[1]
    return len(shlex.split(line)) - (0 if line.endswith(" ") else 1)


class Terminal:
    """An interactive shell that inserts all candidates, and writes the words of the line to a file."""

    def __init__(self, folder, command, setup, insert_all):
        self.folder, self.shell, self.insert_all = folder, command[0], insert_all
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.environ.update(TERM="dumb", PS1="", HOME=str(folder), LC_ALL="C.UTF-8", INPUTRC="/dev/null")
            os.execvp(command[0], command)
        self.type(setup)
        self.words("show ready\r")

    def type(self, text):
        os.write(self.terminal, text.encode())

    def words(self, keys):
        """Types keys that run 'show', and returns its arguments."""
        result = self.folder / "words"
        result.unlink(missing_ok=True)
        self.type(keys)
        output, deadline = b"", time.monotonic() + 30
        while not result.exists():
            # What the shell prints must be read, or it would wait.
            if select.select([self.terminal], [], [], 0.02)[0]:
                output += os.read(self.terminal, 65536)
            if time.monotonic() > deadline:
                sys.exit(f"no response to {keys!r}; the terminal shows {output.decode(errors='replace')}")
        return result.read_text().split("\0")[:-1]

    def candidates(self, line):
        if self.shell == "fish":
            return self.words(line + self.insert_all)
        words = self.words(f"{line}{self.insert_all}\x01show \r")
        return words[given(line):]

    def inserted(self, line):
        """Returns the words of the line after Tab."""
        return self.words(f"{line}\t\x01show \r")[given(line):]

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.process, 0)


SHOW = r"""show() { printf '%s\0' "$@" >words.part; mv words.part words; }""" + "\r"


def bash(folder):
    setup = SHOW + "bind '\"\\C-xa\": insert-completions'\rset +H\rsource <(waybill completions bash)\r"
    return Terminal(folder, ["bash", "--norc", "--noprofile", "-i"], setup, "\x18a")


def zsh(folder):
    setup = (
        "PROMPT= RPROMPT=; unsetopt zle_bracketed_paste prompt_cr beep; bindkey -e\r" + SHOW
        + "autoload -U compinit && compinit -u -d .dump\r"
        + "all() { _main_complete; compstate[insert]=all }\rzle -C all complete-word all\rbindkey '^Xa' all\r"
        + "source <(waybill completions zsh)\r"
    )
    return Terminal(folder, ["zsh", "-f", "-i"], setup, "\x18a")


def fish(folder):
    setup = (
        "function fish_prompt; end\r"
        + "function show; for word in $argv; printf '%s\\0' $word; end >words.part; mv words.part words; end\r"
        + "function all; show (complete -C (commandline -c) | string replace -r '\\t.*' ''); commandline -r ''; end\r"
        + "bind \\cx all\rwaybill completions fish | source\r"
    )
    return Terminal(folder, ["fish", "--no-config", "-i"], setup, "\x18")


def main():
    failures = 0
    with tempfile.TemporaryDirectory(prefix="waybill-completions-") as name:
        folder = pathlib.Path(name)
        (folder / "bin").mkdir()
        (folder / "bin/waybill").symlink_to(WAYBILL)
        # A word of the help that must not be executed.
        (folder / "bin/key").write_text("#!/bin/sh\ntouch pwned\n")
        (folder / "bin/key").chmod(0o755)
        os.environ["PATH"] = f"{folder}/bin:{os.environ['PATH']}"
        (folder / "waybill.yaml").write_text(MANIFEST)
        (folder / "broken.yaml").write_text(MANIFEST + "  other: {chain: [{call: missing}, {nonsense: 1}]}\n")
        escaped = [name.replace("\\", "\\\\").replace('"', '\\"') for name in HOSTILE_NAMES]
        (folder / "hostile.yaml").write_text(hostile_manifest(escaped + DROPPED_NAMES))
        for index, name in enumerate(escaped):
            (folder / f"hostile {index}.yaml").write_text(hostile_manifest([name]))
        # A folder of the same name as a graph is no reason to complete 'main/'.
        (folder / "main").mkdir()
        runs = folder / "waybill-results"
        older, newer = "20260101-120000-aaaaaa", "20260102-120000-bbbbbb"
        for run in (older, newer):
            (runs / run).mkdir(parents=True)
            (runs / run / "events.ndjson").touch()
        (runs / "latest").symlink_to(newer)
        for name in ("shards/one/run.json", "shards/other/notes.txt", "tests/quick.yaml"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).touch()

        inputs = ["colour=", "debug=", "token="]
        # The line, and the candidates in fish and zsh.
        cases = [
            ("waybill ", [*COMMANDS, "help"]),
            ("waybill comp", ["completions"]),
            ("waybill frobnicate ", []),
            ("waybill help ", COMMANDS),
            ("waybill help va", ["validate"]),
            ("waybill schema ", SCHEMAS),
            ("waybill explain al", ["alias-growth", "allOf"]),
            ("~/bin/waybill run --env ", ["staging", "production"]),
            ("waybill completions ", ["bash", "zsh", "fish"]),
            ("waybill run --graph ", ["main", "nightly"]),
            ("waybill run --graph n", ["nightly"]),
            ("waybill run broken.yaml --graph ", ["main", "nightly", "other"]),
            ("waybill run missing.yaml --graph ", []),
            ("waybill run --env ", ["staging", "production"]),
            ("waybill run --env=", ["--env=staging", "--env=production"]),
            ("waybill run --env=st", ["--env=staging"]),
            ("waybill run --format=h", ["--format=human"]),
            ("waybill run --input=", [f"--input={name}" for name in inputs]),
            ("waybill run --input=debug=", ["--input=debug=true", "--input=debug=false"]),
            ("waybill run --inputs=bro", ["--inputs=broken.yaml"]),
            ("waybill run --tag ", ["smoke", "slow"]),
            ("waybill run --not-tag sl", ["slow"]),
            ("waybill run --only log", ["login", "logout"]),
            ("waybill run --graph nightly --only ", ["pull"]),
            ("waybill run --input ", inputs),
            ("waybill run --input debug=", ["debug=true", "debug=false"]),
            ("waybill run --input debug=f", ["debug=false"]),
            ("waybill run --input colour=", ["colour=red", "colour=dark blue", "colour=http://a:b"]),
            ("waybill run --input token=1 --env st", ["staging"]),
            ("waybill run --report ", ["coverage=", "har=", "html=", "json=", "junit=", "markdown=", "prometheus=", "tap=", "github"]),
            ("waybill run --report junit=bro", ["junit=broken.yaml"]),
            ("waybill run --report junit=a.xml,j", ["junit=a.xml,json=", "junit=a.xml,junit="]),
            ("waybill run --report junit=a.xml,json=bro", ["junit=a.xml,json=broken.yaml"]),
            ("waybill run --format ", ["human", "ndjson", "outputs"]),
            ("waybill plan waybill.yaml --explain ", ["order", "orders"]),
            ("waybill call waybill.yaml ", ["order", "orders"]),
            ("waybill call waybill.yaml --input token=1 orders", ["orders"]),
            ("waybill call waybill.yaml order --input ", ["id=", "fast=", *inputs]),
            ("waybill call waybill.yaml order --input fast=", ["fast=true", "fast=false"]),
            ("waybill plan hostile.yaml --explain ", HOSTILE_NAMES),
            ("waybill call hostile.yaml ", HOSTILE_NAMES),
            ("waybill show ", ["latest", newer, older]),
            ("waybill show b", ["bin/"]),
            ("waybill show latest --against ", ["latest", newer, older]),
            ("waybill merge ", ["latest", newer, older]),
            ("waybill merge shards/", ["shards/one/"]),
            ("waybill resume 202601", [newer, older]),
            ("waybill report waybill-results/2026", [f"waybill-results/{newer}/", f"waybill-results/{older}/"]),
            ("waybill show latest --against latest", ["latest"]),
            ("waybill run hostile.yaml --graph ", HOSTILE_NAMES),
        ]
        for make in (bash, zsh, fish):
            shell = make(folder)
            for line, expected in cases:
                if shell.shell == "fish":
                    # It would insert '~' as it is.
                    expected = [word for word in expected if word != "~root"]
                found = shell.candidates(line)
                if shell.shell == "bash" and expected and "=" in line.split()[-1] and not line.endswith(" "):
                    # Readline inserts all values after the one 'NAME=' or '--option='.
                    start = line.split()[-1].rpartition("=")[0] + "="
                    found = [word if word.startswith(start) else start + word for word in found]
                if not expected and found == [line.split()[-1]] and not line.endswith(" "):
                    found = []
                if sorted(found) != sorted(expected):
                    failures += 1
                    print(f"{shell.shell}: {line!r} has {found}, not {expected}")
            for index, name in enumerate(HOSTILE_NAMES):
                if shell.shell == "fish" and name == "~root":
                    continue
                quoted = f"waybill run hostile\\ {index}.yaml --graph "
                lines = [quoted, f"waybill call 'hostile {index}.yaml' ", quoted + "'"]
                if shell.shell != "bash" or not re.search('!|"$', name):
                    # Bash inserts no such names in double quotes.
                    lines.append(quoted + '"')
                for line in lines:
                    if (found := shell.inserted(line)) != [name]:
                        failures += 1
                        print(f"{shell.shell}: {line!r} becomes {found}, not {[name]}")
            back = "\x1b[D" * len(" --env staging")
            for line, expected in [
                ("waybill run --graph ma", ["main"]),
                (f"waybill run --graph nig --env staging{back}", ["nightly", "--env", "staging"]),
                ('waybill run --graph "nig', ["nightly"]),
                ("waybill run --input 'colour=da", ["colour=dark blue"]),
                ('waybill run --input="colour=da', ["--input=colour=dark blue"]),
                ("waybill run --input tok", ["token=1"]),
                ("waybill run --input debug=t", ["debug=true"]),
                ('waybill run "tests/q', ["tests/quick.yaml"]),
                ("waybill validate 'tests/q", ["tests/quick.yaml"]),
                ("waybill run --inputs='tests/q", ["--inputs=tests/quick.yaml"]),
            ]:
                count = given(line.partition(" --env staging")[0])
                # A value is typed right after 'token='.
                line += "\t1" if line.endswith("tok") else "\t"
                found = shell.words(f"{line}\x01show \r")[count:]
                if found != expected:
                    failures += 1
                    print(f"{shell.shell}: {line!r} becomes {found}, not {expected}")
            if shell.shell == "fish":
                for option in ("--tag", "--format", "--inputs", "--state"):
                    # The description of the option would follow each value.
                    found = shell.words(f"show (complete -C 'waybill run {option} ')\r")
                    if not found or any("\t" in word for word in found):
                        failures += 1
                        print(f"fish: the values of {option} are {found}")
            shell.close()
            print(f"{shell.shell}: {len(cases)} lines, {len(HOSTILE_NAMES)} names")
        if (folder / "pwned").exists():
            failures += 1
            print("a name was executed")
    sys.exit(1 if failures else 0)


main()
