# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""Writers that go on until the node dies, and know which of their rows were acknowledged."""

import hashlib
import multiprocessing
import threading

from demo_parts.node import connect

TABLE = """
    CREATE TABLE demo.bookings (
        writer int, number int, seat text, passenger text,
        PRIMARY KEY ((writer), number)
    ) WITH memtable = '{memtable}'"""
WRITERS = 2
IN_FLIGHT = 64
PAGE_ROWS = 5000


def booking(writer, number):
    """What row (writer, number) holds: seat and passenger."""
    digest = hashlib.sha256(f"{writer}/{number}".encode()).hexdigest()
    return f"{int(digest[:2], 16) % 40 + 1}{'ABCDEF'[int(digest[2:4], 16) % 6]}", digest


def write_until_death(writer, port, started, answer):
    """One writer's process: puts (writer, numbers sent, list of acknowledged numbers)."""
    cluster, session = connect(port)
    insert = session.prepare("INSERT INTO demo.bookings (writer, number, seat, passenger) VALUES (?, ?, ?, ?)")
    free = threading.Semaphore(IN_FLIGHT)
    dead = threading.Event()
    acknowledged = []
    number = 0

    def on_success(_, mine):
        acknowledged.append(mine)
        free.release()

    def on_error(_):
        dead.set()
        free.release()

    started.set()
    while not dead.is_set():
        free.acquire()
        session.execute_async(insert, (writer, number, *booking(writer, number))).add_callbacks(
            on_success, on_error, callback_args=(number,)
        )
        number += 1
    answer.put((writer, number, list(acknowledged)))
    answer.close()
    answer.join_thread()
    cluster.shutdown()


class Writers:
    """The writers' processes. Their rows are in demo.bookings."""

    def __init__(self, port):
        context = multiprocessing.get_context("spawn")
        self.answers = context.Queue()
        self.started = [context.Event() for _ in range(WRITERS)]
        self.processes = [
            context.Process(target=write_until_death, args=(i, port, self.started[i], self.answers), daemon=True)
            for i in range(WRITERS)
        ]
        for process in self.processes:
            process.start()
        for event in self.started:
            if not event.wait(60):
                raise SystemExit("demo: a writer did not start")

    def results(self):
        """After the node's death: a list of (writer, numbers sent, acknowledged numbers)."""
        results = [self.answers.get(timeout=60) for _ in self.processes]
        for process in self.processes:
            process.join(30)
            if process.is_alive():
                process.kill()
        return results


def check(session, results):
    """Returns (acknowledged rows, of them lost, rows present, of them wrong or never sent)."""
    statement = session.prepare("SELECT number, seat, passenger FROM demo.bookings WHERE writer = ?")
    statement.fetch_size = PAGE_ROWS
    acknowledged = lost = present = wrong = 0
    for writer, sent, numbers in results:
        found = set()
        for row in session.execute(statement, (writer,)):
            found.add(row.number)
            if row.number >= sent or (row.seat, row.passenger) != booking(writer, row.number):
                wrong += 1
        acknowledged += len(numbers)
        lost += len(set(numbers) - found)
        present += len(found)
    return acknowledged, lost, present, wrong
