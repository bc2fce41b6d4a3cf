# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""One Cassandra node, as a process of its own, started by scripts/node."""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

from cassandra import ConsistencyLevel
from cassandra.cluster import EXEC_PROFILE_DEFAULT, Cluster, ExecutionProfile
from cassandra.policies import WhiteListRoundRobinPolicy

ROOT = pathlib.Path(__file__).resolve().parents[2]
ADDRESS = "127.0.0.1"
START_SECONDS = 120
STOP_SECONDS = 60
REQUEST_SECONDS = 60
FRONT_DOOR = "memtable.configurations.cassiterite.parameters.front_door: reads"
FULL_COLLECTION = re.compile(r"Pause Full .* ([0-9.]+)ms$", re.MULTILINE)


def free_port():
    with socket.socket() as probe:
        probe.bind((ADDRESS, 0))
        return probe.getsockname()[1]


def connect(port, addresses=(ADDRESS,), consistency=ConsistencyLevel.LOCAL_ONE):
    """A cluster and a session that asks these nodes only; the caller shuts the cluster down."""
    profile = ExecutionProfile(
        load_balancing_policy=WhiteListRoundRobinPolicy(addresses),
        request_timeout=REQUEST_SECONDS,
        consistency_level=consistency,
    )
    cluster = Cluster(
        addresses,
        port=port,
        protocol_version=5,
        connect_timeout=REQUEST_SECONDS,
        execution_profiles={EXEC_PROFILE_DEFAULT: profile},
    )
    return cluster, cluster.connect()


class Node:
    """Starts empty. `stock` leaves the plug-in out; `yaml` and `jvm` have more lines and options. All may change."""

    def __init__(self, stock, folder="demo"):
        self.base = ROOT / "build" / folder
        self.stock = stock
        self.yaml, self.jvm = [], []
        self.port = free_port()
        self.storage_port, self.jmx_port = free_port(), free_port()
        self.gc_log = self.base / "logs" / "gc.log"
        self.process = None
        shutil.rmtree(self.base, ignore_errors=True)
        self.base.mkdir(parents=True)

    def start(self):
        """Returns the seconds until the node took CQL connections."""
        command = [
            str(ROOT / "scripts" / "node"),
            "--base",
            str(self.base),
            "--heap",
            "1g",
            "--fast",
            "--cql-port",
            str(self.port),
            "--storage-port",
            str(self.storage_port),
            "--jmx-port",
            str(self.jmx_port),
            "--die-with",
            str(os.getpid()),
            "--yaml",
            "commitlog_sync: batch",
            "--yaml",
            "batch_size_warn_threshold: 64KiB",
            "--yaml",
            "batch_size_fail_threshold: 256KiB",
            "--gc-log",
            str(self.gc_log),
            # G1 and the second compiler, as a node has them: --fast is for tests.
            "--jvm",
            "-XX:-UseSerialGC",
            "--jvm",
            "-XX:+UseG1GC",
            "--jvm",
            "-XX:TieredStopAtLevel=4",
        ]
        command += ["--stock"] if self.stock else ["--yaml", FRONT_DOOR]
        command += [word for line in self.yaml for word in ("--yaml", line)]
        command += [word for option in self.jvm for word in ("--jvm", option)]
        begin = time.monotonic()
        with open(self.base / "console.log", "ab") as console:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=console, stderr=console, start_new_session=True
            )
        while not self.listens():
            if self.process.poll() is not None:
                raise SystemExit(f"demo: the node did not start; see {self.base}/console.log and logs/system.log")
            if time.monotonic() - begin > START_SECONDS:
                self.kill()
                raise SystemExit(f"demo: the node was not up within {START_SECONDS} s; see {self.base}/logs/system.log")
            time.sleep(0.05)
        return time.monotonic() - begin

    def listens(self):
        try:
            socket.create_connection((ADDRESS, self.port), timeout=1).close()
            return True
        except OSError:
            return False

    def set(self, parameter, value):
        """Changes a live parameter of the engine, over JMX."""
        self.nodetool("sjk", "mx", "-b", "io.cassiterite:type=Engine", "-mc", "-op", "set", "-a", parameter, value)

    def nodetool(self, *words):
        self.run([str(ROOT / "scripts" / "nodetool"), "-p", str(self.jmx_port), *words])

    def move(self, keyspace, table, direction):
        """Says which way a table's rows go."""
        (jar,) = (ROOT / "plugin" / "target").glob("cassiterite-*.jar")
        tool = ["java", "-cp", str(jar), "io.cassiterite.tools.Move"]
        self.run([*tool, ADDRESS, str(self.jmx_port), keyspace, table, direction])

    def collect_garbage(self):
        """Calls System.gc() in the node; returns when the collection is over."""
        java_home = os.environ.get("JAVA_HOME")
        jcmd = str(pathlib.Path(java_home, "bin", "jcmd")) if java_home else "jcmd"
        self.run([jcmd, "-J-XX:+UseSerialGC", "-J-XX:TieredStopAtLevel=1", str(self.process.pid), "GC.run"])

    def full_collections(self):
        """The seconds that each full collection has taken since the start."""
        return [float(millis) / 1000 for millis in FULL_COLLECTION.findall(self.gc_log.read_text())]

    @staticmethod
    def run(command):
        ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if ran.returncode != 0:
            raise SystemExit(f"demo: {' '.join(command)} failed:\n{ran.stderr}{ran.stdout}")

    def kill(self):
        """kill -9, if it runs."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(STOP_SECONDS)

    def stop(self):
        """Ends cleanly."""
        self.process.terminate()
        self.process.wait(STOP_SECONDS)

    def disk_bytes(self):
        """What the node keeps on disk."""
        return sum(file.stat().st_size for file in self.base.rglob("*") if file.is_file())
