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


class TestSummaryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        self.write("build/test-begun", "")
        os.utime(self.path / "build/test-begun", (1000, 1000))
        self.write("build/test-stages", "lint 1060\nRust 1360\n")
        self.write("build/test-scripts.log", "Ran 7 tests in 1s\n\nOK\n")
        self.write("build/test-rust.log", "test result: ok. 5 passed; 0 failed; 1 ignored\n")
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
        self.assertIn("20 tests passed (7 script, 5 Rust, 3 Java, 5 node), 0 failed", ran.stdout)
        self.assertIn("seconds: lint 60, Rust 300\n", ran.stdout)
        self.assertIn("node tests: 151 s in 2 classes: CTest 90, BTest 61\n", ran.stdout)

    def test_a_failure_fails(self):
        self.write("plugin/target/surefire-reports/TEST-a.xml", suite("ATest", 2.5, 3, failures=1))
        ran = self.run_summary()
        self.assertEqual(1, ran.returncode)
        self.assertIn("1 failed", ran.stdout)

    def test_a_part_without_tests_fails(self):
        self.write("build/test-rust.log", "")
        ran = self.run_summary()
        self.assertEqual(1, ran.returncode)
        self.assertIn("no Rust tests ran", ran.stderr)
