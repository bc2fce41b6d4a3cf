# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""What is committed in docs/pictures is what scripts/pictures.py draws from the raw results; the documents show it."""

import json
import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import pictures  # noqa: E402
from picture_parts import results  # noqa: E402
from picture_parts.svg import WIDTH  # noqa: E402

FOLDER = ROOT / "docs" / "pictures"
DOCUMENTS = [ROOT / "README.md", ROOT / "lab" / "README.md"]
DOCUMENTS += [path for product in (ROOT, ROOT / "lab") for path in (product / "docs").rglob("*.md")]


class PicturesTest(unittest.TestCase):
    def test_committed_pictures_are_those_of_the_raw_results(self):
        drawn = pictures.drawn()
        committed = {path.name: path.read_text() for path in FOLDER.glob("*.svg")}
        self.assertEqual(sorted(drawn), sorted(committed), "run `make pictures`, and commit docs/pictures")
        for name, text in drawn.items():
            self.assertEqual(text, committed[name], f"{name}: run `make pictures`, and commit docs/pictures")

    def test_shapes_are_within_the_page(self):
        for name, text in pictures.drawn().items():
            page = ElementTree.fromstring(text)
            height = float(page.get("height"))
            for shape in page:
                for across in ("x", "cx", "x1", "x2"):
                    self.assertTrue(0 <= float(shape.get(across, 0)) <= WIDTH, f"{name}: {shape.attrib}")
                for down in ("y", "cy", "y1", "y2"):
                    self.assertTrue(0 <= float(shape.get(down, 0)) <= height, f"{name}: {shape.attrib}")

    def test_light_and_dark_pictures_say_the_same(self):
        drawn = pictures.drawn()
        for name in pictures.PICTURES:
            words = [re.findall(r">([^<]+)</", drawn[f"{name}-{theme}.svg"]) for theme in ("light", "dark")]
            self.assertEqual(*words)

    def test_documents_show_each_picture_and_no_other(self):
        shown = set()
        for document in DOCUMENTS:
            for link in re.findall(r'src(?:set)?="([^"]+\.svg)"', document.read_text()):
                self.assertTrue((document.parent / link).is_file(), f"{document}: {link}")
                shown.add(Path(link).name)
        self.assertEqual(set(pictures.drawn()), shown)

    def test_a_round_without_its_figure_is_an_error(self):
        raw = {"settings": {"rounds": 2}, "runs": [{"engine": "stock", "figures": []}]}
        with self.assertRaises(ValueError):
            results.Comparison(raw).values("stock", "P50", "ms")


class RawResultsTest(unittest.TestCase):
    def test_each_raw_result_has_a_document(self):
        text = "".join(path.read_text() for path in DOCUMENTS)
        for path in results.BENCHMARKS.glob("*.json"):
            json.loads(path.read_text())
            self.assertTrue(path.name in text, f"no document names {path.name}")


if __name__ == "__main__":
    unittest.main()
