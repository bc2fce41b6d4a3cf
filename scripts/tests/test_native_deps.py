# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""scripts/native-deps.sh takes one build of RocksDB only."""

import shutil
import unittest
import zipfile

from tree import ROOT, Tree

FETCHED = ROOT / "build" / "deps"


class NativeDepsTest(unittest.TestCase):
    def setUp(self):
        self.tree = Tree(self)
        deps = self.tree.path / "build" / "deps"
        deps.mkdir(parents=True)
        for name in ("librocksdb.so", "libclang.so", "libclang.locked", "uplot.version"):
            shutil.copy2(FETCHED / name, deps)
        shutil.copytree(FETCHED / "uplot", deps / "uplot")
        self.library = deps / "librocksdb.so"

    def hand_out(self, library):
        with zipfile.ZipFile(self.tree.handed_out / "rocksdbjni-11.8.1.jar", "w") as jar:
            jar.writestr("librocksdbjni-linux64.so", library)

    def test_what_was_fetched_stays(self):
        before = self.library.stat().st_mtime_ns
        ran = self.tree.run("native-deps.sh")
        self.assertEqual(0, ran.returncode, ran.stderr)
        self.assertEqual(before, self.library.stat().st_mtime_ns)

    def test_an_altered_library_is_fetched_anew(self):
        good = self.library.read_bytes()
        self.hand_out(good)
        middle = len(good) // 2
        self.library.write_bytes(good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1 :])
        ran = self.tree.run("native-deps.sh")
        self.assertEqual(0, ran.returncode, ran.stderr)
        self.assertTrue(good == self.library.read_bytes())

    def test_another_library_of_the_same_version_is_refused(self):
        self.hand_out(b"another build of RocksDB")
        self.library.unlink()
        ran = self.tree.run("native-deps.sh")
        self.assertNotEqual(0, ran.returncode)
        self.assertIn("has SHA-256", ran.stderr)
        self.assertIn("config/rocksdb.sha256", ran.stderr)
        self.assertFalse(self.library.exists())


if __name__ == "__main__":
    unittest.main()
