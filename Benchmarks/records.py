"""What the measurements share: records to read, and the times of whole processes."""

import json
import os
import random
import statistics
import subprocess
import sys
import time


def write_records(path, minimum_size):
    """Writes a JSON array of records, of so many bytes at least."""
    chance = random.Random(7)
    words = "alpha beta gamma delta épsilon Zürich 東京 данные signal carrier wave bill of lading".split()
    size = 0
    with open(path, "w", encoding="utf-8") as file:
        file.write("[")
        number = 0
        while size < minimum_size:
            record = {
                "id": number,
                "name": " ".join(chance.choices(words, k=2)),
                "score": chance.random() * 100,
                "active": chance.random() < 0.5,
                "description": f'Line {number}\nand "quoted" text' if number % 10 == 0
                else " ".join(chance.choices(words, k=6)),
                "address": {
                    "street": f"{chance.randint(1, 9999)} Main Street",
                    "city": chance.choice(words),
                    "location": {"lat": round(chance.uniform(-90, 90), 6), "lon": round(chance.uniform(-180, 180), 6)},
                },
                "tags": chance.choices(words, k=3),
                "parent": None if number % 3 else number // 3,
                "createdAtTimestamp": 1700000000000 + number,
            }
            text = (",\n" if number else "\n") + json.dumps(record, ensure_ascii=False)
            file.write(text)
            size += len(text.encode())
            number += 1
        file.write("\n]\n")


def measure(commands, rounds):
    """Runs every command once a round, and gives for each its times: a list of (wall, CPU) in seconds."""
    times = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            start = time.monotonic()
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            if status:
                sys.exit(f"{name} failed")
            times[name].append((time.monotonic() - start, usage.ru_utime + usage.ru_stime))
    return times


def least(times):
    """The least wall time and the least CPU time."""
    return tuple(map(min, zip(*times)))


def median(times):
    """The median wall time and the median CPU time."""
    return tuple(map(statistics.median, zip(*times)))
