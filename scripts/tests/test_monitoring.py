# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""config/monitoring: dashboard and alerts use metrics of the list, which a node test compares with a node."""

import json
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import dashboard  # noqa: E402

RULES = dashboard.FOLDER / "prometheus-rules.yml"
ALERT = re.compile(r"^      - alert: (\w+)$", re.MULTILINE)


def unknown(text):
    """Metrics of a text that are not in the list; a word before a brace or an operator is one."""
    return dashboard.used(text) - set(dashboard.metrics())


class MonitoringTest(unittest.TestCase):
    def test_the_list_is_whole(self):
        for name, row in dashboard.metrics().items():
            self.assertRegex(name, r"^[a-z][a-z0-9_]*$")
            self.assertIn(row["kind"], ("counter", "gauge"), name)
            self.assertTrue(row["unit"] and row["part"] and row["help"], name)

    def test_the_dashboard_is_made_of_the_list(self):
        made = dashboard.dashboard()
        self.assertEqual(json.loads(dashboard.DASHBOARD.read_text()), made)
        expressions = [target["expr"] for panel in made["panels"] for target in panel.get("targets", ())]
        self.assertEqual(set(), unknown("\n".join(expressions)))

    def test_no_panel_lies_over_another(self):
        taken = set()
        for panel in dashboard.dashboard()["panels"]:
            place = panel["gridPos"]
            columns, lines = (range(place[at], place[at] + place[size]) for at, size in (("x", "w"), ("y", "h")))
            cells = {(x, y) for x in columns for y in lines}
            self.assertFalse(taken & cells, panel["title"])
            self.assertTrue(max(x for x, _ in cells) < dashboard.WIDTH, panel["title"])
            taken |= cells

    def test_alerts_are_of_the_list_and_on_the_page(self):
        text = RULES.read_text()
        expressions = "\n".join(line for line in text.splitlines() if not re.match(r"\s*(#|summary:|action:)", line))
        self.assertEqual(set(), unknown(expressions))
        page = (ROOT / "docs/operating/observe.md").read_text()
        alerts = ALERT.findall(text)
        self.assertTrue(alerts)
        self.assertEqual([], [alert for alert in alerts if f"`{alert}`" not in page])

    @unittest.skipUnless(shutil.which("promtool"), "promtool is not installed (Debian: the package prometheus)")
    def test_prometheus_takes_the_rules(self):
        for command in (["check", "rules", RULES.name], ["test", "rules", "prometheus-rules-test.yml"]):
            ran = subprocess.run(["promtool", *command], cwd=dashboard.FOLDER, capture_output=True, text=True)
            self.assertEqual(0, ran.returncode, ran.stdout + ran.stderr)
