#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull debug -- PROGRAM: program.py LULL BUGHUNT_SOURCES BUILD. One TAP line a case.

The program is examples/bughunt: 4096 pixels, of which those of brightness 1.0 are lost. What must be seen is
computed here from what histogram.c and histogram.comp say.
"""
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

lull, sources, build = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
# A sanitized lull is also the debugged program (lull run) here: then the shim stands before the sanitizer's
# library, and drivers leak at exit; both are not ours to check.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
PROGRAM = [str(build / "histogram"), str(build / "histogram.spv")]

PIXELS = [i * 37 % 101 for i in range(4096)]  # in hundredths
f32 = lambda x: struct.unpack("f", struct.pack("f", x))[0]
BRIGHT = [f32(p / 100) for p in PIXELS]
BIN = [int(f32(b * 256)) for b in BRIGHT]
LOST = [i for i, b in enumerate(BIN) if b >= 256]


def debug(commands, program=PROGRAM, status=0, script=None, more=(), env=None):
    """stdout of a batch run."""
    args = [lull, "debug", "-batch", *more]
    args += ["-x", str(script)] if script else []
    for c in commands:
        args += ["-ex", c]
    r = subprocess.run([*args, *(["--", *program] if program else [])], capture_output=True, text=True, timeout=100,
                       env={**os.environ, **(env or {})})
    if r.returncode != status:
        raise AssertionError(f"status {r.returncode}, want {status}: {r.stdout[-400:]} {r.stderr}")
    return r.stdout


def objects(commands, **how):
    """One JSON object a command; the program's own lines are left out."""
    out = debug(commands, more=["--json"], **how)
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


def check(got, want, what):
    if got != want:
        raise AssertionError(f"{what}: got {got}, want {want}")


def need(text, *patterns):
    for p in patterns:
        if not re.search(p, text, re.M):
            raise AssertionError(f"no '{p}' in: {text[-1500:]}")


def runs_alone():
    """Without catchpoints the program is let alone; its output and its end are seen."""
    need(debug(["run"]), rf"^4096 pixels, {4096 - len(LOST)} counted$",
         r"^\[The program exited with status 1\]$")


def bug_hunt():
    """The script of examples/bughunt finds the lane that goes beyond the bins and gives it one."""
    lane = LOST[0] % 64
    out = debug([], script=sources / "hunt.lull", more=["--echo"])
    need(out, r"^Dispatch 0 is held: cs_[0-9a-f]{8} main of \"histogram.comp\", 64x1x1 workgroups of 64x1x1, wave64, gfx",
         r"^b0   0.0 Pixels .* r-  buffer 16384 bytes", r"^b1   0.1 Bins .* rw  buffer 1024 bytes",
         r"^pixels +\+0x0 +4096 ", r"^bins +\+0x4 +256 ", r"hit breakpoint 2", rf"lane {lane} .*outside the buffer: nothing happens$",
         r"= 1024$", r"^No lane is outside\.$", rf"^4096 pixels, {4096 - len(LOST) + 1} counted$")


def bug_fixed():
    """With the repair that README names, no pixel is lost."""
    with tempfile.TemporaryDirectory() as d:
        text = (sources / "histogram.comp").read_text()
        fixed = text.replace("uint(bright * push.bins)", "min(uint(bright * push.bins), 255u)")
        check(fixed != text, True, "the line to repair is there")
        (pathlib.Path(d) / "fixed.comp").write_text(fixed)
        subprocess.run(["glslangValidator", "-V", f"{d}/fixed.comp", "-o", f"{d}/fixed.spv"], check=True, capture_output=True)
        need(debug(["run"], program=[PROGRAM[0], f"{d}/fixed.spv"]), r"^4096 pixels, 4096 counted$", "exited with status 0")


def names():
    """What the layer tells: bindings, members, source, catching by a name; a binding's name is its address."""
    r = objects(["catch dispatch name ^nothing", "catch dispatch name histogram", "run", "info descriptors", "info push-constants",
                 "list", "x/2wx Pixels+8", "info pipeline", "continue"])
    check([(x["set"], x["binding"], x["name"], x["type"]) for x in r[3]["descriptors"]],
          [(0, 0, "Pixels", "storage buffer"), (0, 1, "Bins", "storage buffer")], "bindings")
    check([(x["name"], x["offset"], int(x["value"], 16)) for x in r[4]["push_constants"]],
          [("pixels", 0, 4096), ("bins", 4, 0x43800000)], "members")
    source = (sources / "histogram.comp").read_text().splitlines()
    check(r[5]["text"].splitlines(), [f"{n:4}  {line}" for n, line in enumerate(source, 1)], "the source")
    check([int(x, 16) for x in r[6]["values"]],
          [struct.unpack("I", struct.pack("f", b))[0] for b in BRIGHT[2:4]], "Pixels+8")
    check((r[7]["entry"], len(r[7]["spirv"])), ("main", 16), "entry and hash")
    check(r[8]["outcome"], "done", "only one of them matches")


def descriptors():
    """Descriptors, push constants and memory before the first wave runs, without the names layer."""
    r = objects(["catch dispatch", "run", "info descriptors", "info push-constants", "x/8wx b0", "x/4wx b1",
                 "info pipeline", "info dispatches", "continue"], env={"VK_LOADER_LAYERS_DISABLE": "*LULL*"})
    check(r[1]["dispatch"], 0, "number")
    d = r[2]["descriptors"]
    check([(x["kind"], x["size"], x["reads"], x["writes"]) for x in d],
          [("buffer", 16384, True, False), ("buffer", 1024, True, True)], "descriptors")
    check([int(x["value"], 16) for x in r[3]["push_constants"]], [4096, 0x43800000], "push constants")
    check([int(x, 16) for x in r[4]["values"]],
          [struct.unpack("I", struct.pack("f", b))[0] for b in BRIGHT[:8]], "pixels")
    check([int(x, 16) for x in r[5]["values"]], [0] * 4, "bins")
    check((r[6]["lanes"], r[6]["lds_bytes"], r[6]["scratch"]), (64, 0, False), "pipeline")
    check([(x["state"], x["grid"], x["block"]) for x in r[7]["dispatches"]],
          [("held", [64, 1, 1], [64, 1, 1])], "dispatches")
    check(r[8]["outcome"], "done", "the end")


def lanes_in_wave64():
    """In the shader: every wave stands at its first instruction, one is stepped, all 64 lanes are seen."""
    r = objects(["catch dispatch", "run", "stepi", "info waves", "focus wg 1 thread 3", "break *b1.use", "continue",
                 "print $v0", "wg 5 thread 7", "print $_lane", "delete", "continue"])
    check(r[2]["stop"], "start", "first stop")
    check(len(r[3]["waves"]), 64, "waves")
    at = r[6]
    check(at["stop"], "breakpoint", "stop")
    first = 64 * at["workgroup"][0]
    check([int(x, 16) for x in r[7]["lanes"]], [4 * b for b in BIN[first:first + 64]], "$v0")
    check(int(r[9]["value"], 16), 7, "$_lane")
    check(r[11]["outcome"], "done", "the end")


def catches():
    """By number, hash and name; what does not match goes by."""
    out = debug(["catch dispatch 1", "catch dispatch pipeline 0123", "catch dispatch name ^nothing$", "run"])
    need(out, r"^Catchpoint 1: dispatch 1$", r"exited with status 1")
    out = debug(["break -launch name ^cs_", "run", "info breakpoints", "continue"])
    need(out, r"^Dispatch 0 is held", r"catch dispatch name \^cs_ hit 1 time$", r"exited with status 1")
    for bad in ["catch dispatch pipeline xyz", "catch dispatch name (", "catch fork", "catch dispatch 1 2"]:
        debug([bad], status=3)


def second_run():
    """Dispatches of a second run are counted from 0, and so are hits."""
    r = objects(["catch dispatch 0", "run", "continue", "run", "info breakpoints", "info dispatches", "info pipeline 0", "list",
                 "kill", "run", "info dispatches", "continue"])
    check([r[i]["dispatch"] for i in (1, 3, 9)], [0, 0, 0], "caught")
    check(r[4]["breakpoints"][0]["hits"], 1, "hits")
    check([(x["number"], x["state"]) for x in r[5]["dispatches"]], [(0, "held")], "dispatches")
    check(r[6]["entry"], "main", "names")
    check([(x["number"], x["state"]) for x in r[10]["dispatches"]], [(0, "held")], "dispatches after kill")
    check(r[11]["outcome"], "done", "the end")


def ends_while_stopped():
    """Leaving with a dispatch held, and with waves that stand, ends the program and nothing hangs."""
    need(debug(["catch dispatch", "run"]), r"^Dispatch 0 is held")
    need(debug(["catch dispatch", "run", "stepi 3"]), r"stands at its first instruction")
    need(debug(["catch dispatch", "run", "stepi", "kill", "quit"]), r"\[Killed\]")


def watchpoint():
    """The GPU's watchpoints find the lanes that count in one bin, and no others."""
    here = [i for i, b in enumerate(BIN) if b == 25]
    r = objects(["catch dispatch", "run", "watch {u32}(b1+100)", "continue", "continue", "delete", "rwatch b0+0x100",
                 "continue"])
    seen = [(x["workgroup"][0], int(x["watch_lanes"], 16)) for x in r[3:5]]
    waves = sorted({i // 64 for i in here})[:2]
    check(seen, [(w, sum(1 << (i % 64) for i in here if i // 64 == w)) for w in waves], "wave and lanes")
    check(r[7]["outcome"], "done", "nobody reads pixel 64 again")


def interrupted():
    """Ctrl-C stops a shader that would never end; one word of memory lets it end."""
    args = [lull, "debug", "--json", "--echo", "-batch"]
    for c in ["catch dispatch", "run", "stepi", "delete", "continue", "info waves", "set {u32}b0 = 1", "continue"]:
        args += ["-ex", c]
    p = subprocess.Popen([*args, "--", lull, "run", str(build / "spin.spv"), "--groups", "2", "--bind", "0.0=zeros:1024",
                          "--vulkan-device", "lull"], stdout=subprocess.PIPE, text=True)
    try:
        while p.stdout.readline() not in ("(lull) continue\n", ""):
            pass
        p.send_signal(signal.SIGINT)
        out, _ = p.communicate(timeout=60)
        r = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        check(r[0]["stop"], "interrupt", "stop")
        check(len(r[1]["waves"]), 2, "waves")
        check(r[3]["outcome"], "done", "the end")
        check(p.returncode, 130, "status")
    finally:
        p.kill()
        p.wait()


def fault():
    """A store to an address that is not mapped is shown with its lanes, without any catchpoint."""
    r = objects(["run", "info push-constants", "kill"], status=1, program=[
        lull, "run", str(build / "stray.spv"), "--groups", "1", "--buffer", "out=zeros:1024", "--push", "addr:out,u32:1000000",
        "--vulkan-device", "lull"])
    check(r[0]["stop"], "memory violation", "stop")
    check([x["name"] for x in r[1]["push_constants"]], ["to", "step"], "members")
    base = int(r[1]["push_constants"][0]["value"], 16)
    got = {}
    for x in r[0]["refused"]:
        check(x["first_lane"], x["last_lane"], "far apart")
        got[x["first_lane"]] = int(x["first_va"], 16)
    check(got, {i: base + 4000000 * i for i in range(1, 64)}, "refused lanes")


def rgba(path):
    """Rows of a PNG of 8-bit RGBA, by the book: chunks, zlib, filters."""
    data, at, packed = path.read_bytes(), 8, b""
    check(data[:8], b"\x89PNG\r\n\x1a\n", "signature")
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + n]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            check((depth, colour), (8, 6), "8 bits, RGBA")
        packed += body if kind == b"IDAT" else b""
        at += 12 + n
    raw, rows, above = zlib.decompress(packed), [], bytes(4 * width)
    for y in range(height):
        line = raw[y * (4 * width + 1):(y + 1) * (4 * width + 1)]
        row = bytearray()
        for i, v in enumerate(line[1:]):
            a = row[i - 4] if i >= 4 else 0
            b, c = above[i], above[i - 4] if i >= 4 else 0
            p = a + b - c
            paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            row.append((v + [0, a, b, (a + b) // 2, paeth][line[0]]) & 255)
        above = bytes(row)
        rows.append([tuple(row[4 * x:4 * x + 4]) for x in range(width)])
    return rows


def image():
    """A storage image as the first workgroup left it: by its binding's name, as a picture and as numbers."""
    with tempfile.TemporaryDirectory() as d:
        png, raw = pathlib.Path(d) / "a.png", pathlib.Path(d) / "a.raw"
        r = objects(["catch dispatch name gradient", "run", "info descriptors", "stepi", "finish", f"dump image picture out={png}",
                     f"dump image 0 out={raw}", "dump image 0 level=9 out=/dev/null"], status=3, program=[
            lull, "run", str(build / "gradient.spv"), "--groups", "2,4", "--bind", "1.3=image:16x32:rgba8:zeros",
            "--vulkan-device", "lull"])
        x = r[2]["descriptors"][0]
        check((x["kind"], x["set"], x["binding"], x["name"], x["writes"]), ("image", 1, 3, "picture", True), "descriptor")
        check((r[5]["width"], r[5]["height"]), (16, 32), "size")
        want = [[(x * 8, y * 4, x + y, 255) for x in range(8)] for y in range(8)]
        rows = rgba(png)
        check([row[:8] for row in rows[:8]], want, "the picture's first tile")
        texels = list(struct.iter_unpack("4f", raw.read_bytes()))
        check([[tuple(round(255 * c) for c in texels[16 * y + x]) for x in range(8)] for y in range(8)], want,
              "the numbers' first tile")


def attached():
    """The same through the socket of a running lull exec; what is caught there is let go when the debugger leaves."""
    with tempfile.TemporaryDirectory() as d:
        sock, out = pathlib.Path(d) / "sock", pathlib.Path(d) / "out"
        shell = f"while ! [ -e {d}/go ]; do sleep 0.05; done; {PROGRAM[0]} {PROGRAM[1]}; {PROGRAM[0]} {PROGRAM[1]}"
        run = subprocess.Popen([lull, "exec", "--socket", str(sock), "--", "sh", "-c", shell], stdout=subprocess.PIPE,
                               text=True)
        try:
            for _ in range(200):
                if sock.exists():
                    break
                time.sleep(0.05)
            (pathlib.Path(d) / "go").touch()
            r = subprocess.run([lull, "debug", "--attach", str(sock), "--json", "-batch", "-ex", "catch dispatch", "-ex", "continue",
                                "-ex", "info descriptors", "-ex", f"dump buffer 0 out={out}", "-ex", "stepi",
                                "-ex", "break *b1.use", "-ex", "continue", "-ex", "print $v0"],
                               capture_output=True, text=True, timeout=60)
            check(r.returncode, 0, f"status of the debugger: {r.stderr}")
            o = [json.loads(line) for line in r.stdout.splitlines()]
            check([(x["size"], x["name"]) for x in o[2]["descriptors"]], [(16384, "Pixels"), (1024, "Bins")],
                  "descriptors")
            check(list(struct.unpack("4096f", out.read_bytes())), BRIGHT, "the pixels")
            first = 64 * o[6]["workgroup"][0]
            check([int(x, 16) for x in o[7]["lanes"]], [4 * b for b in BIN[first:first + 64]], "$v0")
            text, _ = run.communicate(timeout=60)
            check(text, f"4096 pixels, {4096 - len(LOST)} counted\n" * 2, "the programs, let go")
        finally:
            run.kill()
            run.wait()
        check(sock.exists(), False, "the socket is removed")
    debug([], status=3, program=[], more=["--attach", "/nonexistent/socket"])


def attached_from_c():
    """A debugger on include/lull/debug.h attaches (attach.c): events by number, $v0 where the bins are used."""
    with tempfile.TemporaryDirectory() as d:
        sock = pathlib.Path(d) / "sock"
        shell = f"while ! [ -e {d}/go ]; do sleep 0.05; done; {PROGRAM[0]} {PROGRAM[1]}"
        run = subprocess.Popen([lull, "exec", "--socket", str(sock), "--", "sh", "-c", shell], stdout=subprocess.PIPE, text=True)
        try:
            for _ in range(200):
                if sock.exists():
                    break
                time.sleep(0.05)
            attached = subprocess.Popen([build / "attach", sock], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(1200):  # until it is connected: a program that ends before takes the socket along
                if attached.poll() is not None or any(str(sock) in line and line.split()[5] == "03" for line in open("/proc/net/unix")):
                    break
                time.sleep(0.05)
            (pathlib.Path(d) / "go").touch()
            out, errors = attached.communicate(timeout=60)
            check((attached.returncode, errors), (0, ""), "status of the debugger, and errors")
            lines = out.splitlines()
            n = int(lines[0].split()[3])
            began, held, stopped, start, hit = 0, 2, 3, 1, 3  # of enum lull_debug_event_kind and lull_stop
            check(lines[:4], [f"event {began} dispatch {n} stop 0 breakpoint 0", f"event {held} dispatch {n} stop 0 breakpoint 0",
                              f"event {stopped} dispatch {n} stop {start} breakpoint 0",
                              f"event {stopped} dispatch {n} stop {hit} breakpoint 2"], "events")
            v0 = [int(x) for x in lines[4].split()]
            check(v0 in [[4 * b for b in BIN[i:i + 64]] for i in range(0, len(BIN), 64)], True, f"$v0 {v0}")
            text, _ = run.communicate(timeout=60)
            check(text, f"4096 pixels, {4096 - len(LOST)} counted\n", "the program, let go")
        finally:
            run.kill()
            run.wait()


def attached_killed():
    """kill -9 of an attached debugger leaves nothing standing: not a held dispatch, not waves at their start or at a
    breakpoint, and new waves do not trap."""
    stages = [["catch dispatch", "continue"], ["stepi"], ["delete", "break *b1.use", "watch {u32}b1+400", "continue"]]
    for n in range(1, len(stages) + 1):
        with tempfile.TemporaryDirectory() as d:
            sock = pathlib.Path(d) / "sock"
            shell = f"while ! [ -e {d}/go ]; do sleep 0.05; done; {PROGRAM[0]} {PROGRAM[1]}; {PROGRAM[0]} {PROGRAM[1]}"
            run = subprocess.Popen([lull, "exec", "--socket", str(sock), "--", "sh", "-c", shell], stdout=subprocess.PIPE,
                                   text=True)
            debugger = None
            try:
                while not sock.exists() and run.poll() is None:
                    time.sleep(0.05)
                debugger = subprocess.Popen([lull, "debug", "--attach", str(sock), "--json"], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, text=True)
                (pathlib.Path(d) / "go").touch()
                for command in sum(stages[:n], []):
                    debugger.stdin.write(command + "\n")
                    debugger.stdin.flush()
                    reply = json.loads(debugger.stdout.readline())
                check(reply["outcome"], "held" if n == 1 else "stopped", "the last command")
                debugger.kill()
                text, _ = run.communicate(timeout=60)
                check(text, f"4096 pixels, {4096 - len(LOST)} counted\n" * 2, f"the programs, after stage {n}")
            finally:
                for p in (debugger, run):
                    if p is not None:
                        p.kill()
                        p.wait()


def memory_is_written():
    """set changes a buffer of the program before the shader sees it."""
    r = debug(["catch dispatch", "run", *[f"set {{f32}}(b0+{4 * i}) = 0.5" for i in LOST], "continue"])
    need(r, r"^4096 pixels, 4096 counted$", r"exited with status 0")


def float_exceptions():
    """Most pixels are not at the beginning of a bin: uint(brightness * 256) is inexact. RADV sets MODE.DX10_CLAMP."""
    out = debug(["catch fp inexact", "run", "delete", "continue"], status=1)
    need(out, r"^Wave 0 .* float exception: inexact result", r"^Catchpoint 1: raised by 0x[0-9a-f]+ <cs_.*: v_cvt_u32_f32_e32 ",
         rf"^4096 pixels, {4096 - len(LOST)} counted$", r"^\[The program exited with status 1\]$")
    need(debug(["catch fp", "run"]), r"^\[The program exited with status 1\]$")


def bad_program():
    debug(["run"], program=["/nonexistent/program"], status=3)


def main():
    cases = [runs_alone, bug_hunt, bug_fixed, names, descriptors, lanes_in_wave64, catches, second_run, ends_while_stopped, watchpoint, interrupted, fault, image, attached, attached_from_c, attached_killed,
             memory_is_written, float_exceptions, bad_program]
    failed = 0
    for i, case in enumerate(cases, 1):
        try:
            case()
            print(f"ok {i} - {case.__name__}")
        except Exception as e:  # a case that breaks is a case that fails
            failed += 1
            print(f"not ok {i} - {case.__name__}")
            for line in str(e).splitlines():
                print(f"# {line}")
    print(f"1..{len(cases)}")
    return failed != 0


sys.exit(main())
