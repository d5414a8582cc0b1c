#!/usr/bin/env python3
"""check-names.py: fails if an identifier of the Swift code contains a word that the glossary replaces by another one. Comments
and texts are not searched."""

import re
import subprocess
import sys
from pathlib import Path

# The words, and what to say instead.
WORDS = {
    "finding": "diagnostic",
    "findings": "diagnostics",
    "place": "location, position, index or path",
    "places": "locations, positions, indices or paths",
    "wish": "request",
    "told": "reported",
    "fate": "outcome",
    "surroundings": "environment",
    "shortfall": "what is missing",
    "provision": "result",
    "reception": "result",
    "lack": "what is missing",
    "says": "what it does",
    "way": "route or method",
}
# Verbs that only say that something is done.
PHRASES = re.compile("carryOut|letGo|takeBack|notCarriedOut|lookAt|underWay|endLate")
# What has another meaning there: the conversion to decimal places, and functions that put something somewhere.
EXCEPTIONS = {"inPlace", "isInPlace", "takePlace"}

TEXT = re.compile(
    r'(#*)"""(.|\n)*?"""\1|(#+)".*?"\3|"(\\.|[^"\\\n])*"'  # strings
    r"|//.*|/\*(.|\n)*?\*/"  # comments
)
IDENTIFIER = re.compile(r"\b[A-Za-z_]\w*\b")
PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def blank(match: re.Match) -> str:
    """The lines of a comment or a text, without what is on them."""
    return "\n" * match[0].count("\n")


def main() -> None:
    root = Path(__file__).parent.parent.parent
    files = subprocess.check_output(["git", "-C", root, "ls-files", "Sources/*.swift"], text=True).split()
    hits = 0
    for file in files:
        if not (root / file).exists():
            continue
        text = TEXT.sub(blank, (root / file).read_text())
        for number, line in enumerate(text.split("\n"), 1):
            for name in IDENTIFIER.findall(line):
                if name in EXCEPTIONS:
                    continue
                words = [word for word in map(str.lower, PART.findall(name)) if word in WORDS]
                if words or PHRASES.search(name):
                    advice = f": {WORDS[words[0]]}" if words else ""
                    print(f"{file}:{number}: '{name}'{advice}")
                    hits += 1
    if hits:
        sys.exit(f"{hits} names contain words that shared/style.md replaces")
    print(f"passed: names in {len(files)} files")


main()
