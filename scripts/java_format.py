#!/usr/bin/env python3
# Licensed under the Apache License, Version 2.0: see the file LICENSE.
"""Brings the imports of Java files into the project's order (config/checkstyle.xml) and strips trailing whitespace.

usage: scripts/java_format.py FILE...
"""
import re
import sys

IMPORT = re.compile(r"^import (static )?([\w.*]+);$")
FIRST_IMPORTS = ("java.", "javax.")
LAST_IMPORTS = ("org.apache.cassandra.", "io.cassiterite.")


def group(name, static):
    """The position of an import's group."""
    if static:
        return 9
    for position, prefix in enumerate(FIRST_IMPORTS):
        if name.startswith(prefix):
            return position
    for position, prefix in enumerate(LAST_IMPORTS):
        if name.startswith(prefix):
            return 3 + position
    return 2


def ordered(imports):
    """The lines of an import section."""
    lines = []
    last = None
    for position, name, line in sorted(imports):
        if last is not None and position != last:
            lines.append("")
        last = position
        lines.append(line)
    return lines


def formatted(text):
    lines = [line.rstrip() for line in text.split("\n")]
    at = [i for i, line in enumerate(lines) if IMPORT.match(line)]
    if at and all(not lines[i] or IMPORT.match(lines[i]) for i in range(at[0], at[-1] + 1)):
        imports = set()
        for i in at:
            static, name = IMPORT.match(lines[i]).groups()
            imports.add((group(name, static), name, lines[i]))
        lines[at[0]:at[-1] + 1] = ordered(imports)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip("\n") + "\n"


def main():
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            before = file.read()
        after = formatted(before)
        if after != before:
            with open(path, "w", encoding="utf-8") as file:
                file.write(after)
            print("formatted", path)


if __name__ == "__main__":
    main()
