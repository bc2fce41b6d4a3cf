# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""The third act: reads by key at an even rate while the JVM collects garbage, answered by Cassandra and by the door."""

import gc
import math
import multiprocessing
import os
import random
import time

from demo_parts import flights
from demo_parts.node import connect

READS_PER_SECOND = 200
WARM_UP_SECONDS = 2
SECONDS = 5
KEY = flights.COLUMNS[: flights.KEY_COLUMNS]
SELECT = f"SELECT {', '.join(flights.COLUMNS)} FROM demo.flights WHERE {' AND '.join(f'{name} = ?' for name in KEY)}"
ANSWERED = "SELECT count FROM cassiterite.front_door WHERE name = 'executes_answered'"


def read_evenly(session, select, rows, seconds):
    """Returns the seconds from when each read was due to its answer, and how many answers were wrong.

    A read that is late because the one before it was counts as the wait that it is."""
    latencies, wrong, begin = [], 0, time.monotonic()
    for number in range(seconds * READS_PER_SECOND):
        row, due = random.choice(rows), begin + number / READS_PER_SECOND
        time.sleep(max(0, due - time.monotonic()))
        found = session.execute(select, row[: flights.KEY_COLUMNS]).one()
        latencies.append(time.monotonic() - due)
        wrong += found is None or tuple(found) != row
    return latencies, wrong


def read(port, rows, warm, go, answer):
    """The reader's process: warms up, waits for `go`, puts what `read_evenly` returns, or what went wrong."""
    try:
        cluster, session = connect(port)
        select = session.prepare(SELECT)
        read_evenly(session, select, rows, WARM_UP_SECONDS)
        gc.disable()  # Python's own pauses
        warm.set()
        go.wait()
        answer.put(read_evenly(session, select, rows, SECONDS))
        cluster.shutdown()
    except Exception as error:  # the parent ends the demo with it
        warm.set()
        answer.put(error)


def measure(node, session, rows):
    """Reads during collections; returns (latencies, wrong answers, answers by native threads, pauses in seconds)."""
    context = multiprocessing.get_context("spawn")
    warm, go, answer = context.Event(), context.Event(), context.Queue()
    reader = context.Process(target=read, args=(node.port, rows, warm, go, answer), daemon=True)
    reader.start()
    if not warm.wait(60):
        raise SystemExit("demo: the reader did not start")
    answered, collected = session.execute(ANSWERED).one().count, len(node.full_collections())
    go.set()
    begin = time.monotonic()
    for second in range(SECONDS):
        time.sleep(max(0, begin + second + 0.3 - time.monotonic()))
        node.collect_garbage()
    result = answer.get(timeout=60)
    if isinstance(result, Exception):
        raise SystemExit(f"demo: a read failed: {result}")
    reader.join(30)
    answered = session.execute(ANSWERED).one().count - answered
    return *result, answered, node.full_collections()[collected:]


def report(mode, latencies, wrong, answered, pauses):
    latencies.sort()
    p99 = latencies[math.ceil(len(latencies) * 0.99) - 1]
    print(
        f"front_door: {mode:<5}  slowest read {latencies[-1] * 1000:6.1f} ms, P99 {p99 * 1000:6.1f} ms;"
        f" native threads answered {answered:,} of {len(latencies):,}; {wrong} answers wrong;"
        f" {len(pauses)} collections, the longest {max(pauses, default=0) * 1000:.0f} ms",
        flush=True,
    )


def act(node, session, partitions, say):
    """Plays it; whether every answer was right, and native threads answered."""
    say(
        "3. The front door: native threads answer prepared reads, and no garbage collection stops them."
        f" {READS_PER_SECOND} reads by key a second for {SECONDS} s, with System.gc() every second:"
        " first the door is off, then it answers"
    )
    print(
        f"Each read is timed from when it was due. Client, collector and native threads share {os.cpu_count()} cores.",
        flush=True,
    )
    rows = random.sample([row for flown in partitions.values() for row in flown], 1000)
    good = True
    for mode in ("off", "reads"):
        node.set("front_door", mode)
        latencies, wrong, answered, pauses = measure(node, session, rows)
        report(mode, latencies, wrong, answered, pauses)
        good = good and wrong == 0 and (mode == "off" or answered > 0)
    return good
