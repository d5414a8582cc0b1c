#!/usr/bin/env python3
"""sbom.py WAYBILL PACKAGES: prints a software bill of materials of the executable WAYBILL, in CycloneDX 1.6.

PACKAGES is the graph of the Swift packages, which resolve.sh writes. The components are Waybill; the Swift packages and the
Swift run-time library in the versions of versions.txt, which are linked statically; and the Debian packages of the libraries
that the executable loads, in the versions of the machine that it was built on. The time is SOURCE_DATE_EPOCH; there is no
serial number, so that the same build gives the same bytes. REPOSITORY is the address of the repository.
"""

import glob
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

# The libraries that the executable loads when it needs them.
LOADED = ["libxml2.so.2"]
SWIFT_LICENCE = "Apache-2.0 WITH Swift-exception"
# SPDX expressions, of the libraries only: a Debian package may also have programs and tests with other licences.
LICENCES = {
    "swift-argument-parser": SWIFT_LICENCE,
    "swift-collections": SWIFT_LICENCE,
    "libbrotli1": "MIT",
    "libc6": "LGPL-2.1-or-later",
    "libcurl4": "curl AND BSD-3-Clause",
    "libgcc-s1": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libidn2-0": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libmicrohttpd12": "LGPL-2.1-or-later",
    "libnettle8": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libsqlite3-0": "blessing",
    "libstdc++6": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libxml2": "MIT",
    "libyaml-0-2": "MIT",
    "libzstd1": "(BSD-3-Clause OR GPL-2.0-only) AND MIT",
    "zlib1g": "Zlib",
}


def output(*command):
    """What a command prints."""
    return subprocess.check_output(command, text=True)


def component(name, version, purl, linkage, licence):
    """A library as a component. The linkage is 'static' or 'dynamic'."""
    if not licence:
        sys.exit(f"error: the licence of {name} is not in scripts/release/sbom.py")
    properties = [{"name": "waybill:linkage", "value": linkage}]
    value = {"type": "library", "bom-ref": purl, "name": name, "version": version, "scope": "required", "purl": purl}
    return value | {"licenses": [{"expression": licence}], "properties": properties}


def swift_packages(package, found):
    """The Swift packages below a package, and which packages each one depends on, by the reference of its component."""
    references = []
    for dependency in package["dependencies"]:
        name, version = dependency["identity"], dependency["version"]
        location = re.sub(r"^https://|\.git$", "", dependency["url"])
        purl = f"pkg:swift/{location}@{version}"
        references.append(purl)
        below = swift_packages(dependency, found)
        found[purl] = (component(name, version, purl, "static", LICENCES.get(name)), below)
    return sorted(references)


def swift_runtime():
    """The Swift run-time library of the compiler, in the version of versions.txt."""
    versions = pathlib.Path(__file__).with_name("versions.txt").read_text()
    version = re.search(r"^swift (\S+)$", versions, re.MULTILINE)[1]
    purl = f"pkg:github/swiftlang/swift@swift-{version}-RELEASE"
    value = component("swift-runtime", version, purl, "static", SWIFT_LICENCE)
    return value | {"description": "The Swift standard library, Dispatch and FoundationEssentials."}


def system_libraries(executable):
    """The Debian packages of the libraries that the executable names itself, and of those that it loads."""
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "--dynamic", "--wide", executable))
    paths = dict(re.findall(r"^\s*(\S+) => (\S+)", output("ldd", executable), re.MULTILINE))
    paths |= {library: glob.glob(f"/usr/lib/*/{library}")[0] for library in LOADED}
    packages = {}
    for library in needed + LOADED:
        # The loader has no path in this list; it is in the package of libc.so.6.
        if library in paths:
            # dpkg knows the file under the name that it was installed with, before /lib became a link to /usr/lib.
            pattern = "*/" + os.path.basename(os.path.realpath(paths[library]))
            names = [line.split(": ")[0] for line in output("dpkg-query", "--search", pattern).splitlines()]
            packages.setdefault(next(name for name in names if not name.startswith("diversion")), []).append(library)
    release = dict(line.strip().split("=", 1) for line in open("/etc/os-release") if "=" in line)
    distribution = f"{release['ID']}-{release['VERSION_ID']}".replace('"', "")
    components = []
    for package, libraries in sorted(packages.items()):
        name, version, architecture = output(
            "dpkg-query", "--show", "--showformat", "${Package} ${Version} ${Architecture}", package
        ).split()
        version_in_url = version.replace(":", "%3A").replace("+", "%2B")
        purl = f"pkg:deb/debian/{name}@{version_in_url}?arch={architecture}&distro={distribution}"
        value = component(name, version, purl, "dynamic", LICENCES.get(name))
        value["properties"] += [{"name": "waybill:library", "value": library} for library in sorted(libraries)]
        components.append(value)
    return components


def main():
    executable, packages = sys.argv[1:]
    version = output(os.path.abspath(executable), "--version").split()[-1]
    digest = hashlib.sha256(open(executable, "rb").read()).hexdigest()
    purl = f"pkg:github/{os.environ['REPOSITORY'].removeprefix('https://github.com/')}@{version}"

    swift = {}
    direct = swift_packages(json.load(open(packages)), swift)
    others = [swift_runtime()] + system_libraries(executable)
    components = [swift[reference][0] for reference in sorted(swift)] + others
    dependencies = [{"ref": purl, "dependsOn": sorted(direct + [c["bom-ref"] for c in others])}]
    dependencies += [{"ref": reference, "dependsOn": swift[reference][1]} for reference in sorted(swift)]

    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))),
            "component": {
                "type": "application",
                "bom-ref": purl,
                "name": "waybill",
                "version": version,
                "hashes": [{"alg": "SHA-256", "content": digest}],
                "licenses": [{"license": {"id": "MIT"}}],
                "purl": purl,
            },
        },
        "components": components,
        "dependencies": dependencies,
    }
    print(json.dumps(bill, indent=2))


main()
