# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""The unattended comparisons: what they plan, refuse, leave out when resumed, and say at the end. No node runs."""

import contextlib
import datetime
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import bench  # noqa: E402

# In place of the lab: writes what --json is to have, with the exit code and the runs that the test wants.
LAB = """#!/usr/bin/env python3
import json, pathlib, sys
words = sys.argv
told = json.loads(pathlib.Path(__file__).with_suffix(".told").read_text())
wanted = next((value for name, value in told.items() if name in words), {"code": 0, "runs": [[[], []]]})
with open(pathlib.Path(__file__).with_suffix(".ran"), "a") as ran:
    ran.write(words[2] + "\\n")
runs = [{"invalid": invalid, "caveats": caveats} for invalid, caveats in wanted["runs"]]
pathlib.Path(words[words.index("--json") + 1]).write_text(json.dumps({"runs": runs}))
sys.exit(wanted["code"])
"""


class BenchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.lab = self.folder / "lab.py"
        self.lab.write_text(LAB)
        self.lab.chmod(0o755)
        self.results = self.folder / "results"

    def bench(self, *words, told=None, dirty="", commit="abcd1234"):
        (self.folder / "lab.told").write_text(json.dumps(told or {}))
        out, errors = io.StringIO(), io.StringIO()
        with (
            mock.patch.object(bench, "RESULTS", self.results),
            mock.patch.object(bench, "commit", lambda: commit),
            mock.patch.object(bench, "git", lambda *words: dirty),
            mock.patch.dict("os.environ", CASSITERITE_LAB=str(self.lab)),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(errors),
        ):
            code = bench.main(list(words))
        return code, out.getvalue(), errors.getvalue()

    def ran(self):
        ran = self.folder / "lab.ran"
        names = ran.read_text().split() if ran.is_file() else []
        ran.unlink(missing_ok=True)
        return names

    def test_a_dry_run_tells_the_plan_and_runs_nothing(self):
        code, out, _ = self.bench("readme", "--dry-run", dirty=" M a\n")
        lines = out.splitlines()
        self.assertEqual((0, []), (code, self.ran()))
        self.assertEqual(
            ["quorum", "reads", "writes", "restart", "in"],
            [line.split()[0] for line in lines],
        )
        self.assertTrue(all("3 rounds x 2 engines" in line and " min" in line for line in lines[:-1]), out)
        self.assertRegex(lines[-1], r"in all (1\.\d|2\.0) h")
        self.assertFalse(self.results.exists())

    def test_the_rows_of_the_readme_are_expected_within_their_hours(self):
        readme = [row for row in bench.ALL if row.in_readme]
        self.assertLessEqual(sum(row.expected_min(bench.ROUNDS) for row in readme), bench.README_HOURS * 60)
        for row in readme:
            self.assertTrue(row.rounds is None and len(row.engines) == 2, row)

    def test_every_scenario_of_the_lab_is_among_all(self):
        source = (ROOT / "lab/compare/src/scenario.rs").read_text()
        body = source[source.index("pub enum Scenario {") : source.index("/// A profile of the user's.")]
        scenarios = [line.strip(" ,").lower() for line in body.splitlines()[1:] if line.strip()[:1].isupper()]
        more = {"small-rows", "quorum"}
        self.assertEqual(sorted(scenarios), sorted({row.name for row in bench.ALL} - more))

    def test_commands_have_the_lengths_of_their_rows(self):
        rows = {row.name: row for row in bench.ALL}
        words = rows["reads"].command("lab", 6, Path("/f"))
        self.assertEqual(["lab", "compare", "reads"], words[:3])
        for option, value in [
            ("--rounds", "6"),
            ("--seconds", "7"),
            ("--rows", "100000"),
            ("--json", "/f/reads.part.json"),
        ]:
            self.assertEqual(value, words[words.index(option) + 1])
        self.assertNotIn("--seconds", rows["restart"].command("lab", 6, Path("/f")))
        stream = rows["stream"].command("lab", 6, Path("/f"))
        self.assertEqual("1", stream[stream.index("--rounds") + 1])

    def test_a_dirty_tree_and_an_unknown_name_are_refused(self):
        code, _, errors = self.bench("readme", dirty=" M lab/node/src/lib.rs\n?? new\n")
        self.assertEqual((2, []), (code, self.ran()))
        self.assertIn("lab/node/src/lib.rs, new", errors)
        code, _, errors = self.bench("readme", "mixed")
        self.assertEqual(2, code)
        self.assertIn("no scenario mixed; there are quorum, reads", errors)

    def test_what_failed_is_named_at_the_end_and_alone_tried_again(self):
        told = {"writes": {"code": 2, "runs": [[["client: late"], []], [[], []]]}, "restart": {"code": 101, "runs": []}}
        code, out, errors = self.bench("readme", told=told)
        self.assertEqual((1, 4), (code, len(self.ran())), "one that failed does not end the others")
        self.assertIn("failed: writes (exit code 2), restart (exit code 101)", errors)
        code, out, _ = self.bench("readme", "--dry-run")
        self.assertEqual(2, out.count("done"))
        code, out, _ = self.bench("readme")
        self.assertEqual((0, ["writes", "restart"]), (code, self.ran()))
        self.assertIn("all valid", out)

    def test_scenarios_may_be_named_after_options_as_make_does(self):
        code, out, _ = self.bench("all", "--rounds", "2", "--dry-run", "emp", "scan")
        self.assertEqual((0, 3), (code, len(out.splitlines())))
        self.assertIn("2 rounds x 3 engines", out)

    def test_caveats_are_told_and_the_result_is_kept(self):
        code, out, _ = self.bench("readme", "writes", told={"writes": {"code": 0, "runs": [[[], ["cold"]], [[], []]]}})
        self.assertEqual(0, code)
        self.assertIn("CAVEAT: 1 warm-ups", out)
        self.assertEqual(1, len(list(self.results.glob("*-abcd1234/writes.json"))))

    def test_a_folder_is_of_a_commit_also_after_midnight(self):
        (self.results / "2026-11-28-abcd1234").mkdir(parents=True)
        day = datetime.date(2026, 11, 29)
        self.assertEqual("2026-11-28-abcd1234", bench.folder_of(self.results, "abcd1234", day).name)
        self.assertEqual("2026-11-29-99999999", bench.folder_of(self.results, "99999999", day).name)

    def test_another_commit_in_the_midst_ends_it(self):
        commits = iter(["a", "a", "b", "b"])
        row = bench.ALL[0]
        with (
            mock.patch.object(bench, "commit", lambda: next(commits)),
            mock.patch.object(bench, "measure", lambda *words: None),
            contextlib.redirect_stdout(io.StringIO()),
            self.assertRaises(bench.Refusal),
        ):
            bench.run([row, row], "lab", 6, self.folder)


if __name__ == "__main__":
    unittest.main()
