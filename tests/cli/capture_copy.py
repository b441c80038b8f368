#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What lull capture keeps, what it names it, what it frees, and how it ends. capture_copy.py LULL.

Of the kernel (Linux 6.12): rd_open() of drivers/gpu/drm/msm/msm_rd.c writes the sections GPU_ID and CHIP_ID by itself, a
submit is CMD, GPUADDR, BUFFER_CONTENTS and CMDSTREAM_ADDR, and read() waits for ever; in drivers/base/devcoredump.c any
write to `data` drops the dump.
"""
import json
import os
import pathlib
import resource
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402
from capture_tree import DUMP, RD, Tree, feed, lull, reached, section, wait_for_bytes  # noqa: E402
from tap import case  # noqa: E402

OPENED = section(13, struct.pack("<I", 630)) + section(14, struct.pack("<Q", 0x06030002))
STREAM = section(6, struct.pack("<3I", 0x1000, 4, 0))
SUBMIT = (section(2, b"glxgears/77: fence=1") + section(3, struct.pack("<3I", 0x1000, 16, 0)) +
          section(12, b"\x70" * 16) + STREAM)
CHUNK = 1 << 16  # the most that is read at once
HANGRD = "sys/kernel/debug/dri/0/hangrd"
CLASS = "sys/class/devcoredump/"
NOBODY = 65534 if os.getuid() == 0 else None
os.umask(0o022)


def last(tree):
    """The copies, without the name that they have at first."""
    return [name for name in tree.files() if not name.startswith(".")]


# (name, the file, options; bytes kept, sections, is a part left out?)
SECTIONS = [
    ("--streams 1 of three in one read", SUBMIT * 3, ["--streams", "1"], len(SUBMIT), 4, False),
    ("--streams 2, the third is cut", SUBMIT * 3 + b"\x06", ["--streams", "2"], 2 * len(SUBMIT), 8, False),
    ("--streams, just as many", SUBMIT * 3, ["--streams", "3"], 3 * len(SUBMIT), 12, False),
    ("--streams, fewer", SUBMIT * 3, ["--streams", "4"], 3 * len(SUBMIT), 12, False),
    ("--streams, fewer and cut", SUBMIT * 3 + SUBMIT[:-1], ["--streams", "4"], 4 * len(SUBMIT) - len(STREAM), 15, True),
    ("--streams 0 is no limit", SUBMIT * 3, ["--streams", "0"], 3 * len(SUBMIT), 12, False),
    ("--streams, the last one far on", (section(12, bytes(CHUNK)) + STREAM) * 5, ["--streams", "4"],
     4 * (CHUNK + 8 + len(STREAM)), 8, False),
    ("two streams of one submit", SUBMIT + STREAM, ["--streams", "2"], len(SUBMIT + STREAM), 5, False),
    ("a stream without a payload", section(6, b"") * 2, ["--streams", "1"], 8, 1, False),
    ("sections without a payload", section(8, b"") * 3, [], 24, 3, False),
    ("a header in two reads", section(12, bytes(CHUNK - 12)) + STREAM, [], CHUNK - 4 + len(STREAM), 2, False),
    ("a section ends with a read", section(12, bytes(CHUNK - 8)) + STREAM, [], CHUNK + len(STREAM), 2, False),
    ("cut in a header", SUBMIT + b"\x0c\0\0\0\0\0\0", [], len(SUBMIT), 4, True),
    ("cut behind a header", SUBMIT + struct.pack("<II", 12, 1), [], len(SUBMIT), 4, True),
    ("cut in the largest section", SUBMIT + struct.pack("<II", 12, 0xFFFFFFFF) + bytes(CHUNK), [], len(SUBMIT), 4, True),
    ("filler", b"\xff" * 8 + SUBMIT + b"\xff" * 8, [], len(SUBMIT) + 16, 6, False),
    ("half of what filler looks like", section(0xFFFFFFFF, b"1234") + SUBMIT, [], 12 + len(SUBMIT), 5, False),
    ("the number of the GPU alone, and its end", OPENED, [], len(OPENED), 2, False),
]
for name, data, options, size, sections, cut in SECTIONS:
    for kind in ("rd", "hangrd"):
        t = Tree()
        t.put(f"sys/kernel/debug/dri/0/{kind}", data)
        said = t.run(kind, *options)
        got = t.run(kind, *options, "--json")
        want = {"from": str(t.root / "sys/kernel/debug/dri/0" / kind), "file": str(t.out / f"{kind}-2.rd"), "bytes": size,
                "sections": sections, "cut": cut, "freed": False}
        case(f"{kind}: {name}", (said[0], said[2], got[0], got[2]) == (0, "", 0, "") and json.loads(got[1]) == {"captures": [want]}
             and f"{kind}-1.rd: {size} bytes, {sections} sections" in said[1] and ("left out" in said[1]) == cut
             and t.read(f"{kind}-1.rd") == t.read(f"{kind}-2.rd") == data[:size], (said, got, t.files()))

# A file that goes on: (name, kind, parts as they come, what ends it; status, bytes kept)
HELD = [
    ("only the GPU's number, SIGINT", "rd", [OPENED], signal.SIGINT, 130, 0),
    ("only the GPU's number and half a section, SIGTERM", "rd", [OPENED, SUBMIT[:20]], signal.SIGTERM, 130, 0),
    ("only the GPU's number, SIGINT", "hangrd", [OPENED], signal.SIGINT, 130, 0),
    ("a submit, SIGHUP", "rd", [OPENED, SUBMIT], signal.SIGHUP, 0, len(OPENED + SUBMIT)),
    ("a submit and a half, SIGTERM", "rd", [OPENED + SUBMIT, SUBMIT[:-1]], signal.SIGTERM, 0,
     len(OPENED + SUBMIT * 2) - len(STREAM)),
    ("byte by byte, SIGINT", "rd", [bytes([b]) for b in OPENED + STREAM], signal.SIGINT, 0, len(OPENED + STREAM)),
    ("a hang, then silence", "hangrd", [OPENED + SUBMIT], None, 0, len(OPENED + SUBMIT)),
    ("a dump, half of it, SIGINT", "devcoredump", [DUMP], signal.SIGINT, 130, 0),
    ("a dump, half of it, SIGTERM", "devcoredump", [DUMP, b"regs"], signal.SIGTERM, 130, 0),
]
for name, kind, parts, end, status, size in HELD:
    t = Tree()
    path = t.pipe(CLASS + "devcd1/data" if kind == "devcoredump" else f"sys/kernel/debug/dri/0/{kind}")
    p = t.start(kind)
    data = b"".join(parts)
    with reached(path) as f:
        for part in parts:
            f.write(part)
        came = end is None or wait_for_bytes(t, len(data))
        before = t.files()
        if end is not None:
            p.send_signal(end)
        got = t.run(process=p)
    hidden = end is None or (len(before) == 1 and before[0].startswith("."))
    case(f"{kind}: {name}", came and hidden and got[0] == status and t.files() == ([f"{kind}-1.rd"] if size else [])
         and (size == 0 or t.read(f"{kind}-1.rd") == data[:size]) and ("nothing came\n" in got[2]) == (size == 0), (before, got, t.files()))

for kind in ("rd", "hangrd"):
    t = Tree()
    path = t.pipe(f"sys/kernel/debug/dri/0/{kind}")
    p = t.start(kind, "--timeout", "2", "--json")
    with reached(path) as f:
        f.write(OPENED)
        got = t.run(process=p)
    case(f"{kind}: --timeout, only the GPU's number", got[0] == 124 and json.loads(got[1]) == {"captures": []}
         and "nothing came in time" in got[2] and t.files() == [], (got, t.files()))
t = Tree()
path = t.pipe(HANGRD)
p = t.start("hangrd")
with reached(path) as f:
    f.write(OPENED)
    wait_for_bytes(t, len(OPENED))
    time.sleep(1.5)  # no hang as yet: longer than the silence that ends one
    try:
        f.write(SUBMIT)
    except BrokenPipeError:
        pass
    got = t.run(process=p)
case("hangrd: the hang comes later", got[0] == 0 and t.read("hangrd-1.rd") == OPENED + SUBMIT, got)
t = Tree()
path = t.pipe(RD)
p = t.start("rd")
with reached(path) as f:
    f.write(OPENED)
    wait_for_bytes(t, len(OPENED))
    p.send_signal(signal.SIGUSR1)
    f.write(SUBMIT)
    came = wait_for_bytes(t, len(OPENED + SUBMIT))
    p.send_signal(signal.SIGINT)
    got = t.run(process=p)
case("rd: SIGUSR1 ends nothing", came and got[0] == 0 and t.read("rd-1.rd") == OPENED + SUBMIT, got)

# --wait: lull says what it waits for, and from then on signals end it
for kind in ("rd", "hangrd", "devcoredump"):
    what = "CONFIG_DEV_COREDUMP" if kind == "devcoredump" else "CONFIG_DEBUG_FS"
    path = CLASS + "devcd1/data" if kind == "devcoredump" else f"sys/kernel/debug/dri/1/{kind}"
    for end, status in ((signal.SIGINT, 130), (signal.SIGTERM, 130), (None, 0)):
        t = Tree()
        p = t.start(kind, "--wait")
        line = p.stderr.readline().decode()
        if end is not None:
            p.send_signal(end)
        else:
            t.put(path, DUMP if kind == "devcoredump" else SUBMIT)
        got = t.run(process=p)
        case(f"{kind}: --wait, {end.name if end else 'it comes'}", what in line and got[0] == status and len(last(t)) == (status == 0)
             and ("nothing came\n" in got[2]) == (status != 0), (line, got, t.files()))
    t = Tree()
    got = t.run(kind, "--wait", "--timeout", "0")
    case(f"{kind}: --wait --timeout 0", got[0] == 124 and got[2].count("\n") == 2 and what in got[2], got)
t = Tree()
p = t.start("devcoredump", "--wait", "--count", "0")
p.stderr.readline()
for n in (1, 2):
    t.put(CLASS + f"devcd{n}/data", DUMP)
    for _ in range(3000):
        if len(last(t)) == n:
            break
        time.sleep(0.02)
alive = p.poll() is None
p.send_signal(signal.SIGINT)
got = t.run(process=p)
case("devcoredump: --wait --count 0 until SIGINT", alive and got[0] == 0 and last(t) == ["devcd1-1.devcore", "devcd2-1.devcore"], got)

# Crash dumps: (name, dumps by number, options; status, copied, what is said)
HEAD = b"module: msm\n"
DUMPS = [
    ("in the order of their numbers", {10: DUMP, 2: DUMP + b"2"}, ["--count", "1"], 0, [2], ", freed"),
    ("--count 2 of three", {1: DUMP, 2: DUMP, 3: DUMP}, ["--count", "2"], 0, [1, 2], ", freed"),
    ("--count, fewer are there", {1: DUMP}, ["--count", "5"], 0, [1], ", freed"),
    ("--count 0 is no limit", {1: DUMP, 2: DUMP, 3: DUMP}, ["--count", "0"], 0, [1, 2, 3], ", freed"),
    ("one of another driver does not count", {1: b"modem", 2: DUMP}, ["--count", "1"], 0, [2], "devcd1/data: not of the msm"),
    ("with --any it does", {1: b"modem", 2: DUMP}, ["--count", "1", "--any"], 0, [1], ", freed"),
    ("--keep", {1: DUMP, 2: DUMP}, ["--keep"], 0, [1, 2], " bytes\n"),
    ("msm at the end of the first KiB", {1: b"x" * (1024 - len(HEAD)) + HEAD}, [], 0, [1], ", freed"),
    ("msm one byte on", {1: b"x" * (1025 - len(HEAD)) + HEAD}, [], 3, [], "not of the msm driver"),
    ("another module", {1: DUMP.replace(b"msm\n", b"msm_mdp\n")}, [], 3, [], "not of the msm driver"),
    ("msm, and no end of the line", {1: DUMP[:DUMP.index(b"msm") + 3]}, [], 3, [], "not of the msm driver"),
    ("empty", {1: b""}, [], 3, [], "until the next boot"),
    ("empty, --any", {1: b""}, ["--any"], 3, [], "devcd1/data: empty\n"),
    ("empty, and another", {1: b"", 2: DUMP}, ["--any"], 0, [2], "devcd1/data: empty\n"),
    ("zeros, --any", {1: bytes(CHUNK * 3)}, ["--any"], 0, [1], "196608 bytes, freed"),
    ("a folder in place of one", {1: DUMP, 2: None}, [], 3, [1], "devcd2/data: Is a directory"),
]
for name, dumps, options, status, copied, words in DUMPS:
    t = Tree()
    for n, data in dumps.items():
        if data is None:
            (t.root / CLASS / f"devcd{n}/data").mkdir(parents=True)
        else:
            t.put(CLASS + f"devcd{n}/data", data)
    t.put(CLASS + "disabled", b"1\n")  # which is of those that come later
    t.put(CLASS + "other1/data", DUMP)
    (t.root / CLASS / "devcd0").mkdir()  # on its way, or on its way out
    got = t.run("devcoredump", *options)
    freed = {n: b"1" if n in copied and "--keep" not in options else dumps[n] for n in dumps}
    left = {n: d if d is None else (t.root / CLASS / f"devcd{n}/data").read_bytes() for n, d in dumps.items()}
    case(f"devcoredump: {name}", got[0] == status and words in got[1] + got[2] and left == freed
         and t.files() == [f"devcd{n}-1.devcore" for n in copied] and all(t.read(f"devcd{n}-1.devcore") == dumps[n] for n in copied)
         and got[1].count(", freed\n") == (0 if "--keep" in options else len(copied)), (got, t.files(), left))
for options, freed in (([], True), (["--keep"], False)):
    t = Tree()
    path = t.put(CLASS + "devcd1/data", DUMP)
    got = t.run("devcoredump", "--json", *options)
    case(f"devcoredump: --json {options}", json.loads(got[1]) == {"captures": [
        {"from": str(path), "file": str(t.out / "devcd1-1.devcore"), "bytes": len(DUMP), "sections": 0, "cut": False,
         "freed": freed}]}, got)
t = Tree()
t.put(CLASS + "devcd1/data", DUMP)
feed(t.pipe(CLASS + "devcd2/data"), DUMP)  # nobody will read what is written to it: it cannot be freed
got = t.run("devcoredump")
case("devcoredump: one cannot be freed", got[0] == 1 and "devcd2/data: the dump is copied, but cannot be freed: " in got[2] and
     got[1].count(", freed\n") == got[1].count(", not freed\n") == 1 and t.read("devcd2-1.devcore") == DUMP, got)

feed(t.root / CLASS / "devcd2/data", DUMP)
(t.root / CLASS / "devcd1/data").unlink()
got = t.run("devcoredump", "--json")
said = json.loads(got[1])["captures"]
case("devcoredump: --json, one cannot be freed", got[0] == 1 and [c["freed"] for c in said] == [False]
     and said[0]["bytes"] == len(DUMP), got)

# Names of copies: (what is there, the kind, the name of the next)
for there, kind, name in (([], "rd", "rd-1.rd"), (["rd-1.rd", "rd-3.rd"], "rd", "rd-2.rd"), (["hangrd-1.rd"], "rd", "rd-1.rd"),
                          (["rd-1.rd/"], "rd", "rd-2.rd"), (["rd-1.rd>gone"], "rd", "rd-2.rd"),
                          ([f"rd-{n}.rd" for n in range(1, 12)], "rd", "rd-12.rd"), (["rd-01.rd", ".rd-1.rd"], "rd", "rd-1.rd"),
                          (["devcd1-1.devcore"], "devcoredump", "devcd1-2.devcore"),
                          (["devcd11-1.devcore"], "devcoredump", "devcd1-1.devcore")):
    t = Tree()
    t.put(RD, SUBMIT)
    t.put(CLASS + "devcd1/data", DUMP)
    for entry in there:
        if entry.endswith("/"):
            (t.out / entry).mkdir()
        elif ">" in entry:
            (t.out / entry.split(">")[0]).symlink_to(entry.split(">")[1])
        else:
            (t.out / entry).write_bytes(b"mine")
    before = t.files()
    got = t.run(kind)
    case(f"{kind}: beside {there[:3]}", got[0] == 0 and sorted(set(t.files()) - set(before)) == [name] and not (t.out / "gone").exists()
         and all((t.out / e).read_bytes() == b"mine" for e in there if not set(e) & set("/>")), (got, t.files()))
for mask in (0o022, 0o077, 0):
    t = Tree()
    t.put(RD, SUBMIT)
    got = t.run("rd", umask=mask)
    case(f"rd: umask {mask:03o}", got[0] == 0 and (t.out / "rd-1.rd").stat().st_mode & 0o777 == 0o666 & ~mask, got)

# Where there is no room, or no place: what was captured stays with the kernel
def small():
    resource.setrlimit(resource.RLIMIT_FSIZE, (CHUNK, CHUNK))


for kind, path, data in (("rd", RD, SUBMIT * 5000), ("hangrd", HANGRD, SUBMIT * 5000), ("devcoredump", CLASS + "devcd1/data", DUMP * 5000)):
    t = Tree()
    file, out = t.put(path, data), t.out
    os.chmod(t.folder.name, 0o755)
    got = t.run(kind, preexec_fn=small)
    case(f"{kind}: a full disk", got[0] == 3 and f"{out}: the copy cannot be written: File too large" in got[2]
         and t.files() == [] and file.read_bytes() == data, (got, t.files()))
    out.chmod(0o555)
    got = t.run(kind, user=NOBODY)
    case(f"{kind}: a folder that is not ours", got[0] == 3 and f"{out}: the copy cannot be written: Permission denied" in got[2]
         and "sudo" not in got[2] and file.read_bytes() == data, got)
    out.chmod(0o777)
    for name, words in (("/proc", "/proc: the copy cannot be written"), (out / "nowhere", f"{out}/nowhere: "), (file, f"{file}: ")):
        t.out = name
        got = t.run(kind, "--wait")
        case(f"{kind}: --out {pathlib.Path(name).name}", got[0] == 3 and words in got[2] and "five minutes" not in got[2]
             and file.read_bytes() == data, got)
    t.out = out
    file.chmod(0)
    got = t.run(kind, user=NOBODY)
    case(f"{kind}: a file for root", got[0] == 3 and f"{file}: Permission denied: only root may read it; try again with sudo" in got[2]
         and t.files() == [], got)
    file.chmod(0o444)
    got = t.run(kind, user=NOBODY)
    case(f"{kind}: a file that root may write", got[0] == (kind == "devcoredump") and len(last(t)) == 1 and file.read_bytes() == data
         and ("cannot be freed: Permission denied" in got[2]) == (kind == "devcoredump"), got)
for kind in ("rd", "hangrd"):
    t = Tree()
    (t.root / f"sys/kernel/debug/dri/0/{kind}").mkdir(parents=True)
    got = t.run(kind)
    case(f"{kind}: a folder in its place", got[0] == 3 and f"dri/0/{kind}: Is a directory" in got[2] and t.files() == [], got)

# Where the kernel's files are, and where copies go
t, other = Tree(), Tree()
os.chmod(t.folder.name, 0o755)
for path in (RD, HANGRD, CLASS + "disabled"):
    t.put(path, SUBMIT)
other.put(RD, STREAM)


def plain(*args, **how):
    p = subprocess.run([lull, "capture", *args], capture_output=True, text=True, cwd=t.out, timeout=60, **how)
    return p.returncode, p.stdout, p.stderr


env = {**os.environ, "LULL_CAPTURE_ROOT": str(t.root)}
got = plain("rd", env=env)
case("LULL_CAPTURE_ROOT, and copies go to the working directory", got[0] == 0 and t.read("rd-1.rd") == SUBMIT, got)
got = plain("rd", "--root", other.root, env=env)
case("--root is before LULL_CAPTURE_ROOT", got[0] == 0 and t.read("rd-2.rd") == STREAM, got)
for file, status in ((None, 0), (HANGRD, 1)):
    if file is not None:
        (t.root / file).chmod(0)
    got = plain("check", "--root", t.root, user=NOBODY)
    case(f"check: {status}", got[0] == status and got[1].count("\n") == 3 and got[2] == ""
         and ("hangrd: Permission denied: only root may read it" in got[1]) == (status == 1), got)
for args in (("check", "--out", "."), ("check", "--json"), ("rd", "--keep"), ("rd", "--any"), ("rd", "--count", "1"),
             ("hangrd", "--keep"), ("devcoredump", "--streams", "1"), ("check", "--poke", "0"), ("rd", "--hangcheck", "0"), ("rd", "--poke"), ("check", "--full"), ("rd", "--timeout", "-1"),
             ("rd", "--timeout", str(1 << 31)), ("devcoredump", "--count", "-1"), ("rd", "--streams", "two"), ("rd", "--root"),
             ("check", "rd")):
    before = t.files()
    got = plain(*args, env=env)
    case("usage: " + " ".join(args), got[0] == 2 and got[1] == "" and t.files() == before, got)
tap.end()
