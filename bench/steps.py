#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast lull debug steps: steps.py LULL [RESULTS.jsonl]

examples/loop.s, with more rounds. A wave steps many instructions by one command, the same number by one command each, and the kernel runs plainly: CPU time of
lull, less that of a session which only starts. The three come from one run.
"""
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

MANY, SINGLE, ROUNDS, LENGTH = 2_000_000, 20_000, 20_000_000, 4
def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    lull = sys.argv[1]
    with tempfile.TemporaryDirectory() as d:
        work = pathlib.Path(d)
        text = (pathlib.Path(__file__).resolve().parents[1] / "examples/loop.s").read_text()
        assert "s_movk_i32 s2, 250" in text
        (work / "loop.s").write_text(text.replace("s_movk_i32 s2, 250", f"s_mov_b32 s2, {ROUNDS}"))
        kernel = [str(work / "loop.s"), "--timeout", "100000000", "--grid", "32", "--block", "32", "--arg", "zeros:128:name=out"]

        def debug(*commands):
            (work / "script").write_text("\n".join(("start", *commands, "")))
            return seconds([lull, "debug", "-batch", "-x", str(work / "script"), *kernel])

        start = debug()
        many = (debug(f"stepi {MANY}") - start) / MANY
        single = (debug(*["stepi"] * SINGLE) - start) / SINGLE
        plain = (debug("continue") - start) / (LENGTH * ROUNDS)
    line = {"bench": "steps", "many_per_s": 1 / many, "single_per_s": 1 / single, "plain_per_s": 1 / plain, "many_to_plain": many / plain}
    print(json.dumps(line))
    print(f"\nstepi {MANY}: {1 / many:,.0f} instructions/s; stepi {SINGLE} times: {1 / single:,.0f}/s; the plain run: {1 / plain:,.0f}/s, "
          f"{many / plain:.0f} times as fast as the first")
    if len(sys.argv) > 2:
        with open(sys.argv[2], "a", encoding="utf-8") as out:
            out.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
