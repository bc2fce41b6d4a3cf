# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""scripts/cassandra-home.sh takes the pinned jars, all of them and no others."""

import hashlib
import unittest

from tree import Tree

JARS = {"cassandra-all-5.0.9.jar": b"Cassandra", "guava.jar": b"Guava"}


class CassandraHomeTest(unittest.TestCase):
    def setUp(self):
        self.tree = Tree(self)
        self.pin(JARS)
        for name, content in JARS.items():
            (self.tree.handed_out / name).write_bytes(content)

    def pin(self, jars):
        lines = [f"{hashlib.sha256(jars[name]).hexdigest()}  {name}\n" for name in sorted(jars)]
        (self.tree.path / "config" / "cassandra-home.sha256").write_text("".join(lines))

    def assert_taken(self):
        ran = self.tree.run("cassandra-home.sh")
        self.assertEqual(0, ran.returncode, ran.stderr)
        return ran

    def assert_refused(self, name):
        ran = self.tree.run("cassandra-home.sh")
        self.assertNotEqual(0, ran.returncode)
        self.assertIn("config/cassandra-home.sha256", ran.stderr)
        self.assertIn(name, ran.stderr)
        self.assertFalse((self.tree.path / "build" / "cassandra" / "version").exists())

    def test_the_pinned_jars_are_taken_once(self):
        self.assertIn("from Maven Central", self.assert_taken().stdout)
        self.assertEqual("", self.assert_taken().stdout)

    def test_another_pin_fetches_again(self):
        self.assert_taken()
        self.pin({**JARS, "guava.jar": b"Guava, newer"})
        self.assert_refused("guava.jar")

    def test_an_altered_jar_is_refused(self):
        (self.tree.handed_out / "guava.jar").write_bytes(b"Guava?")
        self.assert_refused("guava.jar")

    def test_a_further_jar_is_refused(self):
        (self.tree.handed_out / "further.jar").write_bytes(b"?")
        self.assert_refused("further.jar")

    def test_a_missing_jar_is_refused(self):
        (self.tree.handed_out / "guava.jar").unlink()
        self.assert_refused("guava.jar")


if __name__ == "__main__":
    unittest.main()
