#!/usr/bin/env python3
"""Executes the jobs of workflows as GitHub does, each in a Debian of its own, and checks what the release workflow publishes.

    run-workflows.py release DEBIAN FOLDER [PROGRAM]    .github/workflows/release.yml, then templates/waybill.yml with its files
    run-workflows.py ci DEBIAN FOLDER                   the job "linux" of .github/workflows/ci.yml

check-workflows.sh calls it. DEBIAN is the root of a Debian, which is not changed. What is published is left in
FOLDER/published. With PROGRAM, that executable is packaged, instead of one that is built. Differences from GitHub: Swift and the
mirrors of Swift packages are those of the machine; 'gh' only keeps the files; jobs outside of containers run in the Debian, too;
and the other architecture is only another name: 'uname' and 'dpkg' have it, and its program is that of this machine.
"""

import fnmatch
import functools
import http.server
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPOSITORY = "example-org/waybill"
MACHINE = os.uname().machine
DEBIAN_NAMES = {"x86_64": "amd64", "aarch64": "arm64"}
# The user of GitHub's runners, to whom the folder of a job belongs.
RUNNER = 1001
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# A release by another name of the architecture, which the Debian does not know.
OTHER_ARCHITECTURE = {
    "uname": '#!/bin/sh\nif [ "$*" = -m ]; then echo {machine}; else exec /usr/bin/uname "$@"; fi\n',
    # dpkg-shlibdeps asks for it, too, and has to find the libraries.
    "dpkg": '#!/bin/sh\nif [ "$*" = --print-architecture ] && ! grep -q shlibdeps /proc/$PPID/cmdline; then echo {debian}; '
    'else exec /usr/bin/dpkg "$@"; fi\n',
}
# Keeps the files of a release as GitHub does: under their names, each only once.
GH = """#!/bin/bash
set -euo pipefail
[ "$1 $2" = "release create" ] && [ -n "$GH_TOKEN" ]
tag=$3; shift 3
mkdir /published/"$tag"
while [ $# -gt 0 ]; do
    case $1 in
    --repo) [ "$2" = "$GITHUB_REPOSITORY" ]; shift 2 ;;
    --title) echo "$2" >/published/title; shift 2 ;;
    --notes-file) cp "$2" /published/notes; shift 2 ;;
    --verify-tag) git ls-remote --exit-code /source "refs/tags/$tag" >/dev/null; shift ;;
    --prerelease) shift ;;
    --*) echo "unknown option $1" >&2; exit 1 ;;
    *) cp --no-clobber "$1" /published/"$tag"/; cmp "$1" /published/"$tag"/"$(basename "$1")"; shift ;;
    esac
done
"""


def run(*command, **options):
    """Runs a command that must not fail, and returns what it prints."""
    return subprocess.run(list(map(str, command)), check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def insert(text, values):
    """A text with the values of its expressions."""
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: str(values[match[1]]), str(text))


def applies(condition, has_failed, values):
    """Whether a step runs: 'if' is a conjunction of always(), failure() and comparisons with the empty string."""
    terms = condition.removeprefix("${{ ").removesuffix(" }}").split(" && ") if condition else []
    if not {"always()", "failure()"} & set(terms) and has_failed:
        return False
    functions = {"always()": True, "failure()": has_failed}
    return all(functions[term] if term in functions else values.get(term.removesuffix(" != ''"), "") != "" for term in terms)


class Debian:
    """A Debian for one job: what the job writes is not in the Debian that it is made from."""

    def __init__(self, debian, folder):
        self.root = folder / "root"
        layers = [folder / name for name in ("upper", "work", "root")]
        for layer in layers:
            layer.mkdir(parents=True)
        options = f"lowerdir={debian},upperdir={layers[0]},workdir={layers[1]}"
        run("mount", "-t", "overlay", "overlay", "-o", options, self.root)
        run("mount", "-t", "proc", "proc", self.root / "proc")
        run("mount", "--rbind", "/dev", self.root / "dev")
        for file in ("/etc/resolv.conf", "/etc/gitconfig"):
            if os.path.exists(file):
                shutil.copy(file, f"{self.root}{file}")
        # A machine behind a proxy may have certificates of its own. Neither pip nor Python reads them from the system.
        certificates = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
        if certificates.exists():
            self.write("/etc/ssl/machine.crt", certificates.read_text())
            self.write("/etc/pip.conf", "[global]\ncert = /etc/ssl/machine.crt\n")
        # As the software that runs containers writes it.
        self.write("/etc/hosts", "127.0.0.1 localhost\n")
        # Where the machine has the toolchain, and the packages that git finds in place of their addresses.
        self.bind(pathlib.Path(shutil.which("swift")).resolve().parents[2], "/toolchain")
        self.path = SYSTEM_PATH + ":/toolchain/usr/bin"
        mirrors = subprocess.run(
            ["git", "config", "--system", "--get-regexp", r"url\..*\.insteadof"], text=True, stdout=subprocess.PIPE, check=False
        ).stdout
        for mirror in sorted(set(re.findall(r"^url\.(/.*)\.insteadof ", mirrors, re.MULTILINE))):
            self.bind(mirror, mirror)

    def bind(self, path, inside):
        """Makes a file or folder of the machine visible in the Debian."""
        target = pathlib.Path(f"{self.root}{inside}")
        if os.path.isdir(path):
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.touch()
        run("mount", "--bind", path, target)

    def write(self, path, text, mode=0o644):
        """Writes a file in the Debian."""
        target = pathlib.Path(f"{self.root}{path}")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        target.chmod(mode)

    def read(self, path):
        """The text of a file in the Debian."""
        return pathlib.Path(f"{self.root}{path}").read_text()

    def execute(self, words, folder, environment):
        """Runs a command in a folder of the Debian, and returns its exit status."""
        command = ["chroot", str(self.root), "/usr/bin/env", "-i", "--chdir", folder]
        certificates = {"SSL_CERT_FILE": "/etc/ssl/machine.crt"} if os.path.exists(f"{self.root}/etc/ssl/machine.crt") else {}
        command += [f"{name}={value}" for name, value in (certificates | environment).items()]
        return subprocess.run(command + words, stdin=subprocess.DEVNULL, check=False).returncode

    def close(self):
        """Unmounts everything."""
        run("umount", "--recursive", self.root)


def architecture(matrix):
    """The architecture of a job with these values of its matrix."""
    return "aarch64" if str(matrix.get("runner", "")).endswith("-arm") else "x86_64"


class Job:
    """A job, on a runner of its own."""

    def __init__(self, workflow, name, matrix):
        self.workflow, self.matrix = workflow, matrix
        self.definition = workflow.jobs[name]
        self.architecture = architecture(matrix)
        label = "-".join([name, *map(str, matrix.values())])
        print(f"=== job {label}", flush=True)
        self.debian = Debian(workflow.debian, workflow.folder / label)
        self.container = "container" in self.definition
        prefix = "/__w" if self.container else "/home/runner/work"
        self.workspace, self.temporary = f"{prefix}/waybill/waybill", f"{prefix}/_temp"
        for folder in (self.workspace, self.temporary):
            pathlib.Path(f"{self.debian.root}{folder}").mkdir(parents=True)
        os.chown(f"{self.debian.root}{self.workspace}", RUNNER if self.container else 0, -1)
        home = "/github/home" if self.container else "/root"
        pathlib.Path(f"{self.debian.root}{home}").mkdir(parents=True, exist_ok=True)
        self.environment = {
            "PATH": self.debian.path, "HOME": home, "CI": "true", "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": self.workspace, "GITHUB_REF_NAME": workflow.tag, "GITHUB_REPOSITORY": REPOSITORY,
            "RUNNER_TEMP": self.temporary,
        }
        self.debian.bind(workflow.source, "/source")
        self.debian.bind(workflow.published, "/published")
        self.debian.write("/usr/local/bin/gh", GH, 0o755)
        if self.architecture != MACHINE:
            for program, text in OTHER_ARCHITECTURE.items():
                names = {"machine": self.architecture, "debian": DEBIAN_NAMES[self.architecture]}
                self.debian.write(f"/usr/local/bin/{program}", text.format(**names), 0o755)
        if any(step.get("uses") == "./" for step in self.definition["steps"]):
            # GitHub's images have curl, and this Debian does not.
            install = "apt-get -qq update && apt-get -qq install --no-install-recommends curl ca-certificates >/dev/null 2>&1"
            assert self.debian.execute(["sh", "-c", install], "/", {"PATH": self.debian.path}) == 0
        if workflow.program:
            self.debian.bind(workflow.program, "/program")
            self.environment["PROGRAM"] = "/program"
        self.values = {f"matrix.{key}": value for key, value in matrix.items()}
        self.values |= {
            "github.token": "token", "github.action_repository || github.repository": REPOSITORY,
            "github.ref": f"refs/tags/{workflow.tag}",
        }

    def execute(self):
        """Runs the steps in order, and fails if one fails."""
        try:
            status = self.steps(self.definition["steps"], self.values)
            if status != 0:
                sys.exit(f"failed: {self.debian.root.parent.name}: exit status {status}")
        finally:
            self.debian.close()

    def steps(self, steps, values):
        """Runs steps of the job or of an action, and returns the exit status of the first that fails."""
        failure = 0
        for number, step in enumerate(steps):
            if not applies(step.get("if"), failure != 0, values):
                continue
            environment = {name: insert(value, values) for name, value in step.get("env", {}).items()}
            if "run" in step:
                print(f"--- {step.get('name') or step['run'].splitlines()[0]}", flush=True)
                status = self.run(step, number, environment, values)
            else:
                print(f"--- {step['uses']}", flush=True)
                given = {name: insert(value, values) for name, value in step.get("with", {}).items()}
                status = self.use(step["uses"], given, environment)
            failure = failure or status
        return failure

    def run(self, step, number, environment, values):
        """Runs the script of a step. In containers the usual shell is sh."""
        shells = {
            None: ["sh", "-e"] if self.container else ["bash", "-e"],
            "bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail"],
        }
        # Values from outside in the text of a script could run commands.
        assert "${{" not in step["run"], step
        script = f"{self.temporary}/{number}.sh"
        self.debian.write(script, step["run"])
        files = {name: f"{self.temporary}/{name}" for name in ("PATH", "ENV", "OUTPUT", "STEP_SUMMARY")}
        for file in files.values():
            self.debian.write(file, "")
        folder = os.path.join(self.workspace, insert(step.get("working-directory", "."), values))
        variables = self.environment | {f"GITHUB_{name}": file for name, file in files.items()} | environment
        if "." in values:
            variables["GITHUB_ACTION_PATH"] = values["."]
        status = self.debian.execute(shells[step.get("shell")] + [script], folder, variables)
        self.environment["PATH"] = ":".join([*self.debian.read(files["PATH"]).split(), self.environment["PATH"]])
        self.environment |= dict(line.split("=", 1) for line in self.debian.read(files["ENV"]).splitlines())
        for line in self.debian.read(files["OUTPUT"]).splitlines():
            output, _, value = line.partition("=")
            values[f"steps.{step.get('id')}.outputs.{output}"] = value
        return status

    def inside(self, path):
        """The path on the machine of a file in the workspace."""
        return pathlib.Path(f"{self.debian.root}{os.path.join(self.workspace, path)}")

    def use(self, action, given, environment):
        """What an action does."""
        name = action.partition("@")[0]
        if name == "actions/checkout":
            # The files belong to the user of the job, and the folder to that of the runner.
            clone = self.debian.root.parent / "checkout"
            options = ["--quiet", "--depth", "1", "--branch", self.workflow.tag, "--config", "advice.detachedHead=false"]
            run("git", "clone", *options, f"file://{self.workflow.source}", clone)
            run("cp", "-R", f"{clone}/.", self.inside("."))
            shutil.rmtree(clone)
        elif name == "actions/upload-artifact":
            source, target = self.inside(given["path"]), self.workflow.artifacts / given["name"]
            if not source.exists():
                return 1 if given.get("if-no-files-found") == "error" else 0
            shutil.copytree(source, target)
        elif name == "actions/download-artifact":
            names = fnmatch.filter(sorted(os.listdir(self.workflow.artifacts)), given.get("pattern") or given["name"])
            for artifact in names:
                is_merged = given.get("merge-multiple") == "True" or "name" in given
                target = self.inside(given["path"]) / ("" if is_merged else artifact)
                shutil.copytree(self.workflow.artifacts / artifact, target, dirs_exist_ok=True)
            return 0 if names else 1
        elif name == "./":
            return self.use_own(given, environment)
        else:
            sys.exit(f"the workflow uses {action}, which this check does not know")
        return 0

    def use_own(self, given, environment):
        """The steps of action.yml. The release is where this check has published it."""
        action = yaml.safe_load(self.inside("action.yml").read_text())
        unknown = given.keys() - action["inputs"].keys()
        assert not unknown, unknown
        inputs = {name: declared["default"] for name, declared in action["inputs"].items()} | given
        inputs["base-url"] = self.workflow.address
        values = self.values | {f"inputs.{name}": value for name, value in inputs.items()} | {".": self.workspace}
        self.environment |= environment
        return self.steps(action["runs"]["steps"], values)


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder without a log."""

    def log_message(self, *arguments):
        pass


class Workflow:
    """A workflow, for the repository as it is in the working folder."""

    def __init__(self, name, debian, folder, program):
        self.debian, self.folder, self.program = debian, folder, program
        self.artifacts, self.published, self.source = (folder / part for part in ("artifacts", "published", "source"))
        for part in (self.artifacts, self.published):
            part.mkdir(parents=True)
        self.version = self.make_source()
        self.tag = f"v{self.version}"
        self.jobs = yaml.safe_load((self.source / f".github/workflows/{name}.yml").read_text())["jobs"]

    def make_source(self):
        """Makes a repository whose last commit is a release, with all that a release needs, and returns the version."""
        run("git", "clone", "--quiet", ROOT, self.source)
        listed = run("git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z").split("\0")
        for name in filter(None, listed):
            (self.source / name).unlink(missing_ok=True)
            if os.path.lexists(ROOT / name):
                (self.source / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.source / name, follow_symlinks=False)

        def change(name, pattern, replacement):
            path = self.source / name
            text, count = re.subn(pattern, replacement, path.read_text(), count=1, flags=re.MULTILINE)
            assert count == 1, (name, pattern)
            path.write_text(text)

        version_file = "Sources/WaybillRuntime/WaybillVersion.swift"
        version = re.search(r'current = "(.*)"', (self.source / version_file).read_text())[1].removesuffix("-dev")
        if self.program:
            version = run(self.program, "--version").split()[-1]
        change(version_file, r'current = ".*"', f'current = "{version}"')
        if not re.search(rf"^## {re.escape(version)}$", (self.source / "CHANGELOG.md").read_text(), re.MULTILINE):
            change("CHANGELOG.md", r"^## Unreleased$", f"## {version}")
        change("Formula/waybill.rb", r'tag: "v.*"', f'tag: "v{version}"')
        readme = self.source / "README.md"
        readme.write_text(readme.read_text().replace("0.2.0", version))
        change("scripts/release/project.env", r"^MAINTAINER=.*$", 'MAINTAINER="Example <waybill@example.org>"')
        run("git", "-C", self.source, "add", "--all")
        run(self.source / "scripts/release/address.py", f"https://github.com/{REPOSITORY}")
        dates = {"GIT_AUTHOR_DATE": "2026-11-26T12:00:00Z", "GIT_COMMITTER_DATE": "2026-11-26T12:00:00Z"}
        names = {f"GIT_{role}_{key}": "test" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
        git = functools.partial(run, "git", "-C", self.source, env=os.environ | names | dates)
        git("add", "--all")
        git("commit", "--quiet", "--allow-empty", "--message", f"Version {version}")
        git("tag", f"v{version}")
        return version

    def execute(self, *names):
        """Runs jobs in this order, with each combination of their matrix. That of this machine's architecture comes first."""
        for name in names:
            matrix = self.jobs[name].get("strategy", {}).get("matrix", {})
            combinations = matrix.get("include") or [{"runner": runner} for runner in matrix.get("runner", [])] or [{}]
            for combination in sorted(combinations, key=lambda combination: architecture(combination) != MACHINE):
                job = Job(self, name, combination)
                job.execute()
                if name == "build" and not self.program:
                    self.keep_program()

    def keep_program(self):
        """The program that was built for this machine is that of the other architecture, too."""
        self.program = self.folder / "program"
        tarball, = self.artifacts.glob(f"release-*/waybill-*-{MACHINE}.tar.gz")
        with open(self.program, "wb") as file:
            subprocess.run(["tar", "-xOzf", tarball, "--wildcards", "*/bin/waybill"], stdout=file, check=True)
        self.program.chmod(0o755)

    def serve(self):
        """Serves what is published on loopback."""
        handler = functools.partial(QuietHandler, directory=self.published / self.tag)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{server.server_port}"


def check_published(workflow):
    """What the command of install.md verifies, for the files of each architecture, and for one that was changed."""
    folder = workflow.published / workflow.tag
    page = (workflow.source / "docs/install.md").read_text()
    command = re.search(r"## Verify\n.*?```sh\n(.*?)```", page, re.DOTALL)[1]
    files = sorted(os.listdir(folder))
    for machine, debian in DEBIAN_NAMES.items():
        names = [f"waybill-{workflow.version}-linux-{machine}.{suffix}" for suffix in ("tar.gz", "tar.gz.sha256", "cdx.json")]
        names.append(f"waybill_{workflow.version}_{debian}.deb")
        assert set(names) <= set(files), (names, files)
        for changed in [None, *names]:
            copy = workflow.folder / "downloaded"
            shutil.rmtree(copy, ignore_errors=True)
            copy.mkdir()
            for name in [*names, "SHA256SUMS"]:
                shutil.copy(folder / name, copy)
            if changed:
                with open(copy / changed, "ab") as file:
                    file.write(b"x")
            result = subprocess.run(["bash", "-ec", command], cwd=copy, capture_output=True, text=True, check=False)
            assert (result.returncode == 0) == (changed is None), (changed, result)
            assert result.stdout.count(": OK") == len(names) - (changed is not None), result.stdout
        print(f"install.md verifies the {len(names)} files of {machine}")
    assert (workflow.published / "title").read_text() == f"Waybill {workflow.version}\n"
    assert (workflow.published / "notes").read_bytes() == (folder / "RELEASE-NOTES.md").read_bytes()
    assert len(files) == 10, files


def check_combine(workflow):
    """combine.sh refuses parts of a release that do not fit."""
    def refuses(what, change):
        parts = workflow.folder / "parts"
        shutil.rmtree(parts, ignore_errors=True)
        shutil.copytree(workflow.artifacts, parts)
        change(parts / "release-aarch64")
        command = [workflow.source / "scripts/release/combine.sh", parts, workflow.folder / "combined"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode != 0 and what in result.stdout + result.stderr, result

    def append(path, text):
        with open(path, "a") as file:
            file.write(text)

    def change_notes(part):
        append(part / "RELEASE-NOTES.md", "x")
        sums = part / "SHA256SUMS"
        digest = run("sha256sum", "RELEASE-NOTES.md", cwd=part)
        sums.write_text("".join(line for line in sums.read_text().splitlines(True) if "RELEASE" not in line) + digest)

    tarball = f"waybill-{workflow.version}-linux-aarch64.tar.gz"
    refuses(f"{tarball}: FAILED", lambda part: append(part / tarball, "x"))
    refuses("different files RELEASE-NOTES.md", change_notes)
    refuses(f"< {tarball}", shutil.rmtree)
    refuses("> core", lambda part: append(part / "core", "x"))
    print("combine.sh refuses parts that do not fit")


def check_readme(workflow):
    """The commands of the README that install the package and the tarball, in a Debian. The addresses are those on loopback."""
    rows = dict(re.findall(r"^\| ([^|]+) \| `(.*)` \|$", (workflow.source / "README.md").read_text(), re.MULTILINE))
    release = f"https://github.com/{REPOSITORY}/releases/download/{workflow.tag}"
    for row, needs_libraries in (("Debian 12 or newer", False), ("tarball", True)):
        command = rows[row].replace("\\|", "|").replace("amd64", DEBIAN_NAMES[MACHINE]).replace("x86_64", MACHINE)
        assert release in command, command
        print(f"=== README: {row}", flush=True)
        debian = Debian(workflow.debian, workflow.folder / f"readme-{row.split()[0]}")
        try:
            debian.write("/usr/local/bin/sudo", '#!/bin/sh\nexec "$@"\n', 0o755)
            debian.write("/etc/apt/apt.conf.d/yes", 'APT::Get::Assume-Yes "true";\n')
            libraries = []
            if needs_libraries:
                page = (workflow.source / "docs/install.md").read_text()
                libraries = re.search(r"sudo apt install (libcurl4 .*?)\n```", page, re.DOTALL)[1].replace("\\\n", " ").split()
            lines = [
                "set -eo pipefail", "apt-get -qq update",
                f"apt-get -qq install --no-install-recommends curl ca-certificates {' '.join(libraries)} >/dev/null 2>&1",
                command.replace(release, workflow.address),
                "waybill --version", "waybill init", "waybill run --mock",
            ]
            environment = {"PATH": SYSTEM_PATH, "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive"}
            assert debian.execute(["bash", "-c", "\n".join(lines)], "/root", environment) == 0, row
        finally:
            debian.close()


def run_template(workflow):
    """The job of the GitLab template with its usual image, Debian 12, and a manifest."""
    head, job = yaml.safe_load_all((workflow.source / "templates/waybill.yml").read_text())
    inputs = {name: declared.get("default") for name, declared in head["spec"]["inputs"].items()}
    inputs |= {"version": workflow.version, "base-url": workflow.address, "arguments": "--mock"}
    assert inputs["image"] == "debian:12-slim", inputs
    (job,) = job.values()

    def given(text):
        return re.sub(r"\$\[\[ inputs\.(.*?) \]\]", lambda match: inputs[match[1]], text)

    print("=== templates/waybill.yml", flush=True)
    debian = Debian(workflow.debian, workflow.folder / "template")
    try:
        debian.write("/builds/waybill.yaml", (workflow.source / "manifests/quickstart.yaml").read_text())
        debian.write("/script", "\n".join(given(line) for line in job["before_script"] + job["script"]))
        variables = {name: given(value) for name, value in job["variables"].items()}
        environment = {"PATH": SYSTEM_PATH, "HOME": "/root", **variables}
        status = debian.execute(["bash", "-eo", "pipefail", "/script"], "/builds", environment)
        assert status == 0, status
        assert "<testsuite" in debian.read("/builds/" + job["artifacts"]["reports"]["junit"])
    finally:
        debian.close()


def main():
    name, debian, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
    program = pathlib.Path(sys.argv[4]).resolve() if len(sys.argv) > 4 else None
    workflow = Workflow(name, debian, folder, program)
    if name == "ci":
        workflow.execute("linux")
        return
    workflow.execute("build", "publish")
    check_published(workflow)
    check_combine(workflow)
    workflow.serve()
    workflow.execute("action")
    check_readme(workflow)
    run_template(workflow)
    print(f"the release workflow: {', '.join(workflow.jobs)}; the README; the GitLab template")


main()
