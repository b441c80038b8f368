#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull debug as a user types it: debug.py LULL EXAMPLES. One TAP line a case.

What must come out is computed here from what the example says it does, not taken from lull's output.
"""
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time

lull, examples = sys.argv[1], pathlib.Path(sys.argv[2])
LOOP = ["loop.s", "--grid", "256", "--block", "256"]
AT_LOOP = ["break *loop+0x14", "run"]


def debug(program, commands, status=0):
    """stdout of a batch run as one JSON object a command."""
    args = [lull, "debug", str(examples / program[0]), *program[1:], "-batch", "--json"]
    for c in commands:
        args += ["-ex", c]
    r = subprocess.run(args, capture_output=True, text=True, timeout=100)
    if r.returncode != status:
        raise AssertionError(f"status {r.returncode}, want {status}: {r.stdout[-300:]} {r.stderr}")
    return [json.loads(line) for line in r.stdout.splitlines()]


def value(reply):
    return int(reply["value"], 16)


def lanes(reply):
    return [int(v, 16) for v in reply["lanes"]]


def check(got, want, what):
    if got != want:
        raise AssertionError(f"{what}: got {got}, want {want}")


def loop_stepped(locking):
    """100 turns in wave 3 of 8, lane 5 changed, the rest as ever."""
    with tempfile.TemporaryDirectory() as d:
        out = pathlib.Path(d) / "out"
        r = debug([*LOOP, "--arg", f"zeros:1024:name=out:out={out}"],
                  [*AT_LOOP, "focus wave 3 lane 5", "until *loop+0x14", f"set scheduler-locking {locking}", "delete", "stepi 400", "print $v2",
                   "print $s2", "set $v2[5] = 7", "print $v2[5]", "continue"])
        check(lanes(r[7]), [100 * (3 * 32 + i + 1) for i in range(32)], "$v2 after 100 turns")
        check(value(r[8]), 250 - 100, "$s2")
        check(value(r[10]), 7, "$v2[5] as set")
        check(r[11]["outcome"], "done", "continue")
        want = [250 * (i + 1) for i in range(256)]
        want[3 * 32 + 5] = 7 + 150 * (3 * 32 + 5 + 1)
        check(list(struct.unpack("256I", out.read_bytes())), want, "the output buffer")


def stepped_out(locking):
    """A step at the end of wave 3 of 8: as of any step, the others stand, unless scheduler-locking is off."""
    r = debug([*LOOP, "--arg", "zeros:1024:name=out"],
              ["break loop", "run", "delete", "focus wave 3 lane 0", "set scheduler-locking step", "until *loop+0x34",
               f"set scheduler-locking {locking}", "stepi", "info waves"])
    check(r[7]["outcome"], "done" if locking == "off" else "ended", "the outcome")
    check([w["wave"] for w in r[8]["waves"]], [] if locking == "off" else [0, 1, 2, 4, 5, 6, 7], "waves")


def all_hits_reported():
    """Eight waves come to the breakpoint 250 times each; the last of all these hits is that of a last round."""
    r = debug([*LOOP, "--arg", "zeros:1024:name=out"],
              [AT_LOOP[0], "ignore 1 1999", "run", "print $s2", "info breakpoints", "continue"])
    check(r[2]["stop"], "breakpoint", "stop")
    check(value(r[3]), 1, "$s2")
    check(r[4]["breakpoints"][0]["hits"], 2000, "hits")
    check(r[5]["outcome"], "done", "the end")


def condition():
    r = debug([*LOOP, "--arg", "zeros:1024:name=out"],
              ["break *loop+0x14 if $s2 == 17 && $v2[0] != 0", "run", "print $s2", "print $v2"])
    check(value(r[2]), 17, "$s2")
    wave = r[1]["wave"]
    check(lanes(r[3]), [(250 - 17) * (wave * 32 + i + 1) for i in range(32)], "$v2")


def memory_fault():
    """Work-item 71, that is wave 2 lane 7, stores 4 * (71 + 2^28) bytes behind the buffer's start."""
    r = debug(["oob_store.cl", "--grid", "128", "--block", "128", "--arg", "zeros:512:name=out"],
              ["run", "info bos", "print out"], status=1)
    check(r[0]["stop"], "memory violation", "stop")
    check((r[0]["wave_in_group"], r[0]["workgroup"]), (2, [0, 0, 0]), "wave")
    check(r[0]["lane"], 7, "lane in the focus")
    va = lanes(r[2])[7] + 4 * (71 + (1 << 28))
    text = r[0]["text"]
    for part in (f"lane 7: VA 0x{va:012x}", "store", "VALID"):
        if part not in text:
            raise AssertionError(f"no '{part}' in {text}")


def hang():
    """The loop of hang.cl has no end: the wave is stopped and shown inside the kernel."""
    r = debug(HANG, ["set timeout 50", "run", "info waves"], status=1)
    check(r[1]["outcome"], "timeout", "run")
    if "<hang+0x" not in r[1]["text"]:
        raise AssertionError(f"no pc in the kernel: {r[1]['text']}")
    check(len(r[2]["waves"]), 1, "waves")


def lds():
    """reduce.cl keeps its input in LDS until the barrier: element i of part[] is in[i]."""
    program = ["reduce.cl", "-O2", "--grid", "256", "--block", "256", "--arg", "zeros:4:name=sums", "--arg", "iota:256:u32:name=in",
               "--arg", "u32:256"]
    r = debug(program, ["start", "set {u32}lds:12 = 77", "print {u32}lds:12", "continue", "print {u32}sums"])
    check(value(r[2]), 77, "LDS as set")
    check(value(r[4]), sum(range(256)), "the sum, in spite of it: the kernel writes part[] first")


AGAIN_CL = """global unsigned counter[4] = {5, 6, 7, 8};
kernel void again(global unsigned *x, global float *y) {
    unsigned i = get_global_id(0);
    x[i] += counter[i];
    y[i] = y[i] * 2 + 1;
    counter[i] = 100 + i;
}"""


def second_run():
    """Buffers, variables and hits of a run begin as they did in the first one, killed or done."""
    with tempfile.TemporaryDirectory() as d:
        work = pathlib.Path(d)
        (work / "again.cl").write_text(AGAIN_CL)
        (work / "in").write_bytes(struct.pack("4I", 1, 2, 3, 4))
        look = ["x/4wx x", "x/4wx y"]
        r = debug([work / "again.cl", "--grid", "4", "--block", "4", "--arg", f"buffer:{work}/in:name=x:out={work}/out", "--arg",
                   "iota:4:f32:name=y"],
                  ["break again", "run", "info breakpoints", *look, "delete", "continue", *look, "tbreak again", "run", "set {u32}x = 77",
                   "kill", "break again", "run", "info breakpoints", *look, "continue", *look])
        words = lambda reply: [int(v, 16) for v in reply["values"]]
        bits = lambda *values: [struct.unpack("I", struct.pack("f", v))[0] for v in values]
        for before in (3, 16):
            check(r[before - 1]["breakpoints"][0]["hits"], 1, "hits")
            check(words(r[before]), [1, 2, 3, 4], "x before")
            check(words(r[before + 1]), bits(0, 1, 2, 3), "y before")
        for behind in (7, 19):
            check(words(r[behind]), [1 + 5, 2 + 6, 3 + 7, 4 + 8], "x behind")
            check(words(r[behind + 1]), bits(1, 3, 5, 7), "y behind")
        check(struct.unpack("4I", (work / "out").read_bytes()), (6, 8, 10, 12), "the file")


SCRATCH_CL = """kernel void left(global uint *out, global const uint *at)
{
    volatile uint a[64];
    out[get_global_id(0)] = a[at[get_global_id(0)]];
    a[at[get_global_id(0)]] = 0xdead;
}
"""


def second_scratch():
    """What a run left in scratch memory is not there in the next one."""
    with tempfile.TemporaryDirectory() as d:
        (pathlib.Path(d) / "left.cl").write_text(SCRATCH_CL)
        r = debug([pathlib.Path(d) / "left.cl", "--grid", "4", "--block", "4", "--arg", "zeros:16:name=out", "--arg", "iota:4:u32"],
                  ["run", "x/4wx out", "run", "x/4wx out"])
        for at in (1, 3):
            check([int(v, 16) for v in r[at]["values"]], [0] * 4, f"scratch in run {at // 2 + 1}")


def software_watch_before_run():
    """Set before the first wave comes, it sees what the first wave does; `start` still stops at the start."""
    r = debug(["loop.s", "--grid", "32", "--block", "32", "--arg", "zeros:128:name=out"],
              ["watch --software {u32}(out+16)", "run", "print $s2", "continue", "start", "print $pc - loop", "continue"])
    check((r[1]["watchpoint"], int(r[1]["old"], 16), int(r[1]["new"], 16)), (1, 0, 250 * 5), "what it saw")
    check((int(r[1]["watch_lanes"], 16), r[1]["lane"]), (1 << 4, 4), "who did it")
    check(r[3]["outcome"], "done", "the end")
    check((r[4]["stop"], value(r[5])), ("start", 0), "start")
    check(int(r[6]["new"], 16), 250 * 5, "what it saw again")


def alone():
    """A wave that runs alone to its end, into a barrier, into a loop for ever: what is told."""
    lock = ["start", "set timeout 50", "set scheduler-locking on"]
    r = debug([*LOOP, "--arg", "zeros:1024:name=out"],
              [*lock, "break *loop+0x14 if $s2 == 1000", "until *loop+0x14", "print $s2", "continue", "info waves"])
    check(value(r[5]), 250, "until, where another's condition is false")
    check((r[6]["outcome"], r[6]["wave"]), ("ended", 1), "the end of wave 0")
    check([w["wave"] for w in r[7]["waves"]], list(range(1, 8)), "the others")
    r = debug(["reduce.cl", "-O2", "--grid", "256", "--block", "256", "--arg", "zeros:4:name=sums", "--arg", "iota:256:u32", "--arg",
               "u32:256"], [*lock, "continue", "set scheduler-locking off", "continue", "print {u32}sums"], status=1)
    check((r[3]["outcome"], "waits at a barrier" in r[3]["text"]), ("timeout", True), "the barrier")
    check(value(r[6]), sum(range(256)), "the sum")
    r = debug(["hang.cl", "-O2", "--grid", "64", "--block", "32", "--arg", "zeros:256"], [*lock, "continue", "info waves"], status=1)
    check(("it may hang" in r[3]["text"], r[3]["wave"]), (True, 0), "the loop")


def help_is_true():
    """--help says which level and which time-out are taken if none is given."""
    text = subprocess.run([lull, "debug", "--help"], capture_output=True, text=True, timeout=100).stdout
    said = re.search(r"^If not given: -O(\d), --timeout (\d+); ", text, re.M)
    program = ["saxpy.cl", "--grid", "64", "--arg", "zeros:256", "--arg", "zeros:256", "--arg", "f32:1", "--arg", "u32:64"]
    code = {level: [x["text"] for x in debug([program[0], *level, *program[1:]], ["disassemble saxpy,20"])[0]["instructions"]]
            for level in ((), ("-O0",), ("-O2",))}
    check(code[()] == code[f"-O{said[1]}",] and code["-O0",] != code["-O2",], True, "the level")
    check(debug([*LOOP, "--arg", "zeros:1024"], ["show"])[0]["timeout_ms"], int(said[2]), "the time-out")


HANG = ["hang.cl", "-O2", "--grid", "32", "--block", "32", "--arg", "zeros:128"]


def interrupted_batch():
    """Ctrl-C stops the waves of an endless loop, the commands behind `run` see them; the exit status says what happened."""
    args = [lull, "debug", str(examples / HANG[0]), *HANG[1:], "-batch", "--echo"]
    for c in ["set timeout 3600000", "run", "info waves", "stepi"]:
        args += ["-ex", c]
    p = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        while p.stdout.readline() not in ("(lull) run\n", ""):
            pass
        p.send_signal(signal.SIGINT)
        out, errors = p.communicate(timeout=100)
    finally:
        p.kill()
    check((p.returncode, errors), (130, ""), "status and errors")
    for part in ("Interrupted.", "<hang+0x", "(lull) info waves", " stepped, lane"):
        if part not in out:
            raise AssertionError(f"no '{part}' in {out}")


def until(fd, pattern, keys=b"", text=""):
    """Read a terminal, behind text, until the pattern is there; keys are typed again and again."""
    for _ in range(100):
        if re.search(pattern, text, re.S):
            return text
        if keys:
            os.write(fd, keys)
        while select.select([fd], [], [], 1)[0]:
            try:
                text += os.read(fd, 4096).decode()
            except OSError:
                raise AssertionError(f"ended: {text}")
            if re.search(pattern, text, re.S):
                return text
    raise AssertionError(f"no '{pattern}': {text}")


def interrupted_at_prompt():
    """On a terminal Ctrl-C stops the waves and gives the prompt; at the prompt it gives the line up."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "dumb"
        os.execv(lull, [lull, "debug", str(examples / HANG[0]), *HANG[1:]])
    try:
        until(fd, r"\(lull\) ")
        os.write(fd, b"set timeout 3600000\n")
        until(fd, r"\n.*\(lull\) ")
        text = ""
        while "Interrupted." not in text:  # a Ctrl-C that comes before `run` is read throws it away, and says Quit
            os.write(fd, b"run\n")
            until(fd, "\n")
            text = until(fd, r"Interrupted\.|Quit", keys=b"\x03")
        until(fd, r"<hang\+0x.*\(lull\) ", text=text)
        os.write(fd, b"frobn")
        until(fd, "frobn")
        until(fd, "Quit", keys=b"\x03")
        os.write(fd, b"quit\n")
        while True:
            try:
                if os.read(fd, 4096) == b"":
                    break
            except OSError:
                break
        _, status = os.waitpid(pid, 0)
        pid = 0
        check(status, 0, "status")
    finally:
        if pid != 0:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        os.close(fd)


MEET = [pathlib.Path(__file__).resolve().parent / "meet.s", "--grid", "128", "--block", "128"]
BEFORE, AT_BARRIER, BEHIND = 0x14, 0x1c, 0x20


def over_barrier(name, commands, hits, status=0):
    """The last command steps over the barrier: all four waves stand right behind it, and no store was done."""
    for seed in range(4):
        with tempfile.TemporaryDirectory() as d:
            out = pathlib.Path(d) / "out"
            r = debug([*MEET, "--seed", str(seed), "--arg", f"zeros:512:name=out:out={out}"],
                      [*commands, "info waves", "print meet", "info breakpoints", "x/4wx out", "delete", "continue"], status)
            step, waves, meet, points, memory = r[-7], r[-6], value(r[-5]), r[-4], r[-3]
            check((step["outcome"], step["stop"]), ("stopped", "step"), f"{name}, seed {seed}: the step")
            check([int(w["pc"], 16) - meet for w in waves["waves"]], [BEHIND] * 4, f"{name}, seed {seed}: where the waves are")
            check(sorted(w["stop"] for w in waves["waves"]), ["interrupt"] * 3 + ["step"], f"{name}, seed {seed}: all stand")
            check([b["hits"] for b in points["breakpoints"]], hits, f"{name}, seed {seed}: hits")
            check([int(x, 16) for x in memory["values"]], [0] * 4, f"{name}, seed {seed}: nobody has stored")
            check(r[-1]["outcome"], "done", "the end")
            check(list(struct.unpack("128I", out.read_bytes())), [2 * (i + 1) + 3 for i in range(128)], "the output buffer")


def step_over_barrier():
    here = f"*meet+{BEFORE}"
    over_barrier("a breakpoint that others have not come to", [f"break {here}", "run", "nexti 2", "nexti"], [4])
    over_barrier("tbreak", [f"tbreak {here}", "run", "nexti 2", "stepi"], [])
    over_barrier("all stand at it", ["start", f"break {here}", *[c for n in (1, 2, 3, 0) for c in (f"focus wave {n}", "until " + here)],
                                     "nexti 2", "nexti"], [4])
    over_barrier("one waits there already", ["start", "set scheduler-locking on", "set timeout 20", "nexti 6", "nexti",
                                             "set scheduler-locking step", "nexti"], [], status=1)


RECIPROCAL_CL = """kernel void reciprocal(global float *out, global const float *in)
{
    uint i = get_global_id(0);
    float y = native_recip(in[i]);
    out[i] = y + 1.0f;
}"""


def as_f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def float_exceptions():
    """Work-item 103, that is wave 3 lane 7, divides by zero: 1 / 0 is infinite, all others are as Python has them."""
    with tempfile.TemporaryDirectory() as d:
        work = pathlib.Path(d)
        zero = 3 * 32 + 7
        given = [0.0 if i == zero else 2.0 ** (i % 5) for i in range(128)]
        want = struct.pack("128f", *[float("inf") if x == 0 else as_f32(1 / x) + 1 for x in given])
        (work / "reciprocal.cl").write_text(RECIPROCAL_CL)
        (work / "in").write_bytes(struct.pack("128f", *given))
        program = [work / "reciprocal.cl", "--grid", "128", "--block", "128", "--arg", f"zeros:512:name=out:out={work / 'out'}",
                   "--arg", f"buffer:{work / 'in'}:name=in"]

        def ends_right(commands, status=0):
            (work / "out").unlink(missing_ok=True)
            r = debug(program, commands, status=status)
            check(r[-1]["outcome"], "done", f"{commands}: the end")
            check((work / "out").read_bytes(), want, f"{commands}: the output")
            return r

        r = ends_right(["catch fp divzero", "run", "info breakpoints", "print $v0", "continue"], status=1)
        check((r[1]["stop"], r[1]["wave_in_group"], r[1]["lane"]), ("exception", 3, 7), "where it stops")
        check((r[1]["exceptions"], r[1]["catchpoint"], r[1]["raised_lanes"]), (1 << 2, 1, hex(1 << 7)), "what was raised, by whom")
        for part in ("float exception: division by zero, lane 7", "Catchpoint 1: raised by 0x", ": v_rcp_f32"):
            if part not in r[1]["text"]:
                raise AssertionError(f"no '{part}' in {r[1]['text']}")
        check(int(r[1]["pc"], 16) - int(r[1]["raised_by"], 16) in (4, 8), True, "it stands behind the instruction")
        check((r[2]["breakpoints"][0]["what"], r[2]["breakpoints"][0]["hits"]), ("divzero", 1), "info breakpoints")
        # Nothing else of these: 1 / x and y + 1 are exact, and nothing is denormal.
        ends_right(["catch fp invalid overflow underflow inexact denormal intdiv", "run"])
        ends_right(["run"])
        ends_right(["catch fp", "delete 1", "run"])
        ends_right(["catch fp", "disable 1", "run"])
        ends_right(["catch fp all", "ignore 1 1", "run"])
        ends_right(["catch fp divzero", "condition 1 $v0.f32 < 1000 && $v0.f32 > 100", "run"])
        r = ends_right(["start", "catch fp divzero", "condition 1 $v0.f32 > 1000", "continue", "delete", "continue"], status=1)
        check((r[3]["stop"], r[3]["lane"]), ("exception", 7), "caught when it runs already")
        for words in ("catch fp division", "catch fp divzero 7", "catch"):
            check(subprocess.run([lull, "debug", *map(str, program), "-batch", "-ex", words], capture_output=True,
                                 timeout=100).returncode, 3, words)


def exceptions_of_the_kernel():
    """The kernel enables division by zero itself, by its descriptor: the debugger stops without a catchpoint; nobody else does."""
    text = (examples / "loop.s").read_text()
    text = text.replace("v_mov_b32_e32 v2, 0", "v_mov_b32_e32 v2, 0\n    v_rcp_f32_e32 v2, v2\n    v_mov_b32_e32 v2, 0")
    text = text.replace(".amdhsa_wavefront_size32 1", ".amdhsa_wavefront_size32 1\n.amdhsa_dx10_clamp 0\n.amdhsa_exception_fp_ieee_div_zero 1")
    with tempfile.TemporaryDirectory() as d:
        kernel = pathlib.Path(d) / "loop.s"
        out = pathlib.Path(d) / "out"
        want = struct.pack("32I", *[250 * (i + 1) for i in range(32)])
        kernel.write_text(text)
        program = [kernel, "--grid", "32", "--block", "32", "--arg", f"zeros:128:out={out}"]
        r = debug(program, ["run", "continue"], status=1)
        check((r[0]["stop"], r[0]["exceptions"], r[0]["catchpoint"]), ("exception", 1 << 2, 0), "run")
        check((r[0]["raised_lanes"], r[1]["outcome"]), ("0xffffffff", "done"), "lanes, and the end")
        check(out.read_bytes(), want, "the output")
        out.unlink()
        check(subprocess.run([lull, "run", *map(str, program)], capture_output=True, timeout=100).returncode, 0, "lull run")
        check(out.read_bytes(), want, "the output without a debugger")


def bad_commands():
    r = debug([*LOOP, "--arg", "zeros:1024"], ["print $nosuch"], status=3)
    check(r[0]["command"], "print $nosuch", "the object of a failed command")
    if "nosuch" not in r[0]["error"]:
        raise AssertionError(r[0])
    for command, words in (("print $v300", "register"), ("break nowhere", "nowhere"), ("print 1 +", "column"), ("frobnicate", "no command")):
        r = subprocess.run([lull, "debug", str(examples / "loop.s"), *LOOP[1:], "--arg", "zeros:1024", "-batch", "-ex", command],
                           capture_output=True, text=True, timeout=100)
        check(r.returncode, 3, command)
        if words not in r.stderr or "Traceback" in r.stderr:
            raise AssertionError(f"{command}: {r.stderr}")


def options_of_kernels():
    """What means nothing for a program is refused, not ignored."""
    for name, *value in (["--grid", "4"], ["--arg", "i32:1"], ["--device", "model"], ["-O2"],
                         ["--wave", "64"], ["--kernel", "k"]):
        for program in (["--", "true"], ["--attach", "/nonexistent/socket"]):
            r = subprocess.run([lull, "debug", "-batch", "--seed", "1", name, *value, "--json", *program], capture_output=True,
                               text=True, timeout=100)
            check(r.returncode, 2, name)
            if f"{name.removesuffix('2')} is for a kernel" not in r.stderr:
                raise AssertionError(f"{name}: {r.stderr}")
    for program, *options in ((["--", "true"], "--printf-record", "lane"), (["--", "true"], "--printf-save", "x"),
                              (["--attach", "/nonexistent/socket"], "--printf")):
        r = subprocess.run([lull, "debug", "-batch", *options, *program], capture_output=True, text=True, timeout=100)
        check(r.returncode, 2, options)
        if "with a program there are --printf and --printf-size" not in r.stderr:
            raise AssertionError(f"{options}: {r.stderr}")


cases = {
    "100 turns in wave 3 of 8, others stand": lambda: loop_stepped("step"),
    "100 turns in wave 3 of 8, others run": lambda: loop_stepped("off"),
    "a step at the end, others stand": lambda: stepped_out("step"),
    "a step at the end, others run": lambda: stepped_out("off"),
    "every wave's hit is reported": all_hits_reported,
    "condition on registers": condition,
    "out-of-bounds store: wave, lane, VA, entry": memory_fault,
    "endless loop": hang,
    "Ctrl-C in a batch": interrupted_batch,
    "Ctrl-C at a terminal": interrupted_at_prompt,
    "LDS": lds,
    "steps over a barrier": step_over_barrier,
    "a second run begins afresh": second_run,
    "a second run's scratch memory is zero": second_scratch,
    "watch --software before run": software_watch_before_run,
    "a wave alone": alone,
    "float exceptions are caught": float_exceptions,
    "exceptions that the kernel enables": exceptions_of_the_kernel,
    "--help says what is taken if not given": help_is_true,
    "options of kernels, with a program": options_of_kernels,
    "bad commands": bad_commands,
}
print(f"1..{len(cases)}")
for n, (name, case) in enumerate(cases.items(), 1):
    try:
        case()
        print(f"ok {n} - {name}")
    except (AssertionError, KeyError, IndexError, ValueError, subprocess.TimeoutExpired) as e:
        print(f"not ok {n} - {name}\n# {type(e).__name__}: {e}")
