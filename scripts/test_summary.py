#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""Prints the end of `make test`: how many tests ran, by the logs and Maven's reports, and what took long."""

import glob
import os
import re
import sys
import time
import xml.etree.ElementTree as ElementTree

RUST_LOG = "build/test-rust.log"
SCRIPTS_LOG = "build/test-scripts.log"
BEGUN = "build/test-begun"
STAGES = "build/test-stages"
SLOWEST = 8


def script_counts():
    with open(SCRIPTS_LOG, encoding="utf-8") as log:
        text = log.read()
    ran = sum(map(int, re.findall(r"^Ran (\d+) test", text, re.MULTILINE)))
    failed = sum(map(int, re.findall(r"\b(?:failures|errors)=(\d+)", text)))
    return ran - failed, failed


def rust_counts():
    passed = failed = 0
    with open(RUST_LOG, encoding="utf-8") as log:
        for ok, bad in re.findall(r"^test result: .*? (\d+) passed; (\d+) failed", log.read(), re.MULTILINE):
            passed += int(ok)
            failed += int(bad)
    return passed, failed


def java_suites(module):
    for report in glob.glob(f"{module}/target/*-reports/TEST-*.xml"):
        yield ElementTree.parse(report).getroot()


def java_counts(module):
    passed = failed = 0
    for suite in java_suites(module):
        bad = int(suite.get("failures")) + int(suite.get("errors"))
        failed += bad
        passed += int(suite.get("tests")) - bad - int(suite.get("skipped"))
    return passed, failed


def stage_seconds(begun):
    """The seconds of each stage with what it built first, from the times at which they ended."""
    seconds = {}
    with open(STAGES, encoding="utf-8") as ends:
        for name, end in map(str.split, ends):
            seconds[name] = int(end) - begun
            begun = int(end)
    return seconds


def node_class_seconds():
    """(seconds, class) of each class of node tests, the slowest one first."""
    timed = ((float(suite.get("time")), suite.get("name").split(".")[-1]) for suite in java_suites("nodetest"))
    return sorted(timed, reverse=True)


def main():
    parts = {
        "script": script_counts(),
        "Rust": rust_counts(),
        "Java": java_counts("plugin"),
        "node": java_counts("nodetest"),
    }
    passed = sum(counts[0] for counts in parts.values())
    failed = sum(counts[1] for counts in parts.values())
    begun = os.path.getmtime(BEGUN)
    minutes = (time.time() - begun) / 60
    detail = ", ".join(f"{counts[0]} {name}" for name, counts in parts.items())
    print(f"make test: {passed} tests passed ({detail}), {failed} failed; lint clean; {minutes:.0f} minutes")
    print("seconds: " + ", ".join(f"{name} {seconds:.0f}" for name, seconds in stage_seconds(begun).items()))
    classes = node_class_seconds()
    slowest = ", ".join(f"{name} {seconds:.0f}" for seconds, name in classes[:SLOWEST])
    print(f"node tests: {sum(seconds for seconds, _ in classes):.0f} s in {len(classes)} classes: {slowest}")
    empty = [name for name, counts in parts.items() if sum(counts) == 0]
    if empty:
        print(f"make test: no {' and no '.join(empty)} tests ran", file=sys.stderr)
    return 1 if failed or empty else 0


if __name__ == "__main__":
    sys.exit(main())
