# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""A cluster of three nodes, by what `make node` builds (`cassiterite-node cluster`)."""

import os
import shutil
import subprocess

from demo_parts.node import ROOT, free_port

LAB = ROOT / "lab" / "target" / "release" / "cassiterite-node"
NAME = "demo"
NODES = 3
HEAP = "512m"
VNODES = 4
# The data set is small: with files of the usual 64 MiB it would be one, which no single range of tokens holds.
FILES = ("--set", "memtable.configurations.cassiterite.parameters.target_file_size=4MiB")


class Cluster:
    """Starts empty, on 127.0.0.1 and the addresses after it; `stop` leaves nothing of it.

    `stock` leaves the plug-in out."""

    def __init__(self, stock):
        self.stock = stock
        self.base = ROOT / "build" / "clusters" / NAME
        self.port = free_port()
        if self.base.exists():
            self.run("down", "--delete")
        shutil.rmtree(self.base, ignore_errors=True)

    def run(self, *words):
        """Runs one verb; its answer. What it says of its progress is shown only when it fails."""
        ran = subprocess.run(
            [str(LAB), "cluster", "--name", NAME, "--base", str(self.base), *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if ran.returncode != 0:
            raise SystemExit(f"demo: cluster {' '.join(words)} failed:\n{ran.stderr}{ran.stdout}")
        return ran.stdout

    def up(self):
        engine = "stock" if self.stock else "cassiterite-door"
        size = f"--nodes {NODES} --heap {HEAP} --vnodes {VNODES} --fast"
        ports = f"--cql-port {self.port} --storage-port {free_port()} --jmx-port {free_port()}"
        batches = "--set batch_size_warn_threshold=64KiB --set batch_size_fail_threshold=256KiB"
        files = () if self.stock else FILES
        self.run("up", "--engine", engine, *f"{size} {ports} {batches}".split(), *self.owner(), *files)

    def kill(self, *numbers):
        """kill -9 of these nodes."""
        for number in numbers:
            self.run("kill", str(number))

    def replace(self, number):
        """A fresh node takes the place of a dead one; its number, once all nodes say that it is there."""
        self.run("replace", str(number), *self.owner())
        return max(self.numbers())

    def numbers(self):
        return [int(folder.name[len("node") :]) for folder in self.base.glob("node*")]

    def nodetool(self, number, *words):
        return self.run("nodetool", "--node", str(number), *words)

    def stop(self):
        """Ends every node and deletes what it kept."""
        if self.base.exists():
            self.run("down", "--delete")

    @staticmethod
    def address(number):
        return f"127.0.0.{number}"

    @staticmethod
    def owner():
        return "--die-with", str(os.getpid())
