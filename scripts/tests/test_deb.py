# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""scripts/deb.sh makes a Debian package of a release folder: files in their places, scripts that only print."""

import gzip
import os
import subprocess
import time
import unittest

from tree import Tree

VERSION = "1.2.3"
NAME = f"cassiterite-5.0-{VERSION}"
JAR = f"./usr/share/cassandra/lib/{NAME}.jar"
CONF = "./usr/share/cassiterite/conf.d"
DOC = "./usr/share/doc/cassiterite-5.0"
FILES = {
    f"{NAME}.jar": "a jar",
    "INSTALL.md": "how to",
    "NOTICE": "who",
    "LICENSE": "may",
    "THIRD-PARTY.txt": "of others",
    "SHA256SUMS": "sums",
    "cassandra.yaml-snippet.yaml": "memtable:\n",
    "jvm-server.options-snippet.options": "-Dx\n",
    "monitoring/metrics.tsv": "scope\n",
    "monitoring/prometheus-rules.yml": "groups:\n",
    "share/bash-completion/completions/cassiterite": "complete\n",
    "share/zsh/vendor-completions/_cassiterite": "#compdef cassiterite\n",
    "share/fish/vendor_completions.d/cassiterite.fish": "complete -c cassiterite\n",
    "share/man/man1/cassiterite.1": ".TH cassiterite 1\n",
    "share/man/man1/cassiterite-plan-run.1": ".TH cassiterite-plan-run 1\n",
}
SHELL = {
    "./usr/share/bash-completion/completions/cassiterite",
    "./usr/share/zsh/vendor-completions/_cassiterite",
    "./usr/share/fish/vendor_completions.d/cassiterite.fish",
    "./usr/share/man/man1/cassiterite.1.gz",
    "./usr/share/man/man1/cassiterite-plan-run.1.gz",
}


class DebTest(unittest.TestCase):
    def setUp(self):
        self.tree = Tree(self)
        (self.tree.path / "CHANGELOG.md").write_text("# Changelog\n")

    def package(self, folder):
        release = self.tree.path / folder / NAME
        for name, content in FILES.items():
            (release / name).parent.mkdir(parents=True, exist_ok=True)
            (release / name).write_text(content)
        ran = self.tree.run("deb.sh", str(release), "2.34")
        self.assertEqual(0, ran.returncode, ran.stderr)
        return release.parent / f"cassiterite-5.0_{VERSION}_amd64.deb"

    def dpkg_deb(self, *arguments):
        return subprocess.run(["dpkg-deb", *map(str, arguments)], check=True, capture_output=True, text=True).stdout

    def test_the_same_folder_gives_the_same_bytes(self):
        first = self.package("first")
        time.sleep(1.1)  # times in an archive are whole seconds
        os.umask(0o077)
        self.addCleanup(os.umask, 0o022)
        self.assertEqual(first.read_bytes(), self.package("second").read_bytes())

    def test_every_file_is_in_its_place_and_root_s(self):
        lines = [line.split() for line in self.dpkg_deb("--contents", self.package("dist")).splitlines()]
        self.assertEqual({"root/root"}, {line[1] for line in lines})
        modes = {line[5]: line[0] for line in lines if not line[5].endswith("/")}
        documents = ["CHANGELOG.md.gz", "NOTICE", "README.md", "THIRD-PARTY.txt", "changelog.gz", "copyright"]
        expected = {
            JAR,
            f"{CONF}/50-cassandra.yaml",
            f"{CONF}/50-jvm-server.options",
            *(f"{DOC}/{name}" for name in documents),
            *(f"{DOC}/{name}" for name in FILES if name.startswith("monitoring/")),
            *SHELL,
        }
        self.assertEqual(expected, set(modes))
        self.assertEqual({"-rw-r--r--"}, set(modes.values()))

    def test_completions_and_man_pages_come_as_they_were_made(self):
        root = self.tree.path / "root"
        self.dpkg_deb("--extract", self.package("dist"), root)
        for path in SHELL:
            found = (root / path).read_bytes()
            made = FILES[path.removeprefix("./usr/").removesuffix(".gz")]
            self.assertEqual(made, (gzip.decompress(found) if path.endswith(".gz") else found).decode())

    def test_it_says_what_it_is_and_needs(self):
        info = self.dpkg_deb("--info", self.package("dist"))
        for line in (
            "Package: cassiterite-5.0",
            f"Version: {VERSION}",
            "Architecture: amd64",
            "Depends: cassandra (>= 5.0~), cassandra (<< 5.1~), libc6 (>= 2.34), libgcc-s1, libstdc++6 (>= 11)",
        ):
            self.assertIn(f" {line}\n", info)
        self.assertNotIn("@", info.split("Description:")[0].replace("@cassiterite.invalid", ""))

    def test_its_scripts_only_print(self):
        package = self.package("dist")
        control = self.tree.path / "control"
        self.dpkg_deb("--control", package, control)
        root = self.tree.path / "root"
        self.dpkg_deb("--extract", package, root)
        before = sorted(root.rglob("*"))
        for script, arguments, said in (
            ("postinst", ["configure", ""], "50-jvm-server.options"),
            ("postinst", ["configure", "0.0.9"], "drained and stopped before. Start the node now."),
            ("postinst", ["abort-upgrade"], ""),
            ("prerm", ["remove"], "drop them first"),
            ("prerm", ["upgrade", "0.2.0"], ""),
        ):
            ran = subprocess.run(
                [control / script, *arguments],
                cwd=root,
                env={"PATH": "/usr/bin:/bin"},
                capture_output=True,
                text=True,
                check=True,
            )
            self.assertEqual("", ran.stderr)
            self.assertIn(said, ran.stdout)
            self.assertEqual(said == "", ran.stdout == "")
        self.assertEqual(before, sorted(root.rglob("*")))

    def test_its_removal_warns_of_a_store(self):
        control = self.tree.path / "control"
        self.dpkg_deb("--control", self.package("dist"), control)
        etc, var = self.tree.path / "etc", self.tree.path / "var"
        for folder in (etc, var):
            folder.mkdir()
        yaml = etc / "cassandra.yaml"

        def warned(configured):
            yaml.write_text(configured)
            ran = subprocess.run(
                [control / "prerm", "remove"],
                env={"PATH": "/usr/bin:/bin", "CASSITERITE_ETC": str(etc), "CASSITERITE_VAR": str(var)},
                capture_output=True,
                text=True,
                check=True,
            )
            self.assertEqual("", ran.stderr)
            return [line.split()[1] for line in ran.stdout.splitlines() if line.startswith("WARNING: ")]

        def store(folder):
            folder.mkdir(parents=True)
            (folder / "cassiterite.store").write_text("")
            return str(folder)

        data, ssd = self.tree.path / "disk" / "data", self.tree.path / "ssd" / "store"
        beside = f"data_file_directories:\n    - '{data}'\n\ncommitlog_directory: /x\n"
        named = f"memtable:\n  configurations:\n    e:\n      parameters:\n        directory: {ssd}\n"
        self.assertEqual([], warned(beside + named))
        self.assertEqual([store(data.parent / "cassiterite")], warned(beside))
        self.assertEqual([store(ssd)], warned(named))
        self.assertEqual([store(var / "cassiterite")], warned(""))
        self.assertNotIn(str(ssd), warned(f"# directory: {ssd}\n"))

    def test_what_it_tells_to_add_is_in_it(self):
        package = self.package("dist")
        control = self.tree.path / "control"
        self.dpkg_deb("--control", package, control)
        contents = self.dpkg_deb("--contents", package)
        words = (control / "postinst").read_text().split()
        named = [word for word in words if word.startswith("/usr/share/")]
        self.assertEqual(3, len(named))
        for path in named:
            self.assertIn(f".{path}\n", contents)


if __name__ == "__main__":
    unittest.main()
