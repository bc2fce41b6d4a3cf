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

    def pin(self, jars, file="cassandra-home.sha256"):
        lines = [f"{hashlib.sha256(jars[name]).hexdigest()}  {name}\n" for name in sorted(jars)]
        (self.tree.path / "config" / file).write_text("".join(lines))

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

    def test_another_version_has_a_folder_and_a_pin_of_its_own(self):
        self.assert_taken()
        self.pin(JARS, "cassandra-versions/5.0.4.sha256")
        ran = self.tree.run("cassandra-home.sh", CASSANDRA_VERSION="5.0.4")
        self.assertEqual(0, ran.returncode, ran.stderr)
        self.assertIn("Apache Cassandra 5.0.4", ran.stdout)
        for folder, version in ("cassandra", "5.0.9"), ("cassandra-5.0.4", "5.0.4"):
            self.assertEqual(version, (self.tree.path / "build" / folder / "version").read_text().strip())

    def test_a_version_before_its_release_is_taken(self):
        self.pin(JARS, "cassandra-versions/6.0-alpha2.sha256")
        ran = self.tree.run("cassandra-home.sh", CASSANDRA_VERSION="6.0-alpha2")
        self.assertEqual(0, ran.returncode, ran.stderr)
        version = self.tree.path / "build" / "cassandra-6.0-alpha2" / "version"
        self.assertEqual("6.0-alpha2", version.read_text().strip())

    def test_an_altered_jar_of_another_version_is_refused(self):
        self.pin({**JARS, "guava.jar": b"Guava, older"}, "cassandra-versions/5.0.4.sha256")
        ran = self.tree.run("cassandra-home.sh", CASSANDRA_VERSION="5.0.4")
        self.assertNotEqual(0, ran.returncode)
        self.assertIn("guava.jar", ran.stderr)
        self.assertFalse((self.tree.path / "build" / "cassandra-5.0.4" / "version").exists())

    def test_a_version_without_a_pin_is_refused_until_it_is_pinned(self):
        for version in "5.0.99", "../5.0.4", "6.0-alpha", "6.0-alpha2/..":
            ran = self.tree.run("cassandra-home.sh", CASSANDRA_VERSION=version)
            self.assertNotEqual(0, ran.returncode)
            self.assertIn(version, ran.stderr)
        self.assertEqual(0, self.tree.run("cassandra-home.sh", "--pin", CASSANDRA_VERSION="5.0.99").returncode)
        self.assertEqual(0, self.tree.run("cassandra-home.sh", CASSANDRA_VERSION="5.0.99").returncode)
        pinned = (self.tree.path / "config" / "cassandra-versions" / "5.0.99.sha256").read_text()
        self.assertEqual((self.tree.path / "config" / "cassandra-home.sha256").read_text(), pinned)
        self.assertNotEqual(0, self.tree.run("cassandra-home.sh", "--pin", CASSANDRA_VERSION="5.0.99").returncode)


if __name__ == "__main__":
    unittest.main()
