#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""`make bench-readme` and `make bench-all`: comparisons of one commit, one after the other, unattended, on an otherwise
idle machine. A folder by date and commit gets the text, the JSON and the page of each. What is there is not measured
again: after an interruption the same command goes on."""

import argparse
import datetime
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "build" / "bench"
# Student's t for the interval is 4.30 with three rounds, 2.57 with six. Three fit into two hours.
ROUNDS = 3
README_HOURS = 2

# Of a run on two cores, in seconds: expected, not promised.
START_STOP_S = 25
FILL_ROWS_PER_S = 10_000
FILL_SETTLES_S = 8
WARM_UP_S = 55
FENCE_AND_SETTLE_S = 7


@dataclass(frozen=True)
class Row:
    """A comparison, and what it takes."""

    name: str
    words: str
    # Of a run.
    rows: int = 0
    seconds: int = 0
    phases: int = 0
    # Between two phases: lead-in, flush, compaction, until the servers are quiet.
    between_s: int = 14
    more_s: int = 0
    is_warmed: bool = True
    in_readme: bool = True
    rounds: int | None = None

    @property
    def engines(self):
        words = self.words.split()
        return words[words.index("--engines") + 1].split(",")

    def rounds_of(self, wanted):
        return self.rounds or wanted

    def run_s(self):
        fill_s = self.rows / FILL_ROWS_PER_S + FILL_SETTLES_S
        warm_s = WARM_UP_S + FENCE_AND_SETTLE_S if self.is_warmed else 0
        return START_STOP_S + fill_s + warm_s + self.phases * (self.seconds + self.between_s) + self.more_s

    def expected_min(self, wanted):
        return len(self.engines) * self.rounds_of(wanted) * self.run_s() / 60

    def command(self, lab, wanted, folder):
        words = [lab, "compare", *self.words.split(), "--rounds", str(self.rounds_of(wanted))]
        if self.rows and "--scale full" not in self.words:
            words += ["--rows", str(self.rows)]
        if self.seconds:
            words += ["--seconds", str(self.seconds)]
        # Half a result is no result: it gets its name when it is whole.
        return [*words, "--json", str(folder / f"{self.name}.part.json"), "--html", str(folder / f"{self.name}.html")]


# The heap is smaller by what the caches outside of it may take.
PAIR = "--engines stock,cassiterite --heap 2g --heap-of cassiterite=1280m"
DOOR_PAIR = "--engines stock,cassiterite-door --heap 2g --heap-of cassiterite-door=1280m"
PROFILE = "--profile lab/compare/src/profiles/features.yaml --ops insert=24,get=1"

# Rates and rows that leave room on two cores.
ALL = [
    # LOCAL_QUORUM of three replicas: three nodes on one core, whose JVMs take long to be warm.
    Row(
        "quorum",
        "requests --nodes 3 --engines stock,cassiterite-door --heap 1500m --heap-of cassiterite-door=900m "
        "--warmup 180 --rate 2000",
        30_000,
        8,
        12,
        14,
        50 + 308,
    ),
    Row(
        "requests",
        f"requests {DOOR_PAIR} --warmup 150 --rate 3000",
        50_000,
        4,
        10,
        17,
        20,
        in_readme=False,
    ),
    Row("reads", f"reads {PAIR} --warmup 150 --rate 4000", 100_000, 7, 3),
    # The approach to a balance of compaction takes the length twice, and up to five times.
    Row("writes", f"writes {PAIR} --warmup 150", 150_000, 9, 1, 11, 18 + 20),
    Row("restart", f"restart {PAIR}", 100_000, more_s=35, is_warmed=False),
    Row("indexes", "indexes --engines stock-sai,cassiterite --warmup 150", 50_000, 3, 8, 14, 36 + 30, in_readme=False),
    Row("small-rows", f"{PROFILE} {PAIR} --warmup 150 --rate 2000", 100_000, 7, 2, 17, in_readme=False),
    Row("mixed", f"mixed {PAIR} --warmup 150 --rate 2000", 100_000, 12, 1, 17, in_readme=False),
    Row(
        "scan",
        "scan --engines stock,cassiterite,cassiterite-door --heap 2g --warmup 150",
        2_000,
        5,
        2,
        14,
        20,
        in_readme=False,
    ),
    Row(
        "emp",
        "emp --engines stock,cassiterite,cassiterite-door --heap 2g --warmup 150 --rate 500",
        33_333,
        8,
        1,
        17,
        120,
        in_readme=False,
    ),
    Row("features", f"features {PAIR} --warmup 150", 200_000, 8, 1, 17, 120, in_readme=False),
    # A restart, three moves or rewrites, and their ends.
    Row("move", f"move {PAIR} --warmup 150 --rate 2000", 1_000_000, 20, 2, 17, 100, in_readme=False),
    # A run has a sample for each node that it replaces, so it has one round.
    Row(
        "stream",
        "stream --engines stock,cassiterite --scale full --samples 10 --warmup 60 --vnodes 16",
        0,
        15,
        2,
        14,
        2_700,
        in_readme=False,
        rounds=1,
    ),
]


class Refusal(Exception):
    """Nothing is measured, for this reason."""


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def commit():
    return git("rev-parse", "--short=8", "HEAD").strip()


def ensure_clean():
    changed = git("status", "--porcelain").splitlines()
    if changed:
        some = ", ".join(line[3:] for line in changed[:3])
        raise Refusal(f"the tree is dirty ({some}): numbers of no commit; commit or stash, then build again")


def chosen(rows, names):
    known = {row.name: row for row in rows}
    for name in names:
        if name not in known:
            raise Refusal(f"no scenario {name}; there are {', '.join(known)}")
    return [known[name] for name in names] or rows


def folder_of(results, of_commit, today):
    """The newest folder of this commit, which may be of yesterday; else a new name."""
    there = sorted(results.glob(f"*-{of_commit}"))
    return there[-1] if there else results / f"{today:%Y-%m-%d}-{of_commit}"


def is_done(folder, row):
    return (folder / f"{row.name}.json").is_file()


def plan(rows, rounds, folder):
    """Lines of what is to be run, and how long it is expected to take."""
    lines, left_min = [], 0.0
    for row in rows:
        expected_min, done = row.expected_min(rounds), is_done(folder, row)
        left_min += 0 if done else expected_min
        runs = f"{row.rounds_of(rounds)} rounds x {len(row.engines)} engines"
        lines.append(f"{row.name:<11} {runs:<22} {'done' if done else f'{expected_min:4.0f} min'}")
    return [*lines, f"in all {left_min / 60:.1f} h on two cores, expected by the sum of its parts; results in {folder}"]


def judged(part):
    """What a comparison says against itself: runs that must not be believed, and caveats."""
    runs = json.loads(part.read_text())["runs"]
    return sum(bool(run["invalid"]) for run in runs), sum(len(run["caveats"]) for run in runs)


def measure(row, lab, rounds, folder):
    """Why it failed; None where it did not."""
    command = row.command(lab, rounds, folder)
    with open(folder / f"{row.name}.txt", "w", encoding="utf-8") as text:
        code = subprocess.run(command, cwd=ROOT, stdout=text, check=False).returncode
    part = folder / f"{row.name}.part.json"
    # 1: a level of service held at no rate, which is a result.
    if code not in (0, 1) or not part.is_file():
        return f"exit code {code}"
    invalid, caveats = judged(part)
    if invalid:
        return f"{invalid} runs must not be believed"
    part.rename(folder / f"{row.name}.json")
    if caveats:
        print(f"   CAVEAT: {caveats} warm-ups ended by time, before the servers were warm")
    return None


def run(rows, lab, rounds, folder):
    """Measures what is missing; the names of what failed, with the reason."""
    folder.mkdir(parents=True, exist_ok=True)
    began, failed = commit(), []
    for row in rows:
        if is_done(folder, row):
            continue
        print(f"== {row.name} ({datetime.datetime.now():%H:%M}, some {row.expected_min(rounds):.0f} min)", flush=True)
        why = measure(row, lab, rounds, folder)
        if why:
            # One that failed does not end the others.
            print(f"   FAILED: {why}", flush=True)
            failed.append(f"{row.name} ({why})")
        if commit() != began:
            raise Refusal(
                f"the commit changed from {began} to {commit()} while {row.name} ran: what follows would differ"
            )
    return failed


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", choices=["readme", "all"])
    parser.add_argument("scenarios", nargs="*", help="only these")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--dry-run", action="store_true", help="only tell what would run, and for how long")
    options = parser.parse_intermixed_args(words)
    lab = os.environ.get("CASSITERITE_LAB", "lab/target/release/cassiterite")
    try:
        rows = chosen([row for row in ALL if row.in_readme or options.set == "all"], options.scenarios)
        folder = folder_of(RESULTS, commit(), datetime.date.today())
        print("\n".join(plan(rows, options.rounds, folder)), flush=True)
        if options.dry_run:
            return 0
        ensure_clean()
        failed = run(rows, lab, options.rounds, folder)
    except Refusal as refusal:
        print(f"bench: {refusal}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("bench: interrupted; the same command goes on", file=sys.stderr)
        return 130
    if failed:
        print(f"bench: failed: {', '.join(failed)}; the same command tries these again", file=sys.stderr)
        return 1
    print(f"bench: all valid; results in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
