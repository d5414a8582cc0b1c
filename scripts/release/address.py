#!/usr/bin/env python3
"""Writes the address of the repository, which is REPOSITORY in project.env, into all files that name it.

    address.py [https://github.com/NAME/waybill]    with an argument, that becomes the address
    address.py --check                              fails if a file has another address
    address.py --check --release                    fails also if project.env has the placeholders that it came with
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SETTINGS = "scripts/release/project.env"
PLACEHOLDER = "OWNER"
ADDRESS = re.compile(r"https://github\.com/([A-Za-z0-9][A-Za-z0-9-]*)/waybill")
# What comes before the owner of the repository: hosts, and the commands and keys that take 'OWNER/waybill'.
NAMED = re.compile(
    r"((?:\bgithub\.com|\braw\.githubusercontent\.com|\bghcr\.io)/|\buses: |\bbrew (?:tap|install) )([\w.-]+)(?=/waybill\b)"
)


def settings():
    """The values in project.env."""
    text = (ROOT / SETTINGS).read_text()
    return dict(re.findall(r'^([A-Z]+)="?(.*?)"?$', text, re.MULTILINE))


def files():
    """The files of the repository that are text, apart from this one, with their texts."""
    names = subprocess.check_output(["git", "-C", ROOT, "ls-files", "-z"], text=True).split("\0")
    for name in filter(None, names):
        path = ROOT / name
        if name == SETTINGS or path == pathlib.Path(__file__).resolve() or not path.is_file():
            continue
        try:
            yield path, path.read_bytes().decode()
        except UnicodeDecodeError:
            continue


def written(text, owner):
    """The text with another owner of the repository. The names of images have only small letters."""
    image_owner = owner if owner == PLACEHOLDER else owner.lower()
    return NAMED.sub(lambda match: match[1] + (image_owner if match[1] == "ghcr.io/" else owner), text)


def problems(owner, is_release):
    """What has to be repaired, a line for each."""
    for path, text in files():
        if written(text, owner) != text:
            yield f"{path.relative_to(ROOT)} has another address of the repository than {SETTINGS}; run scripts/release/address.py"
    if is_release and owner == PLACEHOLDER:
        yield f"{SETTINGS} has no address of the repository; run scripts/release/address.py https://github.com/NAME/waybill"
    if is_release and "example.com" in settings()["MAINTAINER"]:
        yield f"{SETTINGS} has no address of the maintainer"


def main():
    arguments = sys.argv[1:]
    options = {argument for argument in arguments if argument.startswith("--")}
    addresses = [argument for argument in arguments if argument not in options]
    if options - {"--check", "--release"} or len(addresses) > 1 or (options and addresses):
        sys.exit(__doc__)
    address = addresses[0] if addresses else settings()["REPOSITORY"]
    match = ADDRESS.fullmatch(address)
    if not match:
        sys.exit(f"error: the address of the repository is '{address}', not https://github.com/NAME/waybill")
    owner = match[1]
    if "--check" in options:
        found = list(problems(owner, "--release" in options))
        for problem in found:
            print(f"error: {problem}", file=sys.stderr)
        sys.exit(1 if found else 0)

    path = ROOT / SETTINGS
    path.write_text(re.sub(r"^REPOSITORY=.*$", f"REPOSITORY={address}", path.read_text(), flags=re.MULTILINE))
    for path, text in files():
        if written(text, owner) != text:
            path.write_bytes(written(text, owner).encode())
            print(path.relative_to(ROOT))


main()
