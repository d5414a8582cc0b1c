"""The server that the measurements send to."""

import contextlib
import pathlib
import socket
import subprocess
import sys
import time


def free_port():
    """A port on loopback that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port):
    """Returns when a port takes connections."""
    for _ in range(1000):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.01)
    sys.exit("nginx does not answer")


@contextlib.contextmanager
def nginx(folder, directives=""):
    """An nginx with its files in a folder that answers everything with a small JSON object; gives its address."""
    port = free_port()
    pathlib.Path(folder, "nginx.conf").write_text(f"""
        daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
        events {{ worker_connections 4096; }}
        http {{
            access_log off; keepalive_requests 100000000;
            server {{
                listen 127.0.0.1:{port} backlog=1024;
                default_type application/json;
                location / {{ {directives} return 200 '{{"code":0,"id":7,"name":"demo"}}'; }}
            }}
        }}""")
    server = subprocess.Popen(["/usr/sbin/nginx", "-c", f"{folder}/nginx.conf"], stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()
