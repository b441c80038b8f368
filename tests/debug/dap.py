#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lull dap under a client of the test's own: dap.py LULL SOURCE-ROOT. What is expected follows from the kernels' text."""
import base64
import json
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import zipfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parent)]
from dap_client import Client  # noqa: E402
from tap import case, end  # noqa: E402

# A sanitized lull is a program on its own GPU, too.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
lull, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
work = pathlib.Path(tempfile.mkdtemp())
loop = root / "examples/loop.s"
text = loop.read_text().splitlines()
AGAIN = next(i + 1 for i, t in enumerate(text) if "v_add_nc_u32_e32 v2, v2, v1" in t)
START = dict(kernel=str(loop), grid=256, block=256)


def begun(entry=True, args=("zeros:1024:name=out",), breakpoints=None, **launch):
    c = Client(lull, cwd=work)
    c.body("initialize", adapterID="lull")
    c.body("launch", **(START | dict(args=list(args), stopOnEntry=entry) | launch))
    c.event("initialized")
    for name, arguments in (breakpoints or {}).items():
        c.answer = c.body(name, **arguments)
    c.ask("configurationDone")
    return c


def line(path, n, **more):
    return {"setBreakpoints": {"source": {"path": str(path)}, "breakpoints": [{"line": n, **more}]}}


def variables(c, ref):
    return {v["name"]: v for v in c.body("variables", variablesReference=ref)["variables"]}


def scope(c, frame, name):
    return next(s["variablesReference"] for s in c.body("scopes", frameId=frame)["scopes"] if s["name"] == name)


def stepping():
    c = begun()
    m = c.event("stopped", "terminated")
    case("stop on entry", m["body"]["reason"] == "entry", m)
    threads = c.body("threads")["threads"]
    case("eight waves are threads", [t["id"] for t in threads] == list(range(2, 10)) and "32 of 32 lanes" in threads[0]["name"], threads)
    top = c.body("stackTrace", threadId=2)["stackFrames"][0]
    case("the first line of code", top["source"]["path"] == str(loop) and "s_load_b64" in text[top["line"] - 1], top)
    c.ask("next", threadId=2)
    c.event("stopped")
    after = c.body("stackTrace", threadId=2)["stackFrames"][0]
    case("next: the next line", after["line"] == top["line"] + 1, after)
    c.ask("stepIn", threadId=3, granularity="instruction")
    m = c.event("stopped")
    case("a step of another wave", m["body"]["threadId"] == 3 and m["body"]["reason"] == "step", m)
    d = c.body("disassemble", memoryReference=after["instructionPointerReference"], instructionOffset=-1, instructionCount=3)["instructions"]
    case("instructions in front and behind", [i["instruction"].split()[0] for i in d] == ["s_load_b64", "v_add_nc_u32_e32", "v_mov_b32_e32"], d)
    case("an unknown request is refused", not c.ask("restartFrame", frameId=2)["success"])
    case("a thread that is none", not c.ask("stackTrace", threadId=77)["success"])
    c.ask("continue", threadId=2)
    m = c.event("exited")
    case("the end: status 0", m["body"]["exitCode"] == 0 and c.event("terminated") is not None and c.end() == 0, m)


def values():
    out = work / "out.bin"
    c = begun(False, [f"zeros:1024:name=out:out={out}"], line(loop, AGAIN, condition="$v2[3] == 8"))
    b = c.answer["breakpoints"][0]
    case("a breakpoint at a line is verified", b["verified"] and b["line"] == AGAIN, b)
    m = c.event("stopped", "terminated")
    case("the condition holds", m["body"]["reason"] == "breakpoint" and m["body"]["hitBreakpointIds"] == [b["id"]], m)
    top = c.body("stackTrace", threadId=m["body"]["threadId"])["stackFrames"][0]
    vector = variables(c, scope(c, top["id"], "Vector registers"))
    lanes = variables(c, vector["v2"]["variablesReference"])
    case("v2 after two rounds, by lane", [int(v["value"], 16) for v in lanes.values()] == [2 * (i + 1) for i in range(32)], lanes)
    ref = vector["v2"]["variablesReference"]
    r = c.body("setVariable", variablesReference=ref, name="[5]", value="1000")
    case("one lane is set", int(r["value"], 16) == 1000, r)
    r = c.body("evaluate", expression="$v2[5] + 1", context="watch", frameId=top["id"])
    case("an expression", "1001" in r["result"] or "0x3e9" in r["result"], r)
    r = c.body("evaluate", expression="info waves", context="repl")
    case("a command in the console", r["result"].count("\n") == 9, r)
    r = c.ask("evaluate", expression="nonsense", context="hover")
    case("a name that is none, without a window of its own", not r["success"] and not r["body"]["error"]["showUser"], r)
    r = c.ask("goto", targetId=99, threadId=2)
    case("... which other errors get", not r["success"] and r["body"]["error"]["showUser"], r)
    c.body("setBreakpoints", source={"path": str(loop)}, breakpoints=[])
    c.ask("continue", threadId=2)
    c.event("terminated")
    c.end()
    want = [250 * (i + 1) for i in range(256)]
    want[5] = 1000 + 248 * 6
    case("the result has the change", struct.unpack("<256I", out.read_bytes()) == tuple(want))


def backwards():
    """Each round of the loop adds i + 1 to v2 of work-item i, so going back takes it away."""
    c = begun(entry=False, breakpoints=line(loop, AGAIN))
    m = c.event("stopped", "terminated")
    c.ask("continue", threadId=2)
    m = c.event("stopped", "terminated")
    while m["body"].get("threadId") != 2:
        c.ask("continue", threadId=2)
        m = c.event("stopped", "terminated")

    def v2():
        frame = c.body("stackTrace", threadId=2)["stackFrames"][0]["id"]
        return [int(v["value"], 16) for v in variables(c, variables(c, scope(c, frame, "Vector registers"))["v2"]["variablesReference"]).values()]
    before = v2()
    c.ask("next", threadId=2)
    c.event("stopped")
    after = v2()
    case("next adds", [a - b for a, b in zip(after, before)] == [i + 1 for i in range(32)], (before, after))
    c.ask("stepBack", threadId=2)
    m = c.event("stopped")
    case("stepBack takes it away", v2() == before and c.body("stackTrace", threadId=2)["stackFrames"][0]["line"] == AGAIN, (m, v2()))
    c.ask("stepBack", threadId=2, granularity="instruction")
    m = c.event("stopped")
    case("stepBack of an instruction", m["body"]["reason"] == "step" and c.body("stackTrace", threadId=2)["stackFrames"][0]["line"] != AGAIN, m)
    c.ask("reverseContinue", threadId=2)
    m = c.event("stopped")
    case("reverseContinue: the breakpoint before", m["body"]["reason"] == "breakpoint", m)
    c.body("setBreakpoints", source={"path": str(loop)}, breakpoints=[])
    c.ask("reverseContinue", threadId=2)
    m = c.event("stopped")
    case("... and the beginning", m["body"]["reason"] == "entry", m)
    c.end()


def variables_of_source():
    """Of tests/debug/variables.cl behind line 39, in the first wave: i is the lane, what the others are follows from the source."""
    source = root / "tests/debug/variables.cl"
    args = ["zeros:256:name=buffer", "iota:8:i32:name=table", "i32:77", "hex:0000803f000000400000404000008040"]
    c = begun(True, args, kernel=str(source), grid=32, block=32)
    thread = c.event("stopped")["body"]["threadId"]
    local = variables(c, scope(c, c.body("stackTrace", threadId=thread)["stackFrames"][0]["id"], "Locals"))
    written = next(n for n, text in enumerate(source.read_text().splitlines(), 1) if "int i = get_global_id(0)" in text)
    case("a variable before its line", local["i"]["value"] == f"<not set before line {written}>" and local["i"]["variablesReference"] == 0, local["i"])
    c.end()
    c = begun(False, args, line(source, 40), kernel=str(source), grid=32, block=32)
    m = c.event("stopped", "terminated")
    top = c.body("stackTrace", threadId=m["body"]["threadId"])["stackFrames"][0]["id"]
    local, given = variables(c, scope(c, top, "Locals")), variables(c, scope(c, top, "Arguments"))
    case("locals: equal ones and rows are short", [local[n]["value"] for n in ("i", "sum", "s")] == ["0…31", "4.5", "0, -1…-31"], local)
    case("arguments", given["n"]["value"] == "77" and list(given) == ["out", "table", "n", "vec"], given)
    lanes = {n: [v["value"] for v in variables(c, local[n]["variablesReference"]).values()] for n in ("i", "s", "acc", "d", "odd")}
    want = {"i": [str(i) for i in range(32)], "s": [str(-i) for i in range(32)], "acc": [f"{0.5 * i:g}" for i in range(32)],
            "d": [f"{2.5 * i:g}" for i in range(32)], "odd": [str(bool(i & 1)).lower() for i in range(32)]}
    case("lanes, as their types have them", lanes == want, lanes)
    points = variables(c, variables(c, local["nd"]["variablesReference"])["pts"]["variablesReference"])
    x = variables(c, points["[0]"]["variablesReference"])["x"]
    case("a member of an element of a member", x["evaluateName"] == "nd.pts[0].x" and x["type"] == "float" and
         c.body("evaluate", expression=x["evaluateName"] + "[5]", frameId=top)["result"] == "5", x)
    r = c.body("setVariable", variablesReference=local["i"]["variablesReference"], name="[5]", value="1000")
    case("one lane of a local is set", r["value"] == "1000" and c.body("evaluate", expression="i[5] + 1", frameId=top)["result"].startswith("1001"), r)
    c.end()


def frames():
    """Of a call, and of a function that is inlined: each frame has its line and its variables, of whatever name."""
    (work / "frames.cl").write_text("""\
static inline void put(global volatile int *to, int a)
{
    *to = a;
    *to = 2 * a;
}
int helper(int a)
{
    int t = a * 3;
    return t + 1;
}
kernel void frames(global int *out)
{
    int a = get_global_id(0) + 100;
    put(out + get_global_id(0), a - 60);
    out[0] = helper(a + 7) ^ a;
}
""")
    for option, at, inner, outer in ("-O2", 4, ("put, inlined", [i + 40 for i in range(32)]), 14), ("-O0", 9, ("helper", [i + 107 for i in range(32)]), 15):
        c = begun(False, ("zeros:128",), line(work / "frames.cl", at), kernel=str(work / "frames.cl"), grid=32, block=32, options=[option])
        thread = c.event("stopped", "terminated")["body"]["threadId"]
        body = c.body("stackTrace", threadId=thread)
        stack = body["stackFrames"]
        case(f"{option}: two frames, as backtrace has them", [f["line"] for f in stack] == [at, outer] and body["totalFrames"] == 2 and
             stack[0]["name"].startswith(inner[0]) and stack[1]["name"].startswith("frames"), body)
        case("... one by one", [c.body("stackTrace", threadId=thread, startFrame=k, levels=1)["stackFrames"] for k in (0, 1)] == [[f] for f in stack])
        a = [variables(c, scope(c, f["id"], s)).get("a") for f, s in zip(stack, ("Arguments", "Locals"))]
        lanes = [[int(v["value"]) for v in variables(c, x["variablesReference"]).values()] for x in a]
        want = [inner[1], [i + 100 for i in range(32)]]
        case("... each with its own a", lanes == want, (lanes, a))
        for k in 1, 0:
            r = c.body("evaluate", expression="a[3]", frameId=stack[k]["id"])["result"]
            case(f"... evaluate in frame {k}", r.split()[0] == str(want[k][3]), r)
        r = c.body("setExpression", expression="t[3]", value="77", frameId=stack[0]["id"]) if option == "-O0" else None
        case("... what is set is the frame's", r is None or r["value"].split()[0] == "77", r)
        r = c.ask("evaluate", expression="t" if option == "-O0" else "to", frameId=stack[1]["id"])
        case("... a name of the other frame is none here", not r["success"], r)
        r = c.ask("scopes", frameId=stack[1]["id"] + 1)
        case("... a frame that is none is refused", not r["success"] and "2 frames" in r["message"], r)
        c.end()
    # As in gdb, a step into a function ends behind its prologue, where its arguments are in the frame.
    c = begun(False, ("zeros:128",), line(work / "frames.cl", 15), kernel=str(work / "frames.cl"), grid=32, block=32, options=["-O0"])
    thread = c.event("stopped", "terminated")["body"]["threadId"]
    c.ask("stepIn", threadId=thread)
    m = c.event("stopped")
    top = c.body("stackTrace", threadId=thread)["stackFrames"][0]
    a = variables(c, variables(c, scope(c, top["id"], "Arguments"))["a"]["variablesReference"])
    case("stepIn: the first line of the function, with its argument", m["body"]["reason"] == "step" and top["line"] == 8 and
         [int(v["value"]) for v in a.values()] == [i + 107 for i in range(32)], (m, top, a))
    c.end()


def breakpoints():
    c = begun(True)
    c.event("stopped")
    info = c.body("dataBreakpointInfo", name="{u32}(out + 4 * 37)")
    bad = c.body("dataBreakpointInfo", name="nothing")
    case("what is not there has no data breakpoint", bad["dataId"] is None, bad)
    r = c.body("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])
    case("a data breakpoint", r["breakpoints"][0]["verified"], r)
    c.ask("continue", threadId=2)
    m = c.event("stopped", "terminated")
    case("wave 1 writes out[37]", m["body"]["reason"] == "data breakpoint" and m["body"]["threadId"] == 3, m)
    at = hex(int(info["dataId"].split("}")[1], 16))
    data = base64.b64decode(c.body("readMemory", memoryReference=at, count=8)["data"])
    case("what was written", struct.unpack("<2I", data) == (250 * 38, 250 * 39), data)
    w = c.body("writeMemory", memoryReference=at, data=base64.b64encode(b"\1\2\3\4\5").decode())
    data = base64.b64decode(c.body("readMemory", memoryReference=at, count=5)["data"])
    case("memory written", w["bytesWritten"] == 5 and data == b"\1\2\3\4\5", data)
    r = c.body("readMemory", memoryReference="0x10", count=8)
    case("memory that is not there", r["unreadableBytes"] == 8 and r["data"] == "", r)
    c.body("setDataBreakpoints", breakpoints=[])
    r = c.body("setFunctionBreakpoints", breakpoints=[{"name": "loop"}, {"name": "pool"}])["breakpoints"]
    case("functions: one is there", r[0]["verified"] and not r[1]["verified"] and "pool" in r[1]["message"], r)
    c.ask("restart")
    m = c.event("stopped")
    case("restart: at the start again", m["body"]["reason"] in ("entry", "breakpoint"), m)
    top = c.body("stackTrace", threadId=2)["stackFrames"][0]
    start = int(top["instructionPointerReference"], 16)
    c.body("setFunctionBreakpoints", breakpoints=[])
    offset = int(re.search(r"loop\+0x([0-9a-f]+)", "\n".join(text))[1], 16)
    r = c.body("setInstructionBreakpoints", breakpoints=[{"instructionReference": hex(start), "offset": offset, "hitCondition": "3"}])
    case("an instruction by its address", r["breakpoints"][0]["line"] == AGAIN, r)
    c.ask("continue", threadId=2)
    m = c.event("stopped")
    r = c.body("evaluate", expression="info breakpoints", context="repl")
    case("at the third hit", m["body"]["reason"] == "breakpoint" and "hit 3 times" in r["result"], (m, r))
    case("the client ends in the middle", c.end() == 0)


def faults():
    c = begun(False, ["zeros:1024:name=out"], kernel=str(root / "examples/oob_store.cl"), grid=256, block=64)
    m = c.event("stopped", "terminated")
    wave = next(t["name"] for t in c.body("threads")["threads"] if t["id"] == m["body"]["threadId"])
    case("a page fault: work-item 71 is lane 7 of a wave of group 1", m["body"]["reason"] == "exception" and
         "page fault" in m["body"]["text"] and "lane 7" in m["body"]["text"] and "[1,0,0]" in wave, (m, wave))
    case("exit status 1", c.end() == 1)
    c = begun(False, ["zeros:256:name=flag"], kernel=str(root / "examples/hang.cl"), grid=64, block=64, options=["--timeout", "1000000"])
    case("what is not paused is told so", c.ask("pause", threadId=2)["success"])
    m = c.event("stopped")
    case("pause ends an endless loop", m["body"]["reason"] == "pause", m)
    frames = c.body("stackTrace", threadId=m["body"]["threadId"])["stackFrames"]
    case("in the loop, which calls lull_cl.h", frames[0]["source"]["name"] in ("hang.cl", "lull_cl.h"), frames)
    c.end()
    cl = work / "zero.cl"
    cl.write_text("kernel void k(global float *x) { uint i = get_global_id(0); x[i] = x[i] / (float)((int)i - 9); }\n")
    c = begun(False, ["iota:64:f32:name=x"], {"setExceptionBreakpoints": {"filters": ["divzero"]}}, kernel=str(cl), grid=64, block=64)
    m = c.event("stopped", "terminated")
    case("9 / 0 raises", m["event"] == "stopped" and m["body"]["reason"] == "exception" and "float exception" in m["body"]["text"], m)
    c.end()


def logs():
    c = begun(False, breakpoints=line(loop, AGAIN, logMessage="v1 {$v1} at 100%", condition="$s2 == 250", hitCondition=""))
    m = c.event("stopped", "terminated")
    got = sorted(int(n) for n in re.findall(r"v1 (\d+) at 100%", c.output))
    case("a log point: a line a lane, and no stop", m["event"] == "terminated" and got == list(range(1, 257)), (m, c.output[:300]))
    c.end()


def programs():
    shader = work / "x.comp"
    shader.write_text("""#version 450
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer B { uint x[]; };
void main() { x[gl_GlobalInvocationID.x] = 3 * gl_GlobalInvocationID.x; }
""")
    c = Client(lull, cwd=work)
    c.body("initialize", adapterID="lull")
    c.body("launch", program=lull, args=["run", "x.comp", "--groups", "2", "--bind", "0.0=zeros:512", "--out", "0.0=x.bin", "--vulkan-device", "RADV"])
    c.event("initialized")
    c.body("setExceptionBreakpoints", filters=["dispatch"])
    c.ask("configurationDone")
    m = c.event("stopped", "terminated")
    case("a dispatch of a Vulkan program is held", "is held" in m["body"].get("text", "") and m["body"]["threadId"] == 1, m)
    case("no wave yet", c.body("threads")["threads"] == [{"id": 1, "name": "GPU"}])
    r = c.body("evaluate", expression="info descriptors", context="repl")
    case("its descriptors", "512" in r["result"] or "0x200" in r["result"], r)
    c.ask("stepIn", threadId=1)
    m = c.event("stopped", "terminated")
    case("a step goes into it", m["body"]["threadId"] >= 2, m)
    c.body("setExceptionBreakpoints", filters=[])
    c.ask("continue", threadId=2)
    c.event("terminated")
    c.end()
    case("the program ended well", (work / "x.bin").read_bytes() == struct.pack("<128I", *(3 * i for i in range(128))))


def before_code():
    """A breakpoint in a shader that is set before the program runs, and whose file is not where its compiler was."""
    (work / "far").mkdir()
    (work / "far/late.comp").write_text("""#version 450
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer B { uint x[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    x[i] = 3 * i + 77;
}
""")
    subprocess.run(["glslangValidator", "--quiet", "-V", "-gVS", "far/late.comp", "-o", str(work / "late.spv")], check=True, cwd=work)
    (work / "run").mkdir()
    c = Client(lull, cwd=work / "run")
    c.body("initialize", adapterID="lull")
    c.body("launch", program=lull, args=["run", str(work / "late.spv"), "--groups", "2", "--bind", "0.0=zeros:512", "--vulkan-device", "RADV"], options=["--lines"])
    c.event("initialized")
    source = {"path": str(work / "far/late.comp")}
    b = c.body("setBreakpoints", source=source, breakpoints=[{"line": 7, "condition": "i == 70"}])["breakpoints"][0]
    case("a breakpoint in code that is still to come", not b["verified"] and "no code yet" in b["message"], b)
    c.ask("configurationDone")
    m = c.event("breakpoint", "terminated")
    got = m["body"]["breakpoint"] if m["event"] == "breakpoint" else {}
    case("... is told to be there", got.get("verified") and got["id"] == b["id"] and got["line"] == 7 and got["source"]["path"] == source["path"], m)
    m = c.event("stopped", "terminated")
    case("... and stops", m["body"].get("reason") == "breakpoint" and m["body"]["hitBreakpointIds"] == [b["id"]], m)
    top = c.body("stackTrace", threadId=m["body"]["threadId"])["stackFrames"][0]
    local = variables(c, scope(c, top["id"], "Locals"))
    case("... with the client's own file and the shader's variables", top["source"]["path"] == source["path"] and local["i"]["value"].startswith("64…127"), (top, local))
    c.end()


def checks():
    """Filters of checks: chosen after `launch`, they stop waves from the first start on, and only they."""
    c = Client(lull, cwd=work)
    filters = [f["filter"] for f in c.body("initialize", adapterID="lull")["exceptionBreakpointFilters"]]
    names = ("barrier", "bounds", "divzero", "hazards", "index", "nan", "overflow", "race", "uninit")
    case("a filter for each check", [f for f in filters if f.startswith("check-")] == [f"check-{n}" for n in names], filters)
    c.end()
    (work / "two.cl").write_text("""\
kernel void two(global int *out, int n)
{
    local int t[64];
    int i = get_local_id(0);
    out[i] = (int)i / ((int)out[i] + n);
    t[i] = i;
    out[i] = t[i ^ 63];
    if (i == 5) out[64] = i;
}
""")
    two = dict(kernel=str(work / "two.cl"), grid=64, block=64, args=("zeros:256", "i32:0"), entry=False, options=["-O0"])
    for chosen, lines, word in ((["divzero"], [5], "division"), (["race"], [7], "race"), (["bounds"], [8], "out"), (["race", "bounds"], [7, 8], ""), ([], [], "")):
        c = begun(breakpoints={**line(work / "two.cl", 6, condition="i == 1000"), "setExceptionBreakpoints": {"filters": [f"check-{n}" for n in chosen]}}, **two)
        met, said = [], []
        m = c.event("stopped", "terminated")
        while m["event"] == "stopped" and len(met) < 20:
            met.append(int(re.search(r"two\.cl:(\d+)", m["body"].get("description", "two.cl:0"))[1]))
            said.append(m["body"])
            c.ask("continue", threadId=m["body"]["threadId"])
            m = c.event("stopped", "terminated")
        case(f"check filters {chosen}: stops at lines {lines}", sorted(set(met)) == lines, (met, said))
        case("... as exceptions, verified", all(s["reason"] == "exception" for s in said) and all(b["verified"] for b in c.answer["breakpoints"]), (said, c.answer))
        c.end()
    c = begun(breakpoints=line(work / "two.cl", 6), **two)
    c.event("stopped")
    late = c.body("setExceptionBreakpoints", filters=["check-bounds"])["breakpoints"]
    case("too late for this run: said", not late[0]["verified"] and "next start" in late[0]["message"], late)
    c.ask("restart")
    places = []
    for _ in range(3):
        m = c.event("stopped", "terminated")
        if m["event"] == "terminated":
            break
        places.append(m["body"]["reason"])
        c.ask("continue", threadId=m["body"]["threadId"])
    case("... and on after a restart, with the breakpoint as it was", sorted(places) == ["breakpoint", "breakpoint", "exception"], places)
    c.end()
    c = begun(breakpoints={"setExceptionBreakpoints": {"filters": ["check-race", "check-bounds"]}}, **two)
    m = c.event("stopped", "terminated")
    c.body("setExceptionBreakpoints", filters=[])
    c.ask("continue", threadId=m["body"]["threadId"])
    case("no filter any more: nothing stops", c.event("stopped", "terminated")["event"] == "terminated", m)
    c.end()


BUGS = {"barrier": ("divergent_barrier.cl", 256, 128, ["zeros:1024", "local:512"], "barrier(CLK"),
        "bounds": ("off_by_one.cl", 256, 64, ["zeros:1020", "iota:256:f32", "i32:255"], "out[i] ="),
        "divzero": ("divide.cl", 64, 64, ["zeros:256", "iota:64:i32", "iota:64:i32"], "sums[i] /"),
        "index": ("row_end.cl", 128, 128, ["zeros:512", "iota:128:f32"], "tile[y][x + 1]"),
        "nan": ("mean.cl", 64, 64, ["zeros:256", "iota:64:f32", "iota:64:f32"], "sums[i] /"),
        "overflow": ("overflow.cl", 64, 64, ["zeros:512", "i32:1000000"], "i * i"),
        "race": ("missing_barrier.cl", 256, 128, ["zeros:1024", "iota:256:i32", "local:512"], "tile[l] =|tile[n - 1 - l]"),
        "uninit": ("unset_slot.cl", 128, 64, ["zeros:512", "iota:128:i32", "local:256", "i32:120"], "out[i] = tile")}


def each_check():
    """A planted bug for each check: its filter stops at its line, with what was found as the exception; no other filter stops."""
    for name, (file, grid, block, args, piece) in BUGS.items():
        source = root / "examples/bugs" / file
        lines = [n for n, t in enumerate(source.read_text().splitlines(), 1) if any(p in t for p in piece.split("|"))]
        others = [f"check-{o}" for o in BUGS if o not in (name, "uninit")]  # uninit finds more of these, and rightly
        for filters in [f"check-{name}"], others:
            c = begun(breakpoints={"setExceptionBreakpoints": {"filters": filters}}, kernel=str(source), grid=grid, block=block, args=args, entry=False)
            m = c.event("stopped", "terminated")
            if filters == others:
                case(f"{file}: the filters of other checks do not stop", m["event"] == "terminated", m)
            else:
                info = c.ask("exceptionInfo", threadId=m["body"].get("threadId", 0))
                places = [int(n) for n in re.findall(rf"{file}:(\d+)", m["body"].get("description", ""))]
                case(f"check-{name} stops in {file}", m["event"] == "stopped" and m["body"]["reason"] == "exception" and not set(lines).isdisjoint(places), (m, lines))
                case("... and exceptionInfo says it", info["success"] and info["body"]["description"] == m["body"]["description"], info)
            c.end()
    lacks = work / "lacks.s"
    lacks.write_text(loop.read_text().replace("s_waitcnt lgkmcnt(0)", "s_nop 0"))
    last = next(n for n, t in enumerate(lacks.read_text().splitlines(), 1) if "global_store_b32" in t)
    for filters, want in ([], "terminated"), (["check-hazards"], "stopped"):
        c = begun(False, kernel=str(lacks), breakpoints={"setExceptionBreakpoints": {"filters": filters}})
        m = c.event("stopped", "terminated")
        case(f"a wait that is left out, {filters}: {want}", m["event"] == want and (want == "terminated" or f"lacks.s:{last}" in m["body"]["description"]), m)
        c.end()


def what_is_pointed_at():
    """Lines with code, completions, values that are set by expressions, why it stands."""
    (work / "set.cl").write_text("""\
kernel void set(global int *out)
{
    int i = get_global_id(0);

    int twice = 2 * i;
    // a remark
    out[i] = twice;
    out[i + 1000000] = 1;
}
""")
    c = begun(breakpoints=line(work / "set.cl", 7), kernel=str(work / "set.cl"), grid=32, block=32, args=("zeros:128",), entry=False, options=["-O0"])
    thread = c.event("stopped")["body"]["threadId"]
    frame = c.body("stackTrace", threadId=thread)["stackFrames"][0]["id"]
    can = c.body("breakpointLocations", source={"path": str(work / "set.cl")}, line=3, endLine=8)["breakpoints"]
    case("breakpointLocations: lines with code, not the empty one nor the remark", [b["line"] for b in can] == [3, 5, 7, 8], can)
    case("... of a line without code: none", c.body("breakpointLocations", source={"path": str(work / "set.cl")}, line=4)["breakpoints"] == [])
    words = c.body("completions", text="info breakp", column=12, frameId=frame)["targets"]
    case("completions: a command's word", [(w["label"], w["start"], w["length"]) for w in words] == [("breakpoints", 5, 6)], words)
    case("... a variable", "twice" in [w["label"] for w in c.body("completions", text="print tw", column=9)["targets"]])
    value = c.body("setExpression", expression="twice", value="i + 7", frameId=frame)["value"]
    case("setExpression: its value of each lane", str(7) in value and str(38) in value, value)
    case("... as evaluate has it, in each context", all(c.body("evaluate", expression="twice", frameId=frame, context=k)["result"] == value
                                                       for k in ("watch", "hover", "repl", "clipboard", "variables")), value)
    r = c.ask("setExpression", expression="nothing", value="1", frameId=frame)
    case("... of what is not there: refused", not r["success"] and "nothing" in r["message"], r)
    r = c.ask("exceptionInfo", threadId=thread)
    case("exceptionInfo at a breakpoint: none", not r["success"] and "no exception" in r["message"], r)
    case("cancel is answered", c.ask("cancel", requestId=1)["success"])
    c.ask("continue", threadId=thread)
    m = c.event("stopped")
    info = c.body("exceptionInfo", threadId=m["body"]["threadId"])
    case("... at a page fault", m["body"]["reason"] == "exception" and info["exceptionId"].startswith("page fault in wave 0") and info["breakMode"] == "always", info)
    c.end()


def channels():
    p = subprocess.Popen([lull, "dap", "--port", "0"], stderr=subprocess.PIPE, text=True)
    said = p.stderr.readline()
    port, token = re.fullmatch(r"lull dap: 127\.0\.0\.1:(\d+), token (\w{32})\n", said).groups()
    s = socket.create_connection(("127.0.0.1", int(port)))
    f = s.makefile("rwb")
    c = Client(files=(f, f))
    c.body("initialize", adapterID="lull")
    bad = c.ask("launch", **START, args=["zeros:1024"], token="0" * 32)
    good = c.ask("launch", **START, args=["zeros:1024"], token=token)
    case("a port: without its token nothing is launched", not bad["success"] and good["success"], (bad, good))
    c.end()
    case("... and it ends with its client", p.wait(timeout=60) == 0)
    for name, stream, why in (("no length", b"Content: 3\r\n\r\n{} ", "offset 0: no Content-Length"),
                              ("no JSON", b"Content-Length: 4\r\n\r\n{\"a}", "offset 25: "), ("a list", b"Content-Length: 2\r\n\r\n[]", "not an object"),
                              ("no end of the header", b"x" * 5000, "no end of a header")):
        r = subprocess.run([lull, "dap"], input=stream, capture_output=True)
        case(f"{name}: refused", r.returncode == 3 and why.encode() in r.stderr, r)
    c = Client(lull)
    case("nothing was launched", "nothing was launched" in c.ask("threads")["message"])
    r = c.ask("launch", kernel=str(work / "nothing.cl"), grid=64)
    case("no such file", not r["success"] and "nothing.cl" in r["message"], r)
    r = c.ask("launch", kernel="a", program="b")
    case("two things to debug", not r["success"] and "one of" in r["message"], r)
    c.end()


def where_to():
    """Modules, source files, lines to go to, functions to step into, a variable in registers that is watched."""
    (work / "go.cl").write_text("""\
static int half_of(int a) { int h = a / 2; return h; }
static int twice(int a) { int t = a * 2; return t; }
kernel void go(global int *out, int n)
{
    int i = get_global_id(0);
    int s = n;
    s += half_of(i) + twice(s);
    s += 1000;
    out[i] = s;
}
""")
    args = dict(kernel=str(work / "go.cl"), grid=32, block=32)
    c = begun(False, ("zeros:128:name=out", "i32:7"), line(work / "go.cl", 7), **args, options=["-O0"])
    c.event("stopped")
    m = c.body("modules")
    case("modules", m["totalModules"] == 1 and m["modules"][0]["path"].endswith("go.cl") and m["modules"][0]["symbolStatus"] == "debug information", m)
    m = c.body("loadedSources")
    case("loadedSources", [s["name"] for s in m["sources"]] == ["go.cl"], m)
    frame = c.body("stackTrace", threadId=2)["stackFrames"][0]["id"]
    targets = c.body("stepInTargets", frameId=frame)["targets"]
    case("stepInTargets: what the line calls", [t["label"] for t in targets] == ["half_of", "twice"], targets)
    c.ask("stepIn", threadId=2, targetId=targets[1]["id"])
    c.event("stopped")
    top = c.body("stackTrace", threadId=2)["stackFrames"][0]
    case("stepIn twice: over half_of", top["line"] == 2 and top["name"].startswith("twice"), top)
    c.ask("stepOut", threadId=2)
    c.event("stopped")
    case("... of no target", "no target" in c.ask("goto", threadId=2, targetId=0)["message"], m)
    # Line 8 is left out: out[i] is what lines 6 and 7 make.
    c.body("setBreakpoints", source={"path": str(work / "go.cl")}, breakpoints=[{"line": 8}])
    c.ask("continue", threadId=2)
    c.event("stopped")
    targets = c.body("gotoTargets", source={"path": str(work / "go.cl")}, line=9)["targets"]
    none = c.body("gotoTargets", source={"path": "nothing.cl"}, line=9)["targets"]
    case("gotoTargets: none in another file", none == [], none)
    targets = c.body("gotoTargets", source={"path": str(work / "go.cl")}, line=9)["targets"]
    case("gotoTargets", [t["line"] for t in targets] == [9], targets)
    c.body("goto", threadId=2, targetId=targets[0]["id"])
    m = c.event("stopped")
    top = c.body("stackTrace", threadId=2)["stackFrames"][0]
    case("goto", m["body"]["reason"] == "goto" and top["line"] == 9, (m, top))
    c.ask("next", threadId=2)
    c.event("stopped")
    at = c.body("evaluate", expression="out[5]", frameId=top["id"])
    info = c.body("dataBreakpointInfo", name="s")
    case("a variable in scratch memory: by its name, not by its offset", info["dataId"] == "wave 0:s", info)
    case("... what was left out is not done", at["result"].split()[0] == str(7 + 5 // 2 + 14), at)
    c.end()
    # At -O2 a loop's variable lives in a register: it changes from 7 on.
    (work / "reg.cl").write_text("""\
kernel void reg(global volatile int *out, int n)
{
    int s = n;
    for (int k = 0; k < 5; k++) {
        s = s * 3 + out[k];
        out[32 + k] = s;
    }
    out[get_global_id(0)] = s;
}
""")
    c = begun(False, ("zeros:256:name=out", "i32:7"), line(work / "reg.cl", 6), kernel=str(work / "reg.cl"), grid=32, block=32, options=["-Og"])
    c.event("stopped")
    info = c.body("dataBreakpointInfo", name="s")
    case("a variable in registers has a data breakpoint", info["dataId"] == "wave 0:s" and info["accessTypes"] == ["write"], info)
    r = c.body("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])
    c.body("setBreakpoints", source={"path": str(work / "reg.cl")}, breakpoints=[])
    c.ask("continue", threadId=2)
    m = c.event("stopped", "exited")
    frame = c.body("stackTrace", threadId=2)["stackFrames"][0]["id"]
    v = c.body("evaluate", expression="s", frameId=frame)
    case("... and stops when it changes", r["breakpoints"][0]["verified"] and m["body"].get("reason") == "data breakpoint" and v["result"].split()[0] == str((7 * 3) * 3), (r, m, v))
    # While waves are stepped for it, they still come to breakpoints.
    c.body("setBreakpoints", source={"path": str(work / "reg.cl")}, breakpoints=[{"line": 5}])
    c.ask("continue", threadId=2)
    m = c.event("stopped", "exited")
    case("... a breakpoint is one beside it", m["body"].get("reason") == "breakpoint", m)
    bad = c.body("setDataBreakpoints", breakpoints=[{"dataId": "wave x:s"}])
    case("... a dataId that is none", not bad["breakpoints"][0]["verified"], bad)
    c.end()


def progress():
    """A client that shows progress is told that waves run, and that they stand again; its cancel stops them."""
    c = Client(lull, cwd=work)
    c.body("initialize", adapterID="lull", supportsProgressReporting=True)
    (work / "long.s").write_text(loop.read_text().replace("s_movk_i32 s2, 250", "s_mov_b32 s2, 0x7fffffff"))
    c.body("launch", **(START | dict(kernel=str(work / "long.s"), args=["zeros:1024"], progressAfter=0)))
    c.event("initialized")
    c.ask("configurationDone")
    begin = c.event("progressStart")
    c.ask("cancel", progressId=begin["body"]["progressId"])
    finish = c.event("progressEnd")
    stop = c.event("stopped")
    case("progress of a run, which is cancelled", begin["body"]["cancellable"] and finish["body"]["progressId"] == begin["body"]["progressId"] and stop["body"]["reason"] == "pause", (begin, finish, stop))
    c.end()


def extension():
    """What VS Code installs: Python reads the archive, and the man page says what `launch` and `attach` take."""
    vsix = work / "lull.vsix"
    r = subprocess.run([lull, "dap", "--vsix", str(vsix)], capture_output=True, text=True)
    archive = zipfile.ZipFile(vsix) if r.returncode == 0 else None
    case("--vsix: an archive of one file", archive and archive.testzip() is None and archive.namelist() == ["extension/package.json"] and r.stdout == "", r)
    said = json.loads(archive.read("extension/package.json"))["contributes"]
    d = said["debuggers"][0]
    case("... it starts this program", os.path.samefile(d["program"], lull) and d["args"] == ["dap"] and d["type"] == "lull", d)
    case("... breakpoints are allowed in the files of its languages", {x["id"] for x in said["languages"]} <= {b["language"] for b in said["breakpoints"]}, said)
    page = (root / "docs/man/lull-dap.1").read_text().split(".SH LAUNCH AND ATTACH")[1].split(".SH")[0]
    launch, attach = page.split("\n.B attach\n")
    takes = set(re.findall(r"^\.TP\n\.B (\w+)$", launch, re.M)) | set(re.findall(r"^\.BR (grid) \" and \" (block)", launch, re.M)[0]) | {"args"}
    # The token is for a port; progressAfter stands further down.
    case("... its attributes are those of the man page", set(d["configurationAttributes"]["launch"]["properties"]) == takes - {"token"} | {"progressAfter"}, takes)
    takes = set(re.findall(r"^\.BR? (\w+)", attach, re.M))
    case("... of attach too", set(d["configurationAttributes"]["attach"]["properties"]) == takes - {"token"}, takes)
    c = Client(lull)
    case("... its first configuration can be launched", c.ask("launch", **{k: str(loop) if v == "${file}" else v for k, v in d["initialConfigurations"][0].items()
                                                                         if k not in ("type", "request", "name")})["success"])
    c.end()
    r = subprocess.run([lull, "dap", "--vsix", str(vsix), "--port", "0"], capture_output=True, text=True)
    case("--vsix serves nobody", r.returncode != 0 and "no --port" in r.stderr, r)


for run in (extension, where_to, progress, stepping, values, backwards, variables_of_source, frames, breakpoints, faults, logs, programs, before_code, checks, each_check, what_is_pointed_at, channels):
    run()
end()
