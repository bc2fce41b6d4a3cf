# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""scripts/rust-tests.sh leaves the report of this run or fails, and no Rust test is outside of what it runs."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONFIGS = [ROOT / workspace / ".config/nextest.toml" for workspace in ("native", "lab")]
CRATES = ["native/*/Cargo.toml", "lab/*/Cargo.toml", "nodetest/drivers/rust/Cargo.toml"]

# In place of cargo-nextest: says what it was given; leaves a report in a workspace named `reports`.
NEXTEST = """#!/bin/sh
echo "$(basename "$PWD"): $*"
case $PWD in
*/fails) exit 100 ;;
*/reports*) mkdir -p target/nextest/rust && echo new > target/nextest/rust/junit.xml ;;
esac
"""


class RustTestsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        (self.path / "scripts").mkdir()
        for script in ("rust-tests.sh", "with-clippy.sh"):
            shutil.copy(ROOT / "scripts" / script, self.path / "scripts")
        self.nextest = self.path / "nextest"
        self.nextest.write_text(NEXTEST)
        self.nextest.chmod(0o755)

    def run_tests(self, *workspaces):
        for workspace in workspaces:
            self.report(workspace).parent.mkdir(parents=True)
            self.report(workspace).write_text("old")
        command = [self.path / "scripts/rust-tests.sh", "rust", *workspaces, "--", "--test", "reads"]
        env = {**os.environ, "NEXTEST": str(self.nextest)}
        return subprocess.run(command, env=env, capture_output=True, text=True, check=False)

    def report(self, workspace):
        return self.path / workspace / "target/nextest/rust/junit.xml"

    def test_each_workspace_is_run_with_the_options(self):
        ran = self.run_tests("reports", "reports-too")
        self.assertEqual(0, ran.returncode, ran.stderr)
        self.assertRegex(
            ran.stdout, r"^reports: nextest run --profile rust .*--test reads\nreports-too: .*--test reads\n$"
        )
        self.assertEqual("new\n", self.report("reports-too").read_text())

    def test_a_failure_fails_and_leaves_no_report_of_an_earlier_run(self):
        ran = self.run_tests("fails", "reports")
        self.assertEqual(100, ran.returncode)
        self.assertFalse(self.report("reports").exists())

    def test_a_run_without_a_report_fails(self):
        ran = self.run_tests("silent")
        self.assertEqual(1, ran.returncode)
        self.assertIn("rust-tests: the tests have left no silent/target/nextest/rust/junit.xml", ran.stderr)

    def test_another_way_is_told_where_pypi_has_no_nextest(self):
        (self.path / "config/python").mkdir(parents=True)
        shutil.copy(ROOT / "config/python/nextest.in", self.path / "config/python")
        (self.path / "scripts/python-env.sh").write_text("#!/bin/sh\nexit 1\n")
        (self.path / "scripts/python-env.sh").chmod(0o755)
        self.nextest = ""
        ran = self.run_tests("reports")
        self.assertEqual(1, ran.returncode)
        self.assertRegex(ran.stderr, r"cargo install --locked cargo-nextest --version \d+\.\d+\.\d+ --root build/")

    def test_there_is_one_version_of_nextest(self):
        pin = re.search(r"==(.*)", (ROOT / "config/python/nextest.in").read_text()).group(1)
        for config in CONFIGS:
            self.assertIn(f'nextest-version = {{ required = "{pin}" }}\n', config.read_text())

    def test_no_example_in_a_comment_is_a_test(self):
        """nextest does not run them."""
        example = re.compile(r"^\s*//[/!] *(```|~~~|    )", re.MULTILINE)
        sources = [source for crate in CRATES for toml in ROOT.glob(crate) for source in toml.parent.rglob("*.rs")]
        self.assertGreater(len(sources), 100)
        found = [str(source) for source in sources if example.search(source.read_text(encoding="utf-8"))]
        self.assertEqual([], found, "no Rust test may be a doctest: make each a #[test], for nextest runs no others")
