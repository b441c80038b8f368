#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exit statuses, as docs/man/lull.1 has them: 0 nothing to tell, 1 findings, 2 usage, 3 could not run. status.py LULL SOURCE."""
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, source = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
corpus, examples, shaders = source / "tests/fuzz/corpus", source / "examples", source / "tests/vulkan/shaders"
env = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0")
DUMP = "---\nkernel: 6.12\nmodule: msm\nrevision: 630 (6.3.0.2)\nregisters:\n  - { offset: 0x000840, value: 0x00800005 }\n"


def run(*args):
    return subprocess.run([lull, *map(str, args)], capture_output=True, stdin=subprocess.DEVNULL, env=env, timeout=240)


def section(kind, payload):
    return struct.pack("<II", kind, len(payload)) + payload


def pairs(d):
    """For each command that finds things: what it finds nothing in, and what it does."""
    (d / "dump").write_text(DUMP)
    (d / "cut").write_text(DUMP[:-20])
    (d / "a.rd").write_bytes(section(13, struct.pack("<I", 630)))
    (d / "b.rd").write_bytes(section(13, struct.pack("<I", 630)) + b"cut")
    (d / "good.hex").write_text("bfb00000\n")
    (d / "bad.hex").write_text("ffffffff bfb00000\n")
    elf = (corpus / "pal/linked.elf").read_bytes()
    (d / "cut.elf").write_bytes(elf[:len(elf) // 2])
    loop = [examples / "loop.s", "--grid", 64, "--arg", "zeros:1024:name=out"]
    stray = [examples / "oob_store.cl", "--grid", 128, "--block", 128, "--arg"]
    saxpy = [shaders / "saxpy.comp", "--vulkan-device", "lavapipe", "--groups", 1, "--push", "f32:1,u32:64",
             "--bind", "0.1=iota:64:f32", "--bind", "0.0=iota:64:f32", "--expect"]
    return {
        "cffdump": [([d / "a.rd"], [d / "b.rd", d / "a.rd"])],
        "crash": [(["triage", d / "dump"], ["triage", d / "cut"]), (["show", d / "dump"], ["show", d / "cut"]),
                  (["show", "--style=crashdec", d / "dump"], ["show", "--style=crashdec", d / "cut"])],
        "crashdec": [(["-sf", d / "dump"], ["-sf", d / "cut"])],
        "debug": [([*loop, "-batch", "-ex", "run"], [*stray, "zeros:512", "-batch", "-ex", "run"]),
                  ([*loop, "-batch", "-ex", "vm walk out"], [*loop, "-batch", "-ex", "vm walk 0x123456789000"])],
        "disasm": [(["--raw", d / "good.hex"], ["--raw", d / "bad.hex"])],
        "elf": [(["show", corpus / "pal/linked.elf"], ["show", d / "cut.elf"])],
        "printf": [(["format", "%d", "1"], ["format", "%d %d", "1"])],
        "rd": [(["show", d / "a.rd"], ["show", d / "b.rd"])],
        "run": [(loop, [*stray, "zeros:512"]), ([*saxpy, "0.1=iota:64:f32"], [*saxpy, "0.1=zeros:256"])],
        "vm": [(["walk", "out", *loop], ["walk", "0x123456789000", *loop]),
               (["walk", "out", *loop, "--json"], ["walk", "0x123456789000", *loop, "--json"])],
    }


# Found on machines that a test has not, or by tests of their own.
ELSEWHERE = {"bisect": "tests/cli/bisect_env.py", "crumbs": "tests/cli/crumbs.py", "doctor": "tests/cli/doctor.py", "hang": "tests/cli/hang.py", "replay": "tests/cli/replay.py", "stomp": "tests/cli/stomp.py",
             "diff-run": "tests/cli/diff_run.py", "explain": "tests/cli/explain.py", "explore": "tests/cli/explore.py", "capture": "tests/cli/capture.py", "diff": "tests/cli/vk_run.py", "exec": "tests/check/hazards.py", "instrument": "tests/cli/instrument.py"}

with tempfile.TemporaryDirectory() as folder:
    table = pairs(pathlib.Path(folder))
    page = (source / "docs/man/lull.1").read_text().split(".SS What 1 says\n")[1].split(".PP")[0]
    told = {name.replace("\\-", "-") for name in re.findall(r"^\.TP\n\.B (\S+)$", page, re.M)}
    case("lull.1 names the commands that end with 1", told == set(table) | set(ELSEWHERE), told ^ (set(table) | set(ELSEWHERE)))
    for command, rows in table.items():
        for good, found in rows:
            for args, want in (good, 0), (found, 1):
                r = run(command, *args)
                case(f"{command} {' '.join(getattr(a, 'name', str(a)) for a in args)}: {want}", r.returncode == want, r)
    commands = re.findall(r"^  ([a-z0-9-]+) +\S", run("--help").stdout.decode(), re.M)
    case("commands", len(commands) > 10, commands)
    for command in commands:
        r = run(command, "--no-such-option")
        text = r.stderr.decode()
        case(f"{command} --no-such-option: 2", r.returncode == 2 and text.count("\n") == 2 and text.count(f"lull {command}") == 2
             and text.endswith("--help' says more\n"), r)
    for args in (["afuc", "disasm"], ["cffdump"], ["crash", "show"], ["crashdec", "-f"], ["disasm"], ["elf", "show"], ["ir3", "disasm"],
                 ["rd", "show"], ["cc"], ["run", "--grid", "1"], ["debug", "--grid", "1"]):
        r = run(*args, pathlib.Path(folder) / "none.elf")
        case(f"{' '.join(args)} of no file: 3", r.returncode == 3 and b"none.elf" in r.stderr, r)
    # Of what not one byte can be unpacked, nothing was found.
    bad = pathlib.Path(folder) / "bad.gz"
    bad.write_bytes(b"\x1f\x8b\x08\x00" + b"\xff" * 60)
    for args in (["cffdump"], ["crash", "show"], ["crash", "show", "--style=crashdec"], ["crashdec", "-f"], ["rd", "show"], ["elf", "show"]):
        r = run(*args, bad)
        case(f"{' '.join(args)}: nothing to read: 3", r.returncode == 3 and b"bad.gz" in r.stderr, r)
    case("no command: 2", run().returncode == 2 and run("nothing").returncode == 2, run())
end()
