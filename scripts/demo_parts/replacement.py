# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""The last act: in a cluster of three a node dies under load and is replaced."""

import time

from cassandra import ConsistencyLevel

from demo_parts import flights, writers
from demo_parts.clients import CLIENTS, ROWS_PER_SECOND, Clients
from demo_parts.cluster import NODES, Cluster
from demo_parts.node import connect

VICTIM = 3
LEAD_SECONDS = 5
RECEIVED = "SELECT status_init_timestamp, status_success_timestamp, bytes_to_receive FROM system_views.streaming"
SHARES = "SELECT direction_name, keyspace_name, whole_bytes, row_bytes FROM cassiterite.streams"
MEBIBYTE = 2**20


def fill(cluster, partitions, memtable, progress):
    """Every flight on all three nodes, compacted as after a quiet night: what a node has had for long."""
    connected, session = connect(cluster.port)
    session.execute(flights.keyspace(NODES))
    session.execute(flights.TABLE.format(memtable=memtable))
    session.execute(writers.TABLE.format(memtable=memtable))
    connected.shutdown()
    flights.load(cluster.port, partitions, progress)
    for number in range(1, NODES + 1):
        cluster.nodetool(number, "compact", "demo", "flights")


def replace_under_load(cluster):
    """Returns (the clients' results, their errors, seconds until the fresh node served, its number)."""
    clients = Clients([cluster.address(number) for number in range(1, NODES + 1)], cluster.port)
    time.sleep(LEAD_SECONDS)
    cluster.kill(VICTIM)
    begin = time.monotonic()
    fresh = cluster.replace(VICTIM)
    seconds = time.monotonic() - begin
    results, errors = clients.results()
    return results, errors, seconds, fresh


def streamed(cluster, number):
    """What the node itself recorded: (seconds of streaming, bytes, share of the bytes that came as whole files)."""
    connected, session = connect(cluster.port, [cluster.address(number)])
    plans = [row for row in session.execute(RECEIVED) if row.bytes_to_receive and row.status_success_timestamp]
    share = None
    if not cluster.stock:
        came = [row for row in session.execute(SHARES) if row.direction_name == "IN" and row.keyspace_name == "demo"]
        whole, rows = sum(row.whole_bytes for row in came), sum(row.row_bytes for row in came)
        share = whole / (whole + rows) if whole + rows else None
    connected.shutdown()
    seconds = sum((row.status_success_timestamp - row.status_init_timestamp).total_seconds() for row in plans)
    return seconds, sum(row.bytes_to_receive for row in plans), share


def verify(cluster, number, partitions, results, progress):
    """The other nodes go, so that what is found can only be the fresh node's own; whether nothing is missing."""
    others = [other for other in cluster.numbers() if other != number]
    for other in others:
        # It tells the fresh node that it goes: no read waits for it any more.
        cluster.nodetool(other, "drain")
    cluster.kill(*others)
    connected, session = connect(cluster.port, [cluster.address(number)], ConsistencyLevel.ONE)
    acknowledged, lost, present, wrong = writers.check(session, results)
    print(f"bookings: {acknowledged:,} acknowledged, {lost} lost; {present:,} present, {wrong} wrong")
    different = flights.differences(session, partitions, progress)
    print(f"flights: compared cell by cell, {different} different")
    connected.shutdown()
    return lost == 0 and wrong == 0 and different == 0 and acknowledged > 0


def act(memtable, partitions, say, bar):
    """Plays it; whether nothing was lost."""
    total = sum(len(rows) for rows in partitions.values())
    cluster = Cluster(stock=memtable != "cassiterite")
    try:
        say(
            f"6. Three nodes, {total:,} flights on each; {CLIENTS * ROWS_PER_SECOND} bookings per second at QUORUM; "
            f"node {VICTIM} dies and a fresh one takes its place"
        )
        cluster.up()
        with bar(total, "insert") as progress:
            fill(cluster, partitions, memtable, progress.update)
        results, errors, seconds, fresh = replace_under_load(cluster)
        streaming, received, share = streamed(cluster, fresh)
        whole = "" if share is None else f", {share:.0%} of the bytes as whole files, the rest rows not yet compacted"
        print(
            f"killed -9; {seconds:.1f} s later the fresh node serves (its start and the wait for the others included)"
        )
        print(f"streamed: {received / MEBIBYTE:,.0f} MiB in {streaming:.1f} s{whole}")
        print(
            f"errors that the clients saw: {', '.join(f'{count} x {name}' for name, count in errors.items()) or 'none'}"
        )
        say("7. The other two nodes are stopped: every acknowledged row must be on the fresh one")
        with bar(total, "compare") as progress:
            return verify(cluster, fresh, partitions, results, progress.update)
    finally:
        cluster.stop()
