#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""The Python driver for the node tests: answers the requests of ProgramSession, which come on standard input.

A request is a line of words with tabs between; an answer is a line with the number of its lines, and the lines.
"""

import sys

from cassandra.cluster import EXEC_PROFILE_DEFAULT, Cluster, ExecutionProfile
from cassandra.connection import locally_supported_compressions
from cassandra.policies import ConstantReconnectionPolicy, RoundRobinPolicy
from cassandra.query import UNSET_VALUE, tuple_factory

BOUND_S = 60
ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}


def escaped(line):
    return "".join(ESCAPES.get(character, character) for character in line)


def unescaped(word):
    parts = word.split("\\\\")
    return "\\".join(part.replace("\\t", "\t").replace("\\n", "\n") for part in parts)


class Program:
    def __init__(self):
        self.cluster = None
        self.session = None
        self.statements = {}
        self.latest = ()

    def open(self, host, port, version, compression, keyspace):
        if compression != "none" and compression not in locally_supported_compressions:
            return [f"this Python has no {compression}"]
        profile = ExecutionProfile(
            load_balancing_policy=RoundRobinPolicy(), request_timeout=BOUND_S, row_factory=tuple_factory
        )
        self.cluster = Cluster(
            [host],
            port=int(port),
            protocol_version=int(version),
            compression=False if compression == "none" else compression,
            execution_profiles={EXEC_PROFILE_DEFAULT: profile},
            reconnection_policy=ConstantReconnectionPolicy(0.2, max_attempts=None),
            schema_event_refresh_window=0,
            connect_timeout=BOUND_S,
            # This is how the driver learns that the connection for events is gone.
            idle_heartbeat_interval=1,
            control_connection_timeout=BOUND_S,
        )
        self.session = self.cluster.connect(keyspace or None)
        return []

    def prepare(self, name, cql):
        prepared = self.session.prepare(cql)
        self.statements[name] = prepared
        return [f"variables {columns(prepared.column_metadata)}", f"columns {columns(prepared.result_metadata)}"]

    def execute(self, name, page_rows, *words):
        return self.rows(self.session.execute(self.bound(name, page_rows, words)))

    def page(self, name, page_rows, state, *words):
        result = self.session.execute(
            self.bound(name, page_rows, words), paging_state=bytes.fromhex(state) if state else None
        )
        lines = self.described(result, result.current_rows)
        lines.append(f"next {result.paging_state.hex()}" if result.paging_state else "last")
        return lines

    def concurrently(self, name, count):
        statement = self.statements[name]
        results = [self.session.execute_async(statement.bind([number])) for number in range(int(count))]
        return [line for future in results for line in self.rows(future.result())]

    def query(self, cql):
        return self.rows(self.session.execute(cql))

    def use(self, keyspace):
        self.session.set_keyspace(keyspace)
        return []

    def keyspace(self, name):
        keyspace = self.cluster.metadata.keyspaces.get(name)
        return keyspace.export_as_string().splitlines() if keyspace else []

    def nodes(self):
        metadata = self.cluster.metadata
        lines = [
            f"{host.endpoint} up={host.is_up} {host.datacenter} {host.rack} {host.release_version} {host.host_id}"
            for host in metadata.all_hosts()
        ]
        lines.append(f"{metadata.partitioner} {[str(token) for token in metadata.token_map.ring]}")
        lines.append(f"replicas {len(metadata.get_replicas('drivers', bytes(4)))}")
        return lines

    def bound(self, name, page_rows, words):
        bound = self.statements[name].bind(self.named(words) or [self.value(word) for word in words])
        bound.fetch_size = int(page_rows)
        return bound

    def named(self, words):
        parts = [word.split(":", 2) for word in words if word.startswith("named:")]
        return {name: self.value(word) for _, name, word in parts}

    def value(self, word):
        kind, _, text = word.partition(":")
        if kind == "cell":
            return self.latest[int(text)]
        return {"int": int, "text": str, "null": lambda _: None, "unset": lambda _: UNSET_VALUE}[kind](text)

    def rows(self, result):
        return self.described(result, result)

    def described(self, result, rows):
        lines = [f"columns {list(zip(result.column_names or [], result.column_types or [], strict=True))}"]
        for row in rows:
            self.latest = row
            lines.append(repr(row))
        lines += [f"warning {warning}" for warning in result.response_future.warnings or []]
        return lines

    def answer(self, request, *words):
        try:
            return getattr(self, request)(*words)
        except Exception as e:
            text = getattr(e, "errors", None) or e
            return [f"error {type(e).__name__}: {text}"]


def columns(metadata):
    return [(column.keyspace_name, column.table_name, column.name, str(column.type)) for column in metadata or []]


def main():
    program = Program()
    for line in sys.stdin:
        lines = program.answer(*[unescaped(word) for word in line.rstrip("\n").split("\t")])
        print(len(lines), *map(escaped, lines), sep="\n", flush=True)
    if program.cluster:
        program.cluster.shutdown()


if __name__ == "__main__":
    main()
