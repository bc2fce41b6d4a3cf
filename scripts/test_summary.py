#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""Prints the end of `make test`: how many tests ran, which failed, and what took long.

By the reports of nextest and Maven. After a stage that failed it tells that, too, and which reports are not there yet.
"""

import glob
import os
import re
import sys
import time
import xml.etree.ElementTree as ElementTree

import test_reports
from test_reports import has_failed, is_skipped, name_of

# By the target of the Makefile that writes them.
RUST_REPORTS = {
    "test-rust": ["native/target/nextest/rust/junit.xml", "lab/target/nextest/rust/junit.xml"],
}
# `make test` leaves them out on a slow day, and says so.
REPORTS_OF_SPARE_TIME = {"test-lab": "lab/target/nextest/lab/junit.xml", "test-cluster-part": test_reports.LAB_CLUSTER}
SCRIPTS_LOG = "build/test-scripts.log"
BEGUN = "build/test-begun"
STAGES = "build/test-stages"
SLOWEST = 8
# As nodetest's TimeLeft says it.
NO_TIME = "no time left"


def lines_of(path):
    """None of a stage that did not run."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return file.readlines()


def script_counts():
    text = "".join(lines_of(SCRIPTS_LOG))
    ran = sum(map(int, re.findall(r"^Ran (\d+) test", text, re.MULTILINE)))
    failed = sum(map(int, re.findall(r"\b(?:failures|errors)=(\d+)", text)))
    skipped = sum(map(int, re.findall(r"\bskipped=(\d+)", text)))
    return ran - failed - skipped, failed, skipped


def rust_cases():
    """All test cases of Rust, and what is wrong with the reports. Not every part of the cluster tests has one."""
    cases, wrong = [], []
    paths = [(target, path) for target, paths in RUST_REPORTS.items() for path in paths]
    paths += [(target, path) for target, path in REPORTS_OF_SPARE_TIME.items() if os.path.exists(path)]
    for target, path in paths:
        try:
            cases += test_reports.rust_report(path).iter("testcase")
        except ValueError as why:
            wrong.append(f"{why}: run make {target}")
    return cases, wrong


def rust_counts(cases):
    """What one stage skips another one may run: a test is skipped only if none of them ran it."""
    ran = [case for case in cases if not is_skipped(case)]
    failed = sum(map(has_failed, ran))
    skipped = {name_of(case) for case in cases} - {name_of(case) for case in ran}
    return len(ran) - failed, failed, len(skipped)


def java_suites(module):
    for report in glob.glob(f"{module}/target/*-reports/TEST-*.xml"):
        yield ElementTree.parse(report).getroot()


def java_counts(suites):
    failed = sum(int(suite.get("failures")) + int(suite.get("errors")) for suite in suites)
    skipped = sum(int(suite.get("skipped")) for suite in suites)
    return sum(int(suite.get("tests")) for suite in suites) - failed - skipped, failed, skipped


def left_out(suites):
    """The classes with tests that did not begin, for the time of `make test` was over."""
    messages = ((suite, skipped.get("message") or "") for suite in suites for skipped in suite.iter("skipped"))
    return sorted({suite.get("name").split(".")[-1] for suite, message in messages if NO_TIME in message})


def stage_seconds(begun):
    """The seconds of each stage with what it built first, from the times at which they ended."""
    seconds = {}
    for name, end in map(str.split, lines_of(STAGES)):
        seconds[name] = int(end) - begun
        begun = int(end)
    return seconds


def slowest(elements, kind, of):
    """What took how long, the slowest first: of test cases, or of the suites that are classes of Java."""
    timed = sorted(((float(each.get("time")), each.get("name").split(of)[-1]) for each in elements), reverse=True)
    names = ", ".join(f"{name} {seconds:.0f}" for seconds, name in timed[:SLOWEST])
    return f"{sum(seconds for seconds, _ in timed):.0f} s in {len(timed)} {kind}: {names}"


def main():
    rust, wrong = rust_cases()
    plugin, node = list(java_suites("plugin")), list(java_suites("nodetest"))
    parts = {
        "script": script_counts(),
        "Rust": rust_counts(rust),
        "Java": java_counts(plugin),
        "node": java_counts(node),
    }
    passed, failed, skipped = map(sum, zip(*parts.values(), strict=True))
    begun = os.path.getmtime(BEGUN)
    stages = stage_seconds(begun)
    lint = "lint clean" if "lint" in stages else "lint did not end"
    outcome = f"{failed} failed, {skipped} skipped; {lint}"
    minutes = (time.time() - begun) / 60
    detail = ", ".join(f"{counts[0]} {name}" for name, counts in parts.items())
    print(f"make test: {passed} tests passed ({detail}), {outcome}; {minutes:.0f} minutes")
    print("seconds: " + ", ".join(f"{name} {seconds:.0f}" for name, seconds in stages.items()))
    print(f"Rust tests: {slowest([case for case in rust if not is_skipped(case)], 'tests', '::')}")
    print(f"node tests: {slowest(node, 'classes', '.')}")
    late = left_out(node)
    if late:
        print(f"no time was left for tests of {len(late)} classes; make test-node runs them: {', '.join(late)}")
    java = [case for suite in plugin + node for case in suite.iter("testcase")]
    for case in filter(has_failed, rust + java):
        print(f"failed: {name_of(case)}", file=sys.stderr)
    wrong += [f"no {name} tests ran" for name, counts in parts.items() if sum(counts[:2]) == 0]
    for each in wrong:
        print(f"make test: {each}", file=sys.stderr)
    return 1 if failed or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
