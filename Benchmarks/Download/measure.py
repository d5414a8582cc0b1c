#!/usr/bin/env python3
"""A download of 1 GB from nginx on loopback, whole processes, beside `curl -o`; and what is sent again after `kill -9`.

    swift build -c release --static-swift-stdlib --product waybill --scratch-path .build-release
    python3 Benchmarks/Download/measure.py [--waybill FILE] [--folder DIR] [MEGABYTES [RUNS]]

Needs nginx and curl, and three times the size of the file in DIR (default: the folder for temporary files). waybill also
waits until the file is on the disk, which curl does not: the second baseline is curl followed by `sync`. Before each
command, everything is on the disk and the earlier file is gone.
"""
import argparse, contextlib, os, pathlib, signal, statistics, subprocess, sys, tempfile, time

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "Benchmarks"))

from servers import free_port, wait_for

arguments = argparse.ArgumentParser()
arguments.add_argument("--waybill", default=root / ".build-release/release/waybill")
arguments.add_argument("--folder")
arguments.add_argument("megabytes", nargs="?", type=int, default=1000)
arguments.add_argument("runs", nargs="?", type=int, default=5)
options = arguments.parse_args()
size = options.megabytes * 1_000_000


@contextlib.contextmanager
def nginx(folder):
    """An nginx that serves a folder and logs the range and the bytes of each request; gives its address."""
    port = free_port()
    pathlib.Path(folder, "nginx.conf").write_text(f"""
        daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
        user root;
        events {{ worker_connections 64; }}
        http {{
            log_format range '$status $http_range $body_bytes_sent';
            access_log {folder}/access.log range; sendfile on;
            server {{ listen 127.0.0.1:{port}; root {folder}/files; }}
        }}""")
    server = subprocess.Popen(["/usr/sbin/nginx", "-c", f"{folder}/nginx.conf"], stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def run(command, folder):
    """Runs a command; gives its time in seconds and the peak of its memory in MB."""
    start = time.perf_counter()
    child = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{command} failed")
    return time.perf_counter() - start, usage.ru_maxrss / 1000


with tempfile.TemporaryDirectory(dir=options.folder) as folder, nginx(folder) as base:
    files = pathlib.Path(folder, "files")
    files.mkdir()
    block = os.urandom(1_000_000)
    with open(files / "big.bin", "wb") as file:
        for number in range(options.megabytes):
            file.write(block[number:] + block[:number])
    manifest = f'waybill: 1\ngraphs: {{main: {{chain: [{{request: {{url: "{base}/big.bin", download: {{to: big.bin}}}}}}]}}}}\n'
    pathlib.Path(folder, "m.yaml").write_text(manifest)
    commands = {
        "curl -o": ["curl", "-s", "-o", "curl.bin", f"{base}/big.bin"],
        "curl -o, then sync": ["sh", "-c", f"curl -s -o curl.bin {base}/big.bin && sync -d curl.bin"],
        "waybill": [str(options.waybill), "run", "m.yaml", "--out", "out"],
    }
    results = {name: [] for name in commands}
    for turn in range(options.runs + 1):
        for name, command in commands.items():
            subprocess.run(["rm", "-rf", "curl.bin", "out"], cwd=folder)
            os.sync()
            result = run(command, folder)
            if turn > 0:
                results[name].append(result)
    medians = {name: statistics.median(time for time, _ in times) for name, times in results.items()}
    for name, times in results.items():
        memory = max(memory for _, memory in times)
        print(f"{name:20} {medians[name]:7.3f} s  {size / medians[name] / 1e6:6.0f} MB/s  {memory:5.1f} MB resident")
    for name in ["curl -o", "curl -o, then sync"]:
        print(f"waybill has {medians[name] / medians['waybill']:.2f} of the speed of '{name}'")

    # A download that is killed in the middle.
    subprocess.run(["rm", "-rf", "out"], cwd=folder)
    pathlib.Path(folder, "access.log").write_text("")
    child = subprocess.Popen(commands["waybill"], cwd=folder, stdout=subprocess.DEVNULL)
    part = pathlib.Path(folder, "out/big.bin.part")
    while child.poll() is None and (not part.exists() or part.stat().st_size < size // 3):
        time.sleep(0.001)
    child.send_signal(signal.SIGKILL)
    child.wait()
    arrived = part.stat().st_size
    subprocess.run([str(options.waybill), "resume", "out"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    time.sleep(0.2)
    log = pathlib.Path(folder, "access.log").read_text().splitlines()
    subprocess.run(["cmp", "files/big.bin", "out/big.bin"], cwd=folder, check=True)
    print(f"killed after {arrived} bytes; nginx then sent: {log[-1]}")
    status, _, sent = log[-1].split()
    # The last block is compared with the server's before the rest is appended.
    if status != "206" or not 0 <= int(sent) - (size - arrived) <= 16 * 1024:
        sys.exit("more than the rest was sent")
