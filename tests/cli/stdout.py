#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Standard output that cannot be written: every command says so and ends with 3. stdout.py LULL SOURCE.

The commands and their sub-commands are those of `lull --help` and of their usage lines; one without a row here fails the test.
"""
import contextlib
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import case, end  # noqa: E402

lull, source = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
corpus, examples, shaders = source / "tests/fuzz/corpus", source / "examples", source / "tests/vulkan/shaders"
DUMP = "---\nkernel: 6.12\nmodule: msm\nrevision: 630 (6.3.0.2)\nregisters:\n  - { offset: 0x000840, value: 0x00800005 }\n"
FAULT = "*** gpu fault: ttbr0=000000001c941000 iova=000000010066a000 dir=READ type=TRANSLATION source=CP (0,0,0,1)"
PRINTS = """#version 460
#extension GL_EXT_debug_printf : require
layout(local_size_x = 4) in;
void main() { debugPrintfEXT("item %u", gl_GlobalInvocationID.x); }
"""
env = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0")


def run(args, stdout, **how):
    return subprocess.run([lull, *map(str, args)], stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, text=True,
                          errors="replace", env=env, timeout=240, **how)


def files(d):
    """What the commands read."""
    section = lambda kind, payload: struct.pack("<II", kind, len(payload)) + payload  # noqa: E731
    (d / "dump").mkdir()
    (d / "dump/a.devcore").write_text(DUMP)
    (d / "a.rd").write_bytes(section(14, struct.pack("<Q", 0x06030001)) + section(2, b"a\0\0\0"))
    (d / "b.rd").write_bytes(b"".join(section(kind, payload) for kind, payload in [
        (13, struct.pack("<I", 630)), (3, struct.pack("<III", 0x1000, 16, 0)), (12, struct.pack("<4I", 0x70388003, 4, 1, 3)),
        (6, struct.pack("<III", 0x1000, 4, 0))]))
    (d / "c.rd").write_bytes(b"".join(section(kind, payload) for kind, payload in [
        (13, struct.pack("<I", 630)), (3, struct.pack("<III", 0x1000, 4, 1)), (12, struct.pack("<I", 0x70108000)), (6, struct.pack("<III", 0x1000, 1, 1))]))
    (d / "a.fw").write_bytes(struct.pack("<6I", 0, 0x016EE001, 0, 0x01000000, 0x08210004, 0x01000000))
    (d / "a.asm").write_text(run(["afuc", "disasm", d / "a.fw"], subprocess.PIPE).stdout)
    (d / "a.ir3").write_text("nop\nend\n")
    (d / "words").write_text("7e000280 bfb00000\n")
    (d / "prints.comp").write_text(PRINTS)
    root = d / "root/sys"
    for name, data in [("class/devcoredump/devcd1/data", DUMP.encode()), ("kernel/debug/dri/0/rd", (d / "a.rd").read_bytes()),
                       ("kernel/debug/dri/0/hangrd", (d / "a.rd").read_bytes())]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    (d / "k.asm").write_text("@localsize 1, 1, 1\n@buf 4\nend\n")
    (d / "i.asm").write_text("mov.u32u32 r0.x, 7\nend\n")
    run(["ir3", "instrument", d / "i.asm", "-o", d / "j.asm"], subprocess.DEVNULL)
    (d / "records").write_bytes(bytes(24))
    (d / "out").mkdir()
    subprocess.run([lull, "cc", "--relocatable", examples / "relocatable/scale.ll", "-o", d / "scale.elf"], check=True)


def rows(d):
    """(command, sub-command): lists of arguments, each of which prints something and ends with 0 or 1."""
    capture = ["--root", d / "root", "--out", d / "out", "--timeout", 20]
    loop = [examples / "loop.s", "--grid", 256, "--block", 256, "--arg", "zeros:1024:name=out"]
    saxpy = [shaders / "saxpy.comp", "--groups", 1, "--push", "f32:1,u32:64", "--bind", "0.0=iota:64:f32", "--bind", "0.1=iota:64:f32"]
    link = [d / "scale.elf", "--layout", examples / "relocatable/tables.json"]
    return {
        ("afuc", "disasm"): [[d / "a.fw"], ["-v", d / "a.fw"]],
        ("afuc", "asm"): [[d / "a.asm", "-o", "-"]],
        ("bisect", ""): [["--list"], ["--env", "A=b", "true"], ["--env", "A=b", "--json", "false"]],
        ("capture", "check"): [["--root", d / "root"]],
        ("capture", "rd"): [[*capture], [*capture, "--json"]],
        ("capture", "hangrd"): [[*capture]],
        ("capture", "devcoredump"): [[*capture, "--keep"], [*capture, "--keep", "--json"]],
        ("cc", ""): [["-o", "-", examples / "relocatable/scale.ll", "--relocatable"]],
        ("cffdump", ""): [[d / "b.rd"], ["--query", "0x8800", d / "b.rd"]],
        ("crash", "show"): [[d / "dump/a.devcore"], ["--json", d / "dump/a.devcore"], ["--signature", d / "dump/a.devcore"],
                            ["--all", d / "dump/a.devcore"], ["--style=crashdec", d / "dump/a.devcore"]],
        ("crash", "explain-fault"): [[FAULT], ["--json", FAULT]],
        ("crash", "triage"): [[d / "dump"], ["--json", d / "dump"]],
        ("crashdec", ""): [["-f", d / "dump/a.devcore"]],
        ("crumbs", "add"): [["-o", d / "crumbs.rd", d / "b.rd"], ["--json", "-o", d / "crumbs.rd", d / "b.rd"]],
        ("crumbs", "list"): [[d / "b.rd"], ["--json", d / "b.rd"]],
        ("crumbs", "listen"): [],  # prints what senders send
        ("crumbs", "where"): [[1, d / "b.rd"]],
        ("dap", ""): [["--vsix", "-"]],  # what else it prints is the protocol
        ("debug", ""): [[*loop, "-batch", "-ex", "info bos"], [*loop, "-batch", "--json", "-ex", "info bos", "-ex", "run"]],
        ("diff", ""): [[*saxpy, "--against", "lavapipe", "--json", "--vulkan-device", "lavapipe"]],
        ("diff-run", "run"): [[*loop, "--seed", "1::2"]],
        ("diff-run", "exec"): [],  # prints as the one of run
        ("disasm", ""): [[examples / "saxpy.cl"], ["--info", examples / "saxpy.cl"], ["--json", examples / "saxpy.cl"],
                         ["--raw", d / "words"]],
        ("doctor", ""): [["--root", d / "root"], ["--root", d / "root", "--json"]],
        ("elf", "show"): [[corpus / "pal/linked.elf"], ["--json", corpus / "pal/linked.elf"]],
        ("exec", ""): [],  # what the program prints is the program's
        ("explain", ""): [["CP_WAIT_REG_MEM", "UCHE"]],
        ("explore", ""): [[*loop, "--orders", 2, "--jobs", 1], [*loop, "--orders", 2, "--jobs", 1, "--json"]],
        ("hang", ""): [["--longest", 60000, "--", lull, "run", source / "tests/cli/hang/stray.s", "--grid", 64, "--block", 64, "--device",
                        "/dev/dri/renderD128"]],
        ("instrument", ""): [["--json", "--", "true"]],
        ("ir3", "disasm"): [["--word", "63828001040e4000"]],
        ("ir3", "instrument"): [[d / "i.asm", "-o", d / "k2.asm"]],
        ("ir3", "records"): [[d / "j.asm.records", d / "records"], ["--json", d / "j.asm.records", d / "records"]],
        ("ir3", "run"): [[d / "k.asm"], ["--json", d / "k.asm"]],
        ("ir3", "asm"): [[d / "a.ir3"], [d / "a.ir3", "-o", "-"]],
        ("link", ""): [[*link, "-o", d / "l.elf"], [*link, "-o", d / "l.elf", "--json"], [*link, "-o", d / "l.elf", "--explain"],
                       [*link, "-o", "-"]],
        ("printf", "decode"): [[corpus / "printf_buffer/good", "--strings", corpus / "printf_strings/document", "--json"]],
        ("printf", "format"): [["%d", "1"], ["--json", "%d", "1"]],
        ("printf", "run"): [[d / "prints.comp", "--groups", 1, "--device", "llvmpipe"]],
        ("rd", "show"): [[d / "b.rd"], ["--summary", d / "b.rd"], ["--json", d / "b.rd"], ["--sections", d / "b.rd"],
                         ["--sections", "--json", d / "b.rd"], ["--draw", 0, d / "b.rd"], ["--style=cffdump", d / "b.rd"],
                         ["--query", "RB_*", d / "b.rd"]],
        ("rd", "check"): [[d / "b.rd"], ["--json", d / "b.rd"]],
        ("rd", "decompile"): [[d / "b.rd"]],
        ("rd", "names"): [["a6xx"]],
        ("rd", "diff"): [[d / "a.rd", d / "b.rd"], ["--json", d / "b.rd", d / "b.rd"]],
        ("replay", ""): [[d / "c.rd"], ["--json", d / "c.rd"]],
        ("run", ""): [[examples / "loop.s", "--grid", 64, "--arg", "zeros:1024", "--json"],
                      [examples / "oob_store.cl", "--grid", 128, "--block", 128, "--arg", "zeros:512"],
                      [*saxpy, "--json"], [*saxpy, "--vulkan-device", "lavapipe", "--json"]],
        ("stomp", ""): [["--timeout", 60, "--", "true"], ["--json", "--timeout", 60, "--", "true"], [d / "c.rd"], ["--json", d / "c.rd"]],
        ("vm", "walk"): [["out", *loop], ["out", *loop, "--json"]],
    }


def sub_commands(usage):
    """First words of the alternatives in a usage line, if they are words and not names of arguments."""
    plain = re.sub(r"\[[^\[\]]*\]", "", re.sub(r"\[[^\[\]]*\]", "", usage))
    lines = [re.sub(r"^(usage:)? *lull [a-z0-9-]+", "", line) for line in plain.split("\n")]
    words = [part.split()[0] for line in lines for part in line.split("|") if part.split()]
    return {w for w in words if re.fullmatch(r"[a-z][a-z0-9-]*", w)} or {""}


def refuses(args):
    name = " ".join(a.name if isinstance(a, pathlib.Path) else str(a) for a in args)
    good = run(args, subprocess.PIPE)
    if good.returncode not in (0, 1) or good.stdout == "":
        return case(name, False, good)
    with open("/dev/full", "w") as full:
        got = [run(args, full), run(args, None, preexec_fn=lambda: os.close(1))]
    back, front = os.pipe()
    os.close(back)
    got.append(run(args, front, restore_signals=False, preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN)))
    os.close(front)
    said = [[line for line in g.stderr.split("\n") if "standard output" in line] for g in got]
    others = [g.stderr.count("\n") - good.stderr.count("\n") for g in got]
    case(name, all(g.returncode == 3 and len(s) == 1 and re.match(r"lull[ :]", s[0]) and more <= 1
                   for g, s, more in zip(got, said, others)), (good, got))


def closed():
    """Standard streams that are closed at the start are not the numbers of files that are opened later."""
    p = subprocess.Popen([lull, "rd", "show", "-"], stdin=subprocess.PIPE, env=env, preexec_fn=lambda: os.closerange(1, 3))
    at, end_of_wait = pathlib.Path(f"/proc/{p.pid}/fd"), time.monotonic() + 60
    held = {}
    while time.monotonic() < end_of_wait and held != {"1": "/dev/null", "2": "/dev/null"}:
        with contextlib.suppress(FileNotFoundError):  # Gone between the two looks: the program is not yet itself.
            held = {n: os.readlink(at / n) for n in ("1", "2") if os.path.lexists(at / n)}
        time.sleep(0.01)
    p.stdin.close()
    case("closed streams are filled", held == {"1": "/dev/null", "2": "/dev/null"} and p.wait(60) == 3, held)


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    os.chdir(work)
    files(work)
    closed()
    table = rows(work)
    commands = re.findall(r"^  ([a-z0-9-]+) +\S", run(["--help"], subprocess.PIPE).stdout, re.M)
    case("there are commands", len(commands) > 10, commands)
    for words in (["--help"], ["help"], ["--version"], ["--version", "--verbose"], *(["--completion", s] for s in ("bash", "zsh", "fish"))):
        refuses(words)
    for command in commands:
        usage = run([command, "--help"], subprocess.PIPE).stdout.split("\n\n")[0]
        refuses([command, "--help"])
        for sub in sorted(sub_commands(usage)):
            case(f"{command} {sub}: has a row", (command, sub) in table, usage)
            for args in table.get((command, sub), []):
                refuses([command, *([sub] if sub else []), *args])
end()
