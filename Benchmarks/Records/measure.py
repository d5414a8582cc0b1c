#!/usr/bin/env python3
"""Records to an SQLite table and to a gzip file: time and memory, beside Python's sqlite3 with the same records.

    swift build -c release --static-swift-stdlib --product waybill --scratch-path .build-release
    python3 Benchmarks/Records/measure.py [RECORDS] [--program FILE]

Needs nginx, which serves pages of 1,000 records on loopback. Each of .ndjson, .ndjson.gz and .sqlite is a run of its own; what the
container costs is the difference to .ndjson. The baseline reads the same NDJSON file and loads it with executemany in one
transaction. Ends with 1 when the run to SQLite needs 20 % more memory at RECORDS than at a tenth of them, or more than 150 MB,
or when a file is not whole.
"""
import argparse, gzip, json, os, pathlib, sqlite3, subprocess, sys, tempfile, time

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "Benchmarks"))

from servers import free_port, wait_for

parser = argparse.ArgumentParser()
parser.add_argument("records", nargs="?", type=int, default=1_000_000)
parser.add_argument("--program", default=root / ".build-release/release/waybill")
arguments = parser.parse_args()
PAGE = 1000
COLUMNS = ["id", "name", "price", "updatedAt", "address"]


def record(number):
    return {"id": number * 7919 % 10_000_019, "name": f"customer {number}", "price": number % 1000 + 0.25,
            "updatedAt": f"2026-01-01T{number % 24:02}:00:00Z", "address": {"city": "Zürich", "zip": number % 9000}}


def write_pages(folder, count):
    for page in range(count // PAGE):
        items = [record(number) for number in range(page * PAGE, (page + 1) * PAGE)]
        following = f"/{page + 1}.json" if (page + 1) * PAGE < count else None
        pathlib.Path(folder, f"{page}.json").write_text(json.dumps({"items": items, "next": following}, ensure_ascii=False))


def measure(name, write, folder, port):
    manifest = pathlib.Path(folder, "manifest.yaml")
    manifest.write_text(f"""
waybill: 1
services: {{s: {{baseURL: "http://127.0.0.1:{port}"}}}}
graphs:
  main:
    chain:
      - get: /0.json
        paginate: {{next: $.next, items: $.items}}
        write: {write}
""")
    start = time.monotonic()
    process = subprocess.Popen([arguments.program, "run", manifest, "--out", f"{folder}/{name}", "--quiet"],
                               stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    if status:
        sys.exit("waybill failed")
    memory = usage.ru_maxrss / 1024
    print(f"  {name:10} {seconds:6.1f} s, {usage.ru_utime + usage.ru_stime:6.1f} s of CPU, {memory:6.1f} MiB")
    return seconds, memory


def baseline(path, database):
    """Loads the lines of a file with executemany, as a script for the job would."""
    start = time.monotonic()
    connection = sqlite3.connect(database)
    connection.execute("CREATE TABLE orders (id, name, price, updatedAt, address, PRIMARY KEY (id))")
    marks = ", ".join("?" * len(COLUMNS))
    with connection, open(path, encoding="utf-8") as lines:
        rows = (json.loads(line) for line in lines)
        connection.executemany(
            f"INSERT OR REPLACE INTO orders VALUES ({marks})",
            ([json.dumps(row[name]) if name == "address" else row[name] for name in COLUMNS] for row in rows))
    connection.close()
    seconds = time.monotonic() - start
    print(f"  {'executemany':10} {seconds:5.1f} s")
    return seconds


memories = []
for count in [arguments.records // 10, arguments.records]:
    with tempfile.TemporaryDirectory() as folder:
        # The workers of an nginx that root starts are of another user.
        os.chmod(folder, 0o755)
        pages = pathlib.Path(folder, "pages")
        pages.mkdir()
        write_pages(pages, count)
        port = free_port()
        pathlib.Path(folder, "nginx.conf").write_text(f"""
            daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
            events {{}}
            http {{
                access_log off; keepalive_requests 100000000;
                server {{ listen 127.0.0.1:{port}; default_type application/json; charset utf-8; root {pages}; }}
            }}""")
        nginx = subprocess.Popen(["/usr/sbin/nginx", "-c", f"{folder}/nginx.conf"], stderr=subprocess.DEVNULL)
        try:
            wait_for(port)
            print(f"{count} records")
            plain, _ = measure("ndjson", "{to: orders.ndjson}", folder, port)
            packed, _ = measure("gzip", "{to: orders.ndjson.gz}", folder, port)
            table, memory = measure("sqlite", "{to: shop.sqlite, table: orders, key: [id]}", folder, port)
            memories.append(memory)
        finally:
            nginx.terminate()
            nginx.wait()
        other = baseline(f"{folder}/ndjson/orders.ndjson", f"{folder}/python.sqlite")
        print(f"  loading: {table - plain:.1f} s, {(table - plain) / other:.2f} times executemany; gzip: {packed - plain:.1f} s")
        with gzip.open(f"{folder}/gzip/orders.ndjson.gz", "rb") as file, open(f"{folder}/ndjson/orders.ndjson", "rb") as lines:
            if any(piece != lines.read(len(piece)) for piece in iter(lambda: file.read(1 << 20), b"")):
                sys.exit("the gzip file is not whole")
        query = "SELECT * FROM orders ORDER BY id"
        ours = sqlite3.connect(f"{folder}/sqlite/shop.sqlite").execute(query)
        theirs = sqlite3.connect(f"{folder}/python.sqlite").execute(query)
        found = 0
        for row, wanted in zip(ours, theirs):
            found += 1
            if row[:4] != wanted[:4] or json.loads(row[4]) != json.loads(wanted[4]):
                sys.exit(f"a row differs: {row} {wanted}")
        if found != count:
            sys.exit(f"the table has {found} rows")

if memories[1] > 1.2 * memories[0] or memories[1] > 150:
    sys.exit("the memory grows")
