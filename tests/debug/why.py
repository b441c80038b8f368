#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`why` in lull debug: why.py LULL EXAMPLES. Which instruction, lane and wave made a value, and the values on the way, follow from the kernels' text and
their input, and are computed here."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]
from tap import case, end  # noqa: E402

lull, bugs = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve() / "bugs"
work = pathlib.Path(tempfile.mkdtemp())
ENV = os.environ | {"HOME": str(work)}
(work / "mirror.cl").write_text("""\
kernel void mirror(global int *out, global const int *in, local int *tile)
{
    int l = get_local_id(0);
    tile[l] = in[get_global_id(0)] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[63 - l] + 7;
}
""")
(work / "sum.cl").write_text("""\
kernel void sum(global int *out, int n)
{
    int i = get_global_id(0);
    int s = i;
    for (int j = 0; j < n; j++) {
        s += 2 * j + i;
    }
    out[i] = s;
}
""")
IN = [1000 + 17 * i for i in range(128)]
(work / "in.bin").write_bytes(struct.pack("<128i", *IN))


def debug(kernel, level, grid, block, args, *commands):
    (work / "commands").write_text("".join(f"{c}\n" for c in commands))
    given = [a for x in args for a in ("--arg", x)]
    return subprocess.run([lull, "debug", "--json", "-batch", "-x", "commands", str(kernel), level, "--grid", str(grid), "--block", str(block), *given],
                          capture_output=True, text=True, cwd=work, env=ENV, timeout=100)


def last(r):
    return json.loads(r.stdout.splitlines()[-1]) if r.returncode == 0 and r.stdout else {"nodes": []}


def nodes(r):
    return last(r)["nodes"]


def value(n):
    return int(n["value"], 0)


def signed(v):
    return v - (1 << 32) if v >> 31 else v


def mirrors():
    for level in ("-O0", "-O2"):
        r = debug("mirror.cl", level, 128, 64, ["zeros:512:name=out", "buffer:in.bin:name=in", "local:256"], "run", "why -depth 20 out[69]")
        got = nodes(r)
        from_element = 64 + 63 - 5  # work-item 69 is 5 of its group
        case(f"{level}: the store is of work-item 69", bool(got) and got[0]["line"] == 6 and got[0]["lane"] == 69 % 32 and
             value(got[0]) == 3 * IN[from_element] + 7, r)
        local = [n for n in got if n["place"].startswith("LDS")]
        case(f"{level}: ... through LDS, by the lane of another wave", len(local) == 1 and local[0]["line"] == 4 and local[0]["lane"] == (63 - 5) % 32 and
             value(local[0]) == 3 * IN[from_element], local)
        read = [n for n in got if n["place"].startswith("in+")]
        case(f"{level}: ... to that element of the input", [(n["place"], value(n), n["how"]) for n in read] ==
             [(f"in+{4 * from_element:#x}", IN[from_element], "never written")], read)


def sums():
    """At -O0 s goes through scratch; each turn adds to what the turn before stored."""
    turns, i = 4, 5
    s = [i]
    for j in range(turns):
        s.append(s[-1] + 2 * j + i)
    r = debug("sum.cl", "-O0", 32, 32, ["zeros:128:name=out", f"i32:{turns}"], "run", f"why -depth 30 out[{i}]")
    got = nodes(r)
    adds = [value(n) for n in got if n.get("line") == 6 and value(n) in s and "add" in n.get("instruction", "")]
    case("a sum in a loop: the values of all turns, the last first", [v for k, v in enumerate(adds) if k == 0 or adds[k - 1] != v][:turns] == s[:0:-1], (adds, s, r))
    again = debug("sum.cl", "-O0", 32, 32, ["zeros:128:name=out", f"i32:{turns}"], "run", f"why -depth 1 out[{i}]")
    case("-depth 1: what is behind the store is not looked for", {n["how"] for n in nodes(again)} == {"made", "deeper"} and
         len(nodes(again)) < len(got), again)
    r = debug("sum.cl", "-O0", 64, 32, ["zeros:256:name=out", f"i32:{turns}"], "tbreak sum.cl:8", "run", "lane 7", "why s", "info when", "print $_lane", "print s")
    said = [json.loads(t) for t in r.stdout.splitlines()]
    want = 7 + sum(2 * j + 7 for j in range(turns))
    case("a variable of the focused lane; the focus and the time stay", len(said) == 7 and value(said[3]["nodes"][0]) == want and said[5].get("value") in ("0x7", 7) and
         int(said[6]["lanes"][7], 0) == want, r)


def planted():
    r = debug(bugs / "missing_barrier.cl", "-O2", 256, 128, ["zeros:1024:name=out", "iota:256:i32:name=in", "local:512"], "run", "why out[1]")
    leaf = nodes(r)[-1] if nodes(r) else {}
    case("missing_barrier: who stores to the tile later", leaf.get("how") == "later" and leaf["line"] == 6 and leaf["wave"] == 3 and leaf["lane"] == 126 % 32 and
         leaf["place"] == f"LDS {4 * 126:#x}", r)
    r = debug(bugs / "unset_slot.cl", "-O2", 128, 64, ["zeros:512:name=out", "iota:128:i32:name=in", "local:256", "i32:120"], "run", "why out[70]")
    leaf = nodes(r)[-1] if nodes(r) else {}
    case("unset_slot: a slot that nobody writes", (leaf.get("how"), leaf.get("place")) == ("never written", f"LDS {4 * (63 - 6):#x}"), r)
    for level in ("-O0", "-O2"):
        r = debug(bugs / "mean.cl", level, 64, 64, ["zeros:256:name=out", "iota:64:f32:name=sums", "iota:64:f32:name=counts"], "run", "why -depth 20 out[0]")
        read = {(n["place"], value(n)) for n in nodes(r) if n["how"] == "never written" and not n["place"].startswith("kernarg")}
        case(f"mean {level}: 0 by 0", read == {("sums+0x0", 0), ("counts+0x0", 0)} and value(nodes(r)[0]) & 0x7f800000 == 0x7f800000, r)
    r = debug(bugs / "private_end.cl", "-O2", 64, 64, ["zeros:256:name=out", "iota:64:i32:name=in", "i32:7"], "run", "why -depth 20 out[3]")
    terms = {value(n) for n in nodes(r) if "movrel" in n.get("instruction", "") and n["place"].startswith("v") and n["how"] == "made"}
    case("private_end: registers that M0 chooses: seven terms, the eighth is not among them", terms == {3 + k for k in range(7)}, (terms, r))
    r = debug(bugs / "histogram.cl", "-O2", 256, 64, ["zeros:64:name=bins", "iota:256:i32:name=in"], "run", "why -depth 60 bins[3]")
    bins = [value(n) for n in nodes(r) if n["place"] == "bins+0xc"]
    case("histogram: from wave to wave through memory, down to 0", len(bins) > 4 and bins == list(range(bins[0], -1, -1)), (bins, r))


def refused():
    args = ("sum.cl", "-O0", 32, 32, ["zeros:128:name=out", "i32:2"])
    for commands, text in ((("why out[0]",), "not started"), (("run", "why"), "why what?"), (("run", "why -depth 0 out[0]"), "not a number of 1 to 64"),
                           (("run", "why $nothing"), "no register '$nothing'"), (("set record-memory off", "run", "why out[0]"), "nothing is recorded"),
                           (("start", "why 1 +"), "")):
        r = debug(*args, *commands)
        case(f"refused: {'; '.join(commands)}", r.returncode == 3 and text in r.stderr, r)


mirrors()
sums()
planted()
refused()
end()
