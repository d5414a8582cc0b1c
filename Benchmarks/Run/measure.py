#!/usr/bin/env python3
"""A chain and a batch of GETs, whole processes, beside curl with the same list; nginx on loopback answers.

    swift build -c release --static-swift-stdlib --product waybill
    python3 Benchmarks/Run/measure.py [REQUESTS [RUNS]]

Needs nginx and curl. The commands take turns, so that a ratio holds when the machine's speed drifts; the median of each
is printed, and its ratio to curl's.
"""
import os, pathlib, socket, statistics, subprocess, sys, tempfile, time

root = pathlib.Path(__file__).resolve().parents[2]
waybill = root / ".build/release/waybill"
requests = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
runs = int(sys.argv[2]) if len(sys.argv) > 2 else 9


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port):
    for _ in range(1000):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.01)
    sys.exit("nginx does not answer")


with tempfile.TemporaryDirectory() as folder:
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    pathlib.Path(folder, "nginx.conf").write_text(f"""
        daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
        events {{ worker_connections 4096; }}
        http {{
            access_log off; keepalive_requests 100000000;
            server {{
                listen 127.0.0.1:{port} backlog=1024;
                default_type application/json;
                location / {{ return 200 '{{"code":0,"id":7,"name":"demo"}}'; }}
            }}
        }}""")
    for order in ["chain", "batch"]:
        steps = "".join(f"      - get: /item/{number}\n" for number in range(requests))
        head = f'waybill: 1\nservices:\n  s: {{baseURL: "{base}"}}\ngraphs:\n  main:\n    {order}:\n'
        pathlib.Path(folder, f"{order}.yaml").write_text(head + steps)
    pathlib.Path(folder, "list").write_text(
        "".join(f'url = "{base}/item/{number}"\noutput = /dev/null\n' for number in range(requests)))
    pathlib.Path(folder, "one.yaml").write_text(f'waybill: 1\ngraphs: {{main: {{chain: [{{get: "{base}/"}}]}}}}\n')

    commands = {
        "curl -K list": ["curl", "-s", "-K", "list"],
        "curl -Z --parallel-max 8 -K list": ["curl", "-s", "-Z", "--parallel-max", "8", "-K", "list"],
        "waybill, chain": [waybill, "run", "chain.yaml", "--out", "chain"],
        "waybill, batch": [waybill, "run", "batch.yaml", "--out", "batch"],
        "curl, one request": ["curl", "-s", "-o", "/dev/null", base],
        "waybill, one request": [waybill, "run", "one.yaml", "--out", "one"],
    }
    nginx = subprocess.Popen(["/usr/sbin/nginx", "-c", f"{folder}/nginx.conf"], stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        seconds = {name: [] for name in commands}
        for turn in range(runs + 1):
            for name, command in commands.items():
                start = time.perf_counter()
                subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                if turn > 0:
                    seconds[name].append(time.perf_counter() - start)
    finally:
        nginx.terminate()
        nginx.wait()

    medians = {name: statistics.median(times) for name, times in seconds.items()}
    pairs = {
        "waybill, chain": "curl -K list",
        "waybill, batch": "curl -Z --parallel-max 8 -K list",
        "waybill, one request": "curl, one request",
    }
    for name, median in medians.items():
        count = 1 if "one" in name else requests
        against = f", {median / medians[pairs[name]]:.2f} times {pairs[name]}" if name in pairs else ""
        print(f"{name}: {median * 1000:.1f} ms, {count / median:.0f} requests/s{against}")
