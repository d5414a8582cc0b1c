#!/usr/bin/env python3
"""man-pages.py WAYBILL FOLDER: writes waybill.1 and a page for each subcommand, such as waybill-run.1, to FOLDER.

The commands and their options are those that the program reports about itself. The exit statuses, environment variables,
files and signals are the tables of docs/reference/commands.md. The date is SOURCE_DATE_EPOCH.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap
import time

EXAMPLES = [
    ("waybill init", "Write a first manifest, waybill.yaml."),
    ("waybill run waybill.yaml --mock", "Run it with its own examples as responses."),
    ("waybill run tests --jobs 4 --report junit=junit.xml", "Run a folder of smoke tests, and write a report."),
    ("waybill show latest --failed", "Print the failures of the newest run."),
    ("waybill resume latest", "Continue a run that was stopped."),
]


def escaped(text):
    """The text as roff prints it unchanged: no control lines, no hyphens where a user has to type a minus."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha")
    text = text.replace("~", "\\(ti")
    return "".join(c if c.isascii() else f"\\[u{ord(c):04X}]" for c in text)


def prose(markdown):
    """A line of Markdown as roff: code becomes bold, links become their text."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown.replace("\\|", "|").replace("\\\\", "\\"))
    parts = text.split("`")
    return "".join(f"\\fB{escaped(part)}\\fR" if i % 2 else escaped(part) for i, part in enumerate(parts))


def paragraphs(text):
    """The paragraphs of a help text, which are separated by empty lines."""
    return [paragraph for paragraph in (text or "").split("\n\n") if paragraph]


def filled(line):
    """A line of text as several of at most 80 bytes, each sentence on a line of its own; a request as it is."""
    if line.startswith("."):
        return line
    lines = [
        part
        for sentence in re.split(r"(?<=[.:;]) (?=[A-Z])", line)
        for part in textwrap.wrap(sentence, 78, break_long_words=False, break_on_hyphens=False)
    ]
    return "\n".join("\\&" + part if part.startswith(".") else part for part in lines)


def tagged(term, *text):
    """An indented paragraph with a term before it. The term is roff already."""
    return [".TP", term] + list(text)


def spelling(argument):
    """How an argument is written on the command line."""
    value = f"\\fI{escaped(argument['valueName'])}\\fR"
    if argument["kind"] == "positional":
        return value + (" ..." if argument["isRepeating"] else "")
    names = ["-" + n["name"] if n["kind"] == "short" else "--" + n["name"] for n in argument["names"]]
    text = ", ".join(f"\\fB{escaped(name)}\\fR" for name in sorted(names, key=len))
    return text if argument["kind"] == "flag" else f"{text} {value}"


def description(argument):
    """The help of an argument, with its values and default as '--help' prints them."""
    details = []
    if argument.get("allValues"):
        details.append("values: " + ", ".join(argument["allValues"]))
    if argument.get("defaultValue"):
        details.append("default: " + argument["defaultValue"])
    return escaped(argument.get("abstract", "") + (f" ({'; '.join(details)})" if details else ""))


def displayed(command, positional):
    """The arguments or the options of a command that its help shows."""
    arguments = [a for a in command.get("arguments", []) if a["shouldDisplay"]]
    return [a for a in arguments if (a["kind"] == "positional") == positional]


def subcommands(command):
    """The commands of a command, apart from 'help'."""
    return [c for c in command.get("subcommands", []) if c["shouldDisplay"] and c["commandName"] != "help"]


def synopsis(command, path):
    """The lines of the synopsis: one for the command, or one for each of its subcommands."""
    if subcommands(command):
        return [line for c in subcommands(command) for line in synopsis(c, path + [c["commandName"]])]
    words = [f"\\fB{escaped(' '.join(path))}\\fR", "[\\fIoptions\\fR]"]
    for argument in displayed(command, positional=True):
        words.append(f"[{spelling(argument)}]" if argument["isOptional"] else spelling(argument))
    return [" ".join(words)]


def options(command, heading):
    """The sections or subsections of a command's arguments and options."""
    lines = []
    for title, positional in (("Arguments", True), ("Options", False)):
        entries = displayed(command, positional)
        if entries:
            lines += [f"{heading} {title.upper() if heading == '.SH' else title}"]
            for argument in entries:
                lines += tagged(spelling(argument), description(argument))
    return lines


def body(command):
    """The description of a command, apart from its exit statuses, which are a section of their own."""
    texts = paragraphs(command.get("abstract")) + paragraphs(command.get("discussion"))
    lines = [escaped(text) for text in texts if not text.startswith("Exit status: ")]
    return "\n.PP\n".join(lines).split("\n")


def lower_first(sentence):
    """The first sentence of a command's abstract, as the NAME section has it."""
    first = re.split(r"\.(?:\s|$)", sentence)[0]
    return escaped(first[:1].lower() + first[1:])


class Reference:
    """The tables of docs/reference/commands.md, by the heading above them."""

    def __init__(self, path):
        self.tables = {}
        heading = ""
        rows = None
        for line in path.read_text().splitlines():
            if line.startswith("#"):
                heading = line.lstrip("# ").lower()
            if line.startswith("|"):
                cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
                if rows is None:
                    rows = []
                    self.tables.setdefault(heading, []).append(rows)
                rows.append(cells)
            else:
                rows = None

    def entries(self, heading, table):
        """The rows of a table, without its heading and its rule."""
        return self.tables[heading][table][2:]

    def definitions(self, heading, columns=2):
        """The first table below a heading: its first column, each with the columns after it."""
        rows = self.entries(heading, 0)
        return [line for row in rows for line in tagged(f"\\fB{prose(row[0])}\\fR", prose(": ".join(row[1:columns])))]

    def statuses(self):
        """The section with the exit statuses that all commands share."""
        return [".SH EXIT STATUS"] + self.definitions("exit statuses", columns=3)

    def own_statuses(self, name):
        """What the page says about the exit statuses of one command, or nothing."""
        for commands, text in self.entries("exit statuses", 1):
            if f"`{name}`" in commands:
                return prose(text)
        return None


def exit_status(command, reference):
    """The section of exit statuses: the command's own sentence or entry, otherwise those that all commands share."""
    own = [t.removeprefix("Exit status: ") for t in paragraphs(command.get("discussion")) if t.startswith("Exit status: ")]
    entry = reference.own_statuses(command["commandName"])
    if own or entry:
        return [".SH EXIT STATUS", escaped(own[0]) if own else entry, ".PP", "\\fBwaybill\\fR(1) lists all statuses."]
    return reference.statuses()


def head(name, summary, date, version):
    """The start of each page."""
    title = f'.TH {escaped(name.upper())} 1 "{date}" "waybill {version}" "User Commands"'
    # Without hyphens and spaces that are not in the text: people copy names and commands from it.
    return [title, ".nh", ".ad l", ".SH NAME", f"{escaped(name)} \\- {summary}"]


def synopsis_section(lines):
    """The section of synopses, a line for each."""
    return [".SH SYNOPSIS"] + "\n.br\n".join(lines).split("\n")


def subcommand_page(command, date, version, reference, siblings):
    """The page of one subcommand; the commands below it are subsections."""
    name = f"waybill-{command['commandName']}"
    path = ["waybill", command["commandName"]]
    lines = head(name, lower_first(command["abstract"]), date, version) + synopsis_section(synopsis(command, path))
    lines += [".SH DESCRIPTION"] + body(command)
    nested = subcommands(command)
    if command.get("defaultSubcommand"):
        lines += [".PP", f"Without a command, it runs \\fB{escaped(command['defaultSubcommand'])}\\fR."]
    for child in nested:
        lines += [f".SH {escaped(' '.join(path + [child['commandName']]).upper())}"] + body(child)
        lines += options(child, ".SS")
    if not nested:
        lines += options(command, ".SH")
    lines += exit_status(command, reference)
    lines += [".SH ENVIRONMENT", "\\fBwaybill\\fR(1) lists the environment variables."]
    others = [s for s in siblings if s != name]
    lines += [".SH SEE ALSO", ",\n".join(f"\\fB{escaped(s)}\\fR(1)" for s in ["waybill"] + others)]
    return lines


def main_page(command, date, version, reference, pages):
    """The page of the program itself."""
    lines = head("waybill", lower_first(command["abstract"]), date, version)
    lines += synopsis_section(["\\fBwaybill\\fR \\fIcommand\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]"])
    lines += [".SH DESCRIPTION"] + body(command) + [".SH COMMANDS"]
    for child in subcommands(command):
        lines += tagged(f"\\fBwaybill\\-{escaped(child['commandName'])}\\fR(1)", escaped(child["abstract"]))
    lines += options(command, ".SH")
    lines += reference.statuses()
    lines += [".SH ENVIRONMENT"] + reference.definitions("environment variables")
    lines += [".SH FILES", "A run writes to \\fBwaybill\\-results/\\fIRUN\\fR, or to the folder that \\fB\\-\\-out\\fR names:"]
    lines += reference.definitions("the results folder") + [".PP", "Other files:"] + reference.definitions("other files")
    lines += [".SH SIGNALS", "Effects on \\fBrun\\fR, \\fBresume\\fR and \\fBcall\\fR:"] + reference.definitions("signals")
    lines += [".SH EXAMPLES"]
    for line, text in EXAMPLES:
        lines += tagged(f"\\fB{escaped(line)}\\fR", escaped(text))
    lines += [".SH SEE ALSO", ",\n".join(f"\\fB{escaped(page)}\\fR(1)" for page in pages)]
    lines += [".PP", "The guide and the reference are in the folder \\fIshare/doc/waybill\\fR of the installation."]
    return lines


def main():
    waybill, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))
    root = pathlib.Path(__file__).resolve().parents[2]
    reference = Reference(root / "docs/reference/commands.md")
    command = json.loads(subprocess.check_output([waybill, "--experimental-dump-help"]))["command"]
    version = subprocess.check_output([waybill, "--version"], text=True).split()[-1]
    pages = [f"waybill-{child['commandName']}" for child in subcommands(command)]

    folder.mkdir(parents=True, exist_ok=True)
    texts = {"waybill": main_page(command, date, version, reference, pages)}
    for child, page in zip(subcommands(command), pages):
        texts[page] = subcommand_page(child, date, version, reference, pages)
    for page, lines in texts.items():
        (folder / f"{page}.1").write_text("\n".join(filled(line) for line in lines) + "\n")


main()
