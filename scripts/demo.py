#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""A guided tour: a real data set goes in through a real driver, is queried, and read while the JVM collects garbage.
The node is killed with kill -9 during writes, started again, and every acknowledged row is checked. Then a node of a
cluster dies under load and is replaced. At last a filled table of stock Cassandra moves into the engine and back.
`make demo` runs it; it ends with 1 if a row is missing or wrong."""

import argparse
import sys
import time

from demo_parts import flights, moving, reads, replacement, writers
from demo_parts.node import Node, connect
from tqdm import tqdm

WRITE_SECONDS = 5
QUERIES = (
    (
        "The first flights of the year from JFK",
        "SELECT sched_dep_time, carrier, flight, dest, dep_delay FROM demo.flights"
        " WHERE origin = 'JFK' AND month = 1 AND day = 1 LIMIT 3",
    ),
    (
        "What leaves LaGuardia on a July evening from 20:30 on, latest first",
        "SELECT sched_dep_time, carrier, flight, dest, dep_delay FROM demo.flights"
        " WHERE origin = 'LGA' AND month = 7 AND day = 4 AND sched_dep_time >= 2030"
        " ORDER BY sched_dep_time DESC LIMIT 4",
    ),
    (
        "Delays at Newark on three days",
        "SELECT day, count(*) AS flights, avg(dep_delay) AS mean_delay, max(dep_delay) AS worst FROM demo.flights"
        " WHERE origin = 'EWR' AND month = 3 AND day IN (7, 8, 9) GROUP BY origin, month, day",
    ),
    (
        "How many in all (a scan of the whole table)",
        "SELECT count(*) AS flights, max(distance) AS farthest_miles FROM demo.flights",
    ),
)


def say(text):
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}", flush=True)


def bar(total, what):
    return tqdm(total=total, desc=what, unit=" rows", unit_scale=True, mininterval=0.2, disable=not sys.stderr.isatty())


def load(node, session, memtable):
    partitions = flights.read()
    total = sum(len(rows) for rows in partitions.values())
    say(f"1. {total:,} real flights (New York City, 2013) go into a table WITH memtable = '{memtable}'")
    session.execute(flights.keyspace(1))
    session.execute(flights.TABLE.format(memtable=memtable))
    session.execute(writers.TABLE.format(memtable=memtable))
    begin = time.monotonic()
    with bar(total, "insert") as progress:
        flights.load(node.port, partitions, progress.update)
    seconds = time.monotonic() - begin
    print(f"{total:,} rows acknowledged in {seconds:.1f} s, {total / seconds:,.0f} rows/s, commitlog_sync: batch")
    return partitions, total


def query(session):
    say("2. Queries")
    for title, cql in QUERIES:
        begin = time.monotonic()
        rows = list(session.execute(cql))
        millis = (time.monotonic() - begin) * 1000
        print(f"\n{title} ({millis:.0f} ms)\n  {' '.join(cql.split())}")
        for row in rows:
            print("   ", "  ".join(f"{name}={cell}" for name, cell in row._asdict().items()))


def crash(node):
    say(f"4. {writers.WRITERS} writers book seats as fast as they can; after {WRITE_SECONDS} s: kill -9")
    busy = writers.Writers(node.port)
    time.sleep(WRITE_SECONDS)
    node.kill()
    results = busy.results()
    print(f"killed. Acknowledged until then: {sum(len(numbers) for _, _, numbers in results):,} rows")
    return results


def verify(node, partitions, total, results):
    say("5. Start again, and check every acknowledged row")
    print(f"up after {node.start():.1f} s")
    cluster, session = connect(node.port)
    acknowledged, lost, present, wrong = writers.check(session, results)
    print(f"bookings: {acknowledged:,} acknowledged, {lost} lost; {present:,} present, {wrong} wrong")
    with bar(total, "compare") as progress:
        different = flights.differences(session, partitions, progress.update)
    print(f"flights: {total:,} compared cell by cell, {different} different")
    cluster.shutdown()
    return lost == 0 and wrong == 0 and different == 0 and acknowledged > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memtable", default="cassiterite", help="another one: a node without the plug-in")
    memtable = parser.parse_args().memtable
    node = Node(stock=memtable != "cassiterite")
    begin = time.monotonic()
    try:
        plugin = "" if node.stock else " with Cassiterite; its front door is on"
        say(f"Starting an unmodified Apache Cassandra 5.0.9{plugin}")
        print(f"up after {node.start():.1f} s on 127.0.0.1:{node.port}")
        cluster, session = connect(node.port)
        partitions, total = load(node, session, memtable)
        query(session)
        good = node.stock or reads.act(node, session, partitions, say)
        cluster.shutdown()
        good = verify(node, partitions, total, crash(node)) and good
        node.stop()
    finally:
        node.kill()
    good = replacement.act(memtable, partitions, say, bar) and good
    if not node.stock:
        good = moving.act(partitions, say, bar) and good
    say(
        f"{'Nothing acknowledged was lost' if good else 'ROWS ARE MISSING OR WRONG'}"
        f" ({time.monotonic() - begin:.0f} s)."
        f" The single node's folder: {node.base}, {node.disk_bytes() / 2**20:.0f} MiB"
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
