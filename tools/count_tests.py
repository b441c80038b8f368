#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Count the cases of meson runs: each TAP line is one, a test without TAP is one.

count_tests.py TESTLOG.json... names what was skipped, what failed (with the end of what it wrote) and what tests ran on
("# ran on: ..."), prints "N passed, N failed, N skipped";
exit 1 if any failed, or if a log is missing or has no test (a build that failed must not look green).
"""
import itertools
import json
import pathlib
import re
import sys


def count(test):
    """(passed, failed, names of skipped) of one line of the log."""
    out = test.get("stdout", "")
    cases = re.findall(r"^(not )?ok\b(.*)$", out, re.M)
    skips = [text.strip() for _, text in cases if re.search(r"#\s*skip", text, re.I)]
    bad = sum(1 for no, text in cases if no and not re.search(r"#\s*(skip|todo)", text, re.I))
    passed = len(cases) - len(skips) - bad
    if test["result"] == "SKIP" and not cases:
        why = re.search(r"#\s*skip\b(.*)", out, re.I)
        skips = ["all of it:" + (why[1] if why else " no case")]
    elif test["result"] not in ("OK", "EXPECTEDFAIL", "SKIP"):
        bad = max(bad, 1)  # it crashed, timed out, or speaks no TAP
    elif not cases:
        passed = 1
    return passed, bad, skips


def tell_failure(test):
    """Which cases, and why: short enough for the end of a long log."""
    lines = test.get("stdout", "").splitlines()
    cases = []
    for i, line in enumerate(lines):
        if re.match(r"not ok\b", line) and not re.search(r"#\s*(skip|todo)", line, re.I):
            cases += [line, *itertools.takewhile(lambda text: text.startswith("#"), lines[i + 1 : i + 5])]
    print(f"failed: {test['name']}: {test['result']}, exit status {test.get('returncode')}, {test.get('duration', 0):.0f} s")
    for line in cases[:12] or lines[-4:]:
        print(f"failed:   {line[:300]}")
    errors = test.get("stderr", "").splitlines()
    told = [line for line in errors if re.search(r"ERROR: |runtime error: |SUMMARY: |WARNING: Thread|^\s+#[0-9] ", line)]
    for line in told[:12] or errors[-8:]:
        print(f"failed:   {line[:300]}")


total = [0, 0, 0]
broken = []
drivers = set()
for log in sys.argv[1:]:
    path = pathlib.Path(log)
    tests = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    if not tests:
        broken.append(log)
    for test in tests:
        passed, failed, skips = count(test)
        drivers.update(re.findall(r"^# (ran on: .*)$", test.get("stdout", ""), re.M))
        for why in skips:
            print(f"skipped: {test['name']}: {why}")
        if failed:
            tell_failure(test)
        total = [total[0] + passed, total[1] + failed, total[2] + len(skips)]
for line in sorted(drivers):
    print(line)
for log in broken:
    print(f"no test ran: {log}")
    total[1] += 1
print("{} passed, {} failed, {} skipped".format(*total))
sys.exit(total[1] != 0 or total[0] == 0)
