# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""The version stands in VERSION; the few files that cannot read it there have the same, and no other has any."""

import re
import subprocess
import unittest

# Golden files, measurements, other packages' versions.
OTHERS = re.compile(r"(^CHANGELOG\.md|\.json|\.jsonl|\.lock|\.xml|\.bin|^docs/(lab|benchmarks)/.*)$")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class VersionTest(unittest.TestCase):
    def setUp(self):
        self.version = read("VERSION").strip()

    def test_maven_and_cargo_have_it(self):
        self.assertRegex(self.version, r"^\d+\.\d+\.\d+$")
        self.assertEqual(f"-Drevision={self.version}\n", read(".mvn/maven.config"))
        for workspace in ("native/Cargo.toml", "lab/Cargo.toml"):
            text = read(workspace)
            self.assertIn(f'\n[workspace.package]\nversion = "{self.version}"\n', text)

    def test_no_other_file_repeats_it(self):
        pattern = f"cassiterite[-_ /a-z0-9.]*[-_ /]{self.version.replace('.', '[.]')}"
        found = subprocess.run(["git", "grep", "-lIiE", pattern], capture_output=True, text=True, check=False).stdout
        self.assertEqual([], [path for path in found.split() if not OTHERS.search(path)])


if __name__ == "__main__":
    unittest.main()
