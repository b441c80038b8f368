#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""examples/session.c: what it must print, computed here from what simple.s computes (out[i] = 3 i + 1).

session.py SESSION EXAMPLES
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import tap  # noqa: E402

ITEMS, LANES, GIVEN = 64, 32, 7


def line_of(path, text):
    """Number of the first line that holds @text."""
    return next(n for n, line in enumerate(path.read_text().splitlines(), 1) if text in line)


def shown(value):
    """As C prints %g of a number that is a multiple of 0.5."""
    return f"{value:g}"


def quotient(a, b):
    """C's, which cuts towards zero; "-" in the lane that is off and would divide by zero."""
    return "-" if b == 0 else str(int(a / b))


def expected(source):
    """Lines by what they show."""
    v2 = [3 * i + 1 for i in range(LANES)]
    out = [3 * i + 1 if i < LANES + 8 else GIVEN for i in range(ITEMS)]
    out[:4] = [1000 + i for i in range(4)]
    return {
        "the store and its line": [f"<simple+0x18> line {line_of(source, 'global_store_b32')}: global_store_b32 v1, v2, s[0:1]"],
        "the first stop": ["event: dispatch began", "event: stopped, wave 0, breakpoint 1"],
        "v2 in all lanes": ["$v2: " + " ".join(map(str, v2))],
        "a float of each lane": ["(float)$v2 / 2: " + " ".join(shown(v / 2) for v in v2)],
        "a lane that has no value": ["100 / ((int)$v0 - 50): " + " ".join(quotient(100, LANES + i - 50) for i in range(LANES))],
        "the second stop": ["event: stopped, wave 1, breakpoint 1"],
        "the end": ["event: dispatch ended", "event: ended", ""],
        "lanes 0 to 3 of wave 0 store what was written, lanes 8 to 31 of wave 1 nothing":
            [" ".join(map(str, out[i:i + 16])) for i in range(0, ITEMS, 16)],
    }


def main():
    session, examples = sys.argv[1], pathlib.Path(sys.argv[2])
    source = examples / "simple.s"
    r = subprocess.run([session, source], capture_output=True, text=True, timeout=100)
    tap.case("it ends with status 0 and no word of an error", r.returncode == 0 and r.stderr == "", r.stderr)
    lines = r.stdout.splitlines()
    for name, want in expected(source).items():
        got, lines = lines[:len(want)], lines[len(want):]
        tap.case(name, got == want, f"got {got}\nwant {want}")
    tap.case("nothing more is said", lines == [], lines)
    r = subprocess.run([session, examples / "README.md"], capture_output=True, text=True, timeout=100)
    tap.case("a file that is no program is refused by name", r.returncode == 1 and "README.md" in r.stderr, r.stderr)
    tap.end()


main()
