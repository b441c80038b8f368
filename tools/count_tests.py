#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Count the cases of a meson run: each TAP line is one, a test without TAP is one.

count_tests.py TESTLOG.json prints "N passed, N failed, N skipped"; exit 1 if any failed or none ran.
"""
import json
import re
import sys

passed = failed = skipped = 0
for line in open(sys.argv[1], encoding="utf-8"):
    test = json.loads(line)
    cases = re.findall(r"^(not )?ok\b.*?(# SKIP.*)?$", test.get("stdout", ""), re.M | re.I)
    bad = sum(1 for no, skip in cases if no and not skip)
    skips = sum(1 for no, skip in cases if skip)
    if test["result"] == "SKIP" and not cases:
        skips = 1
    elif test["result"] not in ("OK", "EXPECTEDFAIL", "SKIP") and bad == 0:
        bad = 1  # it crashed, timed out, or speaks no TAP
    elif not cases:
        passed += 1
    passed += sum(1 for no, skip in cases if not no and not skip)
    failed += bad
    skipped += skips
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(failed != 0 or passed == 0)
