# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""scripts/in-memory.sh gives tests a folder of their own, and leaves nothing there but what failed tests have left."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class InMemoryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.files = Path(folder.name)

    def run_tests(self, script, **settings):
        command = [ROOT / "scripts/in-memory.sh", "some", "sh", "-c", script]
        limits = {"MEMORY_FILES": str(self.files), "ROOM_GIB": "0", "FREE_MEMORY_GIB": "0"}
        env = {**os.environ, "TMPDIR": "/elsewhere", **limits, **settings}
        env.pop("CASSITERITE_NODES", None)
        return subprocess.run(command, env=env, capture_output=True, text=True, check=False)

    def test_what_passes_leaves_nothing(self):
        ran = self.run_tests('echo "$TMPDIR $CASSITERITE_NODES" && touch "$TMPDIR/left"')
        self.assertEqual(0, ran.returncode, ran.stderr)
        files, nodes = ran.stdout.split()
        self.assertTrue(files.startswith(str(self.files)) and files.endswith("/some"), files)
        self.assertEqual(files + "/nodes", nodes)
        self.assertEqual([], list(self.files.iterdir()))

    def test_what_fails_leaves_its_files_and_its_status(self):
        ran = self.run_tests('touch "$TMPDIR/left"; exit 7')
        self.assertEqual(7, ran.returncode)
        (left,) = self.files.glob("*/some/left")
        self.assertIn(str(left.parent), ran.stderr)
        self.run_tests('! [ -e "$TMPDIR/left" ]')
        self.assertEqual([], list(self.files.iterdir()))

    def test_without_room_the_disk_has_the_files(self):
        for settings in ({"MEMORY_FILES": "no"}, {"ROOM_GIB": "10000000"}, {"FREE_MEMORY_GIB": "10000000"}):
            ran = self.run_tests('echo "$TMPDIR ${CASSITERITE_NODES:-unset}"', **settings)
            self.assertEqual("/elsewhere unset\n", ran.stdout, ran.stderr)


if __name__ == "__main__":
    unittest.main()
