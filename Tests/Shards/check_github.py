"""examples/github-actions/shards.yml: the commands of its jobs, with folders for the runners and for the artifacts."""
import fnmatch
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

from pull import ROOT, TOKEN, Pull, nginx

WORKFLOW = ROOT / "examples/github-actions/shards.yml"


class Workflow:
    """Runs jobs of the workflow, each in an empty folder, as a new runner has it."""

    def __init__(self, pull):
        self.pull = pull
        self.jobs = yaml.safe_load(WORKFLOW.read_text())["jobs"]
        self.artifacts = pull.folder / "artifacts"
        self.artifacts.mkdir()
        self.runs = 0

    def start(self, name, shard=None):
        """Starts a job in a process of its own, which ends with 0 if the job passes."""
        self.runs += 1
        workspace = self.pull.folder / f"runner-{self.runs}"
        workspace.mkdir()
        process = os.fork()
        if process == 0:
            try:
                os._exit(0 if self.job(self.jobs[name], shard, workspace) else 1)
            except BaseException as error:  # a mistake in this check
                print(repr(error), file=sys.stderr)
                os._exit(2)
        return process

    def run(self, name, shard=None):
        """Runs a job, and returns whether it passed."""
        return self.wait(self.start(name, shard))

    @staticmethod
    def wait(process):
        """Whether a job that was started has passed."""
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        assert status in (0, 1), status
        return status == 0

    def job(self, job, shard, workspace):
        """The steps of a job. After a failure, only those with always() run."""
        values = {"secrets.SHOP_TOKEN": TOKEN}
        if "strategy" in job:
            values |= {"matrix.shard": shard, "strategy.job-total": len(job["strategy"]["matrix"]["shard"])}

        def insert(text):
            return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: str(values[match[1]]), text)

        passed = True
        for step in job["steps"]:
            assert step.get("if", "${{ always() }}") == "${{ always() }}", step
            if not passed and "if" not in step:
                continue
            given = {name: insert(value) if isinstance(value, str) else value for name, value in step.get("with", {}).items()}
            if "run" in step:
                environment = {**job.get("env", {}), **step.get("env", {})}
                status = subprocess.run(
                    ["bash", "-e", "-c", step["run"]], cwd=workspace, stdout=subprocess.DEVNULL,
                    env={"PATH": self.pull.environment["PATH"], "HOME": str(self.pull.folder), "GITHUB_ACTIONS": "true"}
                    | {name: insert(value) for name, value in environment.items()},
                ).returncode
                passed = passed and status == 0
            else:
                passed = self.use(step["uses"], given, workspace) and passed
        return passed

    def use(self, action, given, workspace):
        """What an action does."""
        if action.startswith("actions/checkout@"):
            shutil.copy(self.pull.manifest, workspace)
        elif re.fullmatch(r"[\w-]+/waybill@v[\d.]+", action):
            subprocess.run(["waybill", "run", *given["arguments"].split()], env=self.pull.environment, check=True,
                           stdout=subprocess.DEVNULL)
        elif action.startswith("actions/upload-artifact@"):
            if not (workspace / given["path"]).exists():
                return given["if-no-files-found"] == "ignore"
            folder = self.artifacts / given["name"]
            assert given["overwrite"] or not folder.exists(), folder
            folder.mkdir(exist_ok=True)
            shutil.copy(workspace / given["path"], folder)
        elif action.startswith("actions/download-artifact@"):
            names = fnmatch.filter(os.listdir(self.artifacts), given.get("pattern") or given["name"])
            for name in names:
                shutil.copytree(self.artifacts / name, workspace, dirs_exist_ok=True)
            return bool(names) or "pattern" in given
        else:
            sys.exit(f"{WORKFLOW} uses {action}, which this check does not know")
        return True


def check(folder, waybill, short=False):
    """The jobs in order; one shard is killed, and its job is run again."""
    elements = 4000 if short else 20_000
    with nginx(folder, elements) as server:
        pull = Pull(folder, waybill, server, elements, rate=elements // 2)
        workflow = Workflow(pull)
        shards = workflow.jobs["shard"]["strategy"]["matrix"]["shard"]
        assert shards == list(range(1, len(shards) + 1)), shards
        assert workflow.run("before")
        jobs = [workflow.start("shard", shard) for shard in shards]
        pull.kill(3, len(shards))
        assert [workflow.wait(job) for job in jobs] == [shard != 3 for shard in shards]
        # 'Re-run failed jobs': the job continues what the first attempt has uploaded.
        assert workflow.run("shard", 3)
        assert workflow.run("merge") and workflow.run("merge")
        merged = pathlib.Path(folder, "merged")
        subprocess.run(["tar", "-xzf", workflow.artifacts / "waybill-merged/merged.tar.gz", "-C", folder], check=True)
        return f"{len(shards)} jobs: {pull.compare(merged)}"


def missing():
    """What this check needs and the machine does not have."""
    lacking = [] if os.access("/usr/sbin/nginx", os.X_OK) else ["nginx"]
    return lacking + ([] if importlib.util.find_spec("yaml") else ["the Python module yaml"])
