#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lua over a session of lull debug: lua.py LULL SOURCE-ROOT FOLDER-OF-LUA_MODULE. examples/loop.s adds v1 = i + 1 to v2 while s2 goes from 250 to 0: at its line of
s_sub_i32 for the n-th time s2 is 251 - n and v2 is n (i + 1); root.cl takes roots, that of x[i] = -1 where i % 97 is 5."""
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]
from tap import case, end  # noqa: E402

lull, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
work = pathlib.Path(tempfile.mkdtemp())
ENV = os.environ | {"HOME": str(work)}
LINE = next(i + 1 for i, t in enumerate((root / "examples/loop.s").read_text().splitlines()) if "s_sub_i32" in t)
LOOP = [str(root / "examples/loop.s"), "--grid", "64", "--block", "64", "--arg", "zeros:256:name=out:out=out.bin"]
N = 256
BAD = [i for i in range(N) if i % 97 == 5]
(work / "x.bin").write_bytes(b"".join(struct.pack("<f", -1 if i in BAD else i) for i in range(N)))
(work / "root.cl").write_text("""\
kernel void root(global float *x, global float *out)
{
    uint i = get_global_id(0);
    float v = x[i];
    float s = sqrt(v);
    out[i] = s;
}
""")
ROOT = ["root.cl", "--grid", str(N), "--block", "64", "--arg", "buffer:x.bin:name=x", "--arg", f"zeros:{4 * N}:name=out"]


def run(kernel, text, *more):
    (work / "script.lua").write_text(text)
    return subprocess.run([lull, "debug", "-batch", "--lua", "script.lua", *more, *kernel], capture_output=True, text=True, cwd=work, env=ENV, timeout=120)


def says(name, kernel, text, *want, more=(), status=0):
    r = run(kernel, text, *more)
    case(name, r.returncode == status and r.stdout.splitlines() == [str(w) for w in want], (r.returncode, r.stdout, r.stderr, want))


def fails(name, kernel, text, *want):
    r = run(kernel, text)
    case(name, r.returncode == 3 and all(w in r.stderr for w in want), r)


def stops():
    at = f'lull.breakpoint("loop.s:{LINE}"'
    says("a breakpoint's handler is asked at each stop, and stops at true", LOOP, f"""
        local seen = 0
        local n = {at}, function(stop)
            seen = seen + 1
            assert(stop.kind == "stopped" and stop.stop == "breakpoint" and stop.breakpoint == 1)
            return lull.eval("$s2") == 100
        end)
        local stop = lull.run()
        print(n, seen > 150, stop.kind, stop.breakpoint, lull.eval("$s2"), lull.wave():eval("$v2")[5])
    """, "\t".join(str(v) for v in (1, "true", "stopped", 1, 100, 151 * 6)))
    says("... a condition comes before it, false and nil go on", LOOP, f"""
        local seen = 0
        {at}, "$s2 % 50 == 0", function() seen = seen + 1 end)
        print(lull.run().kind, seen)
    """, f"done\t{2 * 5}")
    says("... and none any more", LOOP, f"""
        local n = {at}, function() return false end)
        lull.on(n, nil)
        print(lull.run().kind)
        lull.delete(n)
        print(lull.continue().kind)
    """, "stopped", "done")
    says("a watchpoint's handler", ROOT, """
        local hits = 0
        lull.watch("{u32}(out+20)", function() hits = hits + 1 return false end)
        print(lull.run().kind, hits)
    """, "done\t1")
    says("step, stepi with a number, advance, finish", LOOP, f"""
        lull.start()
        local pc = lull.wave().pc
        lull.stepi(2)
        print(lull.wave().pc - pc)
        local stop = lull.advance("loop.s:{LINE}")
        print(select(2, lull.line()), stop.kind, lull.eval("$s2"))
        lull.step()
        print(select(2, lull.line()), lull.eval("$s2"))
    """, 12, f"{LINE}\tstopped\t250", f"{LINE + 1}\t249")


def values():
    says("lanes and waves as tables", ROOT, """
        lull.start()
        local all = lull.waves()
        print(#all, all[8].number, all[8].workgroup[1], all[8].wave_in_group, all[8].lanes, #all[8].active, all[8].stop, all[1].in_focus, all[2].in_focus)
        local gid = all[8]:eval("$gid")
        print(gid[0], gid[31], gid[32], gid.lanes, gid.active)
        print(lull.eval("$gid")[31], lull.eval("1.5 * 2"), lull.eval("-3"), math.type(lull.eval("7u")))
    """, f"8\t7\t{7 // 2}\t1\t32\t32\tstart\ttrue\tfalse", f"224\t255\tnil\t32\t{0xffffffff}", "31\t3.0\t-3\tinteger")
    says("a wave that is not in focus has its own registers, and the focus stays", ROOT, """
        lull.start()
        local a, b = lull.waves()[1], lull.waves()[2]
        a:setreg("s20", 5)
        b:setreg("s20", 6)
        b:set("$s21 = 7")
        print(a:reg("s20"), b:reg("s20"), lull.reg("s20"), b:eval("$s21"), a.number, lull.focus())
    """, "5\t6\t5\t7\t0\t0\t0")
    says("lanes that are off keep what they have", ROOT, """
        lull.start()
        lull.setreg("v3", 4)
        lull.set("$exec_lo = 0xf")
        lull.setreg("v3", 9)
        print(lull.reg("v3")[3], lull.reg("v3")[4])
    """, "9\t4")
    (work / "lds.cl").write_text("kernel void lds(global uint *out, local uint *t)\n{\n    uint l = get_local_id(0);\n    t[l] = l;\n"
                                 "    barrier(CLK_LOCAL_MEM_FENCE);\n    out[l] = t[31 - l];\n}\n")
    says("LDS is read and written", ["lds.cl", "--grid", "32", "--block", "32", "--arg", "zeros:128:name=out", "--arg", "local:128"], """
        lull.breakpoint("lds.cl:6")
        lull.run()
        print(string.unpack("<I4I4", lull.readlds(4, 8)))
        lull.writelds(4, string.pack("<I4", 77))
        local out = lull.eval("out")[0]
        lull.on(lull.breakpoint("lds.cl:7"), function() print(string.unpack("<I4I4", lull.read(out + 4 * 29, 8))) return false end)
        lull.continue()
    """, "1\t2\t9", "2\t77\t9")
    bad = [f"{i // 32}:{i % 32}" for i in BAD if i // 32 == 0]
    says("variables in each lane", ROOT, """
        lull.breakpoint("root.cl:6")
        lull.run()
        local s = lull.eval("s")
        for lane = 0, s.lanes - 1 do
            if s[lane] ~= s[lane] then print(lull.wave().number .. ":" .. lane) end
        end
        print(s[9], lull.eval("i")[7])
    """, *bad, f"{math.sqrt(9):.1f}\t7")
    r = run(LOOP, f"""
        lull.start()
        lull.advance("loop.s:{LINE}")
        lull.set("$v2[3] = 77")
        lull.setreg("v2", {{[4] = 88, [5] = 99}})
        local v = lull.reg("v2")
        print(v[2], v[3], v[4], v[5], v[6])
        lull.setreg("v1", 5)
        print(lull.reg("v1")[0], lull.reg("v1")[31])
        lull.setreg("s3", 1.5)
        print(lull.eval("$s3.f32"))
        lull.write(lull.eval("out"), string.pack("<I4I4", 11, 22))
        print(string.unpack("<I4I4", lull.read(lull.eval("out"), 8)))
        lull.setreg("v1", 1)
        lull.continue()
    """)
    case("registers and memory are written", r.stdout.splitlines() == ["3\t77\t88\t99\t7", "5\t5", "1.5", "11\t22\t9"], r)
    out = struct.unpack("<64I", (work / "out.bin").read_bytes())
    want = [{3: 77, 4: 88, 5: 99}.get(i, i + 1) + 249 if i < 32 else 250 * (i + 1) for i in range(64)]
    case("... and the kernel goes on with them", list(out) == want, (out[:40], want[:40]))
    says("code and places", LOOP, f"""
        lull.start()
        local at = lull.location("loop.s:{LINE}")
        local i = lull.disassemble(at)
        print(i.text, i.size, i.symbol, i.offset == at - lull.location("loop"), select(2, lull.line(at)))
        print(lull.line(16))
    """, f"s_sub_i32 s2, s2, 1\t4\tloop\ttrue\t{LINE}", "")
    says("focus", ROOT, """
        lull.start()
        lull.focus(5, 9)
        print(lull.focus())
        lull.waves()[3]:focus()
        print(lull.focus())
        print(lull.wave().number, lull.wave(99), lull.stop().wave)
    """, "5\t9", "2\t0", "2\tnil\t2")
    says("a command's text", ROOT, """
        local text = lull.command("print 6 * 7")
        print((text:gsub("\\n", "")))
    """, "6 * 7 = 0x0000002a  (42)")


def errors():
    fails("an error of the script: file and line", LOOP, "\nlocal x = nil\nx.y = 1\n", "script.lua:3: attempt to index")
    fails("what cannot be read", LOOP, "x = = 2", "script.lua:1:")
    fails("lull's error is Lua's", LOOP, "lull.start()\nlull.eval('nothing')", "script.lua:2: ", "nothing")
    says("... and can be caught", LOOP, "local good, text = pcall(lull.eval, '1 +')\nprint(good, text:match('column') ~= nil)", "false\ttrue")
    fails("not started", LOOP, "lull.stepi()", "not started")
    fails("a wave that is not there", LOOP, "lull.start()\nlocal w = lull.wave()\nw.number = 77\nw:eval('1')", "wave 77 is not known")
    for what in ("lull.continue()", "lull.command('continue')", "lull.delete(1)", "lull.breakpoint('loop')", "lull.focus(0)", "lull.run()"):
        fails(f"in a handler: {what}", LOOP, f"lull.breakpoint('loop.s:{LINE}', function() {what} end)\nlull.run()", "handler of breakpoint 1", "cannot let waves run")
    fails("a handler's error stops", LOOP, f"lull.breakpoint('loop.s:{LINE}', function() error('mine') end)\nlull.run()", "handler of breakpoint 1", "mine")
    fails("a coroutine", LOOP, "assert(coroutine.resume(coroutine.create(function() lull.run() end)))", "a coroutine cannot")
    fails("no such breakpoint", LOOP, "lull.on(9, print)", "no breakpoint 9")
    fails("a handler that is not a function", LOOP, "lull.breakpoint('loop', 5)", "function expected")
    fails("memory that is not there", LOOP, "lull.start()\nlull.read(64, 4)", "script.lua:2: ")
    fails("too much of it", LOOP, "lull.start()\nlull.read(64, 1 << 40)", "64 MiB")
    fails("no such file", LOOP, "dofile('nowhere.lua')", "nowhere.lua")


def commands():
    (work / "tools.lua").write_text("function double(x) return 2 * x end\n")
    r = subprocess.run([lull, "debug", "-batch", "-ex", "source tools.lua", "-ex", "lua double(21)", "-ex", "lua y = double(4)", "-ex", "lua print(y, 'a')", *LOOP],
                       capture_output=True, text=True, cwd=work, env=ENV, timeout=60)
    case("source FILE.lua, lua EXPRESSION, lua STATEMENT: one state", r.stdout.splitlines() == ["42", "8\ta"] and r.returncode == 0, r)
    for text, want in (("lua", "lua what?"), ("lua error('x')", "x"), ("source none.lua", "none.lua"), ("lua (", "lua:1:")):
        r = subprocess.run([lull, "debug", "-batch", "-ex", text, *LOOP], capture_output=True, text=True, cwd=work, env=ENV, timeout=60)
        case(f"{text}: refused", r.returncode == 3 and want in r.stderr, r)
    r = subprocess.run([lull, "debug", "-batch", "-ex", f"lua lull.breakpoint('loop.s:{LINE}', function() return lull.eval('$s2') == 7 end)", "-ex", "run", "-ex",
                        "print $s2", *LOOP], capture_output=True, text=True, cwd=work, env=ENV, timeout=60)
    case("handlers are asked for the prompt's commands, too", "hit breakpoint 1" in r.stdout and "(7)" in r.stdout, r)
    r = subprocess.run([lull, "debug", "-batch", "--lua", str(root / "examples/where_nan.lua"), *ROOT], capture_output=True, text=True, cwd=work, env=ENV, timeout=60)
    says("a module in C", LOOP, f"package.cpath = '{pathlib.Path(sys.argv[3]).resolve()}/?.so'\nprint(require('lua_module')('a', 'b'))", "a+b")
    case("examples/where_nan.lua", r.stdout.splitlines() == [f"wave {i // 32}, lanes {i % 32}: line 5 made it" for i in BAD], r)


for test in (stops, values, errors, commands):
    test()
end()
