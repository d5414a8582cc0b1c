#!/usr/bin/env python3
"""Runs the steps of action.yml and of templates/waybill.yml as GitHub and GitLab do, with a release on loopback.

    run-integrations.py WAYBILL

The release is a tarball of that program, and no `waybill` may be in the PATH: the template would use it. Needs PyYAML;
check-integrations.sh runs it."""
import functools
import hashlib
import http.server
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import threading
import xml.etree.ElementTree as tree

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PASSING = "waybill: 1\ngraphs: {main: {chain: [{id: a, get: 'http://a.example.com', mock: {status: 200}}]}}\n"
# Line 10 fails. Its environment and both of its inputs are needed.
FAILING = """\
waybill: 1
inputs: {first: string, second: string}
environments: {staging: {services: {s: {baseURL: "http://staging.example.com"}}}}
services: {s: {baseURL: "http://a.example.com"}}
graphs:
  main:
    chain:
      - get: /?first=${inputs.first}&second=${inputs.second}
        mock: {status: 200}
        expect: {status: 201}
"""
# For the examples: a folder of smoke tests with the environment that they name and the secret that they give. The second fails.
SMOKE = """\
waybill: 1
secrets: {SHOP_TOKEN: {env: SHOP_TOKEN}}
environments: {staging: {services: {s: {baseURL: "http://staging.example.com"}}}}
services: {s: {baseURL: "http://a.example.com", auth: {bearer: "${secrets.SHOP_TOKEN}"}}}
graphs: {main: {chain: [{get: /a, mock: {status: 200}, expect: {status: STATUS}}]}}
"""
INVALID = "waybill: 1\ngraphs:\n  main:\n    chain:\n      - {get: 'http://a.example.com', expct: {status: 200}}\n"


def write(path, text):
    """Writes a file and the folders that it is in."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def read(path):
    """The text of a file, empty if it does not exist."""
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def make_release(folder, program, version):
    """Writes the tarball of a release and its checksum, as scripts/release.sh names them."""
    name = f"waybill-{version}-linux-{os.uname().machine}"
    os.makedirs(folder)
    path = f"{folder}/{name}.tar.gz"
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        archive.add(program, f"{name}/bin/waybill")
    with open(path, "rb") as file:
        checksum = hashlib.file_digest(file, "sha256").hexdigest()
    write(f"{path}.sha256", f"{checksum}  {name}.tar.gz\n")
    return path


class Job:
    """A job on a runner of GitHub: a workspace, and the files in which steps leave outputs, a summary and paths."""

    def __init__(self, folder, files):
        self.folder = folder
        self.workspace = f"{folder}/workspace"
        os.makedirs(self.workspace)
        os.makedirs(f"{folder}/temporary")
        for name, text in files.items():
            write(f"{self.workspace}/{name}", text)

    def use_action(self, variables=None, **given):
        """Runs the action with some inputs, up to its first step that fails, and returns that step's exit status.

        The variables are those of the workflow's step.
        """
        action = yaml.safe_load(read(f"{ROOT}/action.yml"))
        inputs = {name: declared["default"] for name, declared in action["inputs"].items()}
        inputs |= {name.replace("_", "-"): value for name, value in given.items()}
        unknown = inputs.keys() - action["inputs"].keys()
        assert not unknown, unknown
        values = {f"inputs.{name}": value for name, value in inputs.items()}
        values["github.action_repository || github.repository"] = "example-org/waybill"

        def insert(text):
            return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: values[match[1]], str(text))

        path, self.output, outputs = os.environ["PATH"], "", {}
        for step in action["runs"]["steps"]:
            if "uses" in step:
                continue
            # Inputs in the text of a script could run commands.
            assert "${{" not in step["run"], step
            files = {name: f"{self.folder}/{step['id']}-{name}" for name in ("PATH", "OUTPUT", "STEP_SUMMARY")}
            for file in files.values():
                write(file, "")
            environment = {
                **(variables or {}),
                **{f"GITHUB_{name}": file for name, file in files.items()},
                **{name: insert(value) for name, value in step.get("env", {}).items()},
                "PATH": path, "HOME": os.environ["HOME"], "RUNNER_TEMP": f"{self.folder}/temporary",
                "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": self.workspace, "GITHUB_ACTION_PATH": ROOT,
            }
            result = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], env=environment,
                cwd=os.path.join(self.workspace, insert(step.get("working-directory", "."))), text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )
            self.output += result.stdout
            path = ":".join([*read(files["PATH"]).split(), path])
            for line in read(files["OUTPUT"]).splitlines():
                name, _, value = line.partition("=")
                outputs[f"steps.{step['id']}.outputs.{name}"] = value
            self.summary = read(files["STEP_SUMMARY"])
            if result.returncode != 0:
                break
        values |= outputs
        self.outputs = {
            name: values.get(declared["value"].strip("${} "), "") for name, declared in action["outputs"].items()
        }
        return result.returncode

    def run_template(self, **given):
        """Runs the job of the GitLab template with some inputs, and returns its exit status."""
        head, job = yaml.safe_load_all(read(f"{ROOT}/templates/waybill.yml"))
        inputs = {name: declared.get("default") for name, declared in head["spec"]["inputs"].items()}
        inputs |= {name.replace("_", "-"): value for name, value in given.items()}

        def insert(text):
            return re.sub(r"\$\[\[ inputs\.(.*?) \]\]", lambda match: inputs[match[1]], text)

        (name, job), = job.items()
        assert insert(name) == inputs["job"]
        script = "\n".join(insert(line) for line in job["before_script"] + job["script"])
        variables = {name: insert(value) for name, value in job["variables"].items()}
        result = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script], cwd=self.workspace, text=True, env={**os.environ, **variables},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        self.output = result.stdout
        # What GitLab keeps when the job has ended.
        artifacts = [*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]]
        self.has_artifacts = all(os.path.exists(f"{self.workspace}/{path}") for path in artifacts)
        return result.returncode

    def failures(self, report):
        """The numbers of failures and of tests in a JUnit report."""
        suites = tree.parse(f"{self.workspace}/{report}").getroot().findall("testsuite")
        return tuple(sum(int(suite.get(name)) for suite in suites) for name in ("failures", "tests"))


def check(folder, url, release, version):
    """Runs the action and the template on manifests that pass, fail and are invalid, and on releases that are refused."""
    jobs = 0

    def job(**files):
        nonlocal jobs
        jobs += 1
        names = {name: name.replace("__", "/").replace("_", " ") + ".yaml" for name in files}
        return Job(f"{folder}/{jobs}", {names[name]: text for name, text in files.items()})

    def expect(condition, job):
        assert condition, f"{job.output}\n{getattr(job, 'outputs', '')}"

    passing = job()
    status = passing.use_action(manifests=f"{ROOT}/manifests/quickstart.yaml", arguments="--mock", base_url=url)
    expect(status == 0, passing)
    expect(passing.outputs["status"] == "0" and passing.outputs["version"] == version, passing)
    expect(os.path.isfile(passing.outputs["results"] + "/run.json"), passing)
    expect(passing.outputs["reports"] == f"{passing.workspace}/waybill-reports", passing)
    failures, tests = passing.failures("waybill-reports/junit.xml")
    expect(failures == 0 and tests > 0, passing)
    expect(read(f"{passing.workspace}/waybill-reports/report.html").endswith("</html>\n"), passing)
    expect("quickstart.yaml" in passing.summary, passing)

    # In a folder, with spaces in names and values, and an environment.
    failing = job(sub__smoke_test=FAILING)
    status = failing.use_action(
        manifests="'smoke test.yaml'", arguments='--mock --input "first=a b"', inputs="second=c d\n",
        environment="staging", working_directory="sub", reports="out", base_url=url + "/", version=f"v{version}",
    )
    expect(status == 1 and failing.outputs["status"] == "1", failing)
    expect(failing.failures("sub/out/junit.xml") == (1, 1), failing)
    expect("\n::error file=sub/smoke test.yaml,line=10," in failing.output, failing)
    expect("http://staging.example.com/?first=a%20b&second=c%20d" in failing.output, failing)
    expect("❌" in failing.summary and "status is 200, not 201" in failing.summary, failing)

    # Without waybill.yaml, every manifest of the folder is run.
    invalid = job(bad=INVALID, fine=PASSING, other="kind: Pod\n")
    status = invalid.use_action(arguments="--mock", base_url=url)
    expect(status == 2 and invalid.outputs["status"] == "2" and invalid.outputs["results"] == "", invalid)
    expect("\n::error file=bad.yaml,line=5," in invalid.output, invalid)

    usual = job(waybill=PASSING, bad=INVALID)
    expect(usual.use_action(arguments="--mock", base_url=url) == 0, usual)

    # Inputs are values, never commands.
    hostile = job(waybill=PASSING)
    command = "$(touch hostile) `touch hostile`; touch hostile"
    expect(hostile.use_action(manifests=command, environment=command, inputs=command, base_url=url) not in (0, 1), hostile)
    expect(hostile.use_action(arguments="--mock 'unclosed", base_url=url) == 64, hostile)
    expect(hostile.use_action(version=command, base_url=url) == 1, hostile)
    expect("is not a version" in hostile.output and hostile.outputs["version"] == "", hostile)
    expect(hostile.use_action(version="9.9.9", base_url=url) == 1, hostile)
    expect("cannot download " + url + "/waybill-9.9.9-linux-" in hostile.output, hostile)
    expect(not os.path.exists(f"{hostile.workspace}/hostile"), hostile)

    # Between releases, the sources have a version that nobody can download.
    if re.search(r'current = ".*-dev"', read(f"{ROOT}/Sources/WaybillRuntime/WaybillVersion.swift")):
        between = job(waybill=PASSING)
        expect(between.use_action(arguments="--mock") == 1, between)
        expect("is not that of a release" in between.output and between.outputs["version"] == "", between)

    template = job(waybill=PASSING, sub__smoke_test=FAILING)
    expect(template.run_template(version=version, base_url=url, arguments="--mock") == 0, template)
    expect(os.path.basename(release) + ": OK" in template.output, template)
    expect(template.failures("waybill-reports/junit.xml") == (0, 1), template)
    status = template.run_template(
        version=version, base_url=url, manifests="'sub/smoke test.yaml'",
        arguments="--mock --input first=1 --input second=2",
    )
    expect(status == 1 and template.has_artifacts, template)
    expect(template.failures("waybill-reports/junit.xml") == (1, 1), template)

    check_examples(job, expect, url, version)

    # A changed tarball, whose checksum file names another file that is intact.
    decoy = "intact"
    write(f"{os.path.dirname(release)}/{decoy}", "")
    write(f"{release}.sha256", f"{hashlib.sha256(b'').hexdigest()}  {decoy}\n")
    changed = job(waybill=PASSING)
    expect(changed.use_action(arguments="--mock", base_url=url) == 1, changed)
    expect("does not have the checksum" in changed.output and changed.outputs["version"] == "", changed)
    expect(changed.run_template(version=version, base_url=url, arguments="--mock") == 1, changed)
    expect(os.path.basename(release) + ": FAILED" in changed.output and not changed.has_artifacts, changed)
    print(f"the action and the GitLab template: {jobs} jobs")


def examples():
    """The workflows that people copy: examples/github-actions/smoke.yml, and that of docs/ci.md."""
    yield read(f"{ROOT}/examples/github-actions/smoke.yml")
    yield re.search(r"^```yaml\n(# \.github/workflows/.*?)^```", read(f"{ROOT}/docs/ci.md"), re.S | re.M)[1]


def check_examples(job, expect, url, version):
    """Runs the steps of the examples, with manifests that pass and with one that fails."""
    for text in examples():
        (definition,) = yaml.safe_load(text)["jobs"].values()
        checkout, action, *others = definition["steps"]
        assert checkout["uses"].startswith("actions/checkout@") and re.match(r"[\w-]+/waybill@v", action["uses"])
        given = {name.replace("-", "_"): value for name, value in action["with"].items()}
        given["arguments"] += " --mock"
        variables = {name: value.replace("${{ secrets.SHOP_TOKEN }}", "t0ken") for name, value in action["env"].items()}
        for status in (200, 201):
            smoke = job(tests__smoke__a=SMOKE.replace("STATUS", "200"), tests__smoke__b=SMOKE.replace("STATUS", str(status)))
            failed = smoke.use_action(variables, base_url=url, **given)
            expect(failed == (status != 200) and smoke.failures("waybill-reports/junit.xml") == (failed, 2), smoke)
            # The example uploads the results of a run that failed.
            for step in others:
                expect(step["if"] == "${{ failure() && steps.waybill.outputs.results != '' }}", smoke)
                expect(step["with"]["path"] == "${{ steps.waybill.outputs.results }}" and smoke.outputs["results"], smoke)

    include = re.search(r"^```yaml\n(# \.gitlab-ci\.yml\ninclude:.*?)^```", read(f"{ROOT}/docs/ci.md"), re.S | re.M)[1]
    inputs = yaml.safe_load(include)["include"][0]["inputs"] | {"version": version}
    inputs["arguments"] += " --mock"
    os.environ["SHOP_TOKEN"] = "t0ken"
    # The second is for a job of the page that extends it.
    for name in ("waybill", ".waybill"):
        smoke = job(tests__smoke__a=SMOKE.replace("STATUS", "200"))
        expect(smoke.run_template(base_url=url, job=name, **inputs) == 0, smoke)
        expect(smoke.failures("waybill-reports/junit.xml") == (0, 1), smoke)


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder without a log."""

    def log_message(self, *arguments):
        pass


def main():
    program = os.path.realpath(sys.argv[1])
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        release = make_release(f"{folder}/release", program, version)
        handler = functools.partial(QuietHandler, directory=f"{folder}/release")
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            check(folder, f"http://127.0.0.1:{server.server_port}", release, version)
            server.shutdown()


if __name__ == "__main__":
    main()
