# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""The list of cluster tests: complete, and parted so that each of them runs within a week."""

import contextlib
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
import test_reports

DAY = datetime.date(2026, 11, 28)


def made(**seconds):
    return [
        {"test": name, "part": "3", "seconds": str(took), "passed": "", "commit": ""} for name, took in seconds.items()
    ]


class ClusterTestsTest(unittest.TestCase):
    @contextlib.contextmanager
    def in_folder(self):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                yield
            finally:
                os.chdir(before)

    def report(self, text):
        os.makedirs(os.path.dirname(test_reports.LAB_CLUSTER), exist_ok=True)
        with open(test_reports.LAB_CLUSTER, "w", encoding="utf-8") as file:
            file.write(text)

    def test_the_list_has_every_cluster_test(self):
        tagged = set()
        for path in glob.glob("nodetest/src/test/**/*.java", recursive=True):
            with open(path, encoding="utf-8") as file:
                if re.search(r'@Tag\("cluster"\)', file.read()):
                    tagged.add(os.path.basename(path).removesuffix(".java"))
        with open("Makefile", encoding="utf-8") as makefile:
            lab = re.search(r"^LAB_CLUSTER_TESTS := (.*)$", makefile.read(), re.MULTILINE).group(1).split()
        listed = [test["test"] for test in cluster_tests.read()]
        self.assertEqual(sorted(set(listed)), sorted(listed))
        self.assertEqual({name.split("::")[0] for name in listed}, tagged | {"lab:" + name for name in lab})
        for binary in {name.split("::")[0].removeprefix("lab:") for name in listed if "::" in name}:
            self.assertNotIn("lab:" + binary, listed)
            (path,) = glob.glob(f"lab/*/tests/{binary}.rs")
            with open(path, encoding="utf-8") as file:
                tests = re.findall(r"^#\[test\]\n#\[ignore.*\]\nfn (\w+)", file.read(), re.MULTILINE)
            self.assertEqual({f"lab:{binary}::{test}" for test in tests}, {name for name in listed if binary in name})

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
        self.assertEqual(passed, {"Good": ("13", "2026-11-28")})
        self.assertEqual(cluster_tests.stale(tests, DAY), ["Bad", "Skipped", "NotRun", "lab:load", "Other"])
        self.assertEqual(len(cluster_tests.stale(tests, DAY + datetime.timedelta(days=8))), 6)

    def test_of_the_lab_too_only_what_passed_is_noted(self):
        suite = (
            '<testsuite name="cassiterite-lab-cli::{}" tests="2" skipped="0" errors="0" failures="{}">'
            '<testcase name="one" time="100.2"/><testcase name="other" time="20.3">{}</testcase></testsuite>'
        )
        with self.in_folder():
            bad = suite.format("bad", 1, "<failure/>")
            self.report("<testsuites>" + suite.format("good", 0, "") + bad + "</testsuites>")
            names = ["lab:good", "lab:bad", "lab:not_run", "lab:bad::one", "lab:bad::other"]
            tests = made(**dict.fromkeys(names, 7))
            reports = cluster_tests.lab_reports([test["test"] for test in tests])
            cluster_tests.mark(tests, "3", reports, DAY, "abc")
        self.assertEqual([test["passed"] for test in tests], ["2026-11-28", "", "", "2026-11-28", ""])
        self.assertEqual([test["seconds"] for test in tests], ["120", "7", "7", "100", "7"])

    def test_the_lab_s_tests_are_chosen_by_binary_or_by_name(self):
        self.assertEqual(cluster_tests.filterset(["Java"]), "")
        chosen = cluster_tests.filterset(["lab:plan", "Java", "lab:compare::scan"])
        self.assertEqual(chosen, "binary(=plan) + binary(=compare) & test(=scan)")

    def test_the_lab_s_report_is_wanted_where_the_part_has_a_test_of_the_lab(self):
        with self.in_folder():
            self.assertEqual(list(cluster_tests.lab_reports(["Good"])), [])
            with self.assertRaisesRegex(ValueError, "junit.xml is missing"):
                list(cluster_tests.lab_reports(["Good", "lab:good"]))
            self.report("<testsuites/>")
            with self.assertRaisesRegex(ValueError, "has no test that ran"):
                list(cluster_tests.lab_reports(["lab:good"]))

    def test_the_list_is_written_as_it_was_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "list.tsv")
            cluster_tests.write(cluster_tests.read(), path)
            with open(path, encoding="utf-8") as copy, open(cluster_tests.LIST, encoding="utf-8") as original:
                self.assertEqual(copy.read(), original.read())
