"""What the checks of the job engines share: a server, a manifest, one undivided run, and the comparison with it."""
import collections
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOKEN = "token-of-this-check"


def free_ports(count):
    """Ports on loopback that were free a moment ago."""
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


def wait_until(condition, what, seconds=120):
    """Returns the first true value of a condition."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    sys.exit(f"after {seconds} seconds there is still not: {what}")


@contextlib.contextmanager
def nginx(folder, elements, address="127.0.0.1", inside=()):
    """A server with a list of orders, each order, and reports; it requires the token. Gives its address.

    - address: Where it listens. It writes each request to FOLDER/requests.
    - inside: The words of a command that runs it, such as one that enters a network namespace.
    """
    port, = free_ports(1)
    pathlib.Path(folder, "orders.json").write_text("[" + ",".join(f'{{"id":{id}}}' for id in range(1, elements + 1)) + "]")
    pathlib.Path(folder, "nginx.conf").write_text(f"""
        daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
        events {{ worker_connections 4096; }}
        http {{
            log_format line '$request'; access_log {folder}/requests line;
            keepalive_requests 100000000;
            server {{
                listen {address}:{port} backlog=1024;
                default_type application/json;
                if ($http_authorization != "Bearer {TOKEN}") {{ return 401; }}
                location = /orders {{ alias {folder}/orders.json; }}
                location ~ ^/orders/(?<id>[0-9]+)$ {{ return 200 '{{"id":$id,"amount":$id.25,"name":"demo"}}'; }}
                location = /reports {{ return 201 '{{"ok":true}}'; }}
            }}
        }}""")
    server = subprocess.Popen([*inside, "/usr/sbin/nginx", "-c", f"{folder}/nginx.conf"], stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: pathlib.Path(folder, "nginx.pid").exists(), "the server's file of its number")
        yield f"http://{address}:{port}"
    finally:
        server.terminate()
        server.wait()


class Pull:
    """A manifest that is run once undivided, and then with an engine."""

    def __init__(self, folder, waybill, server, elements, rate=None, inside=()):
        """- rate: The requests in a second that the manifest allows; without it there is no limit."""
        self.folder, self.elements = pathlib.Path(folder), elements
        self.inside = list(inside)
        text = (ROOT / "examples/kubernetes/pull.yaml").read_text()
        text, replaced = re.subn("https://shop.example.com", server, text)
        assert replaced == 1
        text, replaced = re.subn(r"    rate: .*\n", f"    rate: {rate}/s\n" if rate else "", text)
        assert replaced == 1
        self.manifest = self.folder / "pull.yaml"
        self.manifest.write_text(text)
        (self.folder / "bin").mkdir()
        # A copy, because who runs it may not have the right to reach the original.
        shutil.copy(waybill, self.folder / "bin/waybill")
        self.environment = {
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "HOME": str(self.folder), "SHOP_TOKEN": TOKEN,
        }
        self.run(["waybill", "run", self.manifest, "--out", self.folder / "undivided", "--quiet"])
        orders, reports = self.take_requests()
        assert len(orders) == elements and reports == 1
        # The orders that the journals of killed processes had.
        self.recorded = set()

    def run(self, command, status=0, **options):
        """Runs a command, and returns what it printed. Ends the check if its exit status is another."""
        environment = self.environment | options.pop("environment", {})
        result = subprocess.run(
            [*self.inside, *map(str, command)], env=environment, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, **{"cwd": self.folder, **options},
        )
        if result.returncode != status:
            sys.exit(f"{result.stdout}\nended with {result.returncode} instead of {status}: {command}")
        return result.stdout

    def take_requests(self):
        """The ids of the orders that the server was asked for since the last call, and the number of reports."""
        lines = (self.folder / "requests").read_text().splitlines()
        (self.folder / "requests").write_text("")
        orders = [int(line.split()[1].removeprefix("/orders/")) for line in lines if line.startswith("GET /orders/")]
        return orders, sum(line.startswith("POST") for line in lines)

    def kill(self, number, shards):
        """Kills the process of a shard with SIGKILL when it has written a fifth of its records, wherever its folder is."""
        share = self.elements // shards
        option = ["--shard", f"{number}/{shards}"]

        def process():
            for entry in pathlib.Path("/proc").iterdir():
                # Processes end while they are looked at.
                with contextlib.suppress(OSError, UnicodeDecodeError):
                    words = (entry / "cmdline").read_bytes().decode().split("\0")
                    if pathlib.Path(words[0]).name == "waybill" and option == words[3:5] and self.owns(entry):
                        # The host of the process may be a namespace with another view of the files.
                        path = os.path.join(os.readlink(entry / "cwd"), words[words.index("--out") + 1])
                        folder = entry / "root" / path.lstrip("/")
                        if (folder / "orders.ndjson.part").read_bytes().count(b"\n") > share / 5:
                            return int(entry.name), folder
            return None

        process, shard = wait_until(process, f"a process of shard {number} with a fifth of its records")
        # Stopped first: what its journal has is then what survives.
        os.kill(process, signal.SIGSTOP)
        recorded = set()
        for line in (shard / "events.ndjson").read_text().splitlines(keepends=True):
            if line.endswith("\n") and '"type":"element.finished"' in line:
                recorded.add(json.loads(line)["element"] + 1)
        assert 0 < len(recorded) < share, f"the journal has {len(recorded)} of {share} elements"
        self.recorded |= recorded
        os.kill(process, signal.SIGKILL)

    def owns(self, entry):
        """Whether a process is one of this check: others on the machine may run shards too."""
        return os.readlink(entry / "exe") == str(self.folder / "bin/waybill")

    def compare(self, merged):
        """Compares a merged run with the undivided one, and the requests of all its processes with the elements."""
        for name in ["orders.ndjson", "outputs.json"]:
            if (self.folder / "undivided" / name).read_bytes() != (pathlib.Path(merged) / name).read_bytes():
                sys.exit(f"{merged}/{name} differs from that of the undivided run, in {self.folder}/undivided")
        orders, reports = self.take_requests()
        counts = collections.Counter(orders)
        assert set(counts) == set(range(1, self.elements + 1)), "not every order was requested"
        again = {order for order, count in counts.items() if count > 1}
        assert not again & self.recorded, f"requested again although the journal had them: {sorted(again & self.recorded)}"
        assert reports == 1, f"the report was sent {reports} times"
        return (
            f"{self.elements} elements; one process was killed, {len(self.recorded)} elements were in its journal, "
            f"{len(again)} others were requested again; the same bytes as undivided"
        )
