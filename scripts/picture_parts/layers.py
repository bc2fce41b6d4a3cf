# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""What lies on what in a node: the clients above, the files below. No figures."""

from picture_parts.svg import Drawing

LEFT, RIGHT = 16, 584
DOOR_RIGHT = 150
JAVA_LEFT = 176
DOOR = (
    "owns the sockets",
    "of CQL clients;",
    "answers reads of",
    "one partition, also",
    "while the JVM",
    "collects garbage",
)
SEAMS = (("schema", "lifecycle", "memtable", "index"), ("stream", "repair", "observe", "door's gates"))
PARTS = (("reads, writes", "tables, indexes", "compaction, purging"), ("export, receive", "snapshots", "durability"))


def box(drawing, left, top, right, bottom, ours=True):
    theme = drawing.theme
    fill, stroke = (theme.ours_box, theme.ours) if ours else (theme.box, theme.grid)
    drawing.rect(left, top, right - left, bottom - top, fill, stroke, 6)


def cells(drawing, left, top, right, rows):
    """Names in boxes of one width."""
    gap, height = 8, 26
    for row, names in enumerate(rows):
        width = (right - left - gap * (len(names) - 1)) / len(names)
        for place, name in enumerate(names):
            x, y = left + place * (width + gap), top + row * (height + gap)
            drawing.rect(x, y, width, height, drawing.theme.page, drawing.theme.grid, 4)
            drawing.write(x + width / 2, y + 17, name, 13, anchor="middle")


def front_door(drawing):
    box(drawing, LEFT, 84, DOOR_RIGHT, 268)
    x = (LEFT + DOOR_RIGHT) / 2
    drawing.write(x, 106, "Front door", 14, anchor="middle", bold=True)
    drawing.write(x, 124, "Rust; off by default", 12, drawing.theme.muted, "middle")
    for place, words in enumerate(DOOR):
        drawing.write(x, 150 + place * 18, words, 13, anchor="middle")


def draw(theme):
    drawing = Drawing(theme, 478, "The layers of a node: clients, Cassandra, the plug-in, the engine, RocksDB")
    box(drawing, LEFT, 12, RIGHT, 50, ours=False)
    drawing.write(300, 36, "CQL drivers, cqlsh, nodetool: unmodified", 14, anchor="middle", bold=True)
    drawing.arrow(83, 50, 83, 83)
    drawing.arrow(380, 50, 380, 83)
    drawing.write(388, 71, "without the door, and nodetool", 12, theme.muted)
    front_door(drawing)

    box(drawing, JAVA_LEFT, 84, RIGHT, 144, ours=False)
    drawing.write(JAVA_LEFT + 14, 107, "Apache Cassandra 5.0: unmodified", 14, bold=True)
    drawing.write(JAVA_LEFT + 14, 128, "ring, gossip, schema, coordination, hints, LWT", 13, theme.muted)
    drawing.arrow(DOOR_RIGHT, 114, JAVA_LEFT - 1, 114)
    drawing.arrow(380, 144, 380, 169)

    box(drawing, JAVA_LEFT, 170, RIGHT, 268)
    drawing.write(JAVA_LEFT + 14, 192, "Plug-in jar: Java, a package for each seam", 14, bold=True)
    cells(drawing, JAVA_LEFT + 14, 200, RIGHT - 14, SEAMS)

    drawing.arrow(83, 268, 83, 309)
    drawing.write(91, 293, "native reads", 12, theme.muted)
    drawing.arrow(380, 268, 380, 309)
    drawing.write(388, 293, "JNI: one call for a write", 12, theme.muted)

    box(drawing, LEFT, 310, RIGHT, 408)
    drawing.write(LEFT + 14, 332, "Engine and codec: Rust, outside of the Java heap", 14, bold=True)
    cells(drawing, LEFT + 14, 340, RIGHT - 14, PARTS)
    drawing.arrow(300, 408, 300, 433)

    box(drawing, LEFT, 434, RIGHT, 468, ours=False)
    drawing.write(300, 456, "RocksDB: one database for a node; log, memtables, files", 14, anchor="middle", bold=True)
    return drawing
