"""examples/kubernetes: the files by the schemas of the API, and the commands in them."""
import contextlib
import hashlib
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request

import yaml

from pull import ROOT, TOKEN, Pull, free_ports, nginx, wait_until

EXAMPLE = ROOT / "examples/kubernetes"
S3 = {"AWS_ACCESS_KEY_ID": "AKIDOFTHISCHECK", "AWS_SECRET_ACCESS_KEY": "key-of-this-check"}


class Jobs:
    """Runs the containers of Jobs as processes."""

    def __init__(self, pull):
        self.pull = pull
        self.manifests, self.results = pull.folder / "manifests", pull.folder / "results"
        # As Kubernetes mounts a ConfigMap: links to a folder whose name changes.
        data = self.manifests / "..2026_11_24"
        data.mkdir(parents=True)
        self.results.mkdir()
        (self.manifests / "..data").symlink_to(data.name)
        for name in yaml.safe_load((EXAMPLE / "kustomization.yaml").read_text())["configMapGenerator"][0]["files"]:
            shutil.copy(pull.manifest if name == "pull.yaml" else EXAMPLE / name, data)
            (self.manifests / name).symlink_to(f"..data/{name}")

    @staticmethod
    def specification(name):
        """The specification of a Job of the example."""
        return yaml.safe_load((EXAMPLE / name).read_text())["spec"]

    def container(self, name, secrets, index=None):
        """The words of a Job's command, with the paths of this check, and its whole environment."""
        container, = self.specification(name)["template"]["spec"]["containers"]
        mounts = {mount["mountPath"] for mount in container["volumeMounts"]}
        assert mounts == {"/manifests", "/results", "/tmp"}, mounts
        environment = {"PATH": self.pull.environment["PATH"]}
        for variable in container["env"]:
            secret = variable.get("valueFrom", {}).get("secretKeyRef")
            environment[variable["name"]] = secrets[secret["key"]] if secret else variable["value"]
        if index is not None:
            environment["JOB_COMPLETION_INDEX"] = str(index)

        def expanded(text):
            # Kubernetes replaces $(NAME) if it is a variable of the container, and $$ by $.
            return re.sub(
                r"\$\$|\$\(([^)]*)\)", lambda match: "$" if match[0] == "$$" else environment.get(match[1], match[0]), text)

        words = [*container.get("command", ["waybill"]), *container["args"]]
        paths = {"/manifests": self.manifests, "/results": self.results}
        words = [re.sub(r"/(manifests|results)\b", lambda match: str(paths[match[0]]), expanded(word)) for word in words]
        return words, environment

    def run(self, name, index=None, status=0):
        """Runs a Job's container until it ends."""
        words, environment = self.container(name, {"SHOP_TOKEN": TOKEN, **S3}, index)
        result = subprocess.run(words, env=environment, cwd="/", text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if result.returncode != status:
            sys.exit(f"{name} ended with {result.returncode} instead of {status}:\n{result.stdout}")

    def start(self, name, index):
        """Starts a Job's container."""
        words, environment = self.container(name, {"SHOP_TOKEN": TOKEN}, index)
        return subprocess.Popen(words, env=environment, cwd="/", stdout=subprocess.DEVNULL)


def check_schemas():
    """Checks the files by the schemas, and returns their number."""
    files = [*EXAMPLE.glob("*-job.yaml"), EXAMPLE / "job.yaml", EXAMPLE / "results.yaml"]
    subprocess.run([sys.executable, "-m", "kubernetes_validate", "--strict", "--quiet", *files], check=True)
    return len(files)


def upload(jobs):
    """Runs the Job that uploads the merged results, to a server with the API of S3, and compares them."""
    port, = free_ports(1)
    address = f"http://127.0.0.1:{port}/bucket"
    manifest = jobs.manifests / "..data/upload.yaml"
    text, replaced = re.subn(r"https://bucket\.s3\.[a-z0-9.-]*", address, manifest.read_text())
    assert replaced == 1
    # The folder of the results is not /results here.
    manifest.write_text(text.replace("/results/merged", str(jobs.results / "merged")))
    with open(jobs.pull.folder / "s3.log", "w", encoding="utf-8") as log:
        server = subprocess.Popen([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], stdout=log, stderr=log)
    try:
        def bucket(method, path="", **options):
            request = urllib.request.Request(address + path, method=method, **options)
            with contextlib.suppress(urllib.error.URLError):
                return urllib.request.urlopen(request)

        wait_until(lambda: bucket("PUT"), "a server with the API of S3")
        jobs.run("upload-job.yaml")
        names = ["orders.ndjson", "outputs.json", "run.json"]
        listing = bucket("GET", "?list-type=2").read().decode()
        for name in names:
            digest = hashlib.md5((jobs.results / "merged" / name).read_bytes()).hexdigest()
            assert re.search(rf"<Key>pull/{name}</Key>(?:(?!</Contents>).)*{digest}", listing), listing
        return f"{len(names)} files uploaded to S3"
    finally:
        server.terminate()
        server.wait()


def check(folder, waybill, short=False):
    """The Jobs one after another; the pod of one index is killed, and a new pod continues it."""
    job = Jobs.specification("job.yaml")
    container, = job["template"]["spec"]["containers"]
    shards = job["completions"]
    values = {variable["name"]: variable.get("value") for variable in container["env"]}
    assert job["completionMode"] == "Indexed" and job["parallelism"] == shards and values["SHARDS"] == str(shards), job
    files = "" if short else f"{check_schemas()} files are valid; "
    elements = 4000 if short else 20_000
    with nginx(folder, elements) as server:
        pull = Pull(folder, waybill, server, elements, rate=elements // 2)
        jobs = Jobs(pull)
        jobs.run("before-job.yaml")
        jobs.run("before-job.yaml")
        pods = [jobs.start("job.yaml", index) for index in range(shards)]
        pull.kill(3, shards)
        assert [pod.wait() for pod in pods] == [-9 if index == 2 else 0 for index in range(shards)]
        jobs.run("merge-job.yaml", status=3)
        jobs.run("job.yaml", index=2)
        jobs.run("job.yaml", index=5)
        # As a pod that was killed while it merged leaves it.
        shutil.copytree(jobs.results / "shards/1", jobs.results / "merged.new")
        jobs.run("merge-job.yaml")
        jobs.run("merge-job.yaml")
        result = f"{files}{shards} indices: {pull.compare(jobs.results / 'merged')}"
        return result if short else f"{result}; {upload(jobs)}"


def missing():
    """What this check needs and the machine does not have."""
    lacking = [] if os.access("/usr/sbin/nginx", os.X_OK) else ["nginx"]
    needed = ["yaml"] if "--short" in sys.argv else ["yaml", "kubernetes_validate", "moto"]
    return lacking + [f"the Python module {name}" for name in needed if not importlib.util.find_spec(name)]
