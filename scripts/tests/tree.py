# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""A tree in which a script of this project runs alone, with a Maven that hands out the files of the test."""

import os
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

MAVEN = """#!/usr/bin/env bash
for word in "$@"; do
    case $word in -DoutputDirectory=*) mkdir -p "${word#*=}" && cp "$FILES"/* "${word#*=}" ;; esac
done
"""


class Tree:
    def __init__(self, test):
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "tree"
        self.handed_out = self.path / "handed-out"
        self.handed_out.mkdir(parents=True)
        for name in ("scripts", "config"):
            shutil.copytree(ROOT / name, self.path / name, ignore=shutil.ignore_patterns("__pycache__"))
        maven = self.path / "bin" / "mvn"
        maven.parent.mkdir()
        maven.write_text(MAVEN)
        maven.chmod(0o755)

    def run(self, script, *arguments, **variables):
        path = f"{self.path / 'bin'}:{os.environ['PATH']}"
        environment = {name: value for name, value in os.environ.items() if name != "CASSANDRA_VERSION"}
        return subprocess.run(
            [self.path / "scripts" / script, *arguments],
            env={**environment, "PATH": path, "FILES": str(self.handed_out), **variables},
            capture_output=True,
            text=True,
        )
