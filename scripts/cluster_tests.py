#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""The cluster tests in seven parts, one for each day: `make test` runs one of them, `make test-cluster` all.

config/cluster-tests.tsv has each of them, its part, how long it takes, and when it last passed. `lab:<binary>` are the
tests of a binary of the lab, `lab:<binary>::<test>` is one of them. What compares times with stock's, and so wants a
quiet machine, has the part `-`: it runs only with all.

    cluster_tests.py java PART      the test classes of a part, for Maven's -Dtest
    cluster_tests.py lab PART       the lab's tests of a part, for nextest's --filterset
    cluster_tests.py passed PART    writes down what of it has passed, by the reports of Maven and of nextest
    cluster_tests.py stale          says what has not passed within a week

PART is `all`, or a number from 0 to 6.
"""

import csv
import datetime
import glob
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import test_reports

LIST = "config/cluster-tests.tsv"
REPORTS = "nodetest/target/cluster-reports/TEST-*.xml"
PARTS = 7
LAB = "lab:"
OF_BINARY = "::"


def read(path=LIST):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def write(tests, path=LIST):
    with open(path + ".new", "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, tests[0].keys(), delimiter="\t", lineterminator="\n")
        table.writeheader()
        table.writerows(tests)
    os.replace(path + ".new", path)


def of_part(tests, part):
    return [test for test in tests if part in ("all", test["part"])]


def lab_reports(names):
    """The suites of the lab's cluster tests, named as the list names them; none if none of the names is the lab's."""
    if not any(name.startswith(LAB) for name in names):
        return
    for binary, suite in test_reports.rust_suites(test_reports.rust_report(test_reports.LAB_CLUSTER)):
        yield as_suite(LAB + binary, list(suite.iter("testcase")))
        for case in suite.iter("testcase"):
            yield as_suite(f"{LAB}{binary}{OF_BINARY}{case.get('name')}", [case])


def as_suite(name, cases):
    counts = {
        "tests": len(cases),
        "skipped": sum(map(test_reports.is_skipped, cases)),
        "failures": sum(map(test_reports.has_failed, cases)),
        "errors": 0,
        "time": test_reports.seconds_of(cases),
    }
    return ElementTree.Element("testsuite", name=name, **{key: str(value) for key, value in counts.items()})


def filterset(names):
    """Of nextest, for these rows of the list; empty where none is of the lab."""
    parts = [name.removeprefix(LAB).split(OF_BINARY) for name in names if name.startswith(LAB)]
    binaries = [[f"binary(={binary})", *(f"test(={test})" for test in tests)] for binary, *tests in parts]
    return " + ".join(" & ".join(terms) for terms in binaries)


def mark(tests, part, reports, day, commit):
    """Notes of the tests of a part which have passed, by the reports."""
    seconds = {}
    for report in reports:
        name = report.get("name").split(".")[-1]
        ran = int(report.get("tests")) - int(report.get("skipped"))
        if ran and report.get("failures") == report.get("errors") == "0":
            seconds[name] = f"{float(report.get('time')):.0f}"
    for test in of_part(tests, part):
        if test["test"] in seconds:
            test["seconds"] = seconds[test["test"]]
            test["passed"], test["commit"] = day.isoformat(), commit


def stale(tests, day):
    week_ago = (day - datetime.timedelta(days=PARTS)).isoformat()
    return [test["test"] for test in tests if test["passed"] < week_ago]


def main(verb, part="all"):
    tests, today = read(), datetime.date.today()
    names = [test["test"] for test in of_part(tests, part)]
    if verb == "java":
        print(",".join(name for name in names if not name.startswith(LAB)))
    elif verb == "lab":
        print(filterset(names))
    elif verb == "passed":
        commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=False)
        reports = [ElementTree.parse(path).getroot() for path in glob.glob(REPORTS)]
        try:
            reports += lab_reports(names)
        except ValueError as why:
            sys.exit(f"cluster tests: {why}, so nothing is noted: run make test-cluster-part PART={part}")
        mark(tests, part, reports, today, commit.stdout.strip())
        write(tests)
    elif verb == "stale":
        left = stale(tests, today)
        if left:
            print(f"cluster tests that {LIST} has not seen passing within a week: {', '.join(left)}")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
