# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""The README's chart: what clients wait while the heap is collected, and how long a new node streams."""

from picture_parts import bars
from picture_parts.results import DOOR, ENGINE, REQUESTS, STOCK, STREAM, comparison, streamed_gib, streaming_s, throttle
from picture_parts.svg import Drawing

COLLECTED = "reads while the heap is collected"


def draw(theme):
    requests = comparison(REQUESTS)
    stream = comparison(STREAM)
    waits = [requests.values(engine, f"{COLLECTED}: P99.9", "ms") for engine in (STOCK, DOOR)]
    streams = [[streaming_s(one) for one in stream.replacements(engine)] for engine in (STOCK, ENGINE)]

    drawing = Drawing(theme, 246, "Stock Cassandra and Cassiterite: reads while the heap is collected; a replaced node")
    y = bars.pair(drawing, 10, "Reads while the JVM collects its heap every second: P99.9", "ms", *waits)
    drawing.write(16, y + 14, f"dots: {requests.rounds} rounds; front door on; {requests.source}", 12, theme.muted)
    y = bars.pair(drawing, y + 32, f"A dead node replaced: streaming of {streamed_gib(stream):.1f} GiB", "s", *streams)
    drawing.write(
        16, y + 14, f"dots: {len(streams[0])} replacements each; {throttle(stream)}; {stream.source}", 12, theme.muted
    )
    return drawing
