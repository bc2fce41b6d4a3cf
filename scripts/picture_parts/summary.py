# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""The README's chart: what a read and a write at LOCAL_QUORUM cost, and how long a new node streams."""

from picture_parts import bars
from picture_parts.results import DOOR, ENGINE, QUORUM, STOCK, STREAM, comparison, streamed_gib, streaming_s, throttle
from picture_parts.svg import Drawing

CPU = "server CPU per operation"
COSTS = (("A read", f"reads, 8 connections: {CPU}"), ("A write", f"writes: {CPU}"))


def draw(theme):
    quorum = comparison(QUORUM)
    stream = comparison(STREAM)
    streams = [[streaming_s(one) for one in stream.replacements(engine)] for engine in (STOCK, ENGINE)]

    drawing = Drawing(theme, 348, "Stock Cassandra and Cassiterite: reads and writes at LOCAL_QUORUM; a replaced node")
    y = 10
    for request, figure in COSTS:
        costs = [quorum.values(engine, figure, "us") for engine in (STOCK, DOOR)]
        y = bars.pair(drawing, y, f"{request} at LOCAL_QUORUM of three replicas: CPU of all nodes", "us", *costs) + 10
    drawing.write(16, y + 12, f"dots: {quorum.rounds} rounds; front door on; {quorum.source}", 12, theme.muted)
    y = bars.pair(drawing, y + 30, f"A dead node replaced: streaming of {streamed_gib(stream):.1f} GiB", "s", *streams)
    drawing.write(
        16, y + 14, f"dots: {len(streams[0])} replacements each; {throttle(stream)}; {stream.source}", 12, theme.muted
    )
    return drawing
