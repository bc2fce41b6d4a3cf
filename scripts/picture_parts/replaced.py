# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""A dead node is replaced: how long the new one streams and joins, and what that costs."""

from picture_parts import bars
from picture_parts.results import ENGINE, STOCK, STREAM, comparison, cpu_s_per_gib, joining_s, streamed_gib, streaming_s
from picture_parts.svg import Drawing


def draw(theme):
    stream = comparison(STREAM)
    engines = [stream.replacements(engine) for engine in (STOCK, ENGINE)]
    panels = [
        (f"Streaming of {streamed_gib(stream):.1f} GiB", "s", streaming_s),
        ("CPU of senders and receiver", "s/GiB", cpu_s_per_gib),
        ("Start of the new node until it is UN", "s", joining_s),
    ]
    drawing = Drawing(theme, 332, "A replaced node: streaming time, CPU and time until UN, stock and Cassiterite")
    y = 10
    for title, unit, of in panels:
        y = bars.pair(drawing, y, title, unit, *([of(one) for one in some] for some in engines)) + 12
    settings = stream.raw["settings"]
    drawing.write(
        16,
        y + 8,
        f"{settings['nodes']} nodes, {settings['vnodes']} vnodes, RF {settings['replication_factor']};"
        f" dots: {len(engines[0])} replacements of one cluster each; {stream.source}",
        12,
        theme.muted,
    )
    return drawing
