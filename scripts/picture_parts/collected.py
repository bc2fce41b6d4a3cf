# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""Reads with and without the door while the JVM stops: percentiles on a scale of powers of ten."""

from math import log10
from statistics import median

from picture_parts.results import DOOR, REQUESTS, STOCK, comparison, short
from picture_parts.svg import Drawing

QUANTILES = ("P50", "P95", "P99", "P99.9", "longest")
PANELS = (
    ("reads while the heap is collected", "Heap collected every second"),
    ("reads while objects are counted", "Objects counted, at a safepoint"),
)
LEAST_MS, MOST_MS = 0.1, 1000
TOP, BOTTOM = 62, 262
LEFT, PANEL, STEP = 66, 272, 48


def y(value_ms):
    share = (log10(value_ms) - log10(LEAST_MS)) / (log10(MOST_MS) - log10(LEAST_MS))
    return BOTTOM - (BOTTOM - TOP) * share


def panel(drawing, left, figure, title):
    theme = drawing.theme
    requests = comparison(REQUESTS)
    width = STEP * (len(QUANTILES) - 1)
    drawing.write(left - 30, TOP - 28, title, size=14, bold=True)
    for power in range(-1, 4):
        drawing.line(left - 4, y(10**power), left + width + 8, y(10**power))
        unit = " ms" if power == 3 else ""
        drawing.write(left - 9, y(10**power) + 4, f"{10**power:g}{unit}", 12, theme.muted, "end")
    for place, quantile in enumerate(QUANTILES):
        drawing.write(left + place * STEP, BOTTOM + 19, quantile, 12, theme.muted, "middle")
    for engine, name, stroke, below in ((STOCK, "stock", theme.stock, -9), (DOOR, "front door", theme.ours, 26)):
        rounds = [requests.values(engine, f"{figure}: {quantile}", "ms") for quantile in QUANTILES]
        xs = [left + place * STEP for place in range(len(QUANTILES))]
        band = list(zip(xs, map(max, rounds), strict=True)) + list(zip(xs, map(min, rounds), strict=True))[::-1]
        drawing.path([(x, y(value)) for x, value in band], fill=stroke, opacity="0.22")
        middles = [(x, y(median(values))) for x, values in zip(xs, rounds, strict=True)]
        drawing.path(middles, stroke)
        for x, middle in middles:
            drawing.circle(x, middle, 3.5, stroke)
        edge_ms = max(rounds[3]) if engine == STOCK else min(rounds[3])
        label = f"{name} {short(median(rounds[3]))}"
        drawing.write(xs[3], y(edge_ms) + below, label, 13, stroke, "middle", bold=True)


def draw(theme):
    requests = comparison(REQUESTS)
    drawing = Drawing(theme, 312, "Reads by key while the JVM stops: percentiles of stock and of the front door")
    for place, (figure, title) in enumerate(PANELS):
        panel(drawing, LEFT + place * (PANEL + 14), figure, title)
    rate = median(requests.values(STOCK, f"{PANELS[0][0]}: throughput", "1/s"))
    drawing.write(
        16,
        302,
        f"named: P99.9; shaded: least to most of {requests.rounds} rounds; {rate:.0f} reads/s; {requests.source}",
        12,
        theme.muted,
    )
    return drawing
