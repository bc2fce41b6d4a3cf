# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""scripts/test_summary.py counts what ran, says what took long, and fails where something failed or nothing ran."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SUMMARY = Path(__file__).resolve().parents[1] / "test_summary.py"


def suite(name, seconds, tests, failures=0):
    return (
        f'<testsuite name="io.cassiterite.{name}" time="{seconds}" tests="{tests}" failures="{failures}" errors="0" '
        f'skipped="0"/>'
    )


def rust(binary, *cases):
    """nextest's report of one binary of tests; a case is its name, its seconds, and what else happened to it."""
    inner = {"failed": '<failure type="test failure"/>', "aborted": "<error/>", "skipped": "<skipped/>", "": ""}
    elements = "".join(
        f'<testcase name="{name}" classname="{binary}" time="{seconds}">{inner[how]}</testcase>'
        for name, seconds, how in cases
    )
    return f'<testsuites><testsuite name="{binary}">{elements}</testsuite></testsuites>'


NATIVE = "native/target/nextest/rust/junit.xml"
LAB = "lab/target/nextest/rust/junit.xml"
NODES = "lab/target/nextest/lab/junit.xml"
CLUSTER = "lab/target/nextest/cluster/junit.xml"


class TestSummaryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        self.write("build/test-begun", "")
        os.utime(self.path / "build/test-begun", (1000, 1000))
        self.write("build/test-stages", "lint 1060\nRust 1360\n")
        self.write("build/test-scripts.log", "Ran 7 tests in 1s\n\nOK\n")
        self.write(NATIVE, rust("engine", ("read::tests::a", 2.6, ""), ("b", 0.1, ""), ("by_hand", 0, "skipped")))
        self.write(LAB, rust("lab::cluster", ("c", 1, ""), ("node", 0, "skipped"), ("slow_cluster", 0, "skipped")))
        self.write(NODES, rust("lab::cluster", ("node", 44, "")))
        self.write("plugin/target/surefire-reports/TEST-a.xml", suite("ATest", 2.5, 3))
        self.write("nodetest/target/surefire-reports/TEST-b.xml", suite("nodetest.BTest", 61.2, 4))
        self.write("nodetest/target/surefire-reports/TEST-c.xml", suite("nodetest.CTest", 90, 1))

    def write(self, name, text):
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def run_summary(self):
        return subprocess.run([sys.executable, SUMMARY], cwd=self.path, capture_output=True, text=True, check=False)

    def test_counts_and_times_are_told(self):
        ran = self.run_summary()
        self.assertEqual(0, ran.returncode, ran.stderr)
        self.assertIn("19 tests passed (7 script, 4 Rust, 3 Java, 5 node), 0 failed, 2 skipped; lint clean", ran.stdout)
        self.assertIn("seconds: lint 60, Rust 300\n", ran.stdout)
        self.assertIn("Rust tests: 48 s in 4 tests: node 44, a 3, c 1, b 0\n", ran.stdout)
        self.assertIn("node tests: 151 s in 2 classes: CTest 90, BTest 61\n", ran.stdout)

    def test_what_had_no_time_is_named(self):
        late = '<testcase name="d" time="0"><skipped message="no time left"/></testcase>'
        other = '<testcase name="d" time="0"><skipped message="needs root"/></testcase>'
        for name, case in (("ETest", late), ("DTest", late), ("FTest", other)):
            head = suite(f"nodetest.{name}", 0, 1).replace('skipped="0"/>', 'skipped="1">')
            self.write(f"nodetest/target/surefire-reports/TEST-{name}.xml", f"{head}{case}</testsuite>")
        ran = self.run_summary()
        self.assertEqual(0, ran.returncode, ran.stderr)
        self.assertIn("no time was left for tests of 2 classes; make test-node runs them: DTest, ETest\n", ran.stdout)

    def test_the_lab_s_cluster_tests_of_the_day_count(self):
        self.write(CLUSTER, rust("lab::cluster", ("slow_cluster", 1600, "")))
        ran = self.run_summary()
        self.assertEqual(0, ran.returncode, ran.stderr)
        self.assertIn("5 Rust, 3 Java, 5 node), 0 failed, 1 skipped", ran.stdout)

    def test_a_failure_fails(self):
        self.write("plugin/target/surefire-reports/TEST-a.xml", suite("ATest", 2.5, 3, failures=1))
        ran = self.run_summary()
        self.assertEqual(1, ran.returncode)
        self.assertIn("1 failed", ran.stdout)

    def test_failed_tests_are_named(self):
        self.write(NATIVE, rust("engine::reads", ("a", 1, "failed"), ("b", 1, "aborted"), ("c", 1, "")))
        ran = self.run_summary()
        self.assertEqual(1, ran.returncode)
        self.assertIn("3 Rust, 3 Java, 5 node), 2 failed", ran.stdout)
        self.assertIn("failed: engine::reads a\nfailed: engine::reads b\n", ran.stderr)

    def test_a_stage_without_a_report_fails(self):
        for report in (NATIVE, LAB):
            with self.subTest(report):
                text = (self.path / report).read_text()
                (self.path / report).unlink()
                ran = self.run_summary()
                self.assertEqual(1, ran.returncode)
                self.assertIn(f"make test: {report} is missing: run make test-rust\n", ran.stderr)
                self.write(report, text)

    def test_the_lab_s_tests_with_nodes_may_be_left_out(self):
        (self.path / NODES).unlink()
        ran = self.run_summary()
        self.assertEqual(0, ran.returncode, ran.stderr)
        self.assertIn("3 Rust, 3 Java, 5 node), 0 failed, 3 skipped", ran.stdout)

    def test_a_report_that_tells_nothing_fails(self):
        broken = {
            "": "cannot be read",
            rust("engine"): "no test that ran",
            rust("e", ("a", 0, "skipped")): "no test that ran",
        }
        for report in (NODES, CLUSTER):
            for text, why in broken.items():
                with self.subTest(report + text):
                    self.write(report, text)
                    ran = self.run_summary()
                    self.assertEqual(1, ran.returncode)
                    self.assertIn(f"make test: {report}", ran.stderr)
                    self.assertIn(why, ran.stderr)

    def test_a_part_without_tests_fails(self):
        (self.path / "build/test-scripts.log").unlink()
        (self.path / "build/test-stages").unlink()
        ran = self.run_summary()
        self.assertEqual(1, ran.returncode)
        self.assertIn("no script tests ran", ran.stderr)
        self.assertIn("lint did not end", ran.stdout)
