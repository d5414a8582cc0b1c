"""examples/parallel with two hosts: network namespaces of this check, each with an sshd, a home folder and an address of its own.
The server and GNU parallel are in a third one. Nothing outside them is reachable."""
import contextlib
import os
import pathlib
import shutil
import subprocess

from pull import ROOT, TOKEN, Pull, nginx, wait_until

HOSTS = ["10.91.1.2", "10.91.2.2"]
SERVER = "10.91.1.1"


def run(*words):
    """Runs a command that must succeed."""
    subprocess.run(list(map(str, words)), check=True, stdout=subprocess.DEVNULL)


@contextlib.contextmanager
def namespaces():
    """Three namespaces: the middle one, and one for each host, connected with it. Gives their names."""
    names = [f"waybill-{os.getpid()}-{number}" for number in range(3)]
    try:
        for name in names:
            run("ip", "netns", "add", name)
            run("ip", "-n", name, "link", "set", "lo", "up")
        for number, name in enumerate(names[1:], 1):
            run("ip", "-n", names[0], "link", "add", f"host{number}", "type", "veth", "peer", "name", "net", "netns", name)
            run("ip", "-n", names[0], "address", "add", f"10.91.{number}.1/24", "dev", f"host{number}")
            run("ip", "-n", names[0], "link", "set", f"host{number}", "up")
            run("ip", "-n", name, "address", "add", f"10.91.{number}.2/24", "dev", "net")
            run("ip", "-n", name, "link", "set", "net", "up")
            run("ip", "-n", name, "route", "add", "default", "via", f"10.91.{number}.1")
        # From the second host to the server's address, which is the middle's on the first link, no forwarding is needed.
        yield names
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], stderr=subprocess.DEVNULL, check=False)


@contextlib.contextmanager
def sshd(folder, name, host):
    """A host: an sshd in a namespace, with keys of this check and a home folder of its own."""
    home = folder / f"home-{host}"
    home.mkdir()
    configuration = folder / f"sshd-{host}"
    configuration.write_text(f"""
        ListenAddress {host}
        HostKey {folder}/host-key
        AuthorizedKeysFile {folder}/key.pub
        PidFile {folder}/sshd-{host}.pid
        StrictModes no
        UsePAM no
        PermitRootLogin prohibit-password
        PasswordAuthentication no
        SetEnv PATH={folder}/bin:/usr/bin:/bin
    """)
    pathlib.Path("/run/sshd").mkdir(exist_ok=True)
    # The mount is seen by this sshd only.
    script = 'mount --bind "$1" "$HOME" && exec /usr/sbin/sshd -D -e -f "$2"'
    with open(folder / f"sshd-{host}.log", "w", encoding="utf-8") as log:
        process = subprocess.Popen(
            ["ip", "netns", "exec", name, "unshare", "--mount", "sh", "-c", script, "sh", home, configuration],
            env={"HOME": os.path.expanduser("~root"), "PATH": os.environ["PATH"]}, stderr=log)
    try:
        wait_until((folder / f"sshd-{host}.pid").exists, f"the sshd of {host}")
        yield home
    finally:
        process.terminate()
        process.wait()


def check(folder, waybill):
    """Five shards on two hosts. One is killed, and GNU parallel continues it on the other host."""
    folder, shards, elements = pathlib.Path(folder), 5, 20_000
    with contextlib.ExitStack() as stack:
        names = stack.enter_context(namespaces())
        middle = ["ip", "netns", "exec", names[0]]
        server = stack.enter_context(nginx(folder, elements, SERVER, middle))
        pull = Pull(folder, waybill, server, elements, rate=elements // 2, inside=middle)
        for key in ["key", "host-key"]:
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key)
        homes = [stack.enter_context(sshd(folder, name, host)) for name, host in zip(names[1:], HOSTS)]
        known = folder / "known-hosts"
        known.write_text("".join(f"{host} {(folder / 'host-key.pub').read_text()}" for host in HOSTS))
        # The namespaces share the files of the machine, so that this path is the same on all hosts.
        secrets = folder / "secrets"
        secrets.touch(0o600)
        secrets.write_text(f"SHOP_TOKEN={TOKEN}\n")
        del pull.environment["SHOP_TOKEN"]
        pull.environment |= {
            "WAYBILL_ENV_FILE": str(secrets),
            "PARALLEL_SSH": f"ssh -F none -i {folder}/key -o UserKnownHostsFile={known} -o BatchMode=yes",
        }
        command = [ROOT / "examples/parallel/run.sh", "pull.yaml", "results", shards, *HOSTS]
        started = subprocess.Popen(
            [*middle, *map(str, command)], env=pull.environment, cwd=folder, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        pull.kill(2, shards)
        output = started.communicate()[0]
        assert started.returncode == 0, output
        ran = [{int(path.name) for path in home.glob("waybill/results/shards/*")} for home in homes]
        assert ran[0] | ran[1] == set(range(1, shards + 1)) and ran[0] & ran[1] == {2}, ran
        result = pull.compare(folder / "results/merged")
        pull.run(command)
        assert pull.take_requests() == ([], 0)
        return f"{shards} shards on {len(HOSTS)} hosts: {result}"


def missing():
    """What this check needs and the machine does not have."""
    programs = ["parallel", "rsync", "ssh", "ssh-keygen", "ip", "unshare"]
    lacking = [name for name in programs if not shutil.which(name)]
    lacking += [path for path in ["/usr/sbin/sshd", "/usr/sbin/nginx"] if not os.access(path, os.X_OK)]
    return lacking + ([] if os.geteuid() == 0 else ["root"])
