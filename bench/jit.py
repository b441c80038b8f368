#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What compiling waves costs: jit.py LULL BENCH_JIT SHADERS [RESULTS.jsonl]

RADV's code of the shaders of nine.py, taken from its dispatch by lull debug, compiled by bench_jit: nanoseconds of CPU time for each instruction of the whole shader, the
least of several rounds. LULL_JIT of the environment names another target.
"""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import nine

MOST_BYTES = 16384
S_CODE_END = 0xbf9f0000  # What RADV fills up with, behind the code.


def held(lull, shaders, case, *commands):
    """What lull debug prints for commands at the first instruction of a case's dispatch."""
    _, shader, groups, binds, args, _ = case
    program = [lull, "run", shaders / shader, "--groups", groups, *sum((["--bind", b] for b in binds), []), *args]
    script = "\n".join(("catch dispatch", "run", "stepi", *commands, "kill", ""))
    return subprocess.run([lull, "debug", "--", *program], input=script, capture_output=True, text=True, check=True).stdout


def code(lull, shaders, case, place):
    """The file with a case's code, and the size of its waves."""
    text = held(lull, shaders, case, "print /x $pc")
    pc, lanes = re.search(r"\$\w+ = (0x[0-9a-f]+)", text), re.search(r"wave(32|64)", text)
    if pc is None or lanes is None:
        sys.exit(f"jit: {case[1]}: no dispatch is held: {text}")
    out = place / "code.bin"
    held(lull, shaders, case, f"dump memory {out} {pc[1]} {MOST_BYTES}")
    words = struct.unpack(f"<{MOST_BYTES // 4}I", out.read_bytes())
    out.write_bytes(struct.pack(f"<{words.index(S_CODE_END)}I", *words[:words.index(S_CODE_END)]))
    return out, lanes[1]


def main():
    lull, bench, shaders = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    print(f"{'compiling waves':36}{'instructions':>14}{'ns each':>10}")
    with tempfile.TemporaryDirectory() as d:
        for case in nine.CASES:
            raw, lanes = code(lull, shaders, case, pathlib.Path(d))
            n, _, ns = subprocess.run([bench, raw, lanes], capture_output=True, text=True, check=True).stdout.split()
            print(f"{case[0]:36}{n:>14}{ns:>10}", flush=True)
            if len(sys.argv) > 4:
                with open(sys.argv[4], "a", encoding="utf-8") as out:
                    out.write(json.dumps({"bench": "jit", "shader": case[1], "instructions": int(n), "ns_per_instruction": float(ns)}) + "\n")


if __name__ == "__main__":
    main()
