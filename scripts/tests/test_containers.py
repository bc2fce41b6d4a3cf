# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""The commands of the Dockerfile in docs/operating/containers.md do to Cassandra's files what they should."""

import pathlib
import re
import subprocess
import tempfile
import unittest

from tree import ROOT

PAGE = ROOT / "docs" / "operating" / "containers.md"
ENTRY = "    cassiterite: {class_name: io.cassiterite.memtable.CassiteriteMemtable}\n"
YAML = """cluster_name: x
# memtable:
#   configurations:
memtable:
  configurations:
    skiplist:
      class_name: SkipListMemtable
    default:
      inherits: skiplist
other:
  configurations: none
"""
SNIPPET = ROOT / "config" / "cassandra" / "jvm-plugin.options"
OPTIONS = [line for line in SNIPPET.read_text().splitlines() if line.startswith("-")]


class ContainersTest(unittest.TestCase):
    def test_the_image_has_the_engine_and_keeps_the_rest(self):
        dockerfile = re.search(r"```dockerfile\n(.*?)```", PAGE.read_text(), re.DOTALL)[1]
        first, _, run = dockerfile.splitlines()
        self.assertTrue(first.startswith("FROM cassandra:5.0"))
        with tempfile.TemporaryDirectory() as folder:
            yaml = pathlib.Path(folder) / "cassandra.yaml"
            options = pathlib.Path(folder) / "jvm-server.options"
            yaml.write_text(YAML)
            options.write_text("-ea\n")
            command = run.removeprefix("RUN ").replace("/etc/cassandra", folder)
            subprocess.run(["/bin/sh", "-c", command], check=True)
            begin = "memtable:\n  configurations:\n    skip"
            self.assertEqual(YAML.replace(begin, begin.removesuffix("    skip") + ENTRY + "    skip"), yaml.read_text())
            self.assertEqual(["-ea", *OPTIONS], options.read_text().splitlines())

    def test_a_k8ssandra_cluster_has_the_engine_s_entry_and_options(self):
        resource = re.search(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)[1]
        listed = re.search(r"additionalJvmServerOptions:\n((?: +- .*\n)+)", resource)[1].splitlines()
        self.assertEqual(OPTIONS, [line.strip().removeprefix("- ") for line in listed])
        class_name = re.search(r"class_name: (\S+)}", ENTRY)[1]
        self.assertRegex(resource, rf"memtable:\n +configurations:\n +cassiterite:\n +class_name: {class_name}\n")


if __name__ == "__main__":
    unittest.main()
