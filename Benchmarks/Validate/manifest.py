#!/usr/bin/env python3
"""Writes a large manifest: endpoints, and graphs whose steps call them and use what earlier steps gave.

Usage: manifest.py FILE [--endpoints N] [--steps N] [--graphs N] [--mistake WHICH], by default 10,000 of each in one
graph. The mistake stands in the last line: a `name` that no endpoint has, or a `shape` that no step has.
"""

import argparse
import random

HEAD = """\
waybill: 1
name: large
description: A manifest as large as they come.

inputs:
  tenant: {type: string, default: demo}
secrets:
  token: {env: WAYBILL_BENCHMARK_TOKEN}

environments:
  dev:
    services: {shop: {baseURL: "http://127.0.0.1:8080"}}
  staging:
    services: {shop: {baseURL: "https://staging.example.com"}}
    inputs: {tenant: smoke}

defaults:
  timeout: 15s

services:
  shop:
    baseURL: http://127.0.0.1:8080/api
    version: v1
    headers: {X-Client: benchmark, X-Tenant: "${inputs.tenant}"}
    auth: {bearer: "${secrets.token}"}
    accept: [application/json]
    filters: [unwrap]

filters:
  unwrap:
    - envelope: {code: $.code, ok: 0, message: $.message, data: $.data}

endpoints:
"""

MISTAKES = {"name": "      - call: nothing", "shape": "      - calls: user.e1"}
NOUNS = ["user", "order", "bill", "item", "cart", "price", "stock", "ship"]


def endpoint(number, chance):
    """An endpoint; all have a path, an input and an output, and each has some of what else there is."""
    noun = chance.choice(NOUNS)
    lines = [f"  {noun}.e{number}:", f"    path: /{noun}/${{inputs.id}}", "    inputs: {id: string}"]
    if number % 4 == 0:
        lines.append('    params: {page: 1, tag: "t-${inputs.id}"}')
    elif number % 4 == 1:
        lines.append(f'    headers: {{X-Number: "{number}"}}')
    elif number % 4 == 2:
        lines += ["    method: POST", '    body: {json: {id: "${inputs.id}", note: new}}']
    if number % 2:
        lines.append(f"    expect: {{body: [length($) > {number % 7}]}}")
    elif number % 4 == 0:
        lines.append("    expect: {status: 200}")
    lines.append("    outputs: {next: $.next}" if number % 3 else "    outputs:\n      next: $.items[0].id")
    return f"{noun}.e{number}", lines


def step(number, name, first):
    """A step that calls an endpoint with what the one before it gave."""
    value = "first" if number == first else f'"${{steps.s{number - 1}.outputs.next}}"'
    if number % 2:
        return [f"      - {{id: s{number}, call: {name}, with: {{id: {value}}}}}"]
    return [f"      - id: s{number}", f"        call: {name}", f"        with: {{id: {value}}}"]


def manifest(endpoints=10_000, steps=10_000, graphs=1, mistake=None):
    """The text of such a manifest, the same each time."""
    chance = random.Random(11)
    lines = []
    names = []
    for number in range(endpoints):
        name, written = endpoint(number, chance)
        names.append(name)
        lines += written
    lines.append("\ngraphs:")
    for graph in range(graphs):
        lines += [f"  {'main' if graph == 0 else f'graph{graph}'}:", "    chain:"]
        first, end = (steps * place // graphs for place in (graph, graph + 1))
        for number in range(first, end):
            lines += step(number, names[number % len(names)], first)
    if mistake:
        lines.append(MISTAKES[mistake])
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--endpoints", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--graphs", type=int, default=1)
    parser.add_argument("--mistake", choices=MISTAKES)
    options = parser.parse_args()
    with open(options.file, "w", encoding="utf-8") as file:
        file.write(manifest(options.endpoints, options.steps, options.graphs, options.mistake))
