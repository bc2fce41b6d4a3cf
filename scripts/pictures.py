#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""Draws the pictures of the documents, light and dark, from the raw results in docs/benchmarks. `make pictures` runs
it; a test compares what is committed with what it draws."""

import argparse
from pathlib import Path

from picture_parts import collected, layers, replaced, summary
from picture_parts.svg import DARK, LIGHT

ROOT = Path(__file__).resolve().parents[1]
PICTURES = {
    "summary": summary.draw,
    "reads-while-the-jvm-stops": collected.draw,
    "replaced-node": replaced.draw,
    "layers": layers.draw,
}


def drawn():
    """The text of each file, by its name."""
    return {
        f"{name}-{theme.name}.svg": draw(theme).text() for name, draw in PICTURES.items() for theme in (LIGHT, DARK)
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=ROOT / "docs" / "pictures", help="where the files go")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in drawn().items():
        (folder / name).write_text(text)
        print(folder / name)


if __name__ == "__main__":
    main()
