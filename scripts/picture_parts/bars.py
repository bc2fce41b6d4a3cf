# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""Two bars, one below the other: the medians of stock and of ours. Dots are the single measurements."""

from statistics import median

from picture_parts.results import short

LEFT = 160
RIGHT = 500
BAR = 20
STEP = 30
HEIGHT = 24 + 2 * STEP


def pair(drawing, y, title, unit, stock, ours, our_name="Cassiterite"):
    """Draws them below y, and returns where the next may begin."""
    theme = drawing.theme
    drawing.write(16, y + 14, title, size=15, bold=True)
    most = max(*stock, *ours)

    def x(value):
        return LEFT + (RIGHT - LEFT) * value / most

    for place, (name, values, fill) in enumerate([("stock", stock, theme.stock), (our_name, ours, theme.ours)]):
        top = y + 26 + place * STEP
        middle = median(values)
        drawing.write(LEFT - 10, top + 15, name, anchor="end", fill=theme.ink)
        drawing.rect(LEFT, top, max(x(middle) - LEFT, 1), BAR, fill)
        for value in sorted(values):
            drawing.circle(x(value), top + BAR / 2, 3.5, theme.page, theme.ink)
        drawing.write(x(max(values)) + 12, top + 15, f"{short(middle)} {unit}", size=14, bold=True)
    return y + HEIGHT
