#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""Makes config/monitoring/grafana-dashboard.json of the metrics in config/monitoring/metrics.tsv.

dashboard.py            writes it
dashboard.py --check    fails if it is not what this would write
"""

import csv
import json
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "config/monitoring"
LIST = FOLDER / "metrics.tsv"
DASHBOARD = FOLDER / "grafana-dashboard.json"

WIDTH = 24  # of Grafana's grid
HEIGHT = 8
NODE = 'instance=~"$instance"'
TABLE = NODE + ',keyspace=~"$keyspace"'
OF_TABLE = "{{instance}} {{keyspace}}.{{table}}"
SOURCE = {"type": "prometheus", "uid": "${datasource}"}


def metrics():
    """Of each metric by its name in Prometheus: kind, unit and help."""
    with LIST.open() as lines:
        return {f"cassiterite_{row['scope']}_{row['name']}": row for row in csv.DictReader(lines, delimiter="\t")}


def used(expression):
    """The engine's metrics of a PromQL expression."""
    return set(re.findall(r"\bcassiterite_\w+", expression))


class Panels:
    """Panels side by side in rows, each with the help of its metrics."""

    def __init__(self, known):
        self.known = known
        self.made = []
        self.x = self.y = 0

    def row(self, title):
        self._next_line()
        self._add({"type": "row", "title": title, "collapsed": False, "panels": []}, WIDTH, 1)
        self._next_line()

    def graph(self, title, unit, *targets, width=8):
        """Each target is an expression and its legend."""
        self._panel(
            "timeseries", title, unit, targets, width, {"custom": {"fillOpacity": 5, "showPoints": "never"}, "min": 0}
        )

    def stat(self, title, targets, width=6):
        """Green while 0."""
        steps = [{"color": "green", "value": None}, {"color": "red", "value": 1}]
        self._panel("stat", title, "short", targets, width, {"thresholds": {"mode": "absolute", "steps": steps}})

    def _panel(self, kind, title, unit, targets, width, defaults):
        names = sorted(set().union(*(used(expression) for expression, _ in targets)))
        queries = [
            {"datasource": SOURCE, "expr": expression, "legendFormat": legend, "refId": chr(ord("A") + number)}
            for number, (expression, legend) in enumerate(targets)
        ]
        panel = {
            "type": kind,
            "title": title,
            "description": "\n\n".join(self.known[name]["help"] for name in names),
            "datasource": SOURCE,
            "fieldConfig": {"defaults": {"unit": unit, **defaults}, "overrides": []},
            "targets": queries,
        }
        self._add(panel, width, HEIGHT)

    def _add(self, panel, width, height):
        if self.x + width > WIDTH:
            self._next_line()
        panel["id"] = len(self.made) + 1
        panel["gridPos"] = {"h": height, "w": width, "x": self.x, "y": self.y}
        self.made.append(panel)
        self.x += width
        self.height = height

    def _next_line(self):
        if self.x > 0:
            self.x, self.y = 0, self.y + self.height


def rate(metric, labels):
    return f"rate(cassiterite_{metric}{{{labels}}}[$__rate_interval])"


def panels(known):
    made = Panels(known)
    made.row("Health")
    made.stat("Takes no writes", [(f"cassiterite_store_background_error{{{NODE}}}", "{{instance}}")])
    failed = " + ".join(f"cassiterite_{cause}_times{{{NODE}}}" for cause in ("compaction_failed", "background_error"))
    made.stat("Failed flushes, compactions and logs", [(failed, "{{instance}}")])
    made.stat(
        "Values that cannot be read",
        [(f"sum by (instance) (cassiterite_table_merge_failures{{{NODE}}})", "{{instance}}")],
    )
    made.stat("Answers that differed", [(f"cassiterite_front_door_answers_different{{{NODE}}}", "{{instance}}")])
    made.row("Load")
    made.graph("Reads", "ops", (rate("table_reads", TABLE), OF_TABLE))
    made.graph("Writes", "ops", (rate("table_writes", TABLE), OF_TABLE))
    made.graph("Bytes written", "Bps", (rate("table_written_bytes", TABLE), OF_TABLE))
    made.row("Stalls")
    causes = ["writes_delayed", "writes_stopped", "table_behind", "memtables_full", "compaction_unlimited"]
    made.graph(
        "How often", "ops", *((rate(f"{cause}_times", NODE), "{{instance}} " + cause) for cause in causes), width=12
    )
    now = [cause for cause in causes if cause != "memtables_full"]
    made.graph(
        "Tables now",
        "short",
        *((f"cassiterite_{cause}_tables_now{{{NODE}}}", "{{instance}} " + cause) for cause in now),
        width=12,
    )
    made.row("Compaction")
    made.graph("Bytes to compact", "bytes", (f"cassiterite_table_pending_compaction_bytes{{{TABLE}}}", OF_TABLE))
    made.graph("Files of level 0", "short", (f"cassiterite_table_level0_files{{{TABLE}}}", OF_TABLE))
    made.graph("Received, to be merged in", "bytes", (f"cassiterite_table_side_family_bytes{{{TABLE}}}", OF_TABLE))
    made.row("Size")
    made.graph("Files", "bytes", (f"cassiterite_table_sst_bytes{{{TABLE}}}", OF_TABLE))
    made.graph("Number of files", "short", (f"cassiterite_table_sst_files{{{TABLE}}}", OF_TABLE))
    made.graph("Keys, estimated", "short", (f"cassiterite_table_keys_estimated{{{TABLE}}}", OF_TABLE))
    made.row("Memory")
    for name, title in (("block_cache", "Block cache"), ("write_buffers", "Memtables")):
        made.graph(
            title,
            "bytes",
            (f"cassiterite_{name}_used_bytes{{{NODE}}}", "{{instance}} used"),
            (f"cassiterite_{name}_limit_bytes{{{NODE}}}", "{{instance}} limit"),
        )
    made.graph("Open files", "bytes", (f"cassiterite_table_readers_used_bytes{{{NODE}}}", "{{instance}}"))
    made.row("Front door")
    made.graph(
        "EXECUTEs",
        "ops",
        (rate("front_door_executes_answered", NODE), "{{instance}} answered natively"),
        (rate("front_door_requests_execute", NODE), "{{instance}} all"),
    )
    passed = sorted(name.removeprefix("cassiterite_") for name in known if "_executes_passed_" in name)
    legends = ((rate(name, NODE) + " > 0", "{{instance}} " + name.partition("_passed_")[2]) for name in passed)
    made.graph("Passed on to Cassandra, by reason", "ops", *legends)
    made.graph("Connections", "short", (f"cassiterite_front_door_connections_open{{{NODE}}}", "{{instance}}"))
    return made.made


def variable(name, query):
    return {
        "name": name,
        "type": "query",
        "datasource": SOURCE,
        "query": {"query": query, "refId": name},
        "refresh": 2,
        "multi": True,
        "includeAll": True,
        "current": {"text": "All", "value": "$__all"},
    }


def dashboard():
    variables = [
        {"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Prometheus"},
        variable("instance", "label_values(cassiterite_store_background_error, instance)"),
        variable("keyspace", 'label_values(cassiterite_table_sst_bytes{instance=~"$instance"}, keyspace)'),
    ]
    return {
        "uid": "cassiterite",
        "title": "Cassiterite",
        "tags": ["cassandra", "cassiterite"],
        "schemaVersion": 39,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "templating": {"list": variables},
        "panels": panels(metrics()),
    }


def main():
    text = json.dumps(dashboard(), indent=1) + "\n"
    if sys.argv[1:] == ["--check"]:
        if DASHBOARD.read_text() != text:
            sys.exit(f"dashboard: {DASHBOARD} is not what scripts/dashboard.py writes: run it")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        DASHBOARD.write_text(text)


if __name__ == "__main__":
    main()
