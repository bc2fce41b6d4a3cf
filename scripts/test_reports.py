# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""Reads the reports of tests in JUnit's format: those of cargo-nextest for Rust, those of Maven for Java."""

import xml.etree.ElementTree as ElementTree

# The profile of .config/nextest.toml that the cluster tests of the lab run with.
LAB_CLUSTER = "lab/target/nextest/cluster/junit.xml"


def rust_report(path):
    """The root of nextest's report. ValueError where it is missing or tells nothing."""
    try:
        root = ElementTree.parse(path).getroot()
    except FileNotFoundError:
        raise ValueError(f"{path} is missing") from None
    except ElementTree.ParseError as why:
        raise ValueError(f"{path} cannot be read: {why}") from None
    if all(is_skipped(case) for case in root.iter("testcase")):
        raise ValueError(f"{path} has no test that ran")
    return root


def rust_suites(root):
    """The suites of nextest's report, one for each binary of tests, by the binary's name without its crate's."""
    for suite in root.iter("testsuite"):
        yield suite.get("name").split("::")[-1], suite


def is_skipped(case):
    return case.find("skipped") is not None


def has_failed(case):
    return case.find("failure") is not None or case.find("error") is not None


def name_of(case):
    return f"{case.get('classname')} {case.get('name')}"


def seconds_of(cases):
    return sum(float(case.get("time")) for case in cases)
