# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""A filled table of stock Cassandra moves into the engine and back out of it, while clients write to it."""

import time

from demo_parts import flights, writers
from demo_parts.clients import CLIENTS, ROWS_PER_SECOND, Clients
from demo_parts.node import ADDRESS, Node, connect

KEY = "memtable.configurations.fleet"
STOCK = f"{KEY}: {{class_name: TrieMemtable}}"
ENGINE = f"{KEY}: {{inherits: cassiterite}}"
# Of a table that leaves, 64 MiB may wait for the drain: more than all flights.
REST = "-Dcassiterite.move_rest_bytes=1048576"
TABLES = ("flights", "bookings")
MOVES = "SELECT table_name, direction, sstables, waits_for, last_error FROM cassiterite.moves"
READY = "nodetool drain; ready"
MOVE_SECONDS = 300
LEAD_SECONDS = 2
DAY = "origin = 'EWR' AND month = 3 AND day = 8"
DELAYS = f"SELECT count(*) AS flights, max(dep_delay) AS worst FROM demo.flights WHERE {DAY}"


def restart(node, stock, mapping):
    """Ends the node as an operator does, and starts it, with or without the plug-in; the seconds until it served."""
    node.nodetool("drain")
    node.stop()
    node.stock, node.yaml = stock, [mapping]
    return node.start()


def fill(node, partitions, progress):
    cluster, session = connect(node.port)
    session.execute(flights.keyspace(1))
    for table in (flights.TABLE, writers.TABLE):
        session.execute(table.format(memtable="fleet"))
    cluster.shutdown()
    flights.load(node.port, partitions, progress)


def await_moved(session, is_moved):
    """Until that is so of what `cassiterite.moves` has of the tables; the seconds that it took."""
    begin = time.monotonic()
    while True:
        moves = [row for row in session.execute(MOVES) if row.table_name in TABLES]
        if is_moved(moves):
            return time.monotonic() - begin
        if time.monotonic() - begin > MOVE_SECONDS:
            raise SystemExit(f"demo: not moved within {MOVE_SECONDS} s: {moves}")
        time.sleep(0.5)


def move_under_load(node, direction, is_moved, first_client):
    """Moves both tables while clients book; the clients' results, and whether they saw no error."""
    cluster, session = connect(node.port)
    clients = Clients([ADDRESS], node.port, first_client)
    time.sleep(LEAD_SECONDS)
    for table in TABLES:
        node.move("demo", table, direction)
    seconds = await_moved(session, is_moved)
    time.sleep(LEAD_SECONDS)
    delays = session.execute(DELAYS).one()
    results, errors = clients.results()
    cluster.shutdown()
    seen = ", ".join(f"{count} x {name}" for name, count in errors.items()) or "none"
    print(f"moved {direction} in {seconds:.1f} s, beside {CLIENTS * ROWS_PER_SECOND} bookings per second")
    print(f"errors that the clients saw: {seen}")
    print(f"meanwhile, of Newark's flights on 8 March: {delays.flights}, the worst {delays.worst} minutes late")
    return results, not errors


def all_ready(moves):
    return len(moves) == len(TABLES) and all((move.waits_for or "").startswith(READY) for move in moves)


def verify(node, partitions, results, progress):
    cluster, session = connect(node.port)
    acknowledged, lost, present, wrong = writers.check(session, results)
    print(f"bookings: {acknowledged:,} acknowledged, {lost} lost; {present:,} present, {wrong} wrong")
    different = flights.differences(session, partitions, progress)
    print(f"flights: compared cell by cell, {different} different")
    cluster.shutdown()
    return lost == 0 and wrong == 0 and different == 0 and acknowledged > 0


def act(partitions, say, bar):
    """Plays it; whether nothing was lost and no client saw an error."""
    total = sum(len(rows) for rows in partitions.values())
    node = Node(stock=True, folder="demo-move")
    node.yaml, node.jvm = [STOCK], [REST]
    try:
        say(f"8. Stock Cassandra, without the plug-in: {total:,} flights and their bookings in stock tables")
        print(f"up after {node.start():.1f} s")
        with bar(total, "insert") as progress:
            fill(node, partitions, progress.update)
        say("9. The plug-in is installed, the tables' memtable key mapped to the engine; the rows move in under load")
        print(f"up after {restart(node, stock=False, mapping=ENGINE):.1f} s; all rows are read from both homes")
        booked, good = move_under_load(node, "in", lambda moves: not moves, 0)
        say("10. The rows move out again, under load; a drain writes the rest, and the plug-in goes")
        results, also_good = move_under_load(node, "out", all_ready, CLIENTS)
        print(f"up after {restart(node, stock=True, mapping=STOCK):.1f} s, as stock Cassandra")
        with bar(total, "compare") as progress:
            return verify(node, partitions, booked + results, progress.update) and good and also_good
    finally:
        node.kill()
