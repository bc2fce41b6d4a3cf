# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""The raw results that pictures show. Nothing here rounds or invents: a figure is what a run has measured."""

import json
from datetime import datetime, timezone
from functools import cache
from pathlib import Path
from statistics import median

BENCHMARKS = Path(__file__).resolve().parents[2] / "docs" / "benchmarks"
# The present results. A newer run takes its place here, and in the documents.
QUORUM = "quorum-2026-12-01.json"
REQUESTS = "requests-2026-11-27-compacted.json"
STREAM = "stream-2026-11-27.json"

STOCK = "stock"
DOOR = "cassiterite-door"
ENGINE = "cassiterite"
GIB = 2**30


class Comparison:
    def __init__(self, raw):
        self.raw = raw

    @property
    def source(self):
        """The commit and the day of the run."""
        environment = self.raw["environment"]
        day = datetime.fromtimestamp(environment["when_unix_s"], timezone.utc).date()
        return f"{environment['software']['commit'][:7]}, {day}"

    @property
    def rounds(self):
        return self.raw["settings"]["rounds"]

    def values(self, engine, name, unit):
        """The figure in each round."""
        found = [
            figure["value"]
            for run in self.raw["runs"]
            if run["engine"] == engine
            for figure in run["figures"]
            if (figure["name"], figure["unit"]) == (name, unit)
        ]
        if len(found) != self.rounds:
            raise ValueError(f"{name} of {engine}: {len(found)} values for {self.rounds} rounds")
        return found

    def replacements(self, engine):
        return [one for run in self.raw["runs"] if run["engine"] == engine for one in run["replacements"]]


@cache
def comparison(name):
    return Comparison(json.loads((BENCHMARKS / name).read_text()))


def streaming_s(one):
    return one["streaming_s"]


def joining_s(one):
    return one["joining_s"]


def cpu_s_per_gib(one):
    return (one["senders"]["cpu_s"] + one["receiver"]["cpu_s"]) / (one["bytes"] / GIB)


def throttle(stream):
    """What the nodes' streams were held to."""
    return "not throttled" if ["stream_throughput_outbound", "0MiB/s"] in stream.raw["settings"]["set"] else "throttled"


def streamed_gib(stream):
    """What both engines send, by the mean of their medians."""
    per_engine = [median(one["bytes"] for one in stream.replacements(engine)) / GIB for engine in (STOCK, ENGINE)]
    return sum(per_engine) / len(per_engine)


def short(value):
    """Three digits, as in the documents; two below ten."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2g}"
