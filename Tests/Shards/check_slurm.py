"""examples/slurm on a cluster of two nodes on loopback: a task is killed, and Slurm requeues it."""
import contextlib
import os
import pathlib
import re
import subprocess

from pull import ROOT, Pull, free_ports, nginx, wait_until

CLUSTER = ROOT / "Tests/Shards/slurm-loopback.sh"


@contextlib.contextmanager
def cluster(folder):
    """Starts a cluster, and gives the path of its configuration."""
    try:
        subprocess.run([CLUSTER, "start", folder, *map(str, free_ports(3))], check=True)
        yield f"{folder}/slurm.conf"
    finally:
        subprocess.run([CLUSTER, "stop", folder], check=True)


def check(folder, waybill):
    """100,000 elements in 8 shards, one of which is killed; and a pull whose shards fail."""
    shards = 8
    with nginx(folder, 100_000) as server, cluster(f"{folder}/cluster") as configuration:
        pull = Pull(folder, waybill, server, 100_000)
        pull.environment["SLURM_CONF"] = configuration
        submit = [ROOT / "examples/slurm/submit.sh", "pull.yaml", "results", shards]

        def states(jobs):
            lines = pull.run(["scontrol", "show", "job", "--oneliner"]).splitlines()
            return {
                re.search(r"JobState=(\w+)", line)[1] for line in lines
                if re.search(r"(?:ArrayJobId|^JobId)=(\d+)", line)[1] in jobs
            }

        def wait(output):
            jobs = re.findall(r"(\d+) \(", output)
            assert len(jobs) == 3, output
            ended = {"COMPLETED", "FAILED", "CANCELLED"}
            wait_until(lambda: all(states([job]) <= ended for job in jobs), "the end of the jobs", 300)
            return [states([job]) for job in jobs]

        # Without the token, the first job fails, and the others are cancelled instead of waiting forever.
        assert wait(pull.run(submit, environment={"SHOP_TOKEN": "wrong"})) == [{"FAILED"}, {"CANCELLED"}, {"CANCELLED"}]
        assert pull.take_requests() == ([], 0)

        # The same command continues.
        output = pull.run(submit)
        pull.kill(3, shards)
        assert wait(output) == [{"COMPLETED"}] * 3, "".join(
            path.read_text() for path in pathlib.Path(folder, "results/log").iterdir())
        logs = {path.name: path.read_text() for path in pathlib.Path(folder, "results/log").glob("shard-*")}
        requeued = [name for name, text in logs.items() if "was killed (status 137) and is requeued" in text]
        assert len(requeued) == 1 and requeued[0].startswith("shard-3-"), logs
        result = pull.compare(f"{folder}/results/merged")

        # Once more: everything has passed, and nothing is sent.
        assert wait(pull.run(submit)) == [{"COMPLETED"}] * 3
        assert pull.take_requests() == ([], 0)
        nodes = {line.split()[0] for line in pull.run(["sinfo", "-hN"]).splitlines()}
        return f"{shards} tasks on {len(nodes)} nodes: {result}"


def missing():
    """What this check needs and the machine does not have."""
    programs = ["sbatch", "slurmctld", "slurmd", "munged"]
    lacking = [name for name in programs if not any(os.access(f"{path}/{name}", os.X_OK) for path in ("/usr/bin", "/usr/sbin"))]
    return lacking + ([] if os.geteuid() == 0 else ["root"])
