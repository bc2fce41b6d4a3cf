# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""Clients of a cluster that book seats at an even rate, whatever becomes of its nodes.

They know which rows were acknowledged."""

import multiprocessing
import threading
import time

from cassandra import ConsistencyLevel

from demo_parts.node import connect
from demo_parts.writers import booking

CLIENTS = 2
ROWS_PER_SECOND = 200
IN_FLIGHT = 512


def write(client, addresses, port, stop, started, answer):
    """One client's process: puts (client, numbers sent, list of acknowledged numbers, errors by their names)."""
    cluster, session = connect(port, addresses, ConsistencyLevel.QUORUM)
    insert = session.prepare("INSERT INTO demo.bookings (writer, number, seat, passenger) VALUES (?, ?, ?, ?)")
    # The same row again is the same row: the driver may ask another node when one is gone.
    insert.is_idempotent = True
    free = threading.Semaphore(IN_FLIGHT)
    acknowledged, errors, number = [], {}, 0

    def on_success(_, mine):
        acknowledged.append(mine)
        free.release()

    def on_error(error):
        name = type(error).__name__
        errors[name] = errors.get(name, 0) + 1
        free.release()

    started.set()
    begin = time.monotonic()
    while not stop.is_set():
        if number / ROWS_PER_SECOND > time.monotonic() - begin:
            time.sleep(0.002)
            continue
        free.acquire()
        session.execute_async(insert, (client, number, *booking(client, number))).add_callbacks(
            on_success, on_error, callback_args=(number,)
        )
        number += 1
    for _ in range(IN_FLIGHT):
        free.acquire(timeout=30)
    answer.put((client, number, list(acknowledged), dict(errors)))
    answer.close()
    answer.join_thread()
    cluster.shutdown()


class Clients:
    """The clients' processes. Their rows are in demo.bookings."""

    def __init__(self, addresses, port, first=0):
        """Their numbers begin with `first`: each number books seats of its own."""
        context = multiprocessing.get_context("spawn")
        self.answers, self.stop = context.Queue(), context.Event()
        started = [context.Event() for _ in range(CLIENTS)]
        self.processes = [
            context.Process(
                target=write, args=(first + i, addresses, port, self.stop, started[i], self.answers), daemon=True
            )
            for i in range(CLIENTS)
        ]
        for process in self.processes:
            process.start()
        for event in started:
            if not event.wait(60):
                raise SystemExit("demo: a client did not start")

    def results(self):
        """Ends the load: a list of (client, numbers sent, acknowledged numbers), and the errors by their names."""
        self.stop.set()
        answers = [self.answers.get(timeout=120) for _ in self.processes]
        for process in self.processes:
            process.join(30)
        errors = {}
        for _, _, _, mine in answers:
            for name, count in mine.items():
                errors[name] = errors.get(name, 0) + count
        return [answer[:3] for answer in answers], errors
