# SPDX-License-Identifier: MIT
"""TAP for tests written in Python: import tap; tap.case(...); ...; tap.end()."""
import os
import sys

_count = _failures = 0
MOST = 4000  # characters of an explanation


def case(name, ok, why=""):
    """A line for one case; @why is shown if it failed. @ok is True or False: a text or a list there is a mistake."""
    global _count, _failures
    if not isinstance(ok, bool):
        raise TypeError(f"{name}: {ok!r:.200} is not True or False")
    _count += 1
    _failures += not ok
    print(f"{'ok' if ok else 'not ok'} {_count} - {name}", flush=True)
    if not ok:
        print("#", str(why)[:MOST].replace("\n", "\n# "), flush=True)


def skip(why):
    """A line for a case that cannot run here."""
    global _count
    _count += 1
    print(f"ok {_count} # SKIP {why}", flush=True)


SHARE = os.environ.get("LULL_SHARE", "")


def share(rows, of=4):
    """Those of @rows that this run has: each fourth (or one in @of) with LULL_SHARE=few, the other ones with LULL_SHARE=others, else all."""
    return [row for i, row in enumerate(rows) if SHARE == "" or (i % of == 0) == (SHARE == "few")]


def end():
    """The plan; ends the program."""
    print(f"1..{_count}")
    sys.exit(_failures != 0)
