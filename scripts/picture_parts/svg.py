# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""Shapes and text in an SVG file, with the colours of a light and a dark page."""

from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

WIDTH = 600
FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"


@dataclass(frozen=True)
class Theme:
    name: str
    page: str
    ink: str
    muted: str
    grid: str
    stock: str
    ours: str
    box: str
    ours_box: str


LIGHT = Theme("light", "#ffffff", "#1f2328", "#59636e", "#d1d9e0", "#6e7781", "#0969da", "#f6f8fa", "#ddf4ff")
DARK = Theme("dark", "#0d1117", "#f0f6fc", "#9198a1", "#3d444d", "#848d97", "#4493f8", "#151b23", "#0c2d6b")


def number(value):
    """A coordinate: at most one decimal, so that a file is the same on each machine."""
    return f"{value:.1f}".removesuffix(".0")


class Drawing:
    def __init__(self, theme, height, title):
        self.theme = theme
        self.height = height
        self.title = title
        self.shapes = []
        self.rect(0, 0, WIDTH, height, theme.page)

    def shape(self, tag, content=None, **attributes):
        words = "".join(
            f" {name.replace('_', '-')}={quoteattr(value if isinstance(value, str) else number(value))}"
            for name, value in attributes.items()
            if value is not None
        )
        self.shapes.append(f"  <{tag}{words}/>" if content is None else f"  <{tag}{words}>{escape(content)}</{tag}>")

    def rect(self, x, y, width, height, fill, stroke=None, radius=None, opacity=None):
        self.shape(
            "rect", x=x, y=y, width=width, height=height, rx=radius, fill=fill, fill_opacity=opacity, stroke=stroke
        )

    def line(self, x1, y1, x2, y2, stroke=None, width=1, dash=None):
        stroke = stroke or self.theme.grid
        self.shape("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke, stroke_width=width, stroke_dasharray=dash)

    def circle(self, x, y, radius, fill, stroke=None):
        self.shape("circle", cx=x, cy=y, r=radius, fill=fill, stroke=stroke)

    def path(self, points, stroke=None, fill="none", width=2, opacity=None):
        way = "M" + " L".join(f"{number(x)} {number(y)}" for x, y in points)
        self.shape(
            "path", d=way, fill=fill, stroke=stroke, stroke_width=width if stroke else None, fill_opacity=opacity
        )

    def arrow(self, x1, y1, x2, y2, stroke=None):
        """Straight down, up, or to the right."""
        stroke = stroke or self.theme.muted
        self.line(x1, y1, x2, y2, stroke, 1.5)
        tip = 5
        if x1 == x2:
            back = -tip if y2 > y1 else tip
            points = [(x2, y2), (x2 - tip, y2 + back), (x2 + tip, y2 + back), (x2, y2)]
        else:
            points = [(x2, y2), (x2 - tip, y2 - tip), (x2 - tip, y2 + tip), (x2, y2)]
        self.path(points, fill=stroke)

    def write(self, x, y, words, size=13, fill=None, anchor=None, bold=False):
        self.shape(
            "text",
            words,
            x=x,
            y=y,
            font_size=size,
            fill=fill or self.theme.ink,
            text_anchor=anchor,
            font_weight="600" if bold else None,
        )

    def text(self):
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{self.height}"'
            f' viewBox="0 0 {WIDTH} {self.height}" role="img" font-family="{FONT}">'
        )
        return "\n".join([head, f"  <title>{escape(self.title)}</title>", *self.shapes, "</svg>", ""])
