#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`why` in lull debug: why.py LULL EXAMPLES. Which instruction, lane and wave made a value, and the values on the way, follow from the kernels' text and
their input, and are computed here."""
import json
import os
import pathlib
import shutil
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


SHUFFLES = {  # What lane 5 of 32 gets, and from which lane: by the ISA guide's words for each control.
    "row_shr:1": ("__builtin_amdgcn_update_dpp(0, v, 0x111, 0xf, 0xf, true)", 4),
    "row_shl:2": ("__builtin_amdgcn_update_dpp(0, v, 0x102, 0xf, 0xf, true)", 7),
    "row_ror:3": ("__builtin_amdgcn_update_dpp(0, v, 0x123, 0xf, 0xf, true)", 2),
    "quad_perm:[1,0,3,2]": ("__builtin_amdgcn_update_dpp(0, v, 0xb1, 0xf, 0xf, true)", 4),
    "row_mirror": ("__builtin_amdgcn_update_dpp(0, v, 0x140, 0xf, 0xf, true)", 10),
    "row_half_mirror": ("__builtin_amdgcn_update_dpp(0, v, 0x141, 0xf, 0xf, true)", 2),
    "row_share:7": ("__builtin_amdgcn_update_dpp(0, v, 0x157, 0xf, 0xf, true)", 7),
    "row_xmask:6": ("__builtin_amdgcn_update_dpp(0, v, 0x166, 0xf, 0xf, true)", 3),
    "row_shr:6, no lane": ("__builtin_amdgcn_update_dpp(0, v, 0x116, 0xf, 0xf, true)", None),
    "dpp8:[7,6,5,4,3,2,1,0]": ("__builtin_amdgcn_mov_dpp8(v, 0x053977)", 2),
    "ds_bpermute": ("__builtin_amdgcn_ds_bpermute(4 * ((l * 7 + 3) % 32), v)", 6),
    "ds_permute": ("__builtin_amdgcn_ds_permute(4 * ((l + 9) % 32), v)", 28),
    "ds_swizzle, xor 9": ("__builtin_amdgcn_ds_swizzle(v, 0x241f)", 12),
    "permlane16": ("__builtin_amdgcn_permlane16(v, v, 0x89abcdef, 0x01234567, true, true)", 10),
    "permlanex16": ("__builtin_amdgcn_permlanex16(v, v, 0x89abcdef, 0x01234567, true, true)", 26),
    "readlane": ("__builtin_amdgcn_readlane(v, n)", 9),
    "readfirstlane": ("__builtin_amdgcn_readfirstlane(v)", 0),
}


def shuffles():
    args = ["zeros:128:name=out", "buffer:in.bin:name=in", "i32:9"]
    for name, (how, lane) in SHUFFLES.items():
        (work / "shuffle.cl").write_text("kernel void shuffle(global int *out, global const int *in, int n)\n{\n    int l = get_local_id(0);\n"
                                         f"    int v = in[l] * 3;\n    out[l] = {how} + 1;\n}}\n")
        r = debug("shuffle.cl", "-O2", 32, 32, args, "run", "why -depth 20 out[5]")
        got = nodes(r)
        read = [(n["place"], value(n)) for n in got if n["place"].startswith("in+")]
        want = [] if lane is None else [(f"in+{4 * lane:#x}", IN[lane])]
        case(f"{name}: from lane {lane}", bool(got) and read == want and value(got[0]) == (3 * IN[lane] + 1 if lane is not None else 1), r)


def causes():
    """Each planted bug: what the question leads to."""
    r = debug(bugs / "wrong_index.cl", "-O0", 1024, 64, ["zeros:4096:name=out"], "run", "why -depth 40 out[583]")
    before = [n for n in nodes(r) if n.get("earlier")]
    first = value(nodes(r)[0]) if nodes(r) else 0
    case("wrong_index: the other work-item that stored there", len(before) == 1 and {first, value(before[0])} == {519, 583}, r)
    if first == 583:  # The one that came first is the wrong one: its address leads to p.
        case("... and that line 8 changed its index", any(n.get("line") == 8 and value(n) == 583 for n in nodes(r)), r)
    r = debug(bugs / "stride.cl", "-O2", 256, 64, ["zeros:1024:name=out", "i32:64"], "run", "why -depth 20 out[63]")
    both = [value(n) for n in nodes(r) if n["place"] == f"out+{4 * 63:#x}"]
    case("stride: two rows meet, 63 to a row", sorted(both) == [63, 1000] and any(value(n) == 63 and n["place"].startswith("s") and n.get("how") == "made" for n in nodes(r)), r)
    r = debug(bugs / "local_end.cl", "-O2", 256, 64, ["zeros:1024:name=out", "iota:256:i32:name=in", "local:256"], "run", "why -depth 20 out[63]")
    lds = {n["place"]: n["how"] for n in nodes(r) if n["place"].startswith("LDS")}
    case("local_end: the element behind the tile, which nobody wrote", lds == {"LDS 0x100": "never written", "LDS 0xfc": "made"}, (lds, r))
    r = debug(bugs / "off_by_one.cl", "-O2", 256, 64, ["zeros:1020:name=out", "iota:256:f32:name=in", "i32:255"], "run", "why -depth 20 out[255]")
    case("off_by_one: a load behind the end of in", any("behind the end of in, by 0 bytes" in n["place"] for n in nodes(r)), r)
    r = debug(bugs / "atomic_end.cl", "-O2", 256, 64, ["zeros:64:name=bins", "iota:256:i32:name=in"], "run", "why -depth 20 bins[16]")
    case("atomic_end: an atomic behind the end of bins", bool(nodes(r)) and "atomic" in nodes(r)[0]["instruction"] and "behind the end of bins" in nodes(r)[0]["place"], r)
    r = debug(bugs / "divide.cl", "-O2", 64, 64, ["zeros:256:name=out", "iota:64:i32:name=sums", "iota:64:i32:name=counts"], "run", "why -depth 60 out[0]")
    case("divide: a count of 0", any(n["place"] == "counts+0x0" and value(n) == 0 for n in nodes(r)), r)
    args = ["zeros:256:name=out", "iota:64:i32:name=in"]
    r = debug(bugs / "unset_variable.cl", "-O0", 64, 64, args, "run", "why -depth 30 -control out[0]")
    never = [n for n in nodes(r) if n["how"] == "never written" and n["place"].startswith("scratch")]
    case("unset_variable: best decides, and nobody set it", len(never) == 1 and any(n.get("line") == 8 for n in nodes(r)), r)
    r = debug(bugs / "unset_variable.cl", "-O0", 64, 64, args, "run", "why -depth 30 out[0]")
    case("... which is control, and not followed without -control", bool(nodes(r)) and not any(n["place"].startswith("scratch") for n in nodes(r)), r)
    r = debug(bugs / "divergent_barrier.cl", "-O2", 256, 128, ["zeros:1024:name=out", "local:512"], "run", "why -depth 20 -control out[2]")
    case("divergent_barrier: the 16 work-items of the condition", any("add_nc_u32" in n.get("instruction", "") and value(n) == 18 and n["line"] == 9 for n in nodes(r)), r)


def pages():
    r = debug("mirror.cl", "-O2", 128, 64, ["zeros:512:name=out", "buffer:in.bin:name=in", "local:256"], "run", "why -depth 20 -dot g.dot -html g.html out[69]", "why -depth 20 out[69]")
    case("-dot and -html", r.returncode == 0, r)
    dot, html = ((work / f).read_text() if (work / f).exists() else "" for f in ("g.dot", "g.html"))
    got = nodes(r)
    places = [n for n in got if n["how"] != "again"]
    case("a box for each value, an arrow from each but the first", dot.count("[label=") == len(places) and dot.count(" -> ") == len(got) - 1 and dot.startswith("digraph"), dot)
    value_of_tile = str(3 * IN[64 + 63 - 5])
    case("... with values, instructions and lines", all(w in dot for w in ("ds_load_b32", "mirror.cl:4", value_of_tile)), dot)
    case("the page says the same, and needs nothing", all(w in html for w in ("ds_load_b32", "mirror.cl:4", value_of_tile, "default-src 'none'")) and
         html.count("<details") == html.count("</details>") > 3 and "://" not in html and "<ds_load" not in html, html)
    for tool, args in (("dot", ["-Tsvg", "g.dot"]),):
        if shutil.which(tool):
            t = subprocess.run([tool, *args], capture_output=True, text=True, cwd=work, timeout=60)
            case("Graphviz takes it", t.returncode == 0 and "<svg" in t.stdout, t)
    r = debug("mirror.cl", "-O2", 128, 64, ["zeros:512:name=out", "buffer:in.bin:name=in", "local:256"], "run", "why -html no/such/g.html out[69]")
    case("a file that cannot be written is named", r.returncode == 3 and "no/such/g.html" in r.stderr, r)


# Lanes 8 to 31 are off where others read what they computed before: by v_readlane from lane 20, and by DPP (row_ror:8, with off lanes: fi) from the lane 8 further.
OFF = """    s_load_b64 s[0:1], s[0:1], 0x0
    v_lshlrev_b32_e32 v1, 2, v0
    v_mad_u32_u24 v2, v0, 3, 1
    v_cmpx_gt_u32_e32 8, v0
    v_mov_b32_e32 v2, 0x55
    v_readlane_b32 s5, v2, 20
    v_mov_b32_dpp v6, v2 row_ror:8 row_mask:0xf bank_mask:0xf fi:1
    v_add_nc_u32_e32 v3, s5, v6
    s_waitcnt lgkmcnt(0)
    global_store_b32 v1, v3, s[0:1]
    s_endpgm
"""


def off():
    text = (bugs.parent / "simple.s").read_text()
    before, rest = text.split("    s_load_b64", 1)
    text = before + OFF + ".Lsimple_end:" + rest.split(".Lsimple_end:", 1)[1]
    for name, n in (("next_free_vgpr 3", 8), ("next_free_sgpr 2", 8), ("vgpr_count: 3", 8), ("sgpr_count: 4", 8)):
        text = text.replace(name, f"{name[:-1]}{n}")
    (work / "off.s").write_text(text)
    got = nodes(debug("off.s", "-O2", 32, 32, ["zeros:128:name=out"], "run", "why out[3]"))
    made = {(n["lane"], value(n)) for n in got if "v_mad_u32_u24" in n.get("instruction", "")}
    case("what lanes computed that were off when others read it", made == {(20, 3 * 20 + 1), (11, 3 * 11 + 1)} and value(got[0]) == 61 + 34, got)


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
shuffles()
causes()
pages()
off()
refused()
end()
