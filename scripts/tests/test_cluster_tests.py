# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""The list of cluster tests: complete, and parted so that each of them runs within a week."""

import datetime
import glob
import os
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import cluster_tests

DAY = datetime.date(2026, 11, 28)


def made(**seconds):
    return [
        {"test": name, "part": "3", "seconds": str(took), "passed": "", "commit": ""} for name, took in seconds.items()
    ]


class ClusterTestsTest(unittest.TestCase):
    def test_the_list_has_every_cluster_test(self):
        tagged = set()
        for path in glob.glob("nodetest/src/test/**/*.java", recursive=True):
            with open(path, encoding="utf-8") as file:
                if re.search(r'@Tag\("cluster"\)', file.read()):
                    tagged.add(os.path.basename(path).removesuffix(".java"))
        with open("Makefile", encoding="utf-8") as makefile:
            lab = re.search(r"^LAB_CLUSTER_TESTS := (.*)$", makefile.read(), re.MULTILINE).group(1).split()
        listed = [test["test"] for test in cluster_tests.read()]
        self.assertEqual(sorted(listed), sorted(tagged | {"lab:" + name for name in lab}))

    def test_seven_parts_have_each_of_them_once(self):
        tests = cluster_tests.read()
        parts = [cluster_tests.of_part(tests, str(part)) for part in range(cluster_tests.PARTS)]
        self.assertTrue(all(any(not test["test"].startswith("lab:") for test in part) for part in parts))
        daily = [test["test"] for test in tests if test["part"] != "-"]
        self.assertEqual(sorted(test["test"] for part in parts for test in part), sorted(daily))
        self.assertEqual(cluster_tests.of_part(tests, "all"), tests)

    def test_only_what_passed_is_noted(self):
        tests = made(Good=1, Bad=1, Skipped=1, NotRun=1, **{"lab:load": 7})
        suite = '<testsuite name="io.{}" tests="2" errors="0" failures="{}" skipped="{}" time="12.6"/>'
        reports = [("Good", 0, 0), ("Bad", 1, 0), ("Skipped", 0, 2), ("Other", 0, 0)]
        tests.append(dict(made(Other=1)[0], part="4"))
        cluster_tests.mark(tests, "3", [ElementTree.fromstring(suite.format(*each)) for each in reports], DAY, "abc")
        passed = {test["test"]: (test["seconds"], test["passed"]) for test in tests if test["passed"]}
        self.assertEqual(passed, {"Good": ("13", "2026-11-28"), "lab:load": ("7", "2026-11-28")})
        self.assertEqual(cluster_tests.stale(tests, DAY), ["Bad", "Skipped", "NotRun", "Other"])
        self.assertEqual(len(cluster_tests.stale(tests, DAY + datetime.timedelta(days=8))), 6)

    def test_the_list_is_written_as_it_was_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "list.tsv")
            cluster_tests.write(cluster_tests.read(), path)
            with open(path, encoding="utf-8") as copy, open(cluster_tests.LIST, encoding="utf-8") as original:
                self.assertEqual(copy.read(), original.read())
