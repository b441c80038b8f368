#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull capture on trees that look like debugfs and sysfs, with pipes for files that wait. capture.py LULL."""
import gzip
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402
from capture_tree import CAPTURE, DEVCD, DUMP, RD, Tree, feed, lull, reached, section, wait_for_bytes  # noqa: E402
from tap import case  # noqa: E402

# rd
t = Tree()
t.put(RD, CAPTURE)
got = t.run("rd")
case("rd: all of it", got[0] == 0 and t.read("rd-1.rd") == CAPTURE and ", 4 sections" in got[1], got)
got = t.run("rd", "--json")
said = json.loads(got[1])["captures"][0]
case("rd: the next number, --json", t.files() == ["rd-1.rd", "rd-2.rd"] and said["bytes"] == len(CAPTURE)
     and said["sections"] == 4 and said["file"].endswith("rd-2.rd"), got)
t.put(RD, CAPTURE + section(12, b"y" * 50)[:-1])
got = t.run("rd")
case("rd: the last section is not whole", t.read("rd-3.rd") == CAPTURE and "left out" in got[1], got)
t.put(RD, b"\x01\0\0\0\xff\xff")
got = t.run("rd")
case("rd: no whole section", got[0] == 3 and "no whole section" in got[2] and len(t.files()) == 3, got)
got = t.run("rd", "--streams", "1", "--timeout", "30")
t.put(RD, CAPTURE * 3)
got = t.run("rd", "--streams", "2")
case("rd: --streams", t.read("rd-4.rd") == CAPTURE * 2, got)

for name, sig in (("SIGINT", signal.SIGINT), ("SIGTERM", signal.SIGTERM)):
    t = Tree()
    hold = threading.Event()
    feed(t.pipe(RD), CAPTURE, CAPTURE[:1000], hold=hold)
    p = t.start("rd")
    came = wait_for_bytes(t, len(CAPTURE) + 1000)
    p.send_signal(sig)
    got = t.run(process=p)
    hold.set()
    case(f"rd: {name} keeps what is whole", got[0] == 0 and t.files() == ["rd-1.rd"] and t.read("rd-1.rd") == CAPTURE + CAPTURE[:24],
         (came, got, t.files()))
t = Tree()
t.pipe(RD)
p = t.start("rd")
with reached(t.root / RD):
    p.send_signal(signal.SIGINT)
    got = t.run(process=p)
case("rd: SIGINT before anything came", got[0] == 130 and t.files() == [], got)
got = t.run("rd", "--timeout", "1")
case("rd: --timeout, nothing came", got[0] == 124 and t.files() == [] and "nothing came in time" in got[2], got)
hold = threading.Event()
feed(t.root / RD, CAPTURE, hold=hold)
got = t.run("rd", "--timeout", "2")
hold.set()
case("rd: --timeout, something came", got[0] == 0 and t.read("rd-1.rd") == CAPTURE, got)

# hangrd
t = Tree()
hold = threading.Event()
feed(t.pipe("sys/kernel/debug/dri/1/hangrd"), CAPTURE[:500], CAPTURE[500:], hold=hold)
got = t.run("hangrd", "--timeout", "30")
hold.set()
case("hangrd: one hang, then silence", got[0] == 0 and t.read("hangrd-1.rd") == CAPTURE, got)

# devcoredump
t = Tree()
t.put(DEVCD, DUMP)
t.put("sys/class/devcoredump/devcd10/data", DUMP * 1000)
t.put("sys/class/devcoredump/devcd9/data", b"firmware of a modem")
got = t.run("devcoredump")
case("devcoredump: all that are there", got[0] == 0 and t.read("devcd3-1.devcore") == DUMP and
     t.read("devcd10-1.devcore") == DUMP * 1000 and len(t.files()) == 2, (got, t.files()))
case("devcoredump: freed", (t.root / DEVCD).read_bytes() == b"1" and got[1].count(", freed\n") == 2, got)
case("devcoredump: others are left alone", "devcd9/data: not of the msm driver" in got[2] and
     (t.root / "sys/class/devcoredump/devcd9/data").read_bytes() == b"firmware of a modem", got)
t = Tree()
t.put(DEVCD, DUMP)
got = t.run("devcoredump", "--keep")
case("devcoredump: --keep", got[0] == 0 and (t.root / DEVCD).read_bytes() == DUMP and t.files() == ["devcd3-1.devcore"], got)
ends = [t.run("devcoredump", "--keep")[0] for _ in range(60)]
case("devcoredump: sixty times", ends == [0] * 60, ends)
t = Tree()
t.put("sys/class/devcoredump/devcd9/data", b"firmware of a modem")
got = t.run("devcoredump", "--any")
case("devcoredump: --any", got[0] == 0 and t.read("devcd9-1.devcore") == b"firmware of a modem", got)
t = Tree()
(t.root / "sys/class/devcoredump").mkdir(parents=True)
got = t.run("devcoredump")
case("devcoredump: none", got[0] == 3 and "--wait waits" in got[2] and t.files() == [], got)
p = t.start("devcoredump", "--wait", "--timeout", "50")
time.sleep(0.3)
t.put(DEVCD, DUMP)
got = t.run(process=p)
case("devcoredump: --wait", got[0] == 0 and t.read("devcd3-1.devcore") == DUMP, got)
(t.root / DEVCD).unlink()
feed(t.pipe("sys/class/devcoredump/devcd4/data"), DUMP, b"registers:\n")
got = t.run("devcoredump", "--wait", "--timeout", "50", "--keep")
case("devcoredump: from a pipe", got[0] == 0 and t.read("devcd4-1.devcore") == DUMP + b"registers:\n", got)
(t.root / "sys/class/devcoredump/devcd4/data").unlink()
got = t.run("devcoredump", "--wait", "--timeout", "1")
case("devcoredump: --wait, none came", got[0] == 124, got)
hold = threading.Event()
feed(t.pipe("sys/class/devcoredump/devcd5/data"), DUMP, hold=hold)
got = t.run("devcoredump", "--timeout", "1")
hold.set()
case("devcoredump: the end does not come", got[0] == 124 and "devcd5-1.devcore" not in t.files() and
     not any(name.startswith(".") for name in t.files()), (got, t.files()))
t = Tree()
p = t.start("devcoredump", "--wait", "--count", "3", "--timeout", "50")
for i in range(3):
    time.sleep(0.2)
    t.put(f"sys/class/devcoredump/devcd{i}/data", DUMP)
got = t.run(process=p)
case("devcoredump: --wait --count 3", got[0] == 0 and len(t.files()) == 3 and "CONFIG_DEV_COREDUMP" in got[2], got)

# --full and --hangcheck: set for the time of the capture, put back however it ends. The files and their values are the
# kernel's: drivers/gpu/drm/msm/msm_rd.c (rd_full, a bool, prints Y or N), msm_debugfs.c (hangcheck_period_ms, decimal).
FULL, PERIOD = "sys/module/msm/parameters/rd_full", "sys/kernel/debug/dri/0/hangcheck_period_ms"
for name, end in (("the end of the file", None), ("SIGINT", signal.SIGINT), ("SIGTERM", signal.SIGTERM), ("SIGHUP", signal.SIGHUP),
                  ("SIGQUIT", signal.SIGQUIT)):
    t = Tree()
    full, period = t.put(FULL, b"N\n"), t.put(PERIOD, b"500\n")
    hold = threading.Event()
    feed(t.pipe(RD), CAPTURE, hold=hold)
    p = t.start("rd", "--full", "--hangcheck", "60000")
    came = wait_for_bytes(t, len(CAPTURE))
    during = full.read_bytes(), period.read_bytes()
    if end is not None:
        p.send_signal(end)
    else:
        hold.set()
    got = t.run(process=p)
    hold.set()
    case(f"settings: {name}", came and got[0] == 0 and during == (b"Y", b"60000") and (full.read_bytes(), period.read_bytes()) == (b"N", b"500")
         and t.files() == ["rd-1.rd"], (got, during, full.read_bytes(), period.read_bytes()))
t = Tree()
full = t.put(FULL, b"N\n")
t.put(RD, CAPTURE)
got = t.run("rd", "--full", "--hangcheck", "60000")
case("settings: one is missing, the other is put back", got[0] == 3 and "no 'hangcheck_period_ms'" in got[2] and full.read_bytes() == b"N"
     and t.files() == [], got)
t = Tree()
full, _ = t.put(FULL, b"N\n"), t.put(RD, CAPTURE)
got = t.run("rd", "--streams", "1")
case("settings: without options nothing is touched", got[0] == 0 and full.read_bytes() == b"N\n", got)
t = Tree()
t.put(RD, CAPTURE)
got = t.run("rd", "--full")
case("settings: no such parameter", got[0] == 3 and "rd_full: cannot be set: No such file" in got[2] and t.files() == [], got)
t = Tree()
full, _ = t.put(FULL, b"N\n"), t.pipe(RD)
reader, writer = os.pipe()
os.close(reader)  # nobody reads what is reported
p = subprocess.Popen([lull, "capture", "rd", "--full", "--root", t.root, "--out", t.out], stdout=writer, stderr=subprocess.DEVNULL)
os.close(writer)
feed(t.root / RD, CAPTURE)
p.wait(60)
case("settings: a broken pipe", p.returncode != 0 and full.read_bytes() == b"N" and t.files() == ["rd-1.rd"], (p.returncode, full.read_bytes()))
t = Tree()
(t.root / "sys/class/devcoredump").mkdir(parents=True)
full = t.put(FULL, b"N\n")
got = t.run("devcoredump", "--full", "--poke", "0", "--device", "/dev/null", "--timeout", "30")
case("--poke: not a GPU", got[0] == 3 and "--poke: /dev/null" in got[2] and full.read_bytes() == b"N", got)


# --poke: on the virtual Adreno, whose files are those of the session. What must be in the copies: the word of freedreno's documents.
def poked(kind, *args):
    with tempfile.TemporaryDirectory() as folder:
        return in_folder(pathlib.Path(folder), kind, *args)


def in_folder(out, kind, *args):
    r = subprocess.run([lull, "exec", "--gpu", "a660", "--as-is", "--", lull, "capture", kind, "--poke", "0", "--timeout", "60", "--out", out,
                        *args], capture_output=True, timeout=120,
                       env={**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"})
    files = sorted(out.iterdir())
    return r, [f.name for f in files], [f.read_bytes() for f in files]


r, names, data = poked("devcoredump")
case("--poke: devcoredump", r.returncode == 0 and names == ["devcd1-1.devcore"] and b"module: msm" in data[0]
     and b"hangcheck detected gpu lockup" in r.stderr, (r, names))
for kind in ("rd", "hangrd"):
    r, names, data = poked(kind)
    case(f"--poke: {kind}", r.returncode == 0 and names == [f"{kind}-1.rd"] and struct.pack("<I", 0xdeadbeef) * 16 in data[0]
         and b"hangcheck detected gpu lockup" in r.stderr, (r, names))

# what is missing, in words
for name, paths, args, want in (
        ("no debugfs in the kernel", {"sys/x": b""}, ("rd",), "CONFIG_DEBUG_FS"),
        ("its configuration", {"proc/config.gz": gzip.compress(b"\nCONFIG_DEBUG_FS=y\n")}, ("rd",),
         "CONFIG_DEBUG_FS, which this kernel has"),
        ("its configuration says no", {"proc/config.gz": gzip.compress(b"\n# CONFIG_DEBUG_FS is not set\n")}, ("rd",),
         "which this kernel does not have"),
        ("no graphics driver", {"sys/kernel/debug/usb/x": b""}, ("rd",), "modprobe msm"),
        ("another driver", {"sys/kernel/debug/dri/0/name": b"amdgpu dev=0000\n"}, ("rd",), "dri/0 is amdgpu"),
        ("another device", {RD: CAPTURE}, ("rd", "--dri", "7"), "no 'rd' in"),
        ("no devcoredump", {"sys/x": b""}, ("devcoredump",), "CONFIG_DEV_COREDUMP"),
        ("devcoredump is off", {"sys/class/devcoredump/disabled": b"1\n"}, ("devcoredump",), "until the next boot")):
    t = Tree()
    for path, data in paths.items():
        t.put(path, data)
    got = t.run(*args)
    case("why: " + name, got[0] == 3 and want in got[2] and t.files() == [], got)
t = Tree()
(t.root / "sys/kernel/debug").mkdir(parents=True)
got = t.run("rd")
case("why: debugfs is not mounted", got[0] == 3 and "mount -t debugfs" in got[2], got)
if os.getuid() == 0:
    os.chmod(t.folder.name, 0o755)
    os.chown(t.out, 65534, 65534)
(t.root / "sys/kernel/debug").chmod(0)
r = subprocess.run([lull, "capture", "rd", "--root", t.root, "--out", t.out], capture_output=True, text=True,
                   user=65534 if os.getuid() == 0 else None)
(t.root / "sys/kernel/debug").chmod(0o755)
case("why: permissions", r.returncode == 3 and "sudo" in r.stderr, r)
t = Tree()
t.put(RD, CAPTURE)
t.put("sys/kernel/debug/dri/0/hangrd")
t.put("sys/module/msm/parameters/rd_full", b"N\n")
(t.root / "sys/class/devcoredump").mkdir(parents=True)
r = subprocess.run([lull, "capture", "check"], capture_output=True, text=True, env={**os.environ, "LULL_CAPTURE_ROOT": str(t.root)})
case("check", r.returncode == 0 and "rd_full" in r.stdout and "echo 1 >" in r.stdout, r)
got = t.run("rd", "--out", "/nowhere")
r = subprocess.run([lull, "capture", "rd", "--root", t.root, "--out", "/nowhere"], capture_output=True, text=True)
case("no folder for the copies", r.returncode == 3 and "/nowhere" in r.stderr, r)
for args in ((), ("all",), ("rd", "--timeout"), ("rd", "--timeout", "soon"), ("rd", "--what"), ("rd", "hangrd")):
    r = subprocess.run([lull, "capture", *args], capture_output=True, text=True)
    case("usage: " + " ".join(args), r.returncode == 2, r)
tap.end()
