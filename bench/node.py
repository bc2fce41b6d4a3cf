#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""Engines side by side on one machine: the same load on stock Apache Cassandra and on Cassiterite.

Every round runs every engine once, in turn, so that a drifting machine hurts all alike. One engine's run: start a
node on fresh directories, fill the table, let it settle, then read, overwrite and mix. Server CPU is the node
process's own (user + system), including all flush and compaction work until it is quiet again; allocation and pauses come
from its GC log. Prints a table and writes raw JSON.

    make bench-node                 # or: bench/node.py --rounds 3 --rows 200000
"""
import argparse
import json
import os
import platform
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOAD = ROOT / "native/target/release/cassiterite-load"
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
PAUSE = re.compile(r"Pause .*? (\d+)M->(\d+)M\(\d+M\) ([\d.]+)ms")

ENGINES = {
    "stock": {
        "about": "trie memtable off heap, BTI sstables, UCS",
        "node": ["--stock", "--yaml", "storage_compatibility_mode: NONE", "--yaml", "memtable_allocation_type: offheap_objects",
                 "--yaml", "sstable:\n  selected_format: bti",
                 "--yaml", "memtable:\n  configurations:\n    trie:\n      class_name: TrieMemtable\n"
                           "    default:\n      inherits: trie"],
        "with": "compaction = {'class': 'UnifiedCompactionStrategy'}",
    },
    "stock-default": {
        "about": "what cassandra.yaml gives: skip-list memtable on heap, BIG sstables, STCS",
        "node": ["--stock"],
        "with": "",
    },
    "cassiterite": {
        "about": "WITH memtable = 'cassiterite', all parameters at their defaults",
        "node": [],
        "with": "memtable = 'cassiterite'",
    },
}


class Node:
    """One node process on fresh directories; `with` ends it by its process id."""

    def __init__(self, engine, base, heap, port):
        self.base, self.port = base, port
        self.gc_log = base / "gc.log"
        shutil.rmtree(base, ignore_errors=True)
        base.mkdir(parents=True)
        command = [ROOT / "scripts/node", "--base", base, "--cql-port", str(port), "--storage-port", str(port + 1),
                   "--jmx-port", str(port + 2), "--heap", heap, "--die-with", str(os.getpid()),
                   "--jvm", f"-Xlog:gc*:file={self.gc_log}:uptime", *ENGINES[engine]["node"]]
        self.output = open(base / "console.log", "wb")
        self.process = subprocess.Popen([str(word) for word in command], stdout=self.output, stderr=self.output)
        self.pid = self.process.pid

    def __enter__(self):
        deadline = time.time() + 120
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                if time.time() > deadline or self.process.poll() is not None:
                    self.__exit__()
                    sys.exit(f"the node did not start: see {self.base}/console.log")
                time.sleep(0.3)

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.output.close()

    def nodetool(self, *words):
        subprocess.run([ROOT / "scripts/nodetool", "-p", str(self.port + 2), *words], check=True,
                       stdout=subprocess.DEVNULL, timeout=300)

    def cpu_s(self):
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND

    def status_kib(self, key):
        return int(re.search(rf"^{key}:\s+(\d+)", Path(f"/proc/{self.pid}/status").read_text(), re.M).group(1))

    def written_bytes(self):
        return int(re.search(r"^write_bytes: (\d+)", Path(f"/proc/{self.pid}/io").read_text(), re.M).group(1))

    def settle(self, limit_s=180):
        """Waits until the node burns less than 10 % of a core (an idle one burns 3 %) for three seconds in a row."""
        quiet, deadline = 0, time.time() + limit_s
        while quiet < 3 and time.time() < deadline:
            before = self.cpu_s()
            time.sleep(1)
            quiet = quiet + 1 if self.cpu_s() - before < 0.1 else 0

    def heap(self):
        """MiB allocated since the start (at GC granularity), pause milliseconds, pauses."""
        allocated = pauses_ms = count = after = 0
        for before, left, pause_ms in PAUSE.findall(self.gc_log.read_text()):
            allocated += max(0, int(before) - after)
            after, count, pauses_ms = int(left), count + 1, pauses_ms + float(pause_ms)
        return allocated, pauses_ms, count

    def disk_bytes(self):
        """Bytes of tables: neither Cassandra's commit log nor the engine's write-ahead log."""
        return sum(f.stat().st_size for f in self.base.rglob("*")
                   if f.suffix in (".db", ".sst") and f.is_file())


def load(node, *words):
    command = [ROOT / "scripts/native-run", LOAD, "--contact", f"127.0.0.1:{node.port}", *map(str, words)]
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=1800)
    if ran.returncode != 0:
        sys.exit(f"the load failed: {ran.stderr}")
    return json.loads(ran.stdout) if ran.stdout.strip() else None


def phase(node, *words, flush=False):
    """Runs one load and waits until the node has done what it caused."""
    node.settle()
    cpu_s, written, heap = node.cpu_s(), node.written_bytes(), node.heap()
    wall_s = time.time()
    result = load(node, *words)
    result["cpu_during_s"] = node.cpu_s() - cpu_s
    result["wall_s"] = time.time() - wall_s
    if flush:
        node.nodetool("flush")
    node.settle()
    after = node.heap()
    operations = result["operations"]
    result.update(cpu_us_per_operation=(node.cpu_s() - cpu_s) / operations * 1e6,
                  allocated_bytes_per_operation=(after[0] - heap[0]) * 1048576 / operations,
                  pause_ms=after[1] - heap[1], pauses=after[2] - heap[2],
                  pause_share_percent=(after[1] - heap[1]) / result["wall_s"] / 10,
                  disk_written_bytes=node.written_bytes() - written)
    return result


def compaction(node):
    """CPU seconds per GiB of `nodetool compact`."""
    node.settle()
    size, cpu_s = node.disk_bytes(), node.cpu_s()
    node.nodetool("compact", "bench")
    node.settle()
    used_s = node.cpu_s() - cpu_s
    return {"bytes": size, "cpu_s": used_s, "cpu_s_per_gib": used_s / (size / 2**30)}


def run(engine, args, port):
    base = ROOT / "build/bench" / engine
    rows = ["--rows", args.rows, "--value-bytes", args.value_bytes]
    with Node(engine, base, args.heap, port) as node:
        load(node, "--mode", "create", "--with", ENGINES[engine]["with"])
        result = {"fill": phase(node, "--mode", "fill", *rows, flush=True)}
        load(node, "--mode", "mixed", "--seconds", args.warmup, *rows)
        node.nodetool("flush")
        result["read"] = phase(node, "--mode", "read", "--seconds", args.seconds, *rows)
        result["write"] = phase(node, "--mode", "write", "--seconds", args.seconds, *rows, flush=True)
        result["mixed"] = phase(node, "--mode", "mixed", "--rate", args.rate, "--seconds", args.seconds,
                                "--warmup-seconds", 2, *rows)
        result["compact"] = compaction(node)
        result["peak_resident_mib"] = node.status_kib("VmHWM") / 1024
        result["disk_bytes"] = node.disk_bytes()
    shutil.rmtree(base)
    return result


FIGURES = [
    ("read: server CPU, us/op", lambda r: r["read"]["cpu_us_per_operation"]),
    ("read: throughput, ops/s", lambda r: r["read"]["operations_per_s"]),
    ("read: Java bytes/op", lambda r: r["read"]["allocated_bytes_per_operation"]),
    ("read: P99, us", lambda r: r["read"]["read"]["p99_us"]),
    ("write: server CPU, us/op", lambda r: r["write"]["cpu_us_per_operation"]),
    ("write: throughput, ops/s", lambda r: r["write"]["operations_per_s"]),
    ("write: Java bytes/op", lambda r: r["write"]["allocated_bytes_per_operation"]),
    ("write: disk bytes/op", lambda r: r["write"]["disk_written_bytes"] / r["write"]["operations"]),
    ("mixed: read P99, us", lambda r: r["mixed"]["read"]["p99_us"]),
    ("mixed: read P99.9, us", lambda r: r["mixed"]["read"]["p999_us"]),
    ("mixed: read P99.99, us", lambda r: r["mixed"]["read"]["p9999_us"]),
    ("mixed: write P99.9, us", lambda r: r["mixed"]["write"]["p999_us"]),
    ("mixed: server CPU, us/op", lambda r: r["mixed"]["cpu_us_per_operation"]),
    ("mixed: GC pause share, %", lambda r: r["mixed"]["pause_share_percent"]),
    ("compact: CPU s/GiB", lambda r: r["compact"]["cpu_s_per_gib"]),
    ("peak resident, MiB", lambda r: r["peak_resident_mib"]),
    ("disk, MiB", lambda r: r["disk_bytes"] / 2**20),
]


def table(runs, engines):
    lines = ["| figure | " + " | ".join(engines) + " | " + " | ".join(f"ratio to {e}" for e in engines[:-1]) + " |",
             "|---" * (2 * len(engines)) + "|"]
    for name, figure in FIGURES:
        values = {e: [figure(r) for r in runs[e]] for e in engines}
        cells = [f"{statistics.median(v):,.0f} ({min(v):,.0f}-{max(v):,.0f})" if statistics.median(v) >= 10
                 else f"{statistics.median(v):.2f} ({min(v):.2f}-{max(v):.2f})" for v in values.values()]
        ours = values[engines[-1]]
        for engine in engines[:-1]:
            ratios = [a / b for a, b in zip(ours, values[engine]) if b]
            cells.append(f"{statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})" if ratios else "-")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def environment():
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout
    java = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr.splitlines()[0]
    return {"cpu": model.group(1) if model else "?", "cores": os.cpu_count(), "kernel": platform.release(),
            "java": java, "cassandra": "5.0.9", "commit": commit.strip(), "when": time.strftime("%Y-%m-%d %H:%M")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", default="stock,stock-default,cassiterite", help="ratios are the last one's to the others")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--value-bytes", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=30, help="per phase")
    parser.add_argument("--warmup", type=int, default=20)
    parser.add_argument("--rate", type=int, default=12_000, help="operations per second of the mixed phase")
    parser.add_argument("--heap", default="4g")
    parser.add_argument("--port", type=int, default=19042)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    engines = args.engines.split(",")
    runs = {engine: [] for engine in engines}
    for round_number in range(args.rounds):
        for engine in engines:
            print(f"round {round_number + 1} of {args.rounds}: {engine} ({ENGINES[engine]['about']})", file=sys.stderr)
            runs[engine].append(run(engine, args, args.port))
            if args.json:
                settings = {key: str(value) for key, value in vars(args).items()}
                args.json.write_text(json.dumps({"environment": environment(), "settings": settings, "runs": runs}, indent=1))
    print(f"median (min-max) of {args.rounds} rounds; {environment()}\n")
    print(table(runs, engines))


if __name__ == "__main__":
    main()
